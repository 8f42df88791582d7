//! `[privacy]`: what a user wishes; the plan derives the rest.

use dpsda::catalog::find;
use dpsda::learner::Algorithm;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::privacy::plan::{Adjacency, Arithmetic, Budget, Decide, MAX_BITS, Noise, Target, Wish};
use dpsda::{Error, Keys};

use crate::rules::Rules;

/// The wish, and the paper's label if one is set. `named` is the table that names the mechanism, if one does: the
/// algorithm's own before the common one.
pub(crate) fn read(
    keys: &Keys<'_>,
    named: Option<&Keys<'_>>,
    kind: &Algorithm,
    rules: Rules,
) -> Result<(Wish, Option<f64>), Error> {
    let above = |key: &str, least: f64, expected: &str| match keys.f64(key)? {
        Some(x) if !(x >= least && (x.is_finite() || key == "level")) => Err(keys.bad(key, expected)),
        found => Ok(found),
    };
    let level = above("level", 1e-100, "expected a number of at least 1e-100, or inf for no noise")?;
    let epsilon = above("epsilon", 1e-6, "expected a finite number of at least 1e-6")?;
    let delta = above("delta", 1e-300, "expected a number above 0 and below 1, e.g. 1e-5")?;
    if delta.is_some_and(|d| d >= 1.0) {
        return Err(keys.bad("delta", "expected a number above 0 and below 1, e.g. 1e-5"));
    }
    let clip = above(
        "clip",
        1e-12,
        "expected a finite number of at least 1e-12: the largest norm of an event's gradient",
    )?;
    if level.is_some() && epsilon.is_some() {
        return Err(keys.bad("level", "`privacy.epsilon` says how much noise too (use one of the two)"));
    }
    let grid = keys.count("grid", 0)?;
    if grid.is_some_and(|q| q > u64::from(MAX_BITS)) {
        return Err(keys.bad("grid", format!("expected q of the grid 2^-q, at most {MAX_BITS}")));
    }
    let mechanism = match named.map(|at| Ok((at, at.str("mechanism")?))).transpose()? {
        Some((at, Some(name))) => find(MECHANISMS, &at.name("mechanism"), rules.mechanism(name))?,
        _ if level.is_some() || epsilon.is_some() => {
            let key = if level.is_some() { "level" } else { "epsilon" };
            return Err(
                keys.bad("mechanism", format!("`privacy.{key}` needs one (e.g. \"discrete-gaussian\")"))
            );
        }
        _ => find(MECHANISMS, "privacy.mechanism", "none")?,
    };
    let target = match (level, epsilon) {
        (_, Some(epsilon)) => Target::Epsilon(epsilon),
        (Some(level), _) => Target::Level(level),
        (None, None) => Target::Level(1.0),
    };
    let adjacency =
        keys.choice("adjacency", &[("round", Adjacency::Round), ("example", Adjacency::Example)])?;
    let noise = keys.choice("noise", &[("own", Noise::Own), ("all", Noise::All)])?;
    let decide = keys.choice("decide", &[("published", Decide::Published), ("private", Decide::Private)])?;
    let arithmetic = keys.choice("arithmetic", &[("real", Arithmetic::Real), ("grid", Arithmetic::Grid)])?;
    let budget = read_budget(keys)?;
    // An infinite level is no noise at all.
    let none = level == Some(f64::INFINITY);
    let wish = Wish {
        mechanism: if none { find(MECHANISMS, "privacy.mechanism", "none")? } else { mechanism },
        target,
        delta,
        adjacency,
        clip,
        grid: grid.map(|q| q as u32),
        budget,
        // Where gradients are noised at birth there is nothing else to noise, nothing un-noised to decide from, and
        // nothing to mix.
        noise: if kind.averages { noise } else { Noise::Own },
        decide: if kind.averages { decide } else { Decide::Published },
        arithmetic: if kind.averages && !none { arithmetic } else { Arithmetic::Real },
    };
    if !wish.is_silent() && level.is_none() && epsilon.is_none() {
        let remedy = format!(
            "the mechanism \"{}\" needs to know how much: level = 1.0 (the paper's label), or epsilon = 1.0 with a clip",
            mechanism.name
        );
        return Err(keys.bad("level", remedy));
    }
    if matches!(mechanism.name, "none") && epsilon.is_some() {
        return Err(
            keys.bad("epsilon", "without noise there is none (use e.g. mechanism = \"discrete-gaussian\")")
        );
    }
    Ok((wish, level.filter(|_| mechanism.name != "none")))
}

fn read_budget(keys: &Keys<'_>) -> Result<Budget, Error> {
    let Some(own) = keys.table("budget")? else { return Ok(Budget::default()) };
    let limit = |key: &str| match own.f64(key)? {
        Some(x) if !(x > 0.0 && x.is_finite()) => {
            Err(own.bad(key, "expected an epsilon: a finite number above 0"))
        }
        found => Ok(found),
    };
    let budget = Budget {
        event: limit("event")?,
        person: limit("person")?,
        lifetime: limit("lifetime")?,
        events_per_person: own.count("events_per_person", 1)?,
    };
    if budget.person.is_some() && budget.events_per_person.is_none() {
        return Err(
            own.bad("events_per_person", "a budget for a person needs it, e.g. events_per_person = 4")
        );
    }
    own.finish()?;
    Ok(budget)
}
