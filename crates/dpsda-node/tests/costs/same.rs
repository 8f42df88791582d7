//! A program that sends the gradients or the values of a cost has the decisions of that cost, to the bit.

use dpsda::objective::Objective;
use dpsda_data::Prepared;
use dpsda_node::stream::{CostReply, Estimate, GivenCost};

use crate::node::{Running, built_in, experiment};

pub(crate) const EXPERIMENT: &str = r#"
rounds = 12
problem = { loss = "squared", data = "synthetic-regression", features = 4, batch = 3 }
set = { kind = "box", lower = -5.0, upper = 5.0 }
network = { nodes = 2, graph = "complete" }
algorithm = { name = "dpsda-r" }
privacy = { mechanism = "discrete-gaussian", epsilon = 1.0, delta = 1e-5, clip = 1.0, adjacency = "round" }
"#;

/// What node 1 decides when a program sends it `given` for the cost of every round.
async fn sent(
    experiment: &Prepared,
    in_step: bool,
    given: impl Fn(&dyn Objective, &Estimate) -> GivenCost,
) -> Vec<(u64, Vec<f64>)> {
    let node = Running::start(experiment, in_step);
    let costs = experiment.costs(0, 0);
    let mut estimate = node.after(None).await;
    for t in 0..experiment.rounds(0) {
        assert_eq!(estimate.t, t);
        let cost = given(&*costs.cost(t).unwrap(), &estimate);
        assert_eq!(node.send(t, cost).await, CostReply::Taken { round: t, skipped: 0 });
        estimate = node.after(Some(t)).await;
    }
    node.decided.lock().unwrap().clone()
}

fn same(found: &[(u64, Vec<f64>)], expected: &[(u64, Vec<f64>)]) {
    let bits = |all: &[(u64, Vec<f64>)]| -> Vec<(u64, Vec<u64>)> {
        all.iter().map(|(t, block)| (*t, block.iter().map(|x| x.to_bits()).collect())).collect()
    };
    assert_eq!(bits(found), bits(expected));
    assert!(found.last().unwrap().1.iter().all(|x| *x != 0.0), "it has learned something");
}

#[tokio::test]
async fn gradients_from_outside_are_as_good_as_the_cost_itself() {
    let experiment = experiment(EXPERIMENT);
    let given = |cost: &dyn Objective, estimate: &Estimate| {
        let [start, end] = estimate.block;
        let mut own = vec![0.0; end - start];
        cost.partial(&estimate.estimate, start..end, &mut own);
        GivenCost::Gradient { own, public: Vec::new(), at: Some(estimate.at()) }
    };
    for in_step in [false, true] {
        same(&sent(&experiment, in_step, given).await, &built_in(&experiment, in_step).await);
    }
}

#[tokio::test]
async fn without_a_promise_about_agents_the_sum_of_both_parts_counts() {
    let experiment = experiment(EXPERIMENT);
    let given = |cost: &dyn Objective, estimate: &Estimate| {
        let [start, end] = estimate.block;
        let mut public = vec![0.0; end - start];
        cost.partial(&estimate.estimate, start..end, &mut public);
        GivenCost::Gradient { own: vec![0.0; public.len()], public, at: None }
    };
    same(&sent(&experiment, false, given).await, &built_in(&experiment, false).await);
}

#[tokio::test]
async fn two_values_from_outside_are_as_good_as_the_cost_itself() {
    let probed = EXPERIMENT.replace("batch = 3", "batch = 3, feedback = \"two-point\", probe = 0.05");
    let experiment = experiment(&probed);
    let given = |cost: &dyn Objective, estimate: &Estimate| {
        let points = estimate.points.as_ref().unwrap();
        let middle = points[0].iter().zip(&points[1]).map(|(a, b)| f64::midpoint(*a, *b));
        assert!(middle.zip(&estimate.estimate).all(|(m, y)| (m - y).abs() < 1e-12));
        GivenCost::Values { values: [0, 1].map(|k| cost.value(&points[k])), at: Some(estimate.at()) }
    };
    for in_step in [false, true] {
        same(&sent(&experiment, in_step, given).await, &built_in(&experiment, in_step).await);
    }
}
