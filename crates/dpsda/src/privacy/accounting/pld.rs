//! Privacy loss distributions: any number of releases composed, numerically, never below the truth.
//!
//! The loss of a pair of laws (P, Q) is `ln P/Q`, drawn from P. Losses of independent releases add up, and
//! `delta(eps) = E max(0, 1 - e^(eps - loss))`. A distribution here lives on the multiples of a step, and what the grid
//! cannot hold is changed by **splitting** only: an atom (p, q) becomes two, whose p and q add up to the same. An
//! observer of the halves can merge them again, so the given pair is post-processing of the split one, which therefore dominates
//! it, for every epsilon, also under adaptive composition (Zhu, Dong, Wang 2022). Three splits are enough:
//!
//! - between grid points, to the two neighbours so that p and q are kept. It is the discretisation of Doroshenko, Ghazi,
//!   Kamath, Kumar, Manurangsi 2022: its error is of second order in the step, where rounding up would cost one step per release;
//! - the lower tail, into (p, p e^-loss) at the lowest grid point and the rest of q, alone;
//! - the upper tail, into p alone (infinite loss: [`Pld::truncated`] says how much, and delta pays it) and q alone.
//!
//! One direction is enough. Each pair below has a symmetry that swaps P and Q (mirror the noise about the middle), so
//! `delta` of (P, Q) is `delta` of (Q, P), for products of such pairs too.
//!
//! Composition is by FFT of the *tilted* law `p e^(theta loss)`, tilted so that the epsilon in question is typical. The
//! absolute error of the FFT is then relative to delta, and a delta of 1e-30 is as exact as one of 0.1. The error is
//! bounded from the transform itself (see `tail.rs`) and added. [`Pld::compose`] and [`Pld::and`] only keep the parts;
//! a question composes them, on at most 2^20 grid points, with a coarser step where that is too few.
//!
//! A step of a hundredth of the spread of one loss costs some 1e-5 of epsilon, at any number of releases.

mod grid;
mod sum;
mod tail;

use grid::{LossGrid, LossPart};
use sum::Composition;
use tail::Tail;

use super::quadrature;

/// Gaussian tails are cut at this many standard deviations.
const TAIL: f64 = 20.0;
/// What a Gaussian has beyond: at most `phi(TAIL)/TAIL`, below 2.77e-89.
const BEYOND: f64 = 2.77e-89;
/// A density is put on at most this many grid points: more would not change any shown digit.
const CELLS: f64 = 65_536.0;
/// No loss is more than 2^40 steps: indices stay exact.
const FINEST: f64 = 1_099_511_627_776.0;
/// More releases than this are not composed numerically, because rounding would hide the result. They cost their sum.
const MANY: f64 = 1e12;
/// Most grid points of a composition.
const WINDOW: f64 = 1_048_576.0;

/// The law of the privacy loss of some releases together.
///
/// ```
/// use dpsda::privacy::accounting::Pld;
/// let hundred = Pld::pure(0.1, 1e-3).compose(100);
/// assert!(hundred.epsilon(1e-5) < 5.0); // basic composition gives 10
/// ```
#[derive(Debug, Clone)]
pub struct Pld {
    parts: Vec<LossPart>,
}

impl Pld {
    /// Any epsilon-DP release, exactly at its worst: randomised response, whose loss is `epsilon` or `-epsilon`. A step that
    /// divides epsilon loses nothing.
    ///
    /// This is the one for a Laplace release of a vector with an L1 bound. Every epsilon-DP mechanism is post-processing
    /// of randomised response (Kairouz, Oh, Viswanath 2015). That the Laplace law in one dimension dominates every split of
    /// the bound over several is plausible and not proven here, so nothing rests on it.
    #[must_use]
    pub fn pure(epsilon: f64, step: f64) -> Self {
        if !((0.0..f64::INFINITY).contains(&epsilon) && usable(step)) {
            return Self::unlimited();
        }
        let mut grid = LossGrid::new(step.max(epsilon / FINEST));
        grid.split(epsilon, 1.0 / (1.0 + (-epsilon).exp()));
        grid.split(-epsilon, (-epsilon).exp() / (1.0 + (-epsilon).exp()));
        Self::of(grid)
    }

    /// One coordinate with Laplace noise: `ratio` is its sensitivity over the scale. It is cheaper than [`Pld::pure`] of the
    /// same ratio, and allowed only where a release is a single number; a vector is not `d` of these either, because an
    /// event may put its whole bound on any mixture of coordinates.
    ///
    /// A change below the sensitivity is dominated: the pair at `s` scales has `delta(eps) = 1 - exp((eps - s)/2)`, which
    /// rises with `s`.
    #[must_use]
    pub fn laplace(ratio: f64, step: f64) -> Self {
        if !((0.0..f64::INFINITY).contains(&ratio) && usable(step)) {
            return Self::unlimited();
        }
        // What lies further below the top than this is one atom of e^-200/2.
        let range = 400f64.min(2.0 * ratio);
        let low = ratio - range;
        let mut grid = LossGrid::new(step.max(range / CELLS).max(ratio / FINEST));
        grid.split(ratio, 0.5); // all outputs beyond the nearer centre
        grid.floor(low, 0.5 * (-range / 2.0).exp()); // and beyond the other
        grid.spread(low, ratio, 2.0, |loss| 0.25 * ((loss - ratio) / 2.0).exp());
        Self::of(grid)
    }

