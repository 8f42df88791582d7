//! `dpsda run`, and `dpsda` alone.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use dpsda_sim::check::Check;
use dpsda_sim::folder::{self as files, Staging, Written};
use dpsda_sim::{Experiment, Options, Progress};
use dpsda_web::text::{count, plural};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::{folder, say, table};

const FLAGSHIP: &str = include_str!("../../../../experiments/flagship.toml");

/// The file that marks the folder of a run.
const MARK: &str = "manifest.json";

/// The flagship experiment.
pub(crate) fn flagship(args: &RunArgs) -> Result<(), Failure> {
    run(FLAGSHIP, Path::new(""), "flagship", args)
}

/// The experiment in a file.
pub(crate) fn file(path: &Path, args: &RunArgs) -> Result<(), Failure> {
    let stem = path.file_stem().map(|s| s.to_string_lossy().trim_matches('.').to_owned());
    let name = stem.filter(|s| !s.is_empty()).unwrap_or_else(|| "run".into());
    let base = path.parent().unwrap_or(Path::new(""));
    run(&read(path)?, base, &name, args).map_err(|failure| failure.in_file(path))
}

/// The text of an experiment's file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    folder::text(path).map_err(|e| {
        Failure::Input(format!("{}: {e} (`dpsda new` writes a file to start from)", path.display()))
    })
}

fn run(text: &str, base: &Path, name: &str, args: &RunArgs) -> Result<(), Failure> {
    let mut overrides = args.keys.set.clone();
    overrides.extend(args.work.trials.map(|n| format!("trials={n}")));
    let experiment = Experiment::load(text, &overrides, base)?;
    let target = args.folder.out.clone().unwrap_or_else(|| free_name(name));
    drop(stage(&target, args.folder.force, MARK)?); // a wrong folder is refused now, not after the run; nothing stays behind
    let check = Check::new(&experiment);
    let tell = |warnings: Vec<String>| warnings.iter().for_each(|w| say::aside(&format!("warning: {w}")));
    tell(check.warnings());
    if !args.quiet {
        say::aside(&headline(&experiment));
        agents(&experiment).iter().for_each(|line| say::aside(line));
    }

    let progress = Arc::new(Progress::default());
    let half_written = Arc::new(Mutex::new(None));
    stop_on_ctrl_c(&progress, &half_written);
    let start = Instant::now();
    let watched = Arc::clone(&progress);
    let watch = Watch::start(move || watched.now(), "rounds", args.quiet);
    let options = Options { threads: args.work.threads.map_or(0, usize::from) };
    let outcome = experiment.run(options, &progress);
    drop(watch);
    let taken = start.elapsed().as_secs_f64();
    tell(outcome.warnings(&experiment));

    let finished: usize = outcome.runs.iter().map(|run| run.trials.len()).sum();
    let wanted: usize = experiment.runs.iter().map(|config| config.trials as usize).sum();
    if outcome.interrupted && finished == 0 {
        return Err(Failure::Unfinished);
    }
    let staging = stage_at_last(&target, args.folder.force, MARK)?;
    *half_written.lock().unwrap_or_else(PoisonError::into_inner) = Some(staging.path().to_owned());
    let Written { manifest, summary } = files::write(&staging, &experiment, &outcome, &check)?;
    let (rounds, _) = progress.now();
    let timing = json!({
        "seconds": taken, "rounds": rounds, "rounds_per_second": rounds as f64 / taken, "threads": options.threads(),
    });
    staging.add("timing.json", format!("{timing:#}\n"))?;
    staging.add("report.html", dpsda_web::report(&[folder::written(staging.path(), manifest, &summary)?]))?;
    let target = put(staging, &target, !outcome.interrupted || finished == wanted)?;

    let report = target.join("report.html");
    if args.json {
        let interrupted = outcome.interrupted;
        let summary =
            json!({ "folder": target, "report": report, "interrupted": interrupted, "summary": summary });
        say::out(&format!("{summary:#}"))?;
    } else if !args.quiet {
        say::out(&table::summary(&summary, &experiment.swept()))?;
        say::out(&format!("{taken:.1} s. Report: {}  (columns: dpsda list columns)", report.display()))?;
    }
    if outcome.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}

fn headline(experiment: &Experiment) -> String {
    let title = experiment.runs.first().map_or("", |c| c.title.as_str());
    let trials = experiment.runs.iter().map(|c| u64::from(c.trials));
    let rounds = (0..experiment.runs.len()).map(|c| experiment.rounds(c));
    let runs = plural(experiment.runs.len() as u64, "run");
    format!("{title}: {runs} x {} of {}", range(trials, "trial"), range(rounds, "round"))
}

/// Which columns of tables are agents, because a file need not name them.
fn agents(experiment: &Experiment) -> Vec<String> {
    const ENOUGH: usize = 12;
    let mut all: Vec<String> = Vec::new();
    let models = experiment.runs.iter().filter_map(|config| config.problem.model());
    for used in models.flat_map(|model| model.columns()).filter(|used| used.own) {
        let (shown, rest) = used.names.split_at(used.names.len().min(ENOUGH));
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let agents = plural(used.names.len() as u64, "agent");
        let line = format!("{agents}, one per column of {}: {}{more}", used.table, shown.join(", "));
        if !all.contains(&line) {
            all.push(line);
        }
    }
    all
}

