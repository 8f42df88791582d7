//! `dpsda reproduce`: the paper's section 6, run again and set beside what it prints.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use dpsda_sim::check::Check;
use dpsda_sim::folder::{self as files, Staging};
use dpsda_sim::{Experiment, Options, Progress};
use dpsda_web::reproduction::{Book, page};
use serde_json::json;

use crate::args::ReproduceArgs;
use crate::command::data;
use crate::command::run::{free_beside, free_name, stage, stop_on_ctrl_c};
use crate::failure::Failure;
use crate::{folder, say};

mod accuracy;
mod adjacent;
mod book;
mod claims;
mod departures;
mod everywhere;
mod figures;
mod found;
mod measure;
mod meter;
mod parts;
mod printed;
mod rows;
mod words;

use adjacent::Effort;
use found::{Found, Ran};
use meter::Meter;
use parts::{Part, Subject};

/// Trials of `--quick`.
const QUICK: u32 = 2;
/// How often Table 5 is played, in full and with `--quick`.
const EFFORT: Effort = Effort { pairs: 10, runs: 60 };
const QUICK_EFFORT: Effort = Effort { pairs: 1, runs: 2 };

/// What the folder of a reproduction holds, and no other.
const MARK: &str = "reproduction.json";

pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    let targets = parts::named(&args.targets)?;
    let parts = parts::of(&targets);
    let target = args.folder.out.clone().unwrap_or_else(|| free_name("reproduce"));
    drop(stage(&target, args.folder.force, MARK)?); // refused now rather than after the run
    for name in parts::data(&parts) {
        data::ensure(&name, args.quiet)?;
    }
    let loaded = load(&parts, args)?;

    let progress = Arc::new(Progress::default());
    let half_written = Arc::new(Mutex::new(None));
    stop_on_ctrl_c(&progress, &half_written);
    let staging =
        stage(&target, args.folder.force, MARK).or_else(|_| stage(&free_beside(&target), false, MARK))?;
    *half_written.lock().unwrap_or_else(PoisonError::into_inner) = Some(staging.path().to_owned());

    let start = Instant::now();
    let mut found = Found::default();
    let meter = Arc::new(Meter::new(&loaded, &progress, effort(args)));
    let watch = meter.watch(args.quiet);
    let mut seconds = Vec::new();
    for (k, (part, experiment)) in loaded.iter().enumerate() {
        if progress.stopped() {
            break;
        }
        meter.start(k, args.quiet);
        let started = Instant::now();
        run(part, experiment, &staging, &meter, args, &mut found)?;
        seconds.push((part.name, started.elapsed().as_secs_f64()));
    }
    drop(watch);
    found.interrupted = progress.stopped();
    found.scale = scale(&parts, args);

    let book = book::book(&found, &targets);
    staging.add("reproduction.json", format!("{:#}\n", book::json(&found, &book)))?;
    staging.add("report.html", page(&book))?;
    let taken = start.elapsed().as_secs_f64();
    let each: serde_json::Map<_, _> =
        seconds.into_iter().map(|(name, s)| (name.to_owned(), json!(s))).collect();
    staging.add("timing.json", format!("{:#}\n", json!({ "seconds": taken, "parts": each })))?;
    let target = staging.commit().map_err(|e| Failure::Io(format!("{}: {e}", target.display())))?;
    if !args.quiet {
        tell(&book)?;
        say::out(&format!("{taken:.1} s. Report: {}", target.join("report.html").display()))?;
    }
    if found.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Reads every experiment before any runs: what cannot run is refused at once.
fn load(parts: &[&'static Part], args: &ReproduceArgs) -> Result<Vec<(&'static Part, Experiment)>, Failure> {
    let trials = args.work.trials.or(args.quick.then_some(QUICK));
    let read = |part: &&'static Part| {
        let trials = trials.filter(|_| part.subject != Subject::Adjacent);
        let overrides: Vec<String> = trials.map(|n| format!("trials={n}")).into_iter().collect();
        Ok((*part, Experiment::load(part.text, &overrides, Path::new(""))?))
    };
    parts.iter().map(read).collect()
}

/// What is run otherwise than the files say, for the head of the page.
fn scale(parts: &[&'static Part], args: &ReproduceArgs) -> Option<String> {
    let trials = args.work.trials.or(args.quick.then_some(QUICK))?;
    let own = parts.iter().filter(|part| part.subject != Subject::Adjacent).filter_map(|part| part.trials());
    let own: BTreeSet<i64> = own.filter(|own| *own != i64::from(trials)).collect();
    let mut said = Vec::new();
    if !own.is_empty() {
        let files: Vec<String> = own.iter().map(i64::to_string).collect();
        let trials = words::count(trials as usize, "trial");
        said.push(format!("{trials} of each experiment, not the files' {}", files.join(" or ")));
    }
    if args.quick && parts.iter().any(|part| part.subject == Subject::Adjacent) {
        said.push(format!(
            "Table 5 from {} of runs and {} a world, not {} and {}",
            words::count(QUICK_EFFORT.pairs as usize, "pair"),
            words::count(QUICK_EFFORT.runs as usize, "run"),
            EFFORT.pairs,
            EFFORT.runs
        ));
    }
    let few = args.quick || own.iter().any(|own| *own > i64::from(trials));
    let why = if few { ": to see whether it works, not what comes out" } else { "" };
    (!said.is_empty()).then(|| format!("{}{why}.", said.join("; ")))
}

/// How often Table 5 is played.
fn effort(args: &ReproduceArgs) -> Effort {
    if args.quick { QUICK_EFFORT } else { EFFORT }
}

/// One experiment: a run folder of its own inside the reproduction's.
fn run(
    part: &'static Part,
    experiment: &Experiment,
    staging: &Staging,
    meter: &Meter,
    args: &ReproduceArgs,
    found: &mut Found,
) -> Result<(), Failure> {
    let options = Options { threads: args.work.threads.map_or(0, usize::from) };
    let progress = meter.progress();
    let outcome = experiment.run_with(options, progress, &found.memory);
    let check = Check::new(experiment);
    let inner = Staging::new(&staging.path().join(part.name), false)?;
    files::write(&inner, experiment, &outcome, &check)?;
    let mut run = folder::read(inner.path())?;
    inner.add("report.html", dpsda_web::report(std::slice::from_ref(&run)))?;
    inner.commit()?;
    run.name = part.name.into();
    found.ran.push(Ran { part, rows: rows::of(part, experiment, &outcome), run });
    if part.subject == Subject::Adjacent && !progress.stopped() {
        let record = ["record=[\"decisions\"]".to_owned()];
        let recorded = Experiment::load(part.text, &record, Path::new(""))?;
        let play = || adjacent::play(part, &recorded, effort(args), progress, &|runs| meter.game(runs));
        let worlds = match rayon::ThreadPoolBuilder::new().num_threads(options.threads()).build() {
            Ok(pool) => pool.install(play),
            Err(_) => play(),
        };
        found.worlds.extend(worlds);
    }
    Ok(())
}

/// What holds, on a terminal.
fn tell(book: &Book) -> Result<(), Failure> {
    for (section, statement) in book::statements_of(book) {
        say::out(&format!("{:<14} {section}. {}", statement.verdict.word(), statement.claim))?;
    }
    Ok(())
}
