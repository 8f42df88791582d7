//! The benchmark of nodes, of this version and of an older commit, in turns.

use std::path::Path;
use std::process::Command;

use crate::line::{Line, Report, Unit};
use crate::process;
use crate::tools::Tools;
use dpsda_benches::turns::Spread;

/// Rows of that benchmark, and what is asked.
const ROWS: [(&str, &str, f64); 4] = [
    ("free", "in memory", 2.0),
    ("free", "synced", 1.5),
    ("lock-step", "in memory", 2.0),
    ("lock-step", "synced", 1.5),
];
const TURNS: usize = 3;

pub(crate) fn run(tools: &Tools, report: &mut Report) -> Result<(), String> {
    let new = tools.nodes.as_deref().ok_or("no benchmark of nodes (--nodes)")?;
    for (rounds, store, asked) in ROWS {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            ours.push(rate(new, rounds, store)?);
            if let Some(old) = &tools.old_nodes {
                theirs.push(rate(old, rounds, store)?);
            }
        }
        let what = format!("three nodes, d = 3072, {rounds}, store {store}: rounds");
        let line = Line::new(what, Unit::PerSecond, Spread::of(ours.iter().copied()).median);
        let ratio = Spread::of(ours.iter().zip(&theirs).map(|(a, b)| a / b));
        report.add(match theirs.is_empty() {
            true => line.note("no older commit to compare with"),
            false => line.beside(Spread::of(theirs).median, ratio).at_least(asked),
        });
    }
    Ok(())
}

/// Rounds per second, from the row that both words name.
fn rate(program: &Path, rounds: &str, store: &str) -> Result<f64, String> {
    let text = process::run(Command::new(program).args([rounds, store]))?.text;
    let row = text.lines().find(|line| line.contains(rounds) && line.contains(store));
    let rate = row.and_then(|row| row.split_whitespace().find_map(|word| word.parse().ok()));
    rate.ok_or_else(|| format!("{}: no row {rounds}, {store}\n{text}", program.display()))
}