/// "1 trial", "10 trials", "10 or 20 rounds", "10 to 500 rounds"
fn range(values: impl Iterator<Item = u64>, what: &str) -> String {
    let values: Vec<u64> = values.collect::<BTreeSet<_>>().into_iter().collect();
    match values[..] {
        [n] => plural(n, what),
        [a, b] => format!("{} or {} {what}s", count(a), count(b)),
        [a, .., b] => format!("{} to {} {what}s", count(a), count(b)),
        [] => format!("no {what}s"),
    }
}

/// `runs/NAME`, or the first free one of `runs/NAME-2`, `runs/NAME-3`, ...: no run is overwritten without --force.
pub(crate) fn free_name(name: &str) -> PathBuf {
    let first = Path::new("runs").join(name);
    if first.exists() { free_beside(&first) } else { first }
}

fn free_beside(target: &Path) -> PathBuf {
    (2..).map(|k| files::numbered(target, k)).find(|p| !p.exists()).unwrap_or_else(|| target.to_owned())
}

pub(crate) fn stage(target: &Path, force: bool, mark: &str) -> Result<Staging, Failure> {
    let foreign = foreign(target, mark);
    let refuse = |problem: &str, remedy: &str| {
        Failure::Input(format!("the folder {} cannot be written: {problem} ({remedy})", target.display()))
    };
    if let Some(found) = foreign.as_ref().filter(|_| force && holds_something(target)) {
        let problem = format!("{found}, so this command did not write it, and it is not replaced");
        return Err(refuse(&problem, "give another --out"));
    }
    Staging::new(target, force).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists if foreign.is_none() => {
            refuse(&e.to_string(), "give another --out, or --force to replace it")
        }
        _ => refuse(&e.to_string(), "give another --out"),
    })
}

/// The same after the work, when nothing may be lost. If the folder can no longer be written, it takes one beside it.
pub(crate) fn stage_at_last(target: &Path, force: bool, mark: &str) -> Result<Staging, Failure> {
    stage(target, force, mark).or_else(|_| stage(&free_beside(target), false, mark))
}

/// Whether it is a folder that is not empty. One that cannot be read may hold anything.
fn holds_something(folder: &Path) -> bool {
    folder.is_dir() && folder.read_dir().map_or(true, |mut inside| inside.next().is_some())
}

/// Moves a folder to its place, or beside it: only a whole one replaces another.
pub(crate) fn put(staging: Staging, target: &Path, whole: bool) -> Result<PathBuf, Failure> {
    let staging = if whole { staging } else { staging.spare() };
    let written = staging.commit().map_err(|e| Failure::Io(format!("{}: {e}", target.display())))?;
    if !whole && written != target {
        let (old, written) = (target.display(), written.display());
        say::aside(&format!(
            "not everything was finished, so {old} is not replaced: what is finished is in {written}"
        ));
    }
    Ok(written)
}

/// What shows that this command did not write a folder: its mark is missing, or is not what the command puts there.
fn foreign(target: &Path, mark: &str) -> Option<String> {
    let path = target.join(mark);
    if !path.exists() {
        return Some(format!("it has no {mark}"));
    }
    let text = match folder::text(&path) {
        Ok(text) => text,
        Err(error) => return Some(format!("its {mark} cannot be read: {error}")),
    };
    let marked = text.trim_start().starts_with('{') && serde_json::from_str::<Mark>(&text).is_ok();
    (!marked).then(|| match serde_json::from_str::<IgnoredAny>(&text) {
        Err(error) => format!("its {mark} is not JSON: {error}"),
        Ok(_) => format!("its {mark} lacks the keys \"dpsda\" and \"interrupted\""),
    })
}

/// What every mark holds. The rest may be long, and is not kept.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only whether they are there matters")]
struct Mark {
    dpsda: String,
    interrupted: bool,
}

/// The first Ctrl-C (or SIGTERM) stops and keeps finished results. The second exits at once and removes a half-written folder.
pub(crate) fn stop_on_ctrl_c(progress: &Arc<Progress>, half_written: &Arc<Mutex<Option<PathBuf>>>) {
    stop_at_ctrl_c(progress, half_written, "finished results are kept");
}

/// The same for a command that says otherwise what it keeps.
pub(crate) fn stop_at_ctrl_c(
    progress: &Arc<Progress>,
    half_written: &Arc<Mutex<Option<PathBuf>>>,
    kept: &'static str,
) {
    let (progress, half_written) = (Arc::clone(progress), Arc::clone(half_written));
    let handler = move || {
        if progress.stopped() {
            if let Some(folder) = half_written.lock().unwrap_or_else(PoisonError::into_inner).take() {
                let _ = std::fs::remove_dir_all(folder);
            }
            std::process::exit(130);
        }
        progress.stop();
        say::aside(&format!("stopping: {kept} (Ctrl-C again to exit at once)"));
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        say::aside(&format!("note: Ctrl-C will end the run without keeping any results ({error})"));
    }
}
