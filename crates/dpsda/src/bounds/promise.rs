//! The bound on regret, round by round: Theorem 1 with every term bounded (`docs/bounds.md`, Theorem A).

use super::constants::times;
use super::spread::Spread;
use super::{Constants, Missing, Perturbation, SignalMoments};
use crate::learner::Step;

/// Everything the bound of a run depends on, except its network.
///
/// ```
/// use dpsda::Blocks;
/// use dpsda::bounds::spread::NoLag;
/// use dpsda::bounds::{Constants, Perturbation, Promise, SignalMoments};
/// use dpsda::learner::Step;
/// let unknown = Constants::unbounded(&Blocks::even(1, 1)?);
/// let constants = Constants { diameter: 2.0, reach: 2.0, psi: 0.5, gradient: 1.0, ..unknown };
/// let noise = Perturbation::Fresh { variance: 0.0, all: false, published: false };
/// let signal = SignalMoments { square: 1.0, bias: 0.0, noise };
/// let promise = Promise { constants, signal, step: Step::decaying(1.0), averages: false };
/// let points = promise.curve(NoLag, &[1, 100]).unwrap();
/// assert_eq!(points[1].rounds, 100);
/// assert!(points[1].regret < 100.0 * promise.trivial());
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Promise {
    /// The constants of the problem.
    pub constants: Constants,
    /// The moments of what nodes learn.
    pub signal: SignalMoments,
    /// The step size, with its `c`.
    pub step: Step,
    /// Whether nodes average their duals, so that the noise of `n` nodes is divided by `n`.
    pub averages: bool,
}

/// The bounds after some rounds.
///
/// ```
/// use dpsda::Blocks;
/// use dpsda::bounds::spread::NoLag;
/// use dpsda::bounds::{BoundPoint, Constants, Perturbation, Promise, SignalMoments};
/// use dpsda::learner::Step;
/// # let unknown = Constants::unbounded(&Blocks::even(1, 1)?);
/// # let constants = Constants { diameter: 2.0, reach: 2.0, psi: 0.5, gradient: 1.0, ..unknown };
/// # let noise = Perturbation::Fresh { variance: 0.0, all: false, published: false };
/// # let signal = SignalMoments { square: 1.0, bias: 0.0, noise };
/// let promise = Promise { constants, signal, step: Step::decaying(1.0), averages: false };
/// let points = promise.curve(NoLag, &[100, 10_000]).unwrap();
/// let per_round = |point: &BoundPoint| point.regret / point.rounds as f64;
/// let ratio = per_round(&points[0]) / per_round(&points[1]);
/// assert!((ratio - 10.0).abs() < 1.0); // the bound per round falls as 1/sqrt(T)
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundPoint {
    /// Rounds done.
    pub rounds: u64,
    /// A bound on the expected regret (2), and so on (3).
    pub regret: f64,
    /// A bound on the consensus error of Lemmas 3 and 6 in the last round: the expected sum over nodes of the squared distance
    /// to the mean dual. If noise cancels over time, the mean dual here is every owner's sum with its noise, as in the
    /// measured consensus error.
    pub consensus: f64,
}

/// The sum of the bound's terms so far.
///
/// ```
/// use dpsda::Blocks;
/// use dpsda::bounds::spread::NoLag;
/// use dpsda::bounds::{Constants, Perturbation, Promise, SignalMoments};
/// use dpsda::learner::Step;
/// # let unknown = Constants::unbounded(&Blocks::even(1, 1)?);
/// # let constants = Constants { diameter: 2.0, reach: 2.0, psi: 0.5, gradient: 1.0, ..unknown };
/// # let noise = Perturbation::Fresh { variance: 0.0, all: false, published: false };
/// # let signal = SignalMoments { square: 1.0, bias: 0.0, noise };
/// # let promise = Promise { constants, signal, step: Step::decaying(1.0), averages: false };
/// let mut tally = promise.clone().tally(NoLag).unwrap();
/// for _ in 0..50 {
///     tally.add(0.5, 0.5).unwrap(); // the gradients of the run were half as long as they could be
/// }
/// let worst = promise.curve(NoLag, &[50]).unwrap();
/// assert!(tally.point().regret < worst[0].regret);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Tally<S> {
    promise: Promise,
    spread: S,
    /// The length of what was learned, per round.
    lengths: Vec<f64>,
    sum: f64,
    consensus: f64,
}

