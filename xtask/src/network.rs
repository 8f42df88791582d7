//! Nodes as processes, with the real engine, on a network of their own that loses packets.
//!
//! A network namespace of Linux, in which the kernel's packet filter drops a share of all datagrams at random. Nothing outside of
//! it is touched.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::rust::dpsda;
use crate::shell::{Done, Outcome, Shell};

/// Packets lost, in per cent.
const LOSSES: [u32; 4] = [0, 1, 5, 10];
/// The time limit of one run, which is paced to take three seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// The result of a run of seven nodes.
struct Run {
    regret: f64,
    mass_error: Option<i64>,
    dropped: u64,
}

/// Runs every algorithm at every loss.
pub(crate) fn check(shell: &Shell) -> Outcome {
    if let Some(why) = missing(shell)? {
        return Ok(Done::Skipped(why));
    }
    let dpsda = dpsda(shell, &shell.root)?;
    let place = shell.target.join("xtask/network");
    let _ = fs::remove_dir_all(&place); // of an earlier run
    fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let mut worst = 0.0_f64;
    for name in ["dpsda-r", "dpsda-c", "dpsda-ps"] {
        let mut fair = None;
        for loss in LOSSES {
            let run = run(shell, &dpsda, &place, name, loss)?;
            let fair = *fair.get_or_insert(run.regret);
            let times = run.regret / fair;
            let mass = run.mass_error.map_or_else(String::new, |error| format!(", mass error {error}"));
            println!(
                "   {name}, {loss} %: {} packets lost, regret per round {:.5}, {times:.4} times as much{mass}",
                run.dropped, run.regret
            );
            if (run.dropped > 0) != (loss > 0) {
                return Err(format!("{name}, {loss} %: {} packets were dropped", run.dropped));
            }
            match name {
                "dpsda-r" if times.is_nan() || times > 1.05 => {
                    return Err(format!("{name}, {loss} %: {times:.4} times the regret, more than 1.05"));
                }
                "dpsda-r" => worst = worst.max(times),
                _ if run.mass_error != Some(0) => {
                    return Err(format!("{name}, {loss} %: mass error {:?}, expected 0", run.mass_error));
                }
                _ => {}
            }
        }
    }
    Ok(Done::Passed(format!(
        "7 nodes at 0 to 10 % of packets lost: the regret of R is at most {worst:.3} times as large, C and PS lose no mass"
    )))
}

/// Why it cannot run here, if it cannot. Installs what is missing where that is allowed.
fn missing(shell: &Shell) -> Result<Option<String>, String> {
    if !cfg!(target_os = "linux") {
        return Ok(Some("network namespaces are Linux's".to_owned()));
    }
    if !shell.is_root() {
        return Ok(Some("only root can make a network namespace (run it as root)".to_owned()));
    }
    if !there(shell) {
        if !shell.has("apt-get") {
            return Ok(Some("nft or ip is missing (install nftables and iproute2)".to_owned()));
        }
        println!("   installing nftables and iproute2");
        shell.apt_install(&["iproute2", "nftables"])?;
    }
    let mut try_out = shell.program("unshare");
    try_out.args(["--net", "sh", "-c", &format!("{} && nft list ruleset", rules(1))]);
    Ok(shell
        .run(&mut try_out)
        .err()
        .map(|why| format!("no network namespace with a packet filter here: {why}")))
}

fn there(shell: &Shell) -> bool {
    let ip = shell.program("ip").arg("-V").output().is_ok_and(|o| o.status.success());
    ip && shell.has("nft") && shell.has("unshare")
}

/// Makes the loopback of a new namespace lose `loss` per cent of datagrams.
fn rules(loss: u32) -> String {
    let drop = match loss {
        0 => String::new(),
        _ => format!(
            "; nft add rule inet loss in meta l4proto udp numgen random mod 100 '<' {loss} counter drop"
        ),
    };
    format!(
        "set -e; ip link set lo up; nft add table inet loss; \
         nft add chain inet loss in '{{ type filter hook input priority 0; }}'{drop}"
    )
}

fn run(shell: &Shell, dpsda: &Path, place: &Path, name: &str, loss: u32) -> Result<Run, String> {
    let file = place.join(format!("{name}.toml"));
    fs::write(&file, experiment(name)).map_err(|e| format!("{}: {e}", file.display()))?;
    let quoted = |path: &Path| format!("'{}'", path.display());
    let script = format!(
        "{}; {} cluster up {} --dir {} --quiet --json; nft list table inet loss",
        rules(loss),
        quoted(dpsda),
        quoted(&file),
        quoted(&place.join(format!("{name}-{loss}"))),
    );
    let text = shell.run_within(shell.program("unshare").args(["--net", "sh", "-c", &script]), LIMIT)?;
    let regret = after(&text, "\"regret_per_round\":").and_then(|word| word.parse().ok());
    let regret = regret.ok_or_else(|| format!("no regret\n{text}"))?;
    let mass_error = after(&text, "\"mass_error\":").and_then(|word| word.parse().ok());
    let dropped = after(&text, "counter packets").and_then(|word| word.parse().ok()).unwrap_or(0);
    Ok(Run { regret, mass_error, dropped })
}

/// The word after another.
pub(crate) fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(word)?;
    rest.split(|c: char| c.is_whitespace() || ",}".contains(c)).find(|part| !part.is_empty())
}

/// 150 rounds of the mushroom data, fifty per second, with noise that is the same in every run.
fn experiment(name: &str) -> String {
    let links = if name == "dpsda-r" { "" } else { "links = \"running-sums\"\n" };
    format!(
        "rounds = 150\n[problem]\nloss = \"logistic\"\ndata = \"mushroom\"\nbatch = 10\n[set]\nkind = \"ball\"\n\
         radius = 5.0\n[network]\nnodes = 7\ngraph = \"paper-fig2\"\n[algorithm]\nname = \"{name}\"\n{links}\
         [privacy]\nmechanism = \"discrete-gaussian\"\narithmetic = \"grid\"\nepsilon = 4.0\ndelta = 1e-5\n\
         adjacency = \"example\"\nclip = 1.0\n[node]\npace = 50\nnoise = \"seed\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_after_another() {
        let text =
            "{\n  \"regret_per_round\": 0.25,\n  \"mass_error\": null\n}\ncounter packets 12 bytes 7 drop";
        assert_eq!(after(text, "\"regret_per_round\":"), Some("0.25"));
        assert_eq!(after(text, "\"mass_error\":"), Some("null"));
        assert_eq!(after(text, "counter packets"), Some("12"));
        assert_eq!(after("VmRSS:\t    17 kB", "VmRSS:"), Some("17"));
        assert_eq!(after(text, "nothing"), None);
    }

    #[test]
    fn a_fair_network_has_no_rule_that_drops() {
        assert!(!rules(0).contains("drop"));
        assert!(rules(5).ends_with("numgen random mod 100 '<' 5 counter drop"));
    }
}
