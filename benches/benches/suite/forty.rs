//! A run whose samples are about as many as its features: the hardest comparator.

use std::time::Duration;

use crate::case::Case;
use crate::line::{Line, Report, Unit};
use crate::process::turn;
use crate::tools::Tools;
use crate::whole::ours;
use dpsda_benches::turns::runs;

pub(crate) fn run(tools: &Tools, report: &mut Report) -> Result<(), String> {
    let case = Case::new(7, 3072, 140, 40);
    for algorithm in ["dpsda-c", "dpsda-r"] {
        let file = tools.file("forty.toml", &case.file(algorithm, ""))?;
        let times = runs(&mut [turn(|| ours(tools, &file, 2))], Duration::from_secs(5))?;
        let what = format!("{} T = 40 {algorithm}, whole run, two threads", case.name());
        report.add(Line::new(what, Unit::Seconds, times.seconds(0).median).at_most(1.0));
    }
    Ok(())
}
