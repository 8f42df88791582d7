//! Whole runs as processes: data, rounds, regret, and what is written.

use std::process::Command;
use std::time::Duration;

use crate::case::{CASES, Case};
use crate::line::{Asked, Line, Report, Unit};
use crate::process::turn;
use crate::tools::Tools;
use dpsda_benches::turns::runs;

/// What is asked of each size.
const ASKED: [Option<f64>; 6] = [Some(5.0), Some(5.0), Some(2.0), Some(3.0), Some(10.0), None];

pub(crate) fn run(tools: &Tools, report: &mut Report) -> Result<(), String> {
    for (case, asked) in CASES.into_iter().zip(ASKED) {
        for algorithm in ["dpsda-c", "dpsda-r"] {
            let asked = asked.filter(|_| algorithm == "dpsda-c").map(Asked::AtLeast);
            beside(tools, report, case, algorithm, asked)?;
        }
    }
    Ok(())
}

/// Ours: twenty checkpoints of regret and a page. NumPy's: regret at the end, and a table.
pub(crate) fn ours(tools: &Tools, file: &std::path::Path, threads: usize) -> Result<Command, String> {
    let mut command = tools.dpsda()?;
    command.arg("run").arg(file).args(["--quiet", "--force", "--out"]).arg(tools.place.join("run"));
    command.args(["--threads", &threads.to_string()]);
    Ok(command)
}

fn theirs(tools: &Tools, case: Case, algorithm: &str, threads: usize) -> Result<Command, String> {
    let mut command = tools.script("run.py", threads)?;
    let sizes =
        [("--n", case.n), ("--d", case.d), ("--batch", case.batch), ("--rounds", case.rounds as usize)];
    for (name, size) in sizes {
        command.arg(name).arg(size.to_string());
    }
    command
        .args(["--graph", case.graph(), "--algorithms", algorithm, "--out"])
        .arg(tools.place.join("numpy"));
    Ok(command)
}

fn beside(
    tools: &Tools,
    report: &mut Report,
    case: Case,
    algorithm: &str,
    asked: Option<Asked>,
) -> Result<(), String> {
    let file = tools.file("whole.toml", &case.file(algorithm, ""))?;
    let mut works = Vec::new();
    for threads in [1, 2] {
        works.push(turn({
            let file = &file;
            move || ours(tools, file, threads)
        }));
        works.push(turn(move || theirs(tools, case, algorithm, threads)));
    }
    let times = match runs(&mut works, Duration::from_secs(10)) {
        Ok(times) => times,
        Err(problem) => {
            let what = format!("{} T = {} {algorithm}", case.name(), case.rounds);
            report.add(Line::missing(what, Unit::Seconds, &problem).asked(asked));
            return Ok(());
        }
    };
    for (at, words) in [(0, "one thread each"), (2, "two threads each")] {
        let what = format!("{} T = {} {algorithm}, {words}", case.name(), case.rounds);
        let line = Line::new(what, Unit::Seconds, times.seconds(at).median);
        report.add(line.beside(times.seconds(at + 1).median, times.ratio(at + 1, at)).asked(asked));
    }
    Ok(())
}
