//! The average cost of the worst node.

use super::{Better, Build, Metric, Observer, Round, Unit};
use crate::catalog::Listing;

/// `max_i 1/T sum_t f_t(x_i(t))`
pub const LISTING: Listing<Build> = Listing {
    name: "fitness_worst_node",
    about: "Average cost of the node with the largest cost, if every node has a model of its own.",
    keys: &[],
    build: || {
        Metric::online(|start| Box::new(WorstNode { sums: vec![0.0; start.fleet.learners()], rounds: 0 }))
            .when(|start| start.fleet.style().splits_costs())
            .label("Average cost of the worst node")
            .heading("avg. cost, worst node")
            .unit(Unit::Cost)
            .better(Better::Lower)
    },
};

struct WorstNode {
    sums: Vec<f64>,
    rounds: u64,
}

impl Observer for WorstNode {
    fn round(&mut self, round: &Round<'_>) {
        self.sums.iter_mut().zip(round.costs).for_each(|(sum, cost)| *sum += cost);
        self.rounds += 1;
    }

    fn so_far(&self) -> f64 {
        // NaN counts as the worst cost, and stays.
        let worst = |a: f64, b: &f64| if a >= *b || a.is_nan() { a } else { *b };
        self.sums.iter().fold(f64::NEG_INFINITY, worst) / self.rounds as f64
    }
}
