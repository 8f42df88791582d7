//! A cluster of seven nodes under constant faults, and the memory, disk and files that it uses.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::shell::Shell;

const NODES: usize = 7;
/// Rounds per second: fast enough that stores reach the 10,000 lines that they keep before the second quarter.
const PACE: u64 = 100;
const LINES: u64 = 10_000;
/// How long it runs unless `DPSDA_SOAK_SECONDS` says otherwise.
const SECONDS: u64 = 600;
/// How often it is looked at.
const LOOK: Duration = Duration::from_secs(5);

/// The measures: name, unit, and how much each may grow beyond a tenth.
const MEASURES: [(&str, &str, f64); 3] = [
    ("memory of the largest node", "kB", 2048.0),
    ("stores", "kB", 512.0),
    ("files open in a node", "", 4.0),
];

type Sample = [f64; MEASURES.len()];

/// Runs, kills, pauses and measures.
pub(crate) fn run(shell: &Shell) -> Result<String, String> {
    if !cfg!(target_os = "linux") {
        return Err("the resources of a process are read from /proc, which only Linux has".to_owned());
    }
    let set = std::env::var("DPSDA_SOAK_SECONDS").ok().and_then(|text| text.parse().ok());
    let seconds = set.unwrap_or(SECONDS).max(40);
    shell.run(super::cargo_test(shell).args(["--no-run", "--test", "paper"]))?; // its tests need the program
    let place = shell.target.join("xtask/soak");
    let _ = fs::remove_dir_all(&place); // of an earlier run
    let told = |e: std::io::Error| format!("{}: {e}", place.display());
    fs::create_dir_all(&place).map_err(told)?;
    let file = place.join("soak.toml");
    fs::write(&file, experiment(seconds)).map_err(told)?;
    let (log, dir) = (place.join("log"), place.join("cluster"));
    let out = File::create(&log).map_err(told)?;
    let mut command = shell.program(shell.target.join("release/dpsda"));
    command.args(["cluster", "up"]).arg(&file).arg("--dir").arg(&dir).args(["--for", &seconds.to_string()]);
    command.args(faults(seconds)).stdin(Stdio::null()).stderr(out.try_clone().map_err(told)?).stdout(out);
    let mut child = command.spawn().map_err(told)?;
    let samples = watch(&mut child, &dir);
    let status = child.wait().map_err(told)?;
    let said = fs::read_to_string(&log).unwrap_or_default();
    if !status.success() {
        return Err(format!("{said}({status})"));
    }
    let round = last_round(&dir);
    let kills = said.matches("is killed").count();
    let pauses = said.matches("is paused").count();
    println!("   {seconds} s, round {round}, {kills} kills, {pauses} pauses, {} looks", samples.len());
    judge(&samples, round, seconds)
}

/// Samples the nodes until the cluster ends.
fn watch(child: &mut Child, dir: &Path) -> Vec<Sample> {
    let (start, mut samples) = (Instant::now(), Vec::new());
    let mut next = LOOK;
    while matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(100));
        if start.elapsed() >= next {
            next += LOOK;
            samples.extend(look(dir));
            if let Some([memory, stores, files]) = samples.last().filter(|_| samples.len() % 6 == 1) {
                println!(
                    "   {:>4} s: memory {memory} kB, stores {stores} kB, {files} files",
                    start.elapsed().as_secs()
                );
            }
        }
    }
    samples
}

/// Nothing grows from the second quarter to the last.
fn judge(samples: &[Sample], round: u64, seconds: u64) -> Result<String, String> {
    let quarter = samples.len() / 4;
    if quarter == 0 {
        return Err(format!("only {} looks", samples.len()));
    }
    let (mut grown, mut words) = (Vec::new(), Vec::new());
    for (k, (name, unit, slack)) in MEASURES.iter().enumerate() {
        let second = median(&samples[quarter..2 * quarter], k);
        let last = median(&samples[samples.len() - quarter..], k);
        let line = format!("{name}: {second} {unit}, then {last} {unit}");
        println!("   {line}");
        // A store that has not reached its full number of lines still grows, as it should.
        let young = *name == "stores" && round * (seconds / 4) / seconds < LINES;
        if young {
            println!("   (stores still fill up to {LINES} lines: not judged)");
        } else if last > 1.1 * second + slack {
            grown.push(line);
        } else {
            words.push(line);
        }
    }
    if grown.is_empty() { Ok(words.join("; ")) } else { Err(format!("grown: {}", grown.join("; "))) }
}

