//! Rounds: our fleets beside the same algorithm in NumPy.

use std::time::Duration;

use dpsda::privacy::plan::Coverage;

use crate::case::{CASES, Case};
use crate::line::{Asked, Line, Report, Unit};
use crate::script::Script;
use crate::tools::Tools;
use dpsda_benches::turns::turns;

/// What is asked of C and PS, and of R.
const ASKED: [(f64, Option<f64>); 6] =
    [(6.0, None), (4.0, None), (3.0, None), (8.0, Some(20.0)), (20.0, Some(100.0)), (20.0, Some(50.0))];

pub(crate) fn run(tools: &Tools, report: &mut Report) -> Result<(), String> {
    for (case, (averaging, relaying)) in CASES.into_iter().zip(ASKED) {
        for algorithm in ["dpsda-c", "dpsda-ps"] {
            beside(tools, report, case, algorithm, algorithm, Some(Asked::AtLeast(averaging)))?;
        }
        beside(tools, report, case, "dpsda-r", "dpsda-c", relaying.map(Asked::AtLeast))?;
        beside(tools, report, case, "dpsda-r", "dpsda-r", None)?;
    }
    Ok(())
}

fn beside(
    tools: &Tools,
    report: &mut Report,
    case: Case,
    ours: &str,
    theirs: &str,
    asked: Option<Asked>,
) -> Result<(), String> {
    let script = Script::start(tools, case, theirs, &[])?;
    let quick = if ours != "dpsda-r" {
        Some(Script::start(tools, case, theirs, &["--draws", "exponentials"])?)
    } else {
        None
    };
    let mut works = vec![case.ours(ours, Coverage::All)?, script.turn()];
    works.extend(quick.map(Script::turn));
    let times = turns(&mut works, Duration::from_secs(4))?;
    let what = format!("{} {ours} beside NumPy's {theirs}", case.name());
    let note = if times.0.first().is_some_and(|turn| turn.len() > 2) {
        let ratio = times.ratio(2, 0);
        format!("{:.3} times with Laplace draws as differences of exponential ones", ratio.median)
    } else {
        String::new()
    };
    let line = Line::new(what, Unit::Seconds, times.seconds(0).median);
    report.add(line.beside(times.seconds(1).median, times.ratio(1, 0)).asked(asked).note(note));
    Ok(())
}
