//! The picture of the README: how many times as fast as NumPy a round and a run are.

use dpsda_web::{Bar, bars};

use crate::line::{Line, Report};
use crate::tools::Tools;

const TITLE: &str = "Times as fast as NumPy and SciPy";

pub(crate) fn write(tools: &Tools, report: &Report) -> Result<(), String> {
    let mut all: Vec<Bar> = report.of("rounds").filter_map(|line| bar(line, "rounds")).collect();
    all.extend(
        report
            .of("whole")
            .filter(|line| line.what.contains("one thread"))
            .filter_map(|line| bar(line, "whole run")),
    );
    if all.is_empty() {
        return Ok(());
    }
    let note = "nodes, coordinates, samples per round; one thread each; median and quartiles";
    tools.file("performance.svg", &bars(TITLE, note, &all)).map(drop)
}

/// The size is the group, the algorithm the bar. R stands beside NumPy's C: both learn the same.
fn bar(line: &Line, kind: &str) -> Option<Bar> {
    let (size, rest) = line.what.split_once(' ')?;
    let mut words = rest.split([' ', ',']);
    let algorithm = words.find(|word| word.starts_with("dpsda-"))?;
    if kind == "rounds" && algorithm == "dpsda-r" && !rest.ends_with("dpsda-c") {
        return None;
    }
    let ratio = line.ratio?;
    Some(Bar {
        panel: kind.to_owned(),
        group: size.trim_matches(['(', ')']).replace(',', " · "),
        name: algorithm.to_owned(),
        value: ratio.median,
        ends: (ratio.low, ratio.high),
    })
}
