//! Whether an algorithm and a set can take these steps.

use crate::Error;
use crate::learner::{ALGORITHMS, Algorithm, Rule, Step};
use crate::set::ConvexSet;

pub(super) fn check(algorithm: &Algorithm, step: Step, set: &dyn ConvexSet) -> Result<(), Error> {
    if !(step.c > 0.0 && step.c.is_finite()) {
        return Err(Error::value("step", step.c, "expected a finite number above 0, such as 1.0"));
    }
    let refuse = |remedy: String| Err(Error::value("step.rule", "Coordinate", remedy));
    if step.rule == Rule::Coordinate && !algorithm.facts().coordinate_steps {
        let able = ALGORITHMS.iter().filter(|a| a.build.facts.coordinate_steps).map(|a| a.name);
        let able = able.collect::<Vec<_>>().join(" and ");
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
