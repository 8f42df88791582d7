//! The sum of independent losses, through its cumulants.

use super::super::search;
use super::grid::LossPart;

/// A window misses this share of the tilted law on either side (e^-42 = 6e-19).
pub(super) const MISSED: f64 = 42.0;

/// Parts on one grid, ready to be tilted.
pub(super) struct Composition {
    pub(super) step: f64,
    pub(super) parts: Vec<LossPart>,
    /// Per part, the logarithms of its masses.
    logs: Vec<Vec<f64>>,
}

impl Composition {
    pub(super) fn new(parts: &[LossPart], step: f64) -> Self {
        let parts: Vec<LossPart> = parts.iter().map(|part| part.on(step)).collect();
        let logs = parts.iter().map(|p| p.atoms.iter().map(|(_, mass)| mass.ln()).collect()).collect();
        Self { step, parts, logs }
    }

    /// The logarithms of the tilted masses `p e^(theta loss)` of every part, not yet scaled.
    fn tilted(&self, theta: f64) -> impl Iterator<Item = (&LossPart, impl Iterator<Item = f64> + Clone)> {
        let pace = theta * self.step;
        self.parts.iter().zip(&self.logs).map(move |(part, logs)| {
            (part, part.atoms.iter().zip(logs).map(move |((at, _), log)| log + pace * *at as f64))
        })
    }

    /// `Lambda(theta) = ln E e^(theta loss)`, part by part, for one release each.
    pub(super) fn cumulants(&self, theta: f64) -> Vec<f64> {
        self.tilted(theta)
            .map(|(_, logs)| {
                let top = logs.clone().fold(f64::NEG_INFINITY, f64::max);
                top + logs.map(|log| (log - top).exp()).sum::<f64>().ln()
            })
            .collect()
    }

    /// `Lambda(theta)` of the sum.
    pub(super) fn cumulant(&self, theta: f64) -> f64 {
        self.parts.iter().zip(self.cumulants(theta)).map(|(part, c)| part.times as f64 * c).sum()
    }

    /// The tilt whose Chernoff bound gives the least epsilon at delta.
    pub(super) fn tilt_for_delta(&self, delta: f64) -> f64 {
        let log = -delta.ln();
        self.best(|theta| (self.cumulant(theta) + log) / theta)
    }

    /// The tilt whose Chernoff bound gives the least delta at epsilon; 0 when epsilon is below the mean.
    pub(super) fn tilt_for_epsilon(&self, epsilon: f64) -> f64 {
        let bound = |theta: f64| self.cumulant(theta) - theta * epsilon;
        let theta = self.best(bound);
        if bound(theta) < bound(0.0) { theta } else { 0.0 }
    }

    /// A tilt of more than 40 per step gives nothing new, and would underflow.
    fn best(&self, bound: impl Fn(f64) -> f64) -> f64 {
        search::least(-30.0, (40.0 / self.step).ln().clamp(-30.0, 30.0), |t| bound(t.exp())).exp()
    }

    /// Losses between which the tilted sum lies but for e^-MISSED on either side: Chernoff once more, and no further than
    /// there are atoms.
    pub(super) fn window(&self, theta: f64) -> (f64, f64) {
        let base = self.cumulant(theta);
        let reach = |sign: f64| {
            let bound = |s: f64| (self.cumulant(theta + sign * s) - base + MISSED) / s;
            bound(search::least(-30.0, 30.0, |t| bound(t.exp())).exp())
        };
        let end = |atom: fn(&LossPart) -> Option<&(i64, f64)>| -> f64 {
            let one = |part: &LossPart| atom(part).map_or(0.0, |(at, _)| part.times as f64 * *at as f64);
            self.parts.iter().map(one).sum::<f64>() * self.step
        };
        let (lowest, highest) = (end(|p| p.atoms.first()), end(|p| p.atoms.last()));
        ((-reach(-1.0)).max(lowest), reach(1.0).min(highest))
    }
}
