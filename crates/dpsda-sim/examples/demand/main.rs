//! Runs `experiments/applications/demand.toml`, prints the table of `docs/applications.md` and draws its figure:
//!
//! ```text
//! cargo run --release -p dpsda-sim --example demand -- docs/applications/demand.svg
//! ```

#![allow(clippy::print_stdout, reason = "it is a program that prints a table")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use dpsda_sim::{Experiment, Options, Outcome, Progress, folder};
use serde_json::{Map, Value};

mod draw;

use draw::{Chart, DrawnLine, picture};

/// The days that are drawn: Monday to Wednesday of the last week.
const DAYS: [&str; 3] = ["Monday", "Tuesday", "Wednesday"];
const FIRST: usize = 7 * 7 * 96;
const ROUNDS: usize = DAYS.len() * 96;

/// What every home has before it learns, as in the file: the coefficient of the wind.
const START: f64 = 0.421;

const GREY: &str = "stroke=\"#3a3d43\" stroke-width=\"5\" opacity=\".28\"";
const GREEN: &str = "stroke=\"#00875f\" stroke-width=\"1.8\"";
const BLUE: &str = "stroke=\"#0072b2\" stroke-width=\"1.4\"";
const ORANGE: &str = "stroke=\"#d55e00\" stroke-width=\"1.4\"";
const DASHED: &str = "stroke=\"#8d8b86\" stroke-width=\"1.2\" stroke-dasharray=\"3 2\"";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/applications");
    let text = fs::read_to_string(folder.join("demand.toml"))?;
    let run = |settings: &[&str]| -> Result<(Experiment, Outcome), Box<dyn Error>> {
        let settings: Vec<String> = settings.iter().map(|&s| s.to_owned()).collect();
        let experiment = Experiment::load(&text, &settings, &folder)?;
        let outcome = experiment.run(Options::default(), &Progress::default());
        Ok((experiment, outcome))
    };
    let all = run(&["record=[\"decisions\"]"])?;
    let one = ["algorithm.name=dpsda-r", "privacy.epsilon=inf", "trials=1"];
    let alone = run(&[&one[..], &["problem.follow=0.0", "algorithm.step=4.0"]].concat())?;
    let slow = run(&["algorithm.name=[\"dpsda-c\", \"dpsda-ps\"]", "algorithm.step=0.02"])?;
    let equal = run(&[&one[..], &["algorithm.step=1e-12"]].concat())?;
    let rows = folder::summary_rows(&all.0, &all.1);
    println!(
        "| | epsilon | tracking error | discomfort | cost | regret per round | exponent | a whole day |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    rows.iter().for_each(|row| println!("{}", line(name(row), row)));
    for row in folder::summary_rows(&slow.0, &slow.1) {
        println!("{}", line(&format!("{}, step 0.02", name(&row)), &row));
    }
    for mut row in folder::summary_rows(&alone.0, &alone.1) {
        // What it costs under the weights of the others. Its regret is about another cost.
        let value = |column: &str| row.get(column).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let cost = 0.05 * value("tracking_error").powi(2) + 0.1 * 19.0 * value("discomfort").powi(2);
        row.insert("fitness".to_owned(), cost.into());
        row.remove("regret_per_round");
        println!("{}", line("follow = 0", &row));
    }
    let equal = folder::summary_rows(&equal.0, &equal.1);
    equal.iter().for_each(|row| println!("{}", line("equal shares", row)));
    let weeks = table(&folder.join("simbench-weeks.csv"))?;
    let wished = |t: usize| weeks[t][2..].iter().sum::<f64>();
    let squares = (0..weeks.len()).map(|t| (wished(t) - weeks[t][0]).powi(2)).sum::<f64>();
    let alone = (squares / weeks.len() as f64).sqrt();
    println!("| every home does what it wishes | | {alone:.3} | 0 | {:.4} | | | |", 0.05 * alone * alone);

    let drawn = |name: &str, stroke, points| DrawnLine { name: name.to_owned(), stroke, points };
    let fleet = |epsilon: f64| {
        let index = rows.iter().position(|row| name(row) == "dpsda-r" && level(row) == epsilon)?;
        let decisions = &all.1.runs.get(index)?.trials.get(&0)?.trial.decisions;
        Some(points(|t| total(&decisions[t], weeks[t][1])))
    };
    let lines = [
        drawn("target", GREY, points(|t| weeks[t][0])),
        drawn("no coordination", DASHED, points(wished)),
        drawn("epsilon 0.2", BLUE, fleet(0.2).unwrap_or_default()),
        drawn("no noise", GREEN, fleet(f64::INFINITY).unwrap_or_default()),
    ];
    let shared = equal.first().and_then(|row| row.get("fitness")?.as_f64()).unwrap_or_default();
    let charts = [
        Chart {
            title: "Tracking error".to_owned(),
            lines: by_epsilon(&rows, "tracking_error"),
            step: 0.5,
            mark: None,
        },
        Chart {
            title: "Cost".to_owned(),
            lines: by_epsilon(&rows, "fitness"),
            step: 0.1,
            mark: Some(("equal shares", shared)),
        },
    ];
    let note = format!("One step for all. Tracking error without coordination: {alone:.2}");
    let out = env::args().nth(1).map_or_else(|| PathBuf::from("demand.svg"), PathBuf::from);
    fs::write(&out, picture(&DAYS, &lines, &charts, &["∞", "1", "0.2"], &note))?;
    println!("\n{}", out.display());
    Ok(())
}