fn median(samples: &[Sample], k: usize) -> f64 {
    let mut values: Vec<f64> = samples.iter().map(|sample| sample[k]).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The resources that the nodes use now; none while no node runs.
fn look(dir: &Path) -> Option<Sample> {
    let stores: u64 = (0..NODES).map(|k| size(&dir.join(format!("node-{k}/store")))).sum();
    let memory = processes(dir).iter().filter_map(|pid| resident(pid)).max()?;
    let files =
        processes(dir).iter().filter_map(|pid| Some(fs::read_dir(pid.join("fd")).ok()?.count())).max()?;
    Some([memory as f64, (stores / 1024) as f64, files as f64])
}

/// The folders in /proc of the nodes of this cluster.
fn processes(dir: &Path) -> Vec<PathBuf> {
    let own = |path: &PathBuf| {
        let words = fs::read(path.join("cmdline")).unwrap_or_default();
        let words: Vec<_> = words.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        words.get(1).is_some_and(|word| word == "node")
            && words.get(2).is_some_and(|file| Path::new(&**file).starts_with(dir))
    };
    let all = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    all.filter(own).collect()
}

/// Kilobytes of memory.
fn resident(pid: &Path) -> Option<u64> {
    let status = fs::read_to_string(pid.join("status")).ok()?;
    crate::network::after(&status, "VmRSS:")?.parse().ok()
}

fn size(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
}

/// The round of the last decision of the first node.
fn last_round(dir: &Path) -> u64 {
    let text = fs::read_to_string(dir.join("node-0/decisions.jsonl")).unwrap_or_default();
    let last = text.lines().last().and_then(|line| crate::network::after(line, "\"round\":")?.parse().ok());
    last.unwrap_or(0)
}

/// Every few seconds a node is killed or paused for a while. Node 0 is spared: leaks caused by the others stay visible in it.
fn faults(seconds: u64) -> Vec<String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let (mut at, mut words) = (3, Vec::new());
    let mut free_at = [0; NODES];
    while at + 12 < seconds {
        let node = 1 + draw(NODES as u64 - 1) as usize;
        let lasts = 1 + draw(5);
        if free_at[node] <= at {
            let deed = if draw(3) == 0 { "--pause" } else { "--kill" };
            words.extend([deed.to_owned(), format!("{node}@{at}+{lasts}")]);
            free_at[node] = at + lasts + 2;
        }
        at += 1 + draw(4);
    }
    words
}

/// An experiment with so many rounds that no node reaches the end.
fn experiment(seconds: u64) -> String {
    let rounds = 2 * PACE * seconds;
    format!(
        "rounds = {rounds}\n[problem]\nloss = \"squared\"\ndata = \"synthetic-regression\"\nfeatures = 21\n[set]\n\
         kind = \"ball\"\nradius = 5.0\n[network]\nnodes = {NODES}\ngraph = \"paper-fig2\"\n[algorithm]\n\
         name = \"dpsda-r\"\n[privacy]\nmechanism = \"discrete-gaussian\"\nepsilon = 1.0\ndelta = 1e-5\nclip = 1.0\n\
         [node]\npace = {PACE}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(grows: f64) -> Vec<Sample> {
        (0..100).map(|k| [1e5 + grows * f64::from(k), 1e4, 20.0]).collect()
    }

    #[test]
    fn what_is_flat_passes_and_what_grows_does_not() {
        assert!(judge(&samples(0.0), 60_000, 600).is_ok());
        assert!(judge(&samples(1000.0), 60_000, 600).unwrap_err().contains("memory"));
    }

    #[test]
    fn nobody_is_hit_while_it_is_down_and_all_are_back_at_the_end() {
        let words = faults(600);
        assert!(words.len() > 200, "{}", words.len());
        let mut back = [0; NODES];
        for fault in words.chunks(2) {
            let (node, when) = fault[1].split_once('@').unwrap();
            let (at, lasts) = when.split_once('+').unwrap();
            let (node, at, lasts): (usize, u64, u64) =
                (node.parse().unwrap(), at.parse().unwrap(), lasts.parse().unwrap());
            assert!(node > 0 && at > back[node] && at + lasts < 600, "{fault:?}");
            back[node] = at + lasts;
        }
    }
}
