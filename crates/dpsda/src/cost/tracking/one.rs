//! The cost of one round.

use std::ops::Range;

use super::Tracking;
use crate::cost::CostModel;
use crate::objective::Objective;

/// The cost of round `t`.
pub(super) struct TrackingCost<'a> {
    pub(super) costs: &'a Tracking,
    pub(super) t: usize,
}

impl TrackingCost<'_> {
    fn set_point(&self, x: &[f64], agent: usize) -> f64 {
        let signals = &self.costs.signals[self.t];
        let own = &x[agent * signals.len()..(agent + 1) * signals.len()];
        signals.iter().zip(own).map(|(signal, x)| signal * x).sum()
    }

    /// `sum_i c_i s_i - r_t`
    fn error(&self, x: &[f64]) -> f64 {
        let sum: f64 = self.costs.gains.iter().enumerate().map(|(i, gain)| gain * self.set_point(x, i)).sum();
        sum - self.costs.reference[self.t]
    }

    /// `sum_i (s_i - p_i)^2`
    fn discomfort(&self, x: &[f64]) -> f64 {
        let wishes = self.costs.wishes[self.t].iter().enumerate();
        wishes.map(|(i, wish)| (self.set_point(x, i) - wish).powi(2)).sum()
    }
}

impl Objective for TrackingCost<'_> {
    fn dim(&self) -> usize {
        CostModel::dim(self.costs)
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.costs.follow * self.error(x).powi(2) + self.costs.discomfort * self.discomfort(x)
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let mut public = vec![0.0; block.len()];
        self.agent(x, block, g, &mut public);
        g.iter_mut().zip(&public).for_each(|(g, public)| *g += public);
    }

    fn agent(&self, x: &[f64], block: Range<usize>, own: &mut [f64], public: &mut [f64]) -> bool {
        let Tracking { wishes, signals, gains, follow, discomfort, .. } = self.costs;
        let (signals, pull) = (&signals[self.t], 2.0 * follow * self.error(x));
        for (k, (own, public)) in block.zip(own.iter_mut().zip(public)) {
            let (agent, signal) = (k / signals.len(), signals[k % signals.len()]);
            // The set-point is a function of released values, so the distance from it is as public as zero minus the wish.
            *own = -2.0 * discomfort * wishes[self.t][agent] * signal;
            *public = pull * gains[agent] * signal + 2.0 * discomfort * self.set_point(x, agent) * signal;
        }
        true
    }

    fn measure(&self, name: &str, x: &[f64]) -> Option<f64> {
        match name {
            "tracking_error" => Some(self.error(x)),
            "discomfort" => Some((self.discomfort(x) / self.costs.gains.len() as f64).sqrt()),
            _ => None,
        }
    }
}
