//! Whether an algorithm and a set can take these steps.

use std::sync::Arc;

use crate::learner::{ALGORITHMS, Algorithm, AutoBasis, Facts, Rule, Step};
use crate::privacy::Plan;
use crate::set::ConvexSet;
use crate::{Blocks, Error};

pub(super) fn check(algorithm: &Algorithm, step: Step, set: &dyn ConvexSet) -> Result<(), Error> {
    if !(step.c > 0.0 && step.c.is_finite()) {
        return Err(Error::value("step", step.c, "expected a finite number above 0, such as 1.0"));
    }
    let able = |can: fn(&Facts) -> bool| {
        let able = ALGORITHMS.iter().filter(|a| can(&a.build.facts)).map(|a| a.name);
        able.collect::<Vec<_>>().join(" and ")
    };
    if step.rule == Rule::Auto && !algorithm.facts().auto_steps {
        let (name, able) = (algorithm.name(), able(|facts| facts.auto_steps));
        let remedy =
            format!("only {able} have automatic steps, and {name} does not (use a number, such as 1.0)");
        return Err(Error::value("step", "\"auto\"", remedy));
    }
    let refuse = |remedy: String| Err(Error::value("step.rule", "Coordinate", remedy));
    if step.rule == Rule::Coordinate && !algorithm.facts().coordinate_steps {
        let able = able(|facts| facts.coordinate_steps);
        return refuse(format!(
            "only {able} know what every coordinate released, and {} does not (use one of them, or Rule::Decaying)",
            algorithm.name()
        ));
    }
    if step.rule == Rule::Coordinate && set.each().is_none() {
        return refuse("this set has one step for all coordinates (use Rule::Decaying)".into());
    }
    Ok(())
}

/// What automatic steps rest on, where steps are automatic.
pub(super) fn auto(
    algorithm: &Algorithm,
    step: Step,
    set: &Arc<dyn ConvexSet>,
    blocks: &Arc<Blocks>,
    plan: &Plan,
) -> Result<Option<Arc<AutoBasis>>, Error> {
    if step.rule != Rule::Auto {
        return Ok(None);
    }
    let basis = AutoBasis::new(set, blocks, plan, algorithm.style().is_central())?;
    Ok(Some(Arc::new(basis)))
}