/// The sum of all homes' set-points: each is `x_0 + (start + x_1) wind`.
fn total(x: &[f64], wind: f64) -> f64 {
    x.chunks_exact(2).map(|own| own[0] + (START + own[1]) * wind).sum()
}

/// One point per quarter of an hour, in days.
fn points(value: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
    (0..ROUNDS).map(|t| (t as f64 / 96.0, value(FIRST + t))).collect()
}

/// The numbers of a CSV file with comments and a header line.
fn table(path: &Path) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    Ok(lines.map(|line| line.split(',').map(str::parse).collect()).collect::<Result<_, _>>()?)
}

fn name(row: &Map<String, Value>) -> &str {
    row.get("algorithm").and_then(Value::as_str).unwrap_or_default()
}

fn level(row: &Map<String, Value>) -> f64 {
    row.get("epsilon").and_then(Value::as_f64).unwrap_or(f64::INFINITY)
}

fn line(name: &str, row: &Map<String, Value>) -> String {
    let shown = |key: &str, digits: usize| {
        row.get(key).and_then(Value::as_f64).map_or_else(String::new, |x| format!("{x:.digits$}"))
    };
    let columns = [
        shown("tracking_error", 3),
        shown("discomfort", 3),
        shown("fitness", 4),
        shown("regret_per_round", 4),
        shown("regret_exponent", 2),
        shown("spent_person", 1),
    ];
    format!("| {name} | {} | {} |", level(row), columns.join(" | "))
        .replace("|  |", "| |")
        .replace("|  |", "| |")
}

/// A column by epsilon, one line per algorithm.
fn by_epsilon(rows: &[Map<String, Value>], column: &str) -> Vec<DrawnLine> {
    let place = |row: &Map<String, Value>| match level(row) {
        x if x == f64::INFINITY => 0.5,
        x if x >= 1.0 => 1.5,
        _ => 2.5,
    };
    let point = |row| Some((place(row), row.get(column)?.as_f64()?));
    let looks = [
        ("dpcda", "centralised", GREY),
        ("dpsda-c", "C", BLUE),
        ("dpsda-ps", "PS", ORANGE),
        ("dpsda-r", "R", GREEN),
    ];
    let line = |(algorithm, shown, stroke): (&str, &str, _)| {
        let points = rows.iter().filter(|row| name(row) == algorithm).filter_map(point).collect();
        DrawnLine { name: shown.to_owned(), stroke, points }
    };
    looks.map(line).into()
}
