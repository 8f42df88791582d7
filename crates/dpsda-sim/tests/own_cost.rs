//! Costs of a user's program in an experiment: what is wrong with them is said before a run.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::path::Path;
use std::sync::Arc;

use dpsda::cost::{CostModel, CostSequence};
use dpsda::objective::{Objective, OwnCost};
use dpsda::rng::Seed;
use dpsda_config::ProblemCosts;
use dpsda_data::Prepared;
use dpsda_sim::Experiment;
use dpsda_sim::check::Check;

const EXPERIMENT: &str = r#"
rounds = 20
[problem]
cost = "expert"
experts = 3
[network]
nodes = 3
graph = "complete"
[algorithm]
name = "dpsda-r"
"#;

/// `bend |x|^2` until the middle of the run, and `|x|^2` with its gradient times `slope` from there on.
#[derive(Clone, Copy)]
struct Bent {
    bend: f64,
    slope: f64,
}

impl CostModel for Bent {
    fn dim(&self) -> usize {
        3
    }

    fn rounds(&self) -> Option<u64> {
        None
    }

    fn draw(&self, _: Seed, _: u64) -> Arc<dyn CostSequence> {
        Arc::new(*self)
    }
}

impl CostSequence for Bent {
    fn dim(&self) -> usize {
        3
    }

    fn rounds(&self) -> u64 {
        20
    }

    fn cost(&self, t: u64) -> Option<Box<dyn Objective + '_>> {
        let (bend, slope) = if t < 10 { (self.bend, 1.0) } else { (1.0, self.slope) };
        let value = move |x: &[f64]| bend * x.iter().map(|x| x * x).sum::<f64>();
        let gradient = move |x: &[f64], g: &mut [f64]| {
            g.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * slope * bend * x);
        };
        (t < 20).then(|| Box::new(OwnCost::new(3, value, gradient)) as Box<dyn Objective>)
    }
}

fn warnings(model: Bent) -> Vec<String> {
    let mut prepared = Prepared::load(EXPERIMENT, &[], Path::new("")).unwrap();
    prepared.runs[0].problem.costs = ProblemCosts::Model("bent", Arc::new(model));
    Check::new(&Experiment::from(prepared)).warnings()
}

#[test]
fn a_cost_that_is_not_convex_or_whose_gradient_is_wrong_is_a_warning_that_names_the_round() {
    assert_eq!(warnings(Bent { bend: 1.0, slope: 1.0 }), Vec::<String>::new());
    let hill = warnings(Bent { bend: -1.0, slope: 1.0 });
    assert!(hill[0].starts_with("problem.cost = \"bent\", round 0: cost = "), "{hill:?}");
    assert!(
        hill[0].contains("the cost is not convex on the set") && hill[0].ends_with("no certificate holds")
    );
    let wrong = warnings(Bent { bend: 1.0, slope: -1.0 });
    assert!(wrong[0].starts_with("problem.cost = \"bent\", round 10: gradient = "), "{wrong:?}");
    assert!(wrong[0].contains("the gradient does not fit the values"));
}
