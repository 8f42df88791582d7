//! `dpsda audit`

use std::fs;
use std::io::{IsTerminal as _, stderr};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dpsda_audit::attack::{DataStream, Inversion, Membership, inversion, membership};
use dpsda_audit::audit::{Audit, AuditOptions, AuditedNodes, Finding, ROUNDS, honest, work};
use dpsda_audit::picture::{self, Histogram};
use dpsda_audit::{Arena, Unfinished};
use dpsda_sim::Experiment;

use crate::args::AuditArgs;
use crate::command::run::read;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::{folder, say};

mod words;

/// The most memory that an audit may take.
const MAX_BYTES: u128 = 8 << 30;
/// Rounds that model inversion attacks.
const INVERTED: u64 = 50;
/// Runs per world of membership inference.
const MEMBERS: u64 = 1000;

pub(crate) fn audit(path: &Path, args: &AuditArgs) -> Result<(), Failure> {
    if let Some(other) = args.picture.as_deref().filter(|p| p.extension().is_none_or(|e| e != "svg")) {
        let name = other.display();
        return Err(Failure::Input(format!(
            "--picture {name}: the picture is an SVG (end the name in .svg)"
        )));
    }
    args.picture.as_deref().map_or(Ok(()), writable)?;
    let base = path.parent().unwrap_or(Path::new(""));
    let experiment =
        Experiment::load(&read(path)?, &args.keys.set, base).map_err(|e| Failure::from(e).in_file(path))?;
    check(&experiment, args)?;
    let options = AuditOptions {
        runs: args.runs,
        nodes: match args.node {
            Some(i) => AuditedNodes::One(i),
            None if args.joint => AuditedNodes::None,
            None => AuditedNodes::Every,
        },
        all: args.node.is_none(),
        one_run: args.one_run,
        audits: experiment.runs.len(),
        seed: args.seed,
    };
    let mut panels: Vec<(String, Histogram)> = Vec::new();
    let (mut accused, mut undecided) = (Vec::new(), Vec::new());
    let stopped = stop_on_ctrl_c();
    say::out(&words::headline(&experiment))?;
    for (c, run) in experiment.runs.iter().enumerate() {
        let arena = if args.one_run { Arena::of(run, run.split.rounds) } else { Arena::of_game(run) };
        let name = words::name(run);
        let played = match playable(&arena) {
            true => watched(&arena, &options, &stopped, args.quiet)?,
            false => None,
        };
        if stopped.load(Ordering::Relaxed) {
            break;
        }
        say::out(&words::run(&name, run, &arena, played.as_ref(), args.one_run))?;
        let attacks = attacks(&experiment, c, args.seed, &stopped)?;
        if stopped.load(Ordering::Relaxed) {
            break;
        }
        say::out(&attacks.map_or_else(words::no_samples, |attacks| words::attacks(&arena, &attacks)))?;
        let Some(played) = played else { continue };
        if let Some((view, picture)) = played.picture {
            let whose = words::whose(&arena, view);
            panels.push((format!("{name}: log-likelihood ratio, {whose}"), picture));
        }
        if played.findings.iter().any(Finding::accuses) {
            accused.push(name);
        } else if played.findings.iter().any(Finding::suspects) {
            undecided.push(name);
        }
    }
    if let (Some(file), true) = (&args.picture, panels.is_empty()) {
        say::out(&format!("{} is not written: no game of two worlds was finished.", file.display()))?;
    } else if let Some(file) = &args.picture {
        folder::replace(file, picture::svg(&panels).as_bytes())
            .map_err(|e| Failure::Input(format!("{} cannot be written: {e}", file.display())))?;
        say::out(&file.display().to_string())?;
    }
    if stopped.load(Ordering::Relaxed) {
        return Err(Failure::Dropped("the audits printed above are finished; nothing else is kept"));
    }
    say::out(&words::never_proves())?;
    match (&accused[..], &undecided[..]) {
        ([], []) => Ok(()),
        ([], names) => Err(Failure::Undecided(format!("undecided: {} (use more --runs)", names.join("; ")))),
        (names, _) => Err(Failure::Accused(format!("FAIL: {}", names.join("; ")))),
    }
}

/// Refuses a file that cannot be written, before the games rather than after.
fn writable(file: &Path) -> Result<(), Failure> {
    let refuse = |problem: String| {
        Failure::Input(format!("--picture {}: {problem} (give another name)", file.display()))
    };
    if file.is_dir() {
        return Err(refuse("it is a folder".into()));
    }
    let mut probe = file.as_os_str().to_owned();
    probe.push(".partial");
    let written = fs::write(&probe, "").and_then(|()| fs::remove_file(&probe));
    written.map_err(|e| refuse(format!("it cannot be written: {e}")))
}

