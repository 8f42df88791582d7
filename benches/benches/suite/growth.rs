//! Rounds when n or d doubles.

use std::time::Duration;

use dpsda::privacy::plan::Coverage;

use crate::case::Case;
use crate::line::{Line, Report, Unit};
use crate::tools::Tools;
use dpsda_benches::turns::turns;

/// A size, and the same twice as large.
const PAIRS: [(Case, Case, &str); 6] = [
    (Case::new(8, 1536, 140, 0), Case::new(16, 1536, 140, 0), "n"),
    (Case::new(8, 1536, 140, 0), Case::new(8, 3072, 140, 0), "d"),
    (Case::new(64, 1536, 140, 0), Case::new(128, 1536, 140, 0), "n"),
    (Case::new(64, 1536, 140, 0), Case::new(64, 3072, 140, 0), "d"),
    (Case::new(500, 1000, 10, 0), Case::new(1000, 1000, 10, 0), "n"),
    (Case::new(1000, 1000, 10, 0), Case::new(1000, 2000, 10, 0), "d"),
];

pub(crate) fn run(_: &Tools, report: &mut Report) -> Result<(), String> {
    for (small, large, what) in PAIRS {
        for algorithm in ["dpsda-c", "dpsda-ps", "dpsda-r"] {
            let mut works = [small.ours(algorithm, Coverage::All)?, large.ours(algorithm, Coverage::All)?];
            let times = turns(&mut works, Duration::from_secs(2))?;
            let name = format!("{} to {} {algorithm}: {what} doubled", small.name(), large.name());
            let line = Line::new(name, Unit::Seconds, times.seconds(1).median);
            report.add(line.beside(times.seconds(0).median, times.ratio(1, 0)).at_most(2.3));
        }
    }
    Ok(())
}
