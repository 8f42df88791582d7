//! The bounds on regret, as a table.

use std::fmt::Write as _;

use dpsda::bounds::Constants;
use dpsda_sim::Experiment;
use dpsda_sim::bounds::{RunBounds, rows};

const HEADINGS: [&str; 5] = ["L D'", "as printed", "certificate", "real", "(15) printed"];

pub(super) fn words(experiment: &Experiment) -> String {
    if experiment.runs.iter().all(|run| run.problem.model().is_some()) {
        return "\nBounds on expected regret: none, because constants are not computed for this cost (docs/bounds.md)\n".into();
    }
    let rows = rows(experiment);
    let mut text = String::from("\nBounds on expected regret per round, over all rounds (docs/bounds.md)\n");
    let mut distinct: Vec<&Constants> = Vec::new();
    rows.iter().map(|row| &row.constants).for_each(|c| {
        if !distinct.contains(&c) {
            distinct.push(c)
        }
    });
    for c in distinct {
        let [l, g, psi, d] = [c.gradient, c.smoothness, c.psi, c.diameter].map(short);
        let _ = writeln!(text, "  L = {l}, G = {g}, C = {psi}, D = {d} (data of the first trial)");
    }
    let lines: Vec<(String, [String; 5])> = rows.iter().map(|row| line(experiment, row)).collect();
    let name = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let width = |k: usize| {
        let cells = lines.iter().map(|(_, cells)| cells[k].chars().count());
        cells.chain([HEADINGS[k].len()]).max().unwrap_or(0)
    };
    let mut put = |name_: &str, cells: &[String; 5]| {
        let cells: Vec<_> =
            cells.iter().enumerate().map(|(k, cell)| format!("{cell:>0$}", width(k))).collect();
        let _ = writeln!(text, "  {name_:name$}  {}", cells.join("  "));
    };
    put("", &HEADINGS.map(String::from));
    lines.iter().for_each(|(name, cells)| put(name, cells));
    text += "  L D': holds for any decisions; D' is the largest distance between two of them, assembled from blocks.\n  \
             As printed: M sqrt(T)/T of Theorems 3 and 5, not proved. * marks an assumption that does not hold here.\n  \
             Certificate: proved, from B, phi and gamma.\n  \
             Real: proved, with the actual contraction (C, PS) or staleness (R) of the graphs.\n  \
             \"> L D'\": in a short run this bound is weaker than L D'.\n  \
             With record = [\"bounds\"], the report draws the bound with the actual lengths of the gradients.\n";
    let mut marks: Vec<String> = Vec::new();
    for row in &rows {
        let name = experiment.runs[row.run].spec.algorithm().name();
        let mark = row.printed.and_then(|p| p.broken).map(|why| format!("  * {name}: {why}\n"));
        marks.extend(mark.filter(|mark| !marks.contains(mark)));
    }
    text += &marks.concat();
    let mut missing: Vec<(String, String)> = Vec::new();
    for row in &rows {
        for found in [&row.certified, &row.real].into_iter().filter_map(|p| p.as_ref().err()) {
            let entry = (experiment.runs[row.run].spec.algorithm().name().to_owned(), found.to_string());
            if !missing.contains(&entry) {
                missing.push(entry);
            }
        }
    }
    missing.iter().for_each(|(name, why)| _ = writeln!(text, "  none for {name}: {why}"));
    text
}

fn line(experiment: &Experiment, row: &RunBounds) -> (String, [String; 5]) {
    let run = &experiment.runs[row.run];
    let swept = run.settings.iter().filter(|(key, _)| key != "algorithm.name");
    let name = swept.fold(run.spec.algorithm().name().to_owned(), |name, (key, value)| {
        format!("{name}, {} {value}", key.rsplit('.').next().unwrap_or(key))
    });
    let rounds = experiment.rounds(row.run) as f64;
    let proved = |p: &Result<dpsda::bounds::BoundPoint, _>| match p {
        Err(_) => "none".into(),
        Ok(p) if p.regret / rounds >= row.trivial => "> L D'".into(),
        Ok(p) => short(p.regret / rounds),
    };
    let printed = row.printed.map_or("-".into(), |p| {
        let mark = if p.broken.is_some() { " *" } else { "" };
        p.regret.map_or("none".into(), |m| short(m) + mark)
    });
    let sensitivity = row.printed.map_or("-".into(), |p| short(p.sensitivity));
    (name, [short(row.trivial), printed, proved(&row.certified), proved(&row.real), sensitivity])
}

/// Three digits.
fn short(x: f64) -> String {
    match x {
        _ if x.is_infinite() => "inf".into(),
        _ if x == 0.0 => "0".into(),
        _ if (0.01..1e5).contains(&x) => format!("{x:.*}", (2 - x.log10().floor() as i32).max(0) as usize),
        _ => format!("{x:.1e}"),
    }
}
