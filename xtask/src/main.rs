//! `cargo xtask`: all checks of this project. They need only a Rust toolchain.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Instant;

mod bench;
mod browser;
mod contributing;
mod deny;
mod network;
mod python;
mod rust;
mod shell;
mod soak;
mod tool;

use shell::{Done, Outcome, Shell};

/// One check.
struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(&Shell) -> Outcome,
    /// Whether it can run beside the other steps: it shares no folder with them but the build folder, which cargo locks.
    beside: bool,
}

impl Step {
    const fn new(name: &'static str, about: &'static str, run: fn(&Shell) -> Outcome) -> Self {
        Self { name, about, run, beside: false }
    }

    const fn beside(self) -> Self {
        Self { beside: true, ..self }
    }

    /// Its outcome, and the seconds it took.
    fn timed(&self, shell: &Shell) -> (Outcome, f64) {
        let start = Instant::now();
        let outcome = (self.run)(shell);
        (outcome, start.elapsed().as_secs_f64())
    }
}

/// In this order: the checks that fail most often and soonest come first.
const STEPS: &[Step] = &[
    Step::new("fmt", "every Rust file is formatted by rustfmt", rust::fmt),
    Step::new("clippy", "no warning in any crate, target or feature", rust::clippy),
    Step::new("test", "unit, integration and documentation tests", rust::test),
    Step::new(
        "network",
        "seven processes on a network that loses packets: regret, and no mass lost",
        network::check,
    ),
    Step::new("deny", "licences, sources and known vulnerabilities of our dependencies", deny::check)
        .beside(),
    Step::new("python", "privacy accounting agrees with other packages", python::check).beside(),
    Step::new("doc", "the documentation builds and its links lead somewhere", rust::doc).beside(),
    Step::new("browser", "report.html in a real browser", browser::test),
    Step::new("contributing", "the examples of CONTRIBUTING.md work as described", contributing::check),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.split_first() {
        Some((task, names)) if task == "test" => test(names),
        Some((task, [])) if task == "fmt" => match Shell::new().and_then(|shell| rust::write_fmt(&shell)) {
            Ok(done) => {
                println!("{done}");
                ExitCode::SUCCESS
            }
            Err(problem) => {
                println!("{problem}");
                ExitCode::FAILURE
            }
        },
        Some((task, names)) if task == "soak" => long(soak::run, names),
        Some((task, names)) if task == "bench" => long(bench::run, names),
        None => {
            println!("{}", help());
            ExitCode::SUCCESS
        }
        Some((word, _)) => {
            let asked = matches!(word.as_str(), "help" | "-h" | "--help");
            println!(
                "{}{}",
                if asked { String::new() } else { format!("unknown task `{word}`\n\n") },
                help()
            );
            if asked { ExitCode::SUCCESS } else { ExitCode::from(2) }
        }
    }
}

fn help() -> String {
    let steps: String = STEPS.iter().map(|s| format!("\n    {:<14}{}", s.name, s.about)).collect();
    format!(
        "cargo xtask test            check everything\n\
         cargo xtask test NAME...    only these steps\n\
         cargo xtask fmt             format every Rust file\n\
         cargo xtask soak            long checks: audits, crashes, fuzz, instructions, churn; about an hour\n\
         cargo xtask soak NAME...    only audit, worlds, captures, fuzz, instructions or churn\n\
         cargo xtask bench           speed beside NumPy and SciPy, in minutes; Markdown, JSON and a picture\n\
         cargo xtask bench NAME...   only these sections (docs/performance.md); all: every section\n\n\
         Steps:{steps}\n\n\
         With CI=true, a step that cannot run has failed. Otherwise it is skipped and says why."
    )
}

/// What takes too long for every day.
fn long(run: fn(&Shell, &[String]) -> Result<String, String>, names: &[String]) -> ExitCode {
    let start = Instant::now();
    let done = Shell::new().and_then(|shell| run(&shell, names));
    let seconds = start.elapsed().as_secs_f64();
    match done {
        Ok(what) => println!("\nok in {seconds:.1} s: {what}"),
        Err(problem) => {
            println!("{}\n   FAILED in {seconds:.1} s", problem.trim_end());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Runs the named steps, or all; a failure does not stop the others.
fn test(names: &[String]) -> ExitCode {
    if let Some(name) = names.iter().find(|n| STEPS.iter().all(|s| s.name != **n)) {
        println!("unknown step `{name}`\n\n{}", help());
        return ExitCode::from(2);
    }
    let shell = match Shell::new() {
        Ok(shell) => shell,
        Err(problem) => {
            println!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    let asked: Vec<_> =
        STEPS.iter().filter(|s| names.is_empty() || names.iter().any(|n| n == s.name)).collect();
    let (mut passed, mut failed, mut skipped) = (0, Vec::new(), Vec::new());
    let mut report = |step: &Step, (outcome, seconds): (Outcome, f64)| match outcome {
        Ok(Done::Passed(what)) => {
            passed += 1;
            println!("   ok in {seconds:.1} s: {what}");
        }
        Ok(Done::Skipped(why)) if !shell.ci => {
            skipped.push(step.name);
            println!("   SKIPPED in {seconds:.1} s: {why}");
        }
        Ok(Done::Skipped(what)) | Err(what) => {
            failed.push(step.name);
            println!("{}\n   FAILED in {seconds:.1} s: {}", what.trim_end(), step.name);
        }
    };
    std::thread::scope(|scope| {
        let (done, besides) = mpsc::channel();
        let quiet = shell.in_background();
        let beside: Vec<&Step> = asked.iter().copied().filter(|s| s.beside).collect();
        scope.spawn(move || beside.into_iter().try_for_each(|step| done.send(step.timed(&quiet))));
        for step in asked {
            println!("== {}: {}", step.name, step.about);
            let finished = if step.beside { besides.recv().ok() } else { Some(step.timed(&shell)) };
            report(step, finished.unwrap_or_else(|| (Err("it ended without a result".to_owned()), 0.0)));
        }
    });
    println!();
    for (verdict, steps) in [("failed", &failed), ("skipped", &skipped)] {
        if !steps.is_empty() {
            println!("{verdict}: {}", steps.join(", "));
        }
    }
    println!("{passed} passed, {} failed", failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
