//! Many nodes: time and memory of whole runs of DPSDA-R.

use std::fmt::Write as _;

use crate::case::Case;
use crate::line::{Asked, Line, Report, Unit};
use crate::process;
use crate::tools::Tools;
use crate::whole::ours;

/// Nodes of a small ring, and small rings in the large one.
const RING: usize = 250;

pub(crate) fn run(tools: &Tools, report: &mut Report) -> Result<(), String> {
    let case = Case::new(10_000, 10_000, 1, 100);
    let file = tools.file("large.toml", &case.file("dpsda-r", ""))?;
    one(tools, report, &format!("{} T = {} dpsda-r", case.name(), case.rounds), &file, Some((60.0, 2.0)))?;

    let case = Case::new(100_000, 100_000, 1, 20);
    tools.file("rings.csv", &rings(case.n))?;
    let text = case.file("dpsda-r", "").replace("\"exponential\"", "\"file\"\npath = \"rings.csv\"");
    let file = tools.file("rings.toml", &text)?;
    one(tools, report, &format!("{} T = {} dpsda-r, a ring of rings", case.name(), case.rounds), &file, None)
}

fn one(
    tools: &Tools,
    report: &mut Report,
    what: &str,
    file: &std::path::Path,
    asked: Option<(f64, f64)>,
) -> Result<(), String> {
    match process::run(&mut ours(tools, file, 2)?) {
        Ok(used) => {
            let line = |what: &str, unit, value| Line::new(what, unit, value);
            let (time, memory) = (
                line(&format!("{what}: time"), Unit::Seconds, used.seconds),
                used.memory.unwrap_or(0) as f64,
            );
            let memory = line(&format!("{what}: most memory"), Unit::Bytes, memory);
            match asked {
                Some((seconds, gibibytes)) => {
                    report.add(time.at_most(seconds));
                    report.add(memory.at_most(gibibytes * f64::from(1 << 30)));
                }
                None => {
                    report.add(time);
                    report.add(memory);
                }
            }
        }
        // Not a failure of the suite.
        Err(problem) => {
            let line = Line::missing(format!("{what}: time"), Unit::Seconds, &problem);
            report.add(line.asked(asked.map(|(seconds, _)| Asked::AtMost(seconds))));
        }
    }
    Ok(())
}

/// Small rings, and a ring through the first node of each: links of one round, which repeats.
fn rings(n: usize) -> String {
    let mut text = String::from("round,from,to\n");
    for i in 0..n {
        let (ring, place) = (i / RING, i % RING);
        let next = ring * RING + (place + 1) % RING;
        let _ = writeln!(text, "0,{i},{next}\n0,{next},{i}");
        if place == 0 {
            let other = (i + RING) % n;
            let _ = writeln!(text, "0,{i},{other}\n0,{other},{i}");
        }
    }
    text
}
