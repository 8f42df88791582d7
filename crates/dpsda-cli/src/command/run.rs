//! `dpsda run`, and `dpsda` alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use dpsda_sim::check::Check;
use dpsda_sim::folder::{self as files, Staging};
use dpsda_sim::{Experiment, Options, Progress};
use serde_json::json;

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::{folder, say, table};

const FLAGSHIP: &str = include_str!("../../../../experiments/flagship.toml");

/// The flagship experiment.
pub(crate) fn flagship(args: &RunArgs) -> Result<(), Failure> {
    run(FLAGSHIP, Path::new(""), "flagship", args)
}

/// The experiment in a file.
pub(crate) fn file(path: &Path, args: &RunArgs) -> Result<(), Failure> {
    let name = path.file_stem().map_or_else(|| "run".into(), |s| s.to_string_lossy().into_owned());
    run(&read(path)?, path.parent().unwrap_or(Path::new("")), &name, args)
}

/// The text of an experiment's file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|e| {
        Failure::Input(format!("{}: {e} (`dpsda new` writes a file to start from)", path.display()))
    })
}

fn run(text: &str, base: &Path, name: &str, args: &RunArgs) -> Result<(), Failure> {
    let mut overrides = args.set.clone();
    overrides.extend(args.trials.map(|n| format!("trials={n}")));
    let experiment = Experiment::load(text, &overrides, base)?;
    let target = args.out.clone().unwrap_or_else(|| free_name(name));
    let staging = stage(&target, args.force)?;
    let check = Check::new(&experiment);
    if !args.quiet {
        check.warnings().iter().for_each(|w| say::aside(&format!("warning: {w}")));
        say::aside(&headline(&experiment));
    }

    let progress = Arc::new(Progress::default());
    stop_on_ctrl_c(&progress);
    let start = Instant::now();
    let watch = Watch::start(&progress, args.quiet);
    let options = Options { threads: args.threads.map_or(0, usize::from) };
    let outcome = experiment.run(options, &progress);
    drop(watch);
    let taken = start.elapsed().as_secs_f64();

    files::write(&staging, &experiment, &outcome, &check)?;
    let (rounds, _) = progress.now();
    let timing = json!({ "seconds": taken, "rounds": rounds, "rounds_per_second": rounds as f64 / taken, "threads": options.threads() });
    staging.add("timing.json", format!("{timing:#}\n"))?;
    let mut page = folder::read(staging.path())?;
    page.name = target.file_name().map_or_else(|| name.to_owned(), |n| n.to_string_lossy().into_owned());
    staging.add("report.html", dpsda_web::report(&[page]))?;
    staging.commit().map_err(|e| Failure::Io(format!("{}: {e}", target.display())))?;

    let rows = files::summary_rows(&experiment, &outcome);
    let report = target.join("report.html");
    if args.json {
        let summary = json!({ "folder": target, "report": report, "interrupted": outcome.interrupted, "summary": rows });
        say::out(&format!("{summary:#}"))?;
    } else if !args.quiet {
        say::out(&table::summary(&rows))?;
        say::out(&format!("{taken:.1} s. Report: {}", report.display()))?;
    }
    if outcome.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}

fn headline(experiment: &Experiment) -> String {
    let cells = experiment.cells.len();
    let first = experiment.cells.first();
    let (title, trials) = first.map_or(("", 0), |c| (c.title.as_str(), c.trials));
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let rounds = if cells > 0 { experiment.rounds(0) } else { 0 };
    format!(
        "{title}: {} x {} of {}",
        plural(cells, "cell"),
        plural(trials as usize, "trial"),
        plural(rounds as usize, "round")
    )
}

/// `runs/NAME`, or the first of `runs/NAME-2`, `runs/NAME-3`, ... that is free: no run is ever overwritten unasked.
fn free_name(name: &str) -> PathBuf {
    let first = Path::new("runs").join(name);
    let numbered = (2..).map(|k| Path::new("runs").join(format!("{name}-{k}")));
    std::iter::once(first.clone()).chain(numbered).find(|p| !p.exists()).unwrap_or(first)
}

fn stage(target: &Path, force: bool) -> Result<Staging, Failure> {
    let ours = target.join("manifest.json").exists();
    if force && target.exists() && !ours {
        let problem = "it is not the folder of an earlier run, so it is not replaced (give another --out)";
        return Err(Failure::Input(format!("--out {}: {problem}", target.display())));
    }
    Staging::new(target, force).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => {
            let remedy = if ours {
                "give another --out, or --force to replace that run"
            } else {
                "give another --out"
            };
            Failure::Input(format!("--out {}: {e} ({remedy})", target.display()))
        }
        _ => Failure::Io(format!("--out {}: {e}", target.display())),
    })
}

/// The first Ctrl-C keeps what is finished, the second leaves at once.
fn stop_on_ctrl_c(progress: &Arc<Progress>) {
    let progress = Arc::clone(progress);
    let handler = move || {
        if progress.stopped() {
            std::process::exit(130);
        }
        progress.stop();
        say::aside("stopping: what is finished is kept (Ctrl-C again to leave at once)");
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        say::aside(&format!("note: Ctrl-C will end the run without keeping anything ({error})"));
    }
}
