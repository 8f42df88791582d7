//! `[privacy]`: what a user asks for; the plan derives the rest.

use dpsda::catalog::find;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::privacy::plan::{Adjacency, Arithmetic, Budget, Coverage, Decide, MAX_BITS, Target};
use dpsda::privacy::{Mechanism, Privacy};
use dpsda::{Error, Keys};

use crate::rules::Rules;

/// The privacy that is asked for, and the paper's label if it is set. `named` is the table that names the mechanism, if any: the
/// algorithm's own table comes before `[privacy]`.
pub(crate) fn read(
    keys: &Keys<'_>,
    named: Option<&Keys<'_>>,
    rules: Rules,
) -> Result<(Privacy, Option<f64>), Error> {
    let (level, epsilon) = (keys.f64("level")?, keys.f64("epsilon")?);
    let (delta, clip) = (keys.f64("delta")?, keys.f64("clip")?);
    if level.is_some() && epsilon.is_some() {
        return Err(keys.bad("level", "`privacy.epsilon` also sets the amount of noise (use one of the two)"));
    }
    // A run without noise, beside others in a sweep. It is still clipped, so that runs differ by their noise alone.
    let endless = epsilon == Some(f64::INFINITY);
    let epsilon = epsilon.filter(|_| !endless);
    let too_fine = || keys.bad("grid", format!("expected q of the grid 2^-q, at most {MAX_BITS}"));
    let grid = keys.count("grid", 0)?.map(|q| u32::try_from(q).map_err(|_| too_fine())).transpose()?;
    let chosen = match named.map(|at| Ok((at, at.str("mechanism")?))).transpose()? {
        Some((at, Some(name))) => {
            (find(MECHANISMS, &at.name("mechanism"), rules.mechanism(name))?.build)(at)?
        }
        _ if level.is_some() || epsilon.is_some() || endless => {
            let key = if level.is_some() { "level" } else { "epsilon" };
            let remedy = format!("`privacy.{key}` needs one (e.g. \"discrete-gaussian\")");
            return Err(keys.bad("mechanism", remedy));
        }
        _ => Mechanism::none(),
    };
    let budget = read_budget(keys)?;
    let limit = [("event", budget.event), ("person", budget.person), ("lifetime", budget.lifetime)];
    if let Some((limit, _)) = limit.into_iter().find(|(_, limit)| endless && limit.is_some()) {
        let remedy = format!(
            "epsilon = inf adds no noise, so that run would pass any limit (remove inf from `privacy.epsilon`, or `{limit}` from \
             the budget)"
        );
        return Err(keys.bad("budget", remedy));
    }
    let arithmetic = keys.choice("arithmetic", &[("real", Arithmetic::Real), ("grid", Arithmetic::Grid)])?;
    let mechanism = if endless { chosen.silenced() } else { chosen };
    let asked = Privacy {
        target: match (level, epsilon) {
            (_, Some(epsilon)) => Target::Epsilon(epsilon),
            (Some(level), _) => Target::Level(level),
            (None, None) => Target::Level(1.0),
        },
        delta,
        adjacency: keys.choice(
            "adjacency",
            &[("round", Adjacency::Round), ("example", Adjacency::Example), ("agent", Adjacency::Agent)],
        )?,
        clip,
        grid,
        budget,
        coverage: keys.choice("noise", &[("own", Coverage::Own), ("all", Coverage::All)])?,
        decide: keys.choice("decide", &[("published", Decide::Published), ("private", Decide::Private)])?,
        arithmetic: if endless { Arithmetic::Real } else { arithmetic },
        mechanism,
    };
    let name = asked.mechanism.name();
    if !asked.is_silent() && level.is_none() && epsilon.is_none() {
        let remedy = format!(
            "the mechanism \"{name}\" needs an amount of noise: level = 1.0 (the paper's label), or epsilon = 1.0 with a clip"
        );
        return Err(keys.bad("level", remedy));
    }
    if asked.is_silent() && epsilon.is_some() {
        let remedy = "without noise there is no epsilon (use e.g. mechanism = \"discrete-gaussian\")";
        return Err(keys.bad("epsilon", remedy));
    }
    let level = level.filter(|_| !asked.is_silent());
    Ok((asked, level))
}

fn read_budget(keys: &Keys<'_>) -> Result<Budget, Error> {
    let Some(own) = keys.table("budget")? else { return Ok(Budget::default()) };
    let budget = Budget {
        event: own.f64("event")?,
        person: own.f64("person")?,
        lifetime: own.f64("lifetime")?,
        events_per_person: own.count("events_per_person", 1)?,
    };
    own.finish()?;
    Ok(budget)
}
