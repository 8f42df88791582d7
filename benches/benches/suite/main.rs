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

/// Some lines of the tables.
struct Section {
    name: &'static str,
    about: &'static str,
    run: fn(&Tools, &mut Report) -> Result<(), String>,
    /// Whether it runs if nothing is named.
    quick: bool,
}

const SECTIONS: &[Section] = &[
    Section {
        name: "agree",
        about: "decisions without noise, dpsda and NumPy",
        run: agree::run,
        quick: true,
    },
    Section { name: "bandwidth", about: "memory, one thread", run: bandwidth::run, quick: true },
    Section {
        name: "rounds",
        about: "rounds, one thread each, noise on all coordinates",
        run: rounds::run,
        quick: true,
    },
    Section {
        name: "share",
        about: "a round with noise on own blocks, and what memory allows",
        run: bandwidth::share,
        quick: true,
    },
    Section {
        name: "limit",
        about: "rounds, and what draws, products and memory take by themselves",
        run: limit::run,
        quick: true,
    },
    Section { name: "whole", about: "end to end, as processes", run: whole::run, quick: true },
    Section { name: "paper", about: "the paper's own experiments, end to end", run: paper::run, quick: true },
    Section {
        name: "forty",
        about: "a run whose samples are about as many as its features",
        run: forty::run,
        quick: true,
    },
    Section { name: "growth", about: "rounds when n or d doubles", run: growth::run, quick: true },
    Section { name: "samplers", about: "draws per second on one core", run: samplers::run, quick: true },
    Section { name: "large", about: "many nodes", run: large::run, quick: false },
    Section {
        name: "nodes",
        about: "three nodes on loopback, against an older commit",
        run: nodes::run,
        quick: false,
    },
    Section {
        name: "reproduce",
        about: "`dpsda reproduce all`, against an older commit",
        run: reproduce::run,
        quick: false,
    },
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
