//! `dpsda reproduce`: the paper's section 6, run again and set beside what it prints. `experiments/paper/book.toml` says how.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal as _, stderr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use dpsda_sim::check::Check;
use dpsda_sim::folder::{self as files, Staging};
use dpsda_sim::{Experiment, Memory, Options, Progress};
use serde_json::json;

use crate::args::ReproduceArgs;
use crate::command::data;
use crate::command::run::{free_beside, free_name, stage, stop_on_ctrl_c};
use crate::failure::Failure;
use crate::{folder, say};

mod book;
mod checks;
mod departures;
mod meter;
mod page;
mod rows;
mod worlds;

use book::{Book, Part};
use meter::Meter;
use page::Found;
use rows::{Ran, count};
use worlds::Worlds;

/// What the folder of a reproduction holds, and no other.
const MARK: &str = "reproduction.json";

pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    let book = Book::own()?;
    let targets = book.targets(&args.targets)?;
    let parts = book.parts(&targets);
    let target = args.folder.out.clone().unwrap_or_else(|| free_name("reproduce"));
    drop(stage(&target, args.folder.force, MARK)?); // refused now rather than after the run
    for name in parts.iter().filter_map(|part| part.key("problem.data")).collect::<BTreeSet<_>>() {
        data::ensure(&name, args.quiet)?;
    }
    // Every experiment is read before any runs: what cannot run is refused at once.
    let trials = args.work.trials.or(if args.quick { book.effort.quick.trials } else { None });
    let load = |part: &&Part| {
        let trials = trials.filter(|_| part.event.is_none());
        let overrides: Vec<String> = trials.map(|n| format!("trials={n}")).into_iter().collect();
        Experiment::load(part.text(), &overrides, Path::new(""))
    };
    let experiments = parts.iter().map(load).collect::<Result<Vec<_>, _>>()?;

    let progress = Arc::new(Progress::default());
    let half_written = Arc::new(Mutex::new(None));
    stop_on_ctrl_c(&progress, &half_written);
    let staging =
        stage(&target, args.folder.force, MARK).or_else(|_| stage(&free_beside(&target), false, MARK))?;
    *half_written.lock().unwrap_or_else(PoisonError::into_inner) = Some(staging.path().to_owned());

    let start = Instant::now();
    let effort = if args.quick { &book.effort.quick } else { &book.effort.full };
    let meter = Arc::new(Meter::new(&parts, &experiments, &progress, effort));
    let watch = meter.watch(args.quiet || !stderr().is_terminal());
    let scale = scale(&book, &parts, trials, args.quick);
    let mut found = Found { book: &book, ran: Vec::new(), interrupted: false, scale };
    let (memory, mut seconds) = (Memory::default(), serde_json::Map::new());
    for (k, (part, experiment)) in parts.iter().zip(&experiments).enumerate() {
        if progress.stopped() {
            break;
        }
        meter.start(k, args.quiet || stderr().is_terminal());
        let started = Instant::now();
        let options = Options { threads: args.work.threads.map_or(0, usize::from) };
        let outcome = experiment.run_with(options, &progress, &memory);
        let inner = Staging::new(&staging.path().join(&part.file), false)?;
        files::write(&inner, experiment, &outcome, &Check::new(experiment))?;
        let mut run = folder::read(inner.path())?;
        inner.add("report.html", dpsda_web::report(std::slice::from_ref(&run)))?;
        inner.commit()?;
        run.name = part.file.clone();
        let data = book.data.get(&part.data).map_or_else(String::new, |data| data.name.clone());
        let words = BTreeMap::from([("setting", part.setting.clone()), ("data", data)]);
        let rows = rows::rows(&book, part, experiment, &outcome);
        let mut ran = Ran { part, rows, run, words, games: 0 };
        if let Some(event) = part.event.filter(|_| !progress.stopped()) {
            let record = ["record=[\"decisions\"]".to_owned()];
            let recorded = Experiment::load(part.text(), &record, Path::new(""))?;
            let tick = |runs| meter.game(runs);
            let (confidence, tick) = (book.decide.confidence, &tick);
            let worlds = Worlds { event, effort, confidence, progress: &progress, tick };
            let mut play = || worlds.play(&recorded, &mut ran);
            _ = match rayon::ThreadPoolBuilder::new().num_threads(options.threads()).build() {
                Ok(pool) => pool.install(play),
                Err(_) => play(),
            };
        }
        found.ran.push(ran);
        seconds.insert(part.file.clone(), json!(started.elapsed().as_secs_f64()));
    }
    drop(watch);
    found.interrupted = progress.stopped();

    let page = found.page(&targets);
    staging.add(MARK, format!("{:#}\n", found.json(&page)))?;
    staging.add("report.html", dpsda_web::reproduction::page(&page))?;
    let taken = start.elapsed().as_secs_f64();
    staging.add("timing.json", format!("{:#}\n", json!({ "seconds": taken, "parts": seconds })))?;
    let target = staging.commit().map_err(|e| Failure::Io(format!("{}: {e}", target.display())))?;
    if !args.quiet {
        for (section, statement) in page::statements(&page) {
            say::out(&format!("{:<14} {section}. {}", statement.verdict.word(), statement.claim))?;
        }
        say::out(&format!("{taken:.1} s. Report: {}", target.join("report.html").display()))?;
    }
    if found.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}

/// What is run otherwise than the files say, for the head of the page.
fn scale(book: &Book, parts: &[&Part], trials: Option<u32>, quick: bool) -> Option<String> {
    let trials = trials?;
    let own = parts.iter().filter(|part| part.event.is_none()).filter_map(|part| part.key("trials")?.parse().ok());
    let own: BTreeSet<u32> = own.filter(|own| *own != trials).collect();
    let mut said = Vec::new();
    if !own.is_empty() {
        let files: Vec<String> = own.iter().map(u32::to_string).collect();
        let trials = count(trials as usize, "trial");
        said.push(format!("{trials} of each experiment, not the files' {}", files.join(" or ")));
    }
    if quick && parts.iter().any(|part| part.event.is_some()) {
        let (few, full) = (&book.effort.quick, &book.effort.full);
        let (pairs, runs) = (count(few.pairs as usize, "pair"), count(few.runs as usize, "run"));
        said.push(format!("Table 5 from {pairs} of runs and {runs} per world, not {} and {}", full.pairs, full.runs));
    }
    let few = quick || own.iter().any(|own| *own > trials);
    let why = if few { ": to see whether it works, not what comes out" } else { "" };
    (!said.is_empty()).then(|| format!("{}{why}.", said.join("; ")))
}
