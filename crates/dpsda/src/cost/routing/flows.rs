//! The flows on all roads, and what they cost.

use std::ops::Range;
use std::sync::Arc;

use super::plan::PathPlan;
use crate::cost::CostSequence;
use crate::cost::by_round::ByRound;
use crate::objective::Objective;

/// The costs of one trial.
pub(super) struct RoutingCosts {
    pub(super) plan: Arc<PathPlan>,
    /// By round, then by origin.
    pub(super) factors: Arc<ByRound>,
}

impl CostSequence for RoutingCosts {
    fn dim(&self) -> usize {
        self.plan.dim()
    }

    fn rounds(&self) -> u64 {
        self.factors.rounds()
    }

    fn cost(&self, t: u64) -> Option<Box<dyn Objective + '_>> {
        self.factors.at(t)?;
        Some(self.mean(t..t + 1))
    }

    fn mean(&self, rounds: Range<u64>) -> Box<dyn Objective + '_> {
        Box::new(FlowCost { plan: &self.plan, factors: &self.factors, rounds })
    }
}

/// The mean cost of some rounds.
///
/// Flows are linear in the factors of the origins. So the flows of each origin with factor 1 are computed once. The work per round
/// is then roads times origins, however many paths there are.
struct FlowCost<'a> {
    plan: &'a PathPlan,
    factors: &'a ByRound,
    rounds: Range<u64>,
}

impl<'a> FlowCost<'a> {
    fn rows(&self) -> std::slice::ChunksExact<'a, f64> {
        self.factors.rows(self.rounds.clone())
    }

    fn count(&self) -> f64 {
        self.rows().len().max(1) as f64
    }

    /// By origin and then by road: the flow with factor 1.
    fn flows(&self, x: &[f64]) -> Vec<f64> {
        let roads = self.plan.roads.len();
        let mut flows = vec![0.0; self.plan.origins.len() * roads];
        for (path, x) in self.plan.paths.iter().zip(x) {
            let own = &mut flows[path.origin * roads..(path.origin + 1) * roads];
            path.roads.iter().for_each(|road| own[*road] += path.demand * x);
        }
        flows
    }

    /// Calls `each` with the factors of every round and the flows on all roads.
    fn each(&self, x: &[f64], mut each: impl FnMut(&[f64], &[f64])) {
        let (flows, roads) = (self.flows(x), self.plan.roads.len());
        let mut total = vec![0.0; roads];
        for factors in self.rows() {
            total.fill(0.0);
            for (factor, own) in factors.iter().zip(flows.chunks_exact(roads.max(1))) {
                total.iter_mut().zip(own).for_each(|(total, flow)| *total += factor * flow);
            }
            each(factors, &total);
        }
    }
}

impl Objective for FlowCost<'_> {
    fn dim(&self) -> usize {
        self.plan.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.each(x, |_, flows| {
            sum += self.plan.roads.iter().zip(flows).map(|(road, v)| road.potential(*v)).sum::<f64>();
        });
        sum / (self.plan.total * self.count())
    }

    /// For each path of the block: the mean of `factor demand/D` times the time on the path.
    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let roads = self.plan.roads.len();
        let own = self.plan.paths.get(block).unwrap_or(&[]);
        // The origins of a block are consecutive.
        let (first, last) =
            (own.first().map_or(0, |path| path.origin), own.last().map_or(0, |path| path.origin));
        let mut times = vec![0.0; (last + 1 - first) * roads];
        let mut latencies = vec![0.0; roads];
        self.each(x, |factors, flows| {
            let each = latencies.iter_mut().zip(self.plan.roads.iter().zip(flows));
            each.for_each(|(latency, (road, v))| *latency = road.latency(*v));
            for (factor, times) in factors[first..=last].iter().zip(times.chunks_exact_mut(roads.max(1))) {
                times.iter_mut().zip(&latencies).for_each(|(time, latency)| *time += factor * latency);
            }
        });
        for (path, g) in own.iter().zip(g) {
            let time: f64 = path.roads.iter().map(|road| times[(path.origin - first) * roads + road]).sum();
            *g = path.demand * time / (self.plan.total * self.count());
        }
    }

    /// The mean time of a traveller; 0 if nobody travels.
    fn measure(&self, name: &str, x: &[f64]) -> Option<f64> {
        if name != "travel_time" {
            return None;
        }
        let (mut time, mut travellers) = (0.0, 0.0);
        self.each(x, |factors, flows| {
            time += self.plan.roads.iter().zip(flows).map(|(road, v)| v * road.latency(*v)).sum::<f64>();
            travellers +=
                factors.iter().zip(&self.plan.demands).map(|(factor, demand)| factor * demand).sum::<f64>();
        });
        Some(if travellers > 0.0 { time / travellers } else { 0.0 })
    }
}
