//! Three agents and a cost that says which part of it is whose.

use std::ops::Range;

use dpsda::learner::Algorithm;
use dpsda::prelude::*;
use dpsda::privacy::Mechanism;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::spec::Checked;

/// Three agents with blocks of 1, 2 and 3 coordinates.
pub(crate) const SIZES: [usize; 3] = [1, 2, 3];
pub(crate) const DIM: usize = 6;

/// A cost whose gradient is `own + public + sum(x)` in every coordinate. Only `own` is private.
#[derive(Clone)]
pub(crate) struct Divided {
    pub(crate) own: [f64; DIM],
    pub(crate) public: [f64; DIM],
}

impl Objective for Divided {
    fn dim(&self) -> usize {
        DIM
    }

    fn value(&self, x: &[f64]) -> f64 {
        let slopes = self.own.iter().zip(&self.public).map(|(own, public)| own + public);
        x.iter().zip(slopes).map(|(x, slope)| x * slope).sum::<f64>() + x.iter().sum::<f64>().powi(2) / 2.0
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let mut public = vec![0.0; g.len()];
        self.agent(x, block, g, &mut public);
        g.iter_mut().zip(public).for_each(|(g, public)| *g += public);
    }

    fn agent(&self, x: &[f64], block: Range<usize>, own: &mut [f64], public: &mut [f64]) -> bool {
        let sum: f64 = x.iter().sum();
        own.copy_from_slice(&self.own[block.clone()]);
        public.iter_mut().zip(&self.public[block]).for_each(|(g, public)| *g = public + sum);
        true
    }
}

/// A cost that knows no agents.
pub(crate) fn whole() -> impl Objective {
    OwnCost::new(DIM, |x| x[0], |_, g| g[0] = 1.0)
}

pub(crate) fn spec(algorithm: &str, asked: Privacy) -> Spec {
    let spec =
        Spec::new(Blocks::of(&SIZES, DIM).unwrap()).set(Ball::new(50.0).unwrap()).rounds(12).privacy(asked);
    let spec = spec.algorithm(Algorithm::named(algorithm).unwrap());
    if algorithm == "dpcda" { spec } else { spec.graph(Complete::new(3).unwrap()) }
}

pub(crate) fn asked(mechanism: &str) -> Privacy {
    let asked = match mechanism {
        "none" => Privacy::none(),
        _ => Privacy::epsilon(1.0).delta(1e-5).mechanism(Mechanism::named(mechanism).unwrap()),
    };
    asked.clip(0.8).agents()
}

/// Every mechanism with every algorithm that promises something.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str, Checked)> {
    let pairs = MECHANISMS
        .iter()
        .flat_map(|m| ["dpsda-r", "dpsda-c", "dpsda-ps", "dpcda"].map(|algorithm| (m.name, algorithm)));
    pairs.filter_map(|(mechanism, algorithm)| {
        let averages = algorithm == "dpsda-c" || algorithm == "dpsda-ps";
        let correlated = Mechanism::named(mechanism).unwrap().is_correlated();
        let plays = !(averages && correlated);
        plays.then(|| (mechanism, algorithm, spec(algorithm, asked(mechanism)).check().unwrap()))
    })
}

/// What every node has released after one round: its own block of its own dual.
pub(crate) fn released(spec: &Checked, cost: &dyn Objective) -> Vec<Vec<f64>> {
    let mut fleet = spec.fleet(Seed::new(3));
    fleet.round(0, cost).unwrap();
    let learner = |i: usize| if fleet.learners() == 1 { 0 } else { i };
    let own = |(i, block): (usize, Range<usize>)| fleet.dual(learner(i)).unwrap().0[block].to_vec();
    spec.blocks().iter().enumerate().map(own).collect()
}

pub(crate) fn norm(norm: Norm, v: &[f64]) -> f64 {
    match norm {
        Norm::L1 => v.iter().map(|x| x.abs()).sum(),
        Norm::L2 => v.iter().map(|x| x * x).sum::<f64>().sqrt(),
    }
}

pub(crate) fn less(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
