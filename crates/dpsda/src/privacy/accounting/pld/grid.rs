//! Atoms on the multiples of a step.

use std::collections::BTreeMap;

use super::quadrature;

/// One kind of release, with the number of times it occurs.
#[derive(Debug, Clone)]
pub(super) struct LossPart {
    pub(super) step: f64,
    /// Multiples of the step, rising, and their mass under P.
    pub(super) atoms: Vec<(i64, f64)>,
    /// Mass of infinite loss.
    pub(super) infinite: f64,
    pub(super) times: u64,
}

impl LossPart {
    /// The largest finite loss.
    pub(super) fn most(&self) -> f64 {
        self.atoms.last().map_or(0.0, |(at, _)| *at as f64 * self.step)
    }

    /// The largest size of a finite loss.
    pub(super) fn reach(&self) -> f64 {
        let ends = [self.atoms.first(), self.atoms.last()];
        ends.iter().flatten().fold(0.0, |most: f64, (at, _)| most.max((*at as f64).abs())) * self.step
    }

    /// The same on another grid.
    pub(super) fn on(&self, step: f64) -> Self {
        if step == self.step {
            return self.clone();
        }
        let mut grid = LossGrid::new(step);
        self.atoms.iter().for_each(|(at, mass)| grid.split(*at as f64 * self.step, *mass));
        grid.lose(self.infinite);
        Self { times: self.times, ..grid.part() }
    }
}

/// A distribution under construction.
pub(super) struct LossGrid {
    step: f64,
    atoms: BTreeMap<i64, f64>,
    infinite: f64,
}

impl LossGrid {
    pub(super) fn new(step: f64) -> Self {
        Self { step, atoms: BTreeMap::new(), infinite: 0.0 }
    }

    /// An atom, on the two grid points around it so that both its p and its q = p e^-loss are kept.
    pub(super) fn split(&mut self, loss: f64, mass: f64) {
        let below = (loss / self.step).floor();
        let (lower, upper) = self.shares(loss - below * self.step);
        self.put(below, mass * lower);
        self.put(below + 1.0, mass * upper);
    }

    /// A density over the losses from `low` to `high`, smooth on the length `scale`: the integral of `split`.
    pub(super) fn spread(&mut self, low: f64, high: f64, scale: f64, density: impl Fn(f64) -> f64) {
        let (first, last) = ((low / self.step).floor(), (high / self.step).ceil());
        let cells = (last - first) as u64;
        for cell in 0..cells {
            let below = first + cell as f64;
            let left = low.max(below * self.step);
            let right = high.min((below + 1.0) * self.step);
            let (mut at_lower, mut at_upper) = (0.0, 0.0);
            let panels = ((right - left) / scale).ceil().max(1.0) as usize;
            quadrature::nodes(left, right, panels, |loss, weight| {
                let (lower, upper) = self.shares(loss - below * self.step);
                let mass = weight * density(loss);
                at_lower += mass * lower;
                at_upper += mass * upper;
            });
            self.put(below, at_lower);
            self.put(below + 1.0, at_upper);
        }
    }

    /// Mass of losses below `loss`: rounded up, the rest of its q set apart.
    pub(super) fn floor(&mut self, loss: f64, mass: f64) {
        self.put((loss / self.step).ceil(), mass);
    }

    /// Mass of infinite loss.
    pub(super) fn lose(&mut self, mass: f64) {
        self.infinite += mass;
    }

    /// The finished part. If more mass went missing than rounding explains (numbers too large or too small for `f64`), all mass
    /// counts as infinite loss.
    pub(super) fn part(self) -> LossPart {
        let total = self.infinite + self.atoms.values().sum::<f64>();
        if (total - 1.0).abs() < 1e-9 {
            LossPart {
                step: self.step,
                atoms: self.atoms.into_iter().collect(),
                infinite: self.infinite,
                times: 1,
            }
        } else {
            LossPart { step: self.step, atoms: Vec::new(), infinite: 1.0, times: 1 }
        }
    }

    /// The shares of the lower and the upper grid point, at `above` the lower one: they keep 1 and e^-loss.
    fn shares(&self, above: f64) -> (f64, f64) {
        let above = above.clamp(0.0, self.step);
        let whole = -(-self.step).exp_m1();
        ((-above).exp() * -(above - self.step).exp_m1() / whole, -(-above).exp_m1() / whole)
    }

    fn put(&mut self, at: f64, mass: f64) {
        // Beyond 2^53 a multiple of the step is not known to the unit.
        if mass > 0.0 && at.abs() < 2f64.powi(53) {
            *self.atoms.entry(at as i64).or_default() += mass;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_mass_is_an_infinite_loss() {
        let mut grid = LossGrid::new(1.0);
        grid.split(0.5, 0.9);
        assert_eq!(grid.part().infinite, 1.0);
    }

    #[test]
    fn splitting_keeps_both_laws() {
        for (loss, step) in [(0.37, 0.1), (-2.9, 0.5), (1e-7, 1e-3), (5.0, 20.0), (0.3, 0.1)] {
            let mut grid = LossGrid::new(step);
            grid.split(loss, 1.0);
            let part = grid.part();
            let p: f64 = part.atoms.iter().map(|(_, m)| m).sum();
            let q: f64 = part.atoms.iter().map(|(at, m)| m * (-*at as f64 * step).exp()).sum();
            assert!((p - 1.0).abs() < 1e-14, "{loss} {step}: {p}");
            assert!((q / (-loss).exp() - 1.0).abs() < 1e-13, "{loss} {step}: {q}");
        }
    }

    #[test]
    fn a_density_keeps_both_laws_whatever_the_step() {
        // Normal with mean 1/2 and deviation 1: both laws have mass 1.
        let density = |x: f64| (-(x - 0.5) * (x - 0.5) / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        for step in [0.01, 0.3, 7.0, 1000.0] {
            let mut grid = LossGrid::new(step);
            grid.spread(-19.5, 20.5, 0.25, density);
            let part = grid.part();
            let p: f64 = part.atoms.iter().map(|(_, m)| m).sum();
            assert!((p - 1.0).abs() < 1e-14, "{step}: {p}");
            if step < 100.0 {
                let q: f64 = part.atoms.iter().map(|(at, m)| m * (-*at as f64 * step).exp()).sum();
                assert!((q - 1.0).abs() < 1e-13, "{step}: {q}");
            }
        }
    }
}
