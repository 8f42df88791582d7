//! What memory allows: copies and updates in place of arrays far larger than any cache, on one thread.

use std::hint::black_box;
use std::time::{Duration, Instant};

use dpsda::privacy::plan::Coverage;

use crate::case::Case;
use crate::line::{Line, Report, Unit};
use crate::tools::Tools;
use dpsda_benches::turns::{Turn, turns};

/// As many numbers as all duals have at the largest size.
pub(crate) const LENGTH: usize = 4096 * 4096;
/// Stays in the first cache.
pub(crate) const SMALL: usize = 1024;

/// Seconds per element that an in-place update takes: each is read once and written once.
pub(crate) fn in_place<'a>(values: &'a mut [f64], small: &'a [f64]) -> Turn<'a> {
    Box::new(move |times| {
        let start = Instant::now();
        for _ in 0..times {
            for part in black_box(&mut *values).chunks_mut(SMALL) {
                part.iter_mut().zip(small).for_each(|(a, b)| *a = 0.5 * *a + b);
            }
        }
        Ok(start.elapsed().as_secs_f64() / times as f64)
    })
}

pub(crate) fn run(_: &Tools, report: &mut Report) -> Result<(), String> {
    let (mut values, small, from, mut to) =
        (vec![1.0; LENGTH], vec![0.5; SMALL], vec![1.0_f64; LENGTH], vec![0.0; LENGTH]);
    let copy: Turn<'_> = Box::new(move |times| {
        let start = Instant::now();
        for _ in 0..times {
            black_box(&mut to).copy_from_slice(black_box(&from));
        }
        Ok(start.elapsed().as_secs_f64() / times as f64)
    });
    let times = turns(&mut [in_place(&mut values, &small), copy], Duration::from_secs(2))?;
    let bytes = (16 * LENGTH) as f64;
    for (which, name) in ["`a = s a + b` in place, b in cache", "copy"].into_iter().enumerate() {
        let line = Line::new(name, Unit::BytesPerSecond, bytes / times.seconds(which).median);
        report.add(line.note(format!("{} MiB per array; bytes read and bytes written", (8 * LENGTH) >> 20)));
    }
    Ok(())
}

/// A round must read and write the duals of all nodes once. How near it comes.
pub(crate) fn share(_: &Tools, report: &mut Report) -> Result<(), String> {
    let case = Case::new(4096, 4096, 1, 0);
    for algorithm in ["dpsda-c", "dpsda-ps"] {
        let (mut values, small) = (vec![1.0; LENGTH], vec![0.5; SMALL]);
        let mut works = [case.ours(algorithm, Coverage::Own)?, in_place(&mut values, &small)];
        let times = turns(&mut works, Duration::from_secs(8))?;
        let what = format!("{} {algorithm}, noise on own blocks: share of the in-place bound", case.name());
        let seconds = times.seconds(0).median;
        let line = Line::new(what, Unit::Share, times.ratio(1, 0).median).at_least(0.6);
        report.add(line.note(format!(
            "{:.1} ms per round, {:.1} ms for the bound",
            1e3 * seconds,
            1e3 * times.seconds(1).median
        )));
    }
    Ok(())
}
