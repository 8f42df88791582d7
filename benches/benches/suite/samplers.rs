//! The benchmark of samplers, whose table this repeats with what is asked.

use std::process::Command;

use crate::line::{Asked, Line, Report, Unit};
use crate::process;
use crate::tools::Tools;

/// Lines `name scale ours theirs ...`, in millions per second.
pub(crate) fn run(tools: &Tools, report: &mut Report) -> Result<(), String> {
    let program = tools.samplers.as_ref().ok_or("no benchmark of samplers (--samplers)")?;
    let text = process::run(Command::new(program).arg("--bench"))?.text;
    let mut shown = 0;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(law), Some(scale)) = (words.next(), words.next()) else { continue };
        let rates: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
        let asked = match law {
            "Laplace" => Some(Asked::AtLeast(100e6)),
            "Gaussian" => Some(Asked::AtLeast(50e6)),
            _ => continue,
        };
        let (Some(ours), Ok(_)) = (rates.first(), scale.parse::<u64>()) else { continue };
        let line = Line::new(format!("exact discrete {law}, scale {scale}"), Unit::PerSecond, ours * 1e6)
            .asked(asked);
        let beside =
            rates.get(1).map(|theirs| format!("opendp {theirs} million/s: {:.0} times", ours / theirs));
        report.add(line.note(beside.unwrap_or_default()));
        shown += 1;
    }
    println!("\n```text\n{}\n```", text.trim());
    if shown == 0 {
        Err("the benchmark of samplers printed no line `Laplace scale rate`".into())
    } else {
        Ok(())
    }
}
