//! `algorithm.step` and `algorithm.steps`: the step sizes of a learner.

use dpsda::keys::Value;
use dpsda::learner::{Facts, Noises, Rule, Step};
use dpsda::privacy::Privacy;
use dpsda::privacy::plan::Target;
use dpsda::{Error, Keys};

use crate::rules::Rules;

const EXPECTED: &str = "a finite number above 0, or \"auto\"";
const NUMBER: &str = "a finite number above 0";

/// The steps of an algorithm. `step` and `steps` are the tables that hold these keys: the algorithm's own table comes first.
pub(crate) fn read(
    step: &Keys<'_>,
    steps: &Keys<'_>,
    facts: &Facts,
    asked: &Privacy,
    rules: Rules,
) -> Result<Step, Error> {
    let rule = steps.choice("steps", &[("decaying", Rule::Decaying), ("coordinate", Rule::Coordinate)])?;
    let fits = |c: f64| c > 0.0 && c.is_finite();
    let c = match step.raw("step") {
        Some(Value::Table(_)) => match step.table("step")? {
            Some(by) => by_label(step, &by, label(facts, asked))?,
            None => rules.step(),
        },
        Some(Value::String(word)) if word == "auto" => {
            if steps.raw("steps").is_some() {
                let remedy = "with step = \"auto\" there is no rule to choose (remove one of the two)";
                return Err(steps.bad("steps", remedy));
            }
            return Ok(Step::auto());
        }
        Some(Value::String(_)) => return Err(step.bad("step", format!("expected {EXPECTED}"))),
        _ => step.f64_where("step", rules.step(), EXPECTED, fits)?,
    };
    Ok(Step { c, rule })
}

/// The library's error about a step. A file may hold several algorithms, so where one of them has no automatic steps it says in which
/// table a number can stand.
pub(crate) fn number(step: &Keys<'_>, facts: &Facts, error: Error) -> Error {
    match step.locate(error) {
        Error::Value { key, found, expected } if found == "\"auto\"" && !facts.auto_steps => {
            let hint = "; the number may stand in the table of one algorithm, e.g. [algorithm.dpsda-c]";
            Error::Value { key, found, expected: expected + hint }
        }
        other => other,
    }
}

/// The library's error about the rule of a step, told of the key `steps` and in the words of a file. A file may hold several
/// algorithms, so where one of them cannot take such steps it says in which table the key can stand.
pub(crate) fn locate(steps: &Keys<'_>, facts: &Facts, error: Error) -> Error {
    let hint = if facts.coordinate_steps {
        ""
    } else {
        "; the key may stand in the table of one algorithm, e.g. [algorithm.dpsda-r]"
    };
    match steps.locate(error.at("step.rule", "steps")) {
        Error::Value { key, found, expected } => {
            let expected = expected.replace("Rule::Decaying", "\"decaying\"") + hint;
            Error::Value { key, found, expected }
        }
        other => other,
    }
}

/// The level or epsilon that selects a step; infinity without noise.
fn label(facts: &Facts, asked: &Privacy) -> f64 {
    match asked.target {
        _ if facts.noises == Noises::Nothing || asked.is_silent() => f64::INFINITY,
        Target::Level(x) | Target::Epsilon(x) => x,
    }
}

/// `step = { "inf" = 3.0, "0.5" = 1.0 }`: one step per level or epsilon of a sweep.
fn by_label(keys: &Keys<'_>, by: &Keys<'_>, label: f64) -> Result<f64, Error> {
    let mut found = None;
    for (name, value) in by.entries() {
        let at: f64 = name.parse().map_err(|_| {
            Error::value(
                by.name(name),
                value,
                "expected a level or an epsilon as the key, e.g. \"0.5\" or \"inf\"",
            )
        })?;
        let c = by.f64_where(name, 1.0, NUMBER, |c| c > 0.0 && c.is_finite())?;
        if at == label {
            found = Some(c);
        }
    }
    found.ok_or_else(|| keys.bad("step", format!("has no step for {label} (add \"{label}\" = 1.0)")))
}
