//! `algorithm.step` and `algorithm.steps`: how far a learner goes.

use dpsda::catalog::Listing;
use dpsda::keys::Value;
use dpsda::learner::{ALGORITHMS, Algorithm, Rule, Step};
use dpsda::privacy::plan::{Target, Wish};
use dpsda::set::ConvexSet;
use dpsda::{Error, Keys};

use crate::rules::Rules;

const EXPECTED: &str = "a finite number above 0";

/// The steps of an algorithm. `step` and `steps` are the tables that hold these keys, its own before the common one.
pub(crate) fn read(
    step: &Keys<'_>,
    steps: &Keys<'_>,
    algorithm: &Listing<Algorithm>,
    set: &dyn ConvexSet,
    wish: &Wish,
    rules: Rules,
) -> Result<Step, Error> {
    let rule = steps.choice("steps", &[("decaying", Rule::Decaying), ("coordinate", Rule::Coordinate)])?;
    if rule == Rule::Coordinate && !algorithm.build.coordinate_steps {
        let able = ALGORITHMS.iter().filter(|a| a.build.coordinate_steps).map(|a| a.name);
        let able = able.collect::<Vec<_>>().join(" and ");
        let remedy = format!(
            "only {able} know what every coordinate released, {} does not (put the key into the table of one of them, \
             e.g. [algorithm.dpsda-r])",
            algorithm.name
        );
        return Err(steps.bad("steps", remedy));
    }
    if rule == Rule::Coordinate && set.each().is_none() {
        return Err(steps.bad("steps", "this set has one step for all coordinates (use \"decaying\")"));
    }
    let fits = |c: f64| c > 0.0 && c.is_finite();
    let c = match step.raw("step") {
        Some(Value::Table(_)) => match step.table("step")? {
            Some(by) => by_label(step, &by, wish)?,
            None => rules.step(),
        },
        _ => step.f64_where("step", rules.step(), EXPECTED, fits)?,
    };
    Ok(Step { c, rule })
}

/// `step = { "inf" = 3.0, "0.5" = 1.0 }`: one for every level, or epsilon, of a sweep.
fn by_label(keys: &Keys<'_>, by: &Keys<'_>, wish: &Wish) -> Result<f64, Error> {
    let label = match wish.target {
        _ if wish.is_silent() => f64::INFINITY,
        Target::Level(x) | Target::Epsilon(x) => x,
    };
    let mut found = None;
    for (name, value) in by.entries() {
        let at: f64 = name.parse().map_err(|_| {
            Error::value(
                by.name(name),
                value,
                "expected a level or an epsilon for a name, as \"0.5\" or \"inf\"",
            )
        })?;
        let c = by.f64_where(name, 1.0, EXPECTED, |c| c > 0.0 && c.is_finite())?;
        if at == label {
            found = Some(c);
        }
    }
    found.ok_or_else(|| keys.bad("step", format!("holds none for {label} (add \"{label}\" = 1.0)")))
}
