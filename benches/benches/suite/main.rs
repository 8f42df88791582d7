//! The suite: dpsda beside NumPy and SciPy, beside the machine, and beside an older dpsda. `cargo xtask bench` prepares what it
//! needs and starts it. It prints tables in Markdown, and writes them as JSON.
//!
//! Two things that are compared are measured in turns (A B A B ...), so that a slow moment of the machine meets both. A ratio is
//! the median over turns, with the quartiles beside it.
#![allow(clippy::print_stdout, reason = "tables are what it is for")]

mod agree;
mod bandwidth;
mod case;
mod forty;
mod growth;
mod large;
mod limit;
mod line;
mod nodes;
mod paper;
mod picture;
mod process;
mod reproduce;
mod rounds;
mod samplers;
mod script;
mod tools;
mod whole;

use std::process::ExitCode;

use line::Report;
use tools::Tools;

/// Measures some lines of the tables.
type Measure = fn(&Tools, &mut Report) -> Result<(), String>;

/// Some lines of the tables.
struct Section {
    name: &'static str,
    about: &'static str,
    run: Measure,
    /// Whether it runs if nothing is named.
    quick: bool,
}

const fn quick(name: &'static str, about: &'static str, run: Measure) -> Section {
    Section { name, about, run, quick: true }
}

const fn slow(name: &'static str, about: &'static str, run: Measure) -> Section {
    Section { name, about, run, quick: false }
}

const SECTIONS: &[Section] = &[
    quick("agree", "decisions without noise, dpsda and NumPy", agree::run),
    quick("bandwidth", "memory, one thread", bandwidth::run),
    quick("rounds", "rounds, one thread each, noise on all coordinates", rounds::run),
    quick("share", "a round with noise on own blocks, and what memory allows", bandwidth::share),
    quick("limit", "rounds, and what draws, products and memory take by themselves", limit::run),
    quick("whole", "end to end, as processes", whole::run),
    quick("paper", "the paper's own experiments, end to end", paper::run),
    quick("forty", "a run whose samples are about as many as its features", forty::run),
    quick("growth", "rounds when n or d doubles", growth::run),
    quick("samplers", "draws per second on one core", samplers::run),
    slow("large", "many nodes", large::run),
    slow("nodes", "three nodes on loopback, against an older commit", nodes::run),
    slow("reproduce", "`dpsda reproduce all`, against an older commit", reproduce::run),
];

fn main() -> ExitCode {
    let (tools, names) = Tools::read(std::env::args().skip(1));
    if let Some(name) = names.iter().find(|name| SECTIONS.iter().all(|section| section.name != **name)) {
        let known: Vec<_> = SECTIONS.iter().map(|section| section.name).collect();
        println!("unknown section `{name}` (there are {})", known.join(", "));
        return ExitCode::from(2);
    }
    let mut report = Report::default();
    println!("{}", report.machine(&tools));
    let mut failed = false;
    for section in SECTIONS.iter().filter(|section| match &names[..] {
        [] => section.quick || tools.all,
        names => names.iter().any(|name| name == section.name),
    }) {
        report.section(section.name, section.about);
        if let Err(problem) = (section.run)(&tools, &mut report) {
            println!("\nFAILED: {problem}");
            failed = true;
        }
    }
    let written = report.write(&tools).and_then(|()| picture::write(&tools, &report));
    if let Err(problem) = written {
        println!("\nFAILED: {problem}");
        failed = true;
    }
    println!("\n{}", report.summary());
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
