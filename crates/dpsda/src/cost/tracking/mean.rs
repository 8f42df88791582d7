//! The mean cost of many rounds, in closed form.

use std::ops::Range;

use super::Tracking;
use crate::cost::CostModel;
use crate::objective::Objective;

/// The mean cost of some rounds. It is a quadratic function, whose coefficients are moments of signals, reference and wishes.
pub(super) struct MeanTracking<'a> {
    costs: &'a Tracking,
    /// `mean phi phi^T`, by rows.
    moments: Vec<f64>,
    /// `mean r phi` and `mean r^2`.
    pull: Vec<f64>,
    reference: f64,
    /// `mean p_i phi`, by agent, and `mean sum_i p_i^2`.
    wishes: Vec<f64>,
    wish: f64,
}

impl<'a> MeanTracking<'a> {
    pub(super) fn new(costs: &'a Tracking, rounds: Range<u64>) -> Self {
        let width = costs.width();
        let mut mean = Self {
            costs,
            moments: vec![0.0; width * width],
            pull: vec![0.0; width],
            reference: 0.0,
            wishes: vec![0.0; CostModel::dim(costs)],
            wish: 0.0,
        };
        let last = (costs.reference.len() as u64).min(rounds.end);
        let share = 1.0 / last.saturating_sub(rounds.start).max(1) as f64;
        for t in rounds.start..last {
            let t = t as usize;
            let (signals, reference) = (&costs.signals[t], costs.reference[t]);
            mean.reference += share * reference * reference;
            for (j, a) in signals.iter().enumerate() {
                mean.pull[j] += share * reference * a;
                signals.iter().enumerate().for_each(|(k, b)| mean.moments[j * width + k] += share * a * b);
            }
            for (i, wish) in costs.wishes[t].iter().enumerate() {
                mean.wish += share * wish * wish;
                signals.iter().enumerate().for_each(|(k, a)| mean.wishes[i * width + k] += share * wish * a);
            }
        }
        mean
    }

    /// `sum_i c_i x_i`
    fn total(&self, x: &[f64]) -> Vec<f64> {
        let mut total = vec![0.0; self.costs.width()];
        for (gain, own) in self.costs.gains.iter().zip(x.chunks_exact(total.len())) {
            total.iter_mut().zip(own).for_each(|(total, x)| *total += gain * x);
        }
        total
    }

    /// `<mean phi phi^T row j, x>`
    fn row(&self, j: usize, x: &[f64]) -> f64 {
        let width = self.costs.width();
        self.moments[j * width..(j + 1) * width].iter().zip(x).map(|(m, x)| m * x).sum()
    }

    /// `x^T M x - 2 <b, x>`
    fn square(&self, x: &[f64], b: &[f64]) -> f64 {
        x.iter().zip(b).enumerate().map(|(j, (x_j, b))| x_j * (self.row(j, x) - 2.0 * b)).sum()
    }
}

impl Objective for MeanTracking<'_> {
    fn dim(&self) -> usize {
        self.wishes.len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let width = self.costs.width();
        let follow = self.square(&self.total(x), &self.pull) + self.reference;
        let each = x.chunks_exact(width).zip(self.wishes.chunks_exact(width));
        let discomfort = each.map(|(x, b)| self.square(x, b)).sum::<f64>() + self.wish;
        self.costs.follow * follow + self.costs.discomfort * discomfort
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let (width, total) = (self.costs.width(), self.total(x));
        for (at, g) in block.zip(g) {
            let (agent, j) = (at / width, at % width);
            let own = &x[agent * width..(agent + 1) * width];
            let follow = self.costs.gains[agent] * (self.row(j, &total) - self.pull[j]);
            let discomfort = self.row(j, own) - self.wishes[at];
            *g = 2.0 * (self.costs.follow * follow + self.costs.discomfort * discomfort);
        }
    }
}