    /// A Gaussian release of any dimension: `mu` is its L2 sensitivity over the standard deviation. The loss is normal with
    /// mean `mu^2/2` and deviation `mu`.
    #[must_use]
    pub fn gaussian(mu: f64, step: f64) -> Self {
        if mu == 0.0 && usable(step) {
            return Self::pure(0.0, step);
        }
        let mu = if mu > 0.0 { mu.max(1e-200) } else { mu }; // below it f64 runs out, and more is dearer
        let mean = mu * mu / 2.0;
        if !(mu > 0.0 && mean < f64::INFINITY && usable(step)) {
            return Self::unlimited();
        }
        let mut grid = LossGrid::new(step.max(2.0 * TAIL * mu / CELLS).max(mean / FINEST));
        let (low, high) = (mean - TAIL * mu, mean + TAIL * mu);
        let height = 1.0 / (mu * (2.0 * std::f64::consts::PI).sqrt());
        grid.spread(low, high, mu / 4.0, |loss| {
            let z = (loss - mean) / mu;
            height * (-z * z / 2.0).exp()
        });
        grid.floor(low, BEYOND);
        grid.lose(BEYOND);
        Self::of(grid)
    }

    /// A release of which nothing is known: an infinite loss.
    fn unlimited() -> Self {
        let mut grid = LossGrid::new(1.0);
        grid.lose(1.0);
        Self::of(grid)
    }

    fn of(grid: LossGrid) -> Self {
        Self { parts: vec![grid.part()] }
    }

    /// The same release so many times, each chosen after the earlier ones.
    #[must_use]
    pub fn compose(&self, times: u64) -> Self {
        let again = |part: &LossPart| LossPart { times: part.times.saturating_mul(times), ..part.clone() };
        Self { parts: self.parts.iter().map(again).filter(|part| part.times > 0).collect() }
    }

    /// Both, one after the other.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self { parts: self.parts.iter().chain(&other.parts).cloned().collect() }
    }

    /// The mass that was cut off as infinite loss: below it no delta has a finite epsilon.
    pub fn truncated(&self) -> f64 {
        let log: f64 = self.parts.iter().map(|part| part.times as f64 * (-part.infinite).ln_1p()).sum();
        (-log.exp_m1() * (1.0 + 1e-12)).clamp(0.0, 1.0)
    }

    /// The least epsilon of this distribution at delta: an upper bound for the releases it stands for.
    pub fn epsilon(&self, delta: f64) -> f64 {
        if !(delta >= 0.0 && delta >= self.truncated()) {
            return f64::INFINITY; // also for NaN
        }
        let rest = delta - self.truncated();
        let most = self.most();
        if delta >= 1.0 || most <= 0.0 {
            return 0.0;
        }
        if rest <= 0.0 {
            return most;
        }
        // Every tilt gives a valid bound. The first is Chernoff's own; where it leans too far for the answer (few releases
        // have few atoms), the answer tells a better one.
        let mut best = most;
        let mut tail = self.tail(|sum| sum.tilt_for_delta(rest));
        for _ in 0..8 {
            let Some(seen) = &tail else { break };
            let found = seen.epsilon(rest);
            best = best.min(found.unwrap_or(seen.lowest()).max(0.0));
            if best == 0.0 || found.is_some_and(|epsilon| seen.is_sharp(epsilon, rest)) {
                break;
            }
            tail = self.tail(|sum| sum.tilt_for_epsilon(best));
        }
        best
    }

    /// The least delta of this distribution at epsilon: an upper bound for the releases it stands for.
    pub fn delta(&self, epsilon: f64) -> f64 {
        if epsilon.is_nan() || epsilon < 0.0 {
            return 1.0;
        }
        if epsilon >= self.most() {
            return self.truncated();
        }
        let tilted = self.tail(|sum| sum.tilt_for_epsilon(epsilon));
        // Untilted, a window is right about every epsilon, also below it.
        let tail = tilted.filter(|t| t.lowest() <= epsilon).or_else(|| self.tail(|_| 0.0));
        tail.map_or(1.0, |tail| (self.truncated() + tail.delta(epsilon)).min(1.0))
    }

    /// The largest finite loss: epsilon at delta 0, but for what was cut off.
    fn most(&self) -> f64 {
        self.parts.iter().map(|part| part.times as f64 * part.most() * (1.0 + 4.0 * f64::EPSILON)).sum()
    }

    /// The composition, seen from a tilt, on as fine a grid as fits; `None` where no grid does.
    fn tail(&self, tilt: impl Fn(&Composition) -> f64) -> Option<Tail> {
        if self.parts.iter().map(|part| part.times as f64).sum::<f64>() > MANY {
            return None;
        }
        let finest = self.parts.iter().map(|part| part.step).fold(f64::INFINITY, f64::min);
        let mut step = self.parts.iter().map(|part| part.reach() / (4.0 * FINEST)).fold(finest, f64::max);
        for _ in 0..40 {
            let sum = Composition::new(&self.parts, step);
            let theta = tilt(&sum);
            let (low, high) = sum.window(theta);
            let cells = (high - low) / step;
            if cells < WINDOW {
                return Tail::new(&sum, theta, low, high);
            }
            step *= (1.1 * cells / WINDOW).max(2.0);
            if !step.is_finite() {
                break;
            }
        }
        None
    }
}

fn usable(step: f64) -> bool {
    step > 0.0 && step < f64::INFINITY
}
