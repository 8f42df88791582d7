//! Warnings about data from which a run can learn little: examples far too long for the steps, one class only, constant features.
//! A simulation has the data, so looking at them reveals nothing. Nodes do not look.

use dpsda_config::{RunConfig, SampleProblem};
use dpsda_data::{Draw, Source};

use crate::Experiment;

mod seen;
mod stride;

use seen::ExamplesSeen;

/// Drawn data are alike: so many samples tell enough, and are drawn in a small part of the time of a run. With many features, fewer do:
/// about so many numbers, but no fewer samples than this.
const DRAWN: usize = 1000;
const NUMBERS: usize = 1 << 17;
const FEWEST: usize = 100;

/// The warnings about the data of every problem, from its first trial.
pub(crate) fn warnings(experiment: &Experiment) -> Vec<String> {
    let (problems, of_run) = experiment.problems();
    let mut all = Vec::new();
    for (problem, first) in problems.iter().enumerate() {
        let run = &experiment.runs[*first];
        let (Some(own), Some(source)) = (run.problem.samples(), experiment.source(*first)) else { continue };
        let draw = draw(run, own, source);
        let Some(seen) = ExamplesSeen::of(&draw, own) else { continue };
        let runs = experiment.runs.iter().zip(&of_run).filter(|(_, of)| **of == problem);
        all.extend(stride::warning(&seen, own, runs.map(|(run, _)| run)));
        all.extend(one_class(&seen, own));
        all.extend(constants(&seen, own));
    }
    all
}

fn draw(run: &RunConfig, own: &SampleProblem, source: &dyn Source) -> Draw {
    let drawn = (NUMBERS / source.dim().max(1)).clamp(FEWEST, DRAWN);
    let train = if source.len().is_some() { run.split.train } else { run.split.train.min(drawn) };
    source.draw(run.seed_of(0), train, 0, own.shuffle)
}

fn one_class(seen: &ExamplesSeen, own: &SampleProblem) -> Option<String> {
    let label = seen.label.filter(|_| own.loss.classifies())?;
    let rows = words(seen.rows as f64);
    Some(format!(
        "problem.data = \"{}\": all {rows} labels to learn from are {label:+}, so a model that always says {label:+} is never wrong \
         (check problem.label and problem.positive, and problem.shuffle if the file is sorted by class)",
        own.data
    ))
}

/// A constant feature that is zero changes nothing. One that is 1 serves as the intercept, if there is no other.
fn constants(seen: &ExamplesSeen, own: &SampleProblem) -> Option<String> {
    let (data, rows) = (&own.data, words(seen.rows as f64));
    if seen.rows > 1 && seen.varying == 0 {
        let bounds = if own.scaling.has_bounds() { "; do problem.scale's bounds fit the data?" } else { "" };
        return Some(format!(
            "problem.data = \"{data}\": no feature differs between the {rows} examples to learn from, so no model can tell them \
             apart (check the file and problem.label{bounds})"
        ));
    }
    let (first, value) = *seen.constant.first()?;
    let serves = value.abs() == 1.0 && seen.constant.len() == 1;
    if seen.rows < 2 || serves && !own.scaling.has_intercept() && !own.scaling.has_bounds() {
        return None;
    }
    let more = match seen.constant.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more features are constant)"),
    };
    let remedy = match own.scaling.has_bounds() {
        true => "let problem.scale have bounds that its values lie between, or remove the column",
        false => "remove the column; for a constant use problem.intercept = true",
    };
    Some(format!(
        "problem.data = \"{data}\": feature {} is {} in all {rows} examples to learn from{more}. It does not tell examples apart, and \
         only shifts every prediction ({remedy})",
        first + 1,
        words(value)
    ))
}

/// A number for people: three digits, or whole with commas.
fn words(x: f64) -> String {
    if !x.is_finite() || x.abs() >= 1e15 {
        return format!("{x:e}");
    }
    if x.abs() < 1000.0 {
        let places = if x == 0.0 { 0 } else { (2 - x.abs().log10().floor() as i32).clamp(0, 12) as usize };
        let text = format!("{x:.places$}");
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        return text.to_owned();
    }
    let digits = format!("{:.0}", x.abs());
    let mut text = String::from(if x < 0.0 { "-" } else { "" });
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn numbers_have_three_digits_or_commas() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.14712, "0.147"),
            (23.456, "23.5"),
            (569.0, "569"),
            (12_800.4, "12,800"),
        ];
        for (x, text) in cases {
            assert_eq!(words(x), text);
        }
        assert_eq!(
            (words(-1_234_567.0), words(1e300), words(f64::INFINITY)),
            ("-1,234,567".into(), "1e300".into(), "inf".into())
        );
    }
}