/// The first Ctrl-C (or SIGTERM) ends the current game, the second exits at once.
fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stopped);
    let handler = move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    // Without a handler, Ctrl-C ends the process. Everything printed so far stays.
    let _ = ctrlc::set_handler(handler);
    stopped
}

/// Whether to go on.
fn going(stopped: &AtomicBool) -> ControlFlow<()> {
    if stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Refuses audits that cannot be played, before the first game.
fn check(experiment: &Experiment, args: &AuditArgs) -> Result<(), Failure> {
    for run in &experiment.runs {
        Arena::plays(run)?;
        let nodes = run.spec.blocks().nodes();
        if let Some(i) = args.node.filter(|i| *i >= nodes) {
            let name = run.spec.algorithm().name();
            let remedy = format!("{name} has {nodes} nodes (use 0 to {})", nodes.saturating_sub(1));
            return Err(Failure::Input(format!("--node {i}: {remedy}")));
        }
        // All statistics of every run stay in memory, by row and by column, until the audit chooses one to guess by.
        let bytes = |runs: u64| 2 * u128::from(runs) * (80 * nodes as u128 + 112);
        if let Some(runs) = args.runs.filter(|runs| bytes(*runs) > MAX_BYTES) {
            let most = MAX_BYTES / bytes(1);
            let gib = bytes(runs) >> 30;
            return Err(Failure::Input(format!(
                "--runs {runs}: that would take {gib} GiB of memory (use at most {most}, or several audits with different seeds)"
            )));
        }
        let mechanism = run.spec.plan().mechanism();
        if args.one_run && mechanism.is_correlated() {
            return Err(Failure::Input(format!(
                "--one-run: \"{}\" noise is correlated over rounds, so guesses of single rounds show nothing \
                 (leave --one-run out)",
                mechanism.name()
            )));
        }
    }
    Ok(())
}

/// Whether a clip bounds the event, and noise hides it.
fn playable(arena: &Arena) -> bool {
    arena.claimed.clip(0).is_some() && !arena.claimed.mechanism().is_silent()
}

/// Plays the audit and shows a progress bar.
fn watched(
    arena: &Arena,
    options: &AuditOptions,
    stopped: &AtomicBool,
    quiet: bool,
) -> Result<Option<Audit>, Failure> {
    let done = Arc::new(AtomicU64::new(0));
    let (seen, total) = (Arc::clone(&done), work(arena, options));
    let watch =
        Watch::start(move || (seen.load(Ordering::Relaxed), total), "runs", quiet || !stderr().is_terminal());
    let tick = |runs: u64| {
        done.fetch_add(runs, Ordering::Relaxed);
        going(stopped)
    };
    let audit = honest(arena, options, &tick);
    drop(watch);
    ended(audit)
}

/// The finished result; none if it was stopped.
fn ended<T>(played: Result<T, Unfinished>) -> Result<Option<T>, Failure> {
    match played {
        Ok(played) => Ok(Some(played)),
        Err(Unfinished::Stopped) => Ok(None),
        Err(Unfinished::Failed(error)) => Err(error.into()),
    }
}

/// The results of the attacks that the paper names.
pub(crate) struct Attacks {
    pub(crate) membership: Option<Membership>,
    pub(crate) inversion: Vec<Inversion>,
}

/// Both attacks are on samples; none if the cost has no samples.
fn attacks(
    experiment: &Experiment,
    c: usize,
    seed: u64,
    stopped: &AtomicBool,
) -> Result<Option<Attacks>, Failure> {
    let run = &experiment.runs[c];
    let Some((own, draw)) = run.problem.samples().zip(experiment.draw(c, 0)) else { return Ok(None) };
    let (batch, rows) = (own.batch, draw.train.clone());
    let data = DataStream { samples: &draw.samples, loss: &*own.loss, rows, batch };
    let arena = Arena::of(run, ROUNDS);
    let event = u64::from(arena.played() > 1);
    // An example that is not in the played rounds.
    let used = batch.saturating_mul(arena.played() as usize);
    let other = draw.test.first().or(draw.train.get(used..).and_then(|rest| rest.last())).copied();
    let runs = dpsda_audit::audit::usual_runs(&arena).min(MEMBERS);
    let go = |_| going(stopped);
    let found = other.map(|other| ended(membership(&arena, &data, other, event, (runs, seed), &go)));
    let inversion = inversion(&Arena::of(run, INVERTED), &data, seed)?;
    Ok(Some(Attacks { membership: found.transpose()?.flatten(), inversion }))
}
