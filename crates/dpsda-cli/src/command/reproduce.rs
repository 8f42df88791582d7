//! `dpsda reproduce`: the paper's section 6, run again and set beside what it prints. `experiments/paper/book.toml` says how.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal as _, stderr};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use dpsda_config::RunConfig;
use dpsda_sim::check::Check;
use dpsda_sim::folder::{self as files, Staging};
use dpsda_sim::{Experiment, Memory, Options, Progress};
use dpsda_web::reproduction::{BookExperiment, Effort, Findings, PaperBook, Ran};
use dpsda_web::text::plural;
use serde_json::{Map, json};

use crate::args::ReproduceArgs;
use crate::command::data;
use crate::command::run::{free_name, put, stage, stage_at_last, stop_on_ctrl_c};
use crate::failure::Failure;
use crate::progress::Watch;
use crate::{folder, say};

mod rows;
mod worlds;

use rows::{key, rows};
use worlds::Worlds;

/// What the folder of a reproduction holds, and no other.
const MARK: &str = "reproduction.json";

macro_rules! files {
    ($($name:literal)*) => {
        /// The files of `experiments/paper`, which are part of the program.
        const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../experiments/paper/", $name, ".toml")))),*];
    };
}
files! {
    "book" "fig3" "fig3-sound" "mushroom" "mushroom-sum" "mushroom-tuned" "mushroom-box" "mushroom-sound" "mushroom-accurate"
    "mushroom-epsilon" "mushroom-epsilon-accurate" "mnist" "mnist-sum" "mnist-tuned" "mnist-sound" "mnist-accurate" "mnist-epsilon"
    "mnist-epsilon-accurate" "cifar" "cifar-sound" "cifar-epsilon" "cifar-epsilon-accurate" "adjacent" "adjacent-promise"
    "rivals" "rivals-sound"
}

/// The text of a file.
fn text(name: &str) -> &'static str {
    FILES.iter().find(|(file, _)| *file == name).map_or("", |(_, text)| text)
}

pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    let book = PaperBook::read(text("book"))?;
    let targets = book.targets(&args.targets)?;
    let parts = book.parts(&targets);
    let target = args.folder.out.clone().unwrap_or_else(|| free_name("reproduce"));
    drop(stage(&target, args.folder.force, MARK)?); // refused now rather than after the run
    let data = parts.iter().filter_map(|part| key(&part.file, "problem.data"));
    data.collect::<BTreeSet<_>>().iter().try_for_each(|name| data::ensure(name, args.quiet))?;
    // Every experiment is read before any runs: what cannot run is refused at once.
    let effort = if args.quick { &book.effort.quick } else { &book.effort.full };
    let trials = args.work.trials.or(effort.trials);
    let load = |part: &&BookExperiment| {
        let trials = trials.filter(|_| part.event.is_none());
        let overrides: Vec<String> = trials.map(|n| format!("trials={n}")).into_iter().collect();
        Experiment::load(text(&part.file), &overrides, Path::new(""))
    };
    let experiments = parts.iter().map(load).collect::<Result<Vec<_>, _>>()?;

    let progress = Arc::new(Progress::default());
    let half_written = Arc::new(Mutex::new(None));
    stop_on_ctrl_c(&progress, &half_written);
    let staging = stage_at_last(&target, args.folder.force, MARK)?;
    *half_written.lock().unwrap_or_else(PoisonError::into_inner) = Some(staging.path().to_owned());

    let start = Instant::now();
    let options = Options { threads: args.work.threads.map_or(0, usize::from) };
    // One bar over experiments of unlike weight: the name of the one that runs, what its rounds take, and what was done before it.
    let weights: Vec<(u64, u64)> =
        parts.iter().zip(&experiments).map(|(part, one)| weight(part, one, effort)).collect();
    let work = |weights: &[(u64, u64)]| weights.iter().map(|(cost, rounds)| cost * rounds).sum::<u64>();
    let (total, games) = (work(&weights), Arc::new(AtomicU64::new(0)));
    let now = Arc::new(Mutex::new((String::new(), 0, 0, 0)));
    let (shown, watched, played) = (Arc::clone(&now), Arc::clone(&progress), Arc::clone(&games));
    let bar = move || {
        let (name, cost, work, rounds) = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (work + cost * (watched.now().0 + played.load(Relaxed) - rounds), total, name)
    };
    let watch = Watch::parts(bar, args.quiet || !stderr().is_terminal());
    let (memory, mut seconds, mut ran) = (Memory::default(), Map::new(), Vec::new());
    let mut finished = 0;
    for (k, (part, experiment)) in parts.iter().zip(&experiments).enumerate() {
        if progress.stopped() {
            break;
        }
        let title = experiment.runs.first().map_or("", |config| &config.title);
        let name = format!("[{}/{}] {title} ({})", k + 1, parts.len(), part.setting);
        if !args.quiet && !stderr().is_terminal() {
            say::aside(&name);
        }
        let rounds = progress.now().0 + games.load(Relaxed);
        *now.lock().unwrap_or_else(PoisonError::into_inner) =
            (name, weights[k].0, work(&weights[..k]), rounds);
        let started = Instant::now();
        let outcome = experiment.run_with(options, &progress, &memory);
        finished += outcome.runs.iter().map(|run| run.trials.len()).sum::<usize>();
        let inner = Staging::new(&staging.path().join(&part.file), false)?;
        files::write(&inner, experiment, &outcome, &Check::new(experiment))?;
        let mut run = folder::read(inner.path())?;
        inner.add("report.html", dpsda_web::report(std::slice::from_ref(&run)))?;
        inner.commit()?;
        run.name = part.file.clone();
        let (text, rows) = (text(&part.file), rows(part, experiment, &outcome));
        let mut one = Ran { part, text, run, rows, words: BTreeMap::new() };
        if let Some(event) = part.event.filter(|_| !progress.stopped()) {
            let recorded = Experiment::load(text, &["record=[\"decisions\"]".to_owned()], Path::new(""))?;
            let done = |runs: u64| {
                games.fetch_add(event * runs, Relaxed);
                if progress.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let worlds = Worlds { event, effort, confidence: book.decide.confidence, done: &done };
            let mut play = || worlds.play(&recorded, &mut one);
            match rayon::ThreadPoolBuilder::new().num_threads(options.threads()).build() {
                Ok(pool) => pool.install(play),
                Err(_) => play(),
            };
        }
        ran.push(one);
        seconds.insert(part.file.clone(), json!(started.elapsed().as_secs_f64()));
    }
    drop(watch);

    let scale = trials.and_then(|trials| scale(&book, &parts, trials, args.quick));
    let interrupted = progress.stopped();
    if interrupted && finished == 0 {
        return Err(Failure::Unfinished);
    }
    let (page, found) = Findings { book: &book, ran, interrupted, scale }.report(&targets);
    staging.add(MARK, format!("{found:#}\n"))?;
    staging.add("report.html", page)?;
    let taken = start.elapsed().as_secs_f64();
    staging.add("timing.json", format!("{:#}\n", json!({ "seconds": taken, "parts": seconds })))?;
    let target = put(staging, &target, !interrupted)?;
    if !args.quiet {
        for said in found["statements"].as_array().into_iter().flatten() {
            let [verdict, section, claim] =
                ["verdict", "section", "claim"].map(|key| said[key].as_str().unwrap_or(""));
            say::out(&format!("{verdict:<14} {section}. {claim}"))?;
        }
        say::out(&format!("{taken:.1} s. Report: {}", target.join("report.html").display()))?;
    }
    if interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Where something else is run than the files say, in words for the head of the page.
fn scale(book: &PaperBook, parts: &[&BookExperiment], trials: u32, quick: bool) -> Option<String> {
    let own = parts.iter().filter(|part| part.event.is_none());
    let own: BTreeSet<u32> = own.filter_map(|part| key(&part.file, "trials")?.parse().ok()).collect();
    let others: Vec<String> = own.iter().filter(|own| **own != trials).map(u32::to_string).collect();
    let (count, others) = (plural(trials.into(), "trial"), others.join(" or "));
    let said = (!others.is_empty()).then(|| format!("{count} of each experiment, not the files' {others}"));
    let worlds = (quick && parts.iter().any(|part| part.event.is_some())).then(|| {
        let (few, full) = (&book.effort.quick, &book.effort.full);
        let (pairs, runs) = (plural(few.pairs.into(), "pair"), plural(few.runs.into(), "run"));
        format!("Table 5 from {pairs} of runs and {runs} per world, not {} and {}", full.pairs, full.runs)
    });
    let said = said.into_iter().chain(worlds).collect::<Vec<_>>().join("; ");
    let few = quick || own.iter().any(|own| *own > trials);
    let why = if few { ": to see whether it works, not what comes out" } else { "" };
    (!said.is_empty()).then(|| format!("{said}{why}."))
}

/// What a round of an experiment takes, and how many rounds it has: gradients over the batch at every node, and noise on every
/// node's dual, which takes longer.
fn weight(part: &BookExperiment, experiment: &Experiment, effort: &Effort) -> (u64, u64) {
    let cost = |c: &RunConfig| c.spec.blocks().dim() * c.spec.blocks().nodes() * (c.problem.batch() + 8);
    let rounds: u64 = experiment.runs.iter().map(|c| u64::from(c.trials) * c.split.rounds).sum();
    let games = part.event.map_or(0, |event| event * worlds::games(effort, experiment));
    (experiment.runs.iter().map(cost).max().unwrap_or(1) as u64, rounds + games)
}
