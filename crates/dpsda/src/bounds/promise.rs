//! The bound on regret, round by round: Theorem 1 with everything in it bounded (`docs/bounds.md`, Theorem A).

use super::constants::times;
use super::spread::{Lag, Spread};
use super::{Constants, Missing, Perturbation, Signal};
use crate::learner::Step;

/// What is promised for a run, before its network is looked at.
#[derive(Debug, Clone)]
pub struct Promise {
    /// Of the problem.
    pub constants: Constants,
    /// Of what is learned.
    pub signal: Signal,
    /// `c`
    pub step: Step,
    /// Whether duals are averaged over nodes, so that the noise of `n` nodes is divided by `n`.
    pub averages: bool,
}

/// The bounds after some rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Rounds done.
    pub rounds: u64,
    /// On the expected regret (2), and so on (3).
    pub regret: f64,
    /// On the expected sum over nodes of `|e_i|^2` in the last of them: what Lemmas 3 and 6 are about.
    pub consensus: f64,
}

/// Bounds on `E |e_i(t)|^2`: added up over nodes, the largest, and that of all nodes' own blocks.
struct Away {
    all: f64,
    worst: f64,
    own: f64,
}

impl Promise {
    /// The bounds after so many rounds, for rising `at`.
    pub fn curve(&self, spread: &mut dyn Spread, at: &[u64]) -> Result<Vec<Point>, Missing> {
        let Constants { diameter, reach, psi, gradient, smoothness, separable, .. } = self.constants;
        if !(diameter.is_finite() && psi.is_finite() && gradient.is_finite()) {
            return Err(Missing::Unbounded);
        }
        let fresh = self.fresh();
        let root = self.signal.square.sqrt();
        let (mut sum, mut points, mut due) =
            (0.0, Vec::with_capacity(at.len()), at.iter().copied().peekable());
        for t in 0..at.last().copied().unwrap_or(0) {
            let alpha = self.step.after(t.saturating_sub(1)); // alpha(t-1), and alpha(-1) = c
            let Away { all, worst, own } = self.away(spread, t)?;
            if worst > 0.0 && smoothness.is_infinite() {
                return Err(Missing::Rough);
            }
            let first = if t == 0 && self.published() { 2.0 } else { 1.0 }; // h(1) - 0 holds eta(0) and eta(1)
            let square = root * root + first * fresh;
            let own = if separable { own } else { all };
            sum += alpha / 2.0 * square; // (E1)
            sum += gradient * (alpha * own.sqrt()).min(reach); // (E2)
            if worst > 0.0 {
                sum += diameter * (smoothness * alpha * worst.sqrt()).min(2.0 * gradient); // (E3)
            }
            sum += diameter * self.signal.bias; // (E4)
            if due.next_if_eq(&(t + 1)).is_some() {
                let last = psi / self.step.after(t);
                let trivial = gradient * reach * (t + 1) as f64;
                points.push(Point { rounds: t + 1, regret: (sum + last).min(trivial), consensus: all });
            }
        }
        Ok(points)
    }

    fn away(&self, spread: &mut dyn Spread, t: u64) -> Result<Away, Missing> {
        let (root, dim) = (self.signal.square.sqrt(), self.constants.dim() as f64);
        let deviation = match &self.signal.noise {
            Perturbation::Fresh { variance, .. } => variance.sqrt(),
            Perturbation::Prefix(_) => 0.0,
        };
        // Noise that cancels over time is no part of the middle: every sum that is decided from holds its own.
        let prefix = self.signal.noise.prefix(t) * dim.sqrt();
        let lags = spread.round(t)?;
        let square =
            |lag: &Lag| (times(root, lag.past) + times(deviation, lag.noise.sqrt()) + prefix).powi(2);
        let all = lags.iter().map(square).sum();
        let worst = lags.iter().map(square).fold(0.0, f64::max);
        Ok(Away { all, worst, own: if spread.own_is_exact() { prefix * prefix } else { all } })
    }

    fn published(&self) -> bool {
        self.averages && matches!(self.signal.noise, Perturbation::Fresh { published: true, .. })
    }

    /// The mean square length of the noise that a round adds to the middle. (29), divided by `n^2` where it is averaged.
    fn fresh(&self) -> f64 {
        let Perturbation::Fresh { variance, .. } = self.signal.noise else { return 0.0 };
        let coordinates: f64 = self.signal.noise.coordinates(&self.constants.sizes).iter().sum();
        let n = self.constants.nodes() as f64;
        variance * coordinates / if self.averages { n * n } else { 1.0 }
    }
}