impl Promise {
    /// The bounds after each number of rounds in `at`, which must rise. Gradients are taken to be as long as they can be. See
    /// also [`Promise::trivial`].
    pub fn curve<S: Spread>(&self, spread: S, at: &[u64]) -> Result<Vec<BoundPoint>, Missing> {
        let (length, steepest) = (self.signal.square.sqrt(), self.constants.gradient);
        let mut tally = self.clone().tally(spread)?;
        let (mut points, mut due) = (Vec::with_capacity(at.len()), at.iter().copied().peekable());
        for t in 1..=at.last().copied().unwrap_or(0) {
            tally.add(length, steepest)?;
            if due.next_if_eq(&t).is_some() {
                points.push(tally.point());
            }
        }
        Ok(points)
    }

    /// A bound on regret per round that holds for any decisions.
    pub fn trivial(&self) -> f64 {
        self.constants.gradient * self.constants.reach
    }

    /// The sum of the terms before the first round, to be continued along a run; an error if there is no bound.
    pub fn tally<S: Spread>(self, spread: S) -> Result<Tally<S>, Missing> {
        let Constants { diameter, psi, gradient, .. } = self.constants;
        if !(diameter.is_finite() && psi.is_finite() && gradient.is_finite()) {
            return Err(Missing::Unbounded);
        }
        Ok(Tally { promise: self, spread, lengths: Vec::new(), sum: 0.0, consensus: 0.0 })
    }

    /// The mean square length of the noise that a round adds to the mean dual: (29), divided by `n^2` if nodes average.
    fn fresh(&self, t: u64) -> f64 {
        let Perturbation::Fresh { variance, published, .. } = self.signal.noise else { return 0.0 };
        let coordinates: f64 = self.signal.noise.coordinates(&self.constants.sizes).iter().sum();
        let n = self.constants.nodes() as f64;
        let twice = t == 0 && published && self.averages; // h(1) - 0 contains eta(0) and eta(1)
        let once = variance * coordinates / if self.averages { n * n } else { 1.0 };
        if twice { 2.0 * once } else { once }
    }
}

impl<S: Spread> Tally<S> {
    /// Adds a round. `length` bounds the root mean square length of `u(t)`, `steepness` the length of the gradient at the
    /// assembled decision. Both may be random, if they are known when the round is over.
    pub fn add(&mut self, length: f64, steepness: f64) -> Result<(), Missing> {
        let Constants { diameter, reach, gradient, smoothness, separable, .. } = self.promise.constants;
        let t = self.lengths.len() as u64;
        let alpha = self.promise.step.after(t.saturating_sub(1)); // alpha(t-1), and alpha(-1) = c
        let dim = self.promise.constants.dim() as f64;
        let deviation = match &self.promise.signal.noise {
            Perturbation::Fresh { variance, .. } => variance.sqrt(),
            Perturbation::Prefix(_) => 0.0,
        };
        // Noise that cancels over time is not part of the mean dual: every sum that nodes decide from has its own.
        let prefix = self.promise.signal.noise.prefix(t) * dim.sqrt();
        let lags = self.spread.round(t, &self.lengths)?;
        let parts = || lags.iter().map(|lag| (lag.past, times(deviation, lag.noise.sqrt()) + prefix));
        let root = |squares: f64| squares.sqrt();
        let (past, noise) = (root(parts().map(|p| p.0 * p.0).sum()), root(parts().map(|p| p.1 * p.1).sum()));
        let (late, loud) = parts().fold((0.0_f64, 0.0_f64), |(p, q), part| (p.max(part.0), q.max(part.1)));
        let alone = lags.len() == 1; // a single learner takes its gradient at its own decision
        if late + loud > 0.0 && smoothness.is_infinite() && !alone {
            return Err(Missing::Rough);
        }
        self.sum += alpha / 2.0 * (length * length + self.promise.fresh(t)); // (E1)
        // (E2): on a product set a node's own block depends on its own dual alone.
        let (past, noise) =
            if separable && self.spread.own_is_exact() { (0.0, prefix) } else { (past, noise) };
        self.sum += steepness * (alpha * past).min(reach) + gradient * (alpha * noise).min(reach);
        let turned = |away: f64| times(smoothness, alpha * away).min(2.0 * gradient);
        self.sum += if alone { 0.0 } else { diameter * (turned(late) + turned(loud)) }; // (E3)
        self.sum += diameter * self.promise.signal.bias; // (E4)
        // A copy differs from its owner's sum by the noise of both.
        let both = if alone { -prefix } else { prefix };
        self.consensus = parts().map(|(past, noise)| (past + noise + both).powi(2)).sum();
        self.lengths.push(length);
        Ok(())
    }

    /// The bounds so far.
    pub fn point(&self) -> BoundPoint {
        let rounds = self.lengths.len() as u64;
        let last =
            rounds.checked_sub(1).map_or(0.0, |t| self.promise.constants.psi / self.promise.step.after(t));
        BoundPoint { rounds, regret: self.sum + last, consensus: self.consensus }
    }
}
