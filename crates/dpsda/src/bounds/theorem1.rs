//! Theorem 1 evaluated along a run: the terms (E1) to (E4) as they really were.

use super::Constants;
use crate::learner::Step;
use crate::set::ConvexSet;

/// The four sums so far. They hold for every single path: nothing is an expectation.
///
/// ```
/// use dpsda::bounds::Constants;
/// use dpsda::bounds::theorem1::{Theorem1Round, Theorem1Sums};
/// use dpsda::learner::Step;
/// use dpsda::set::Ball;
/// let mut sums = Theorem1Sums::new(Step::decaying(1.0), 1);
/// let (x, g) = ([0.0], [2.0]);
/// sums.add(&Theorem1Round { x: &x, middle: &x, at_middle: &g, gradient: &g, moved: &g });
/// let (sizes, examples) = (vec![1], vec![2.0]);
/// let constants = Constants {
///     sizes, examples, diameter: 2.0, reach: 2.0, psi: 0.5, gradient: 2.0, smoothness: 0.0, separable: true,
/// };
/// let terms = sums.terms(&constants, &Ball::new(1.0)?).unwrap();
/// assert_eq!((terms.e, terms.last), ([2.0, 0.0, 0.0, 0.0], 0.5));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Theorem1Sums {
    step: Step,
    rounds: u64,
    /// Sum of `alpha(t-1) |phi(t)|^2 / 2`.
    steps: f64,
    /// Sum of `|x(t) - x-(t)|`.
    apart: f64,
    /// Sum of `|grad f_t(x-(t)) - g(t)|`.
    askew: f64,
    /// Sum of `g(t) - phi(t)`.
    error: Vec<f64>,
    /// Sum of `<g(t) - phi(t), x-(t)>`.
    along: f64,
}

/// One round of a run, as Theorem 1 sees it.
///
/// ```
/// use dpsda::bounds::Constants;
/// use dpsda::bounds::theorem1::{Theorem1Round, Theorem1Sums};
/// use dpsda::{Blocks, learner::Step, set::Ball};
/// // A single learner with noise: the gradient is 2, its mean dual moves by 2.25.
/// let (x, g) = ([0.5], [2.0]);
/// let round = Theorem1Round { x: &x, middle: &x, at_middle: &g, gradient: &g, moved: &[2.25] };
/// let mut sums = Theorem1Sums::new(Step::decaying(1.0), 1);
/// sums.add(&round);
/// # let constants = Constants { psi: 0.5, ..Constants::unbounded(&Blocks::even(1, 1)?) };
/// let terms = sums.terms(&constants, &Ball::new(1.0)?).unwrap();
/// assert_eq!(terms.e[3], 0.125); // (E4), the price of the noise: 0.25 times the distance from x to 1
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Theorem1Round<'a> {
    /// `x(t)`, assembled.
    pub x: &'a [f64],
    /// `x-(t)`, the decision that the mean dual would make.
    pub middle: &'a [f64],
    /// The gradient at `x-(t)`.
    pub at_middle: &'a [f64],
    /// `g(t)`: every block of the gradient at its owner's estimate.
    pub gradient: &'a [f64],
    /// `phi(t)`, the change of the mean dual.
    pub moved: &'a [f64],
}

/// The terms of Theorem 1 for the rounds so far.
///
/// ```
/// use dpsda::bounds::theorem1::Terms;
/// let terms = Terms { e: [2.0, 0.5, 0.25, 0.0], last: 0.5 };
/// assert_eq!(terms.sum(), 3.25); // regret is at most this
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// (E1) to (E4).
    pub e: [f64; 4],
    /// `C/alpha(T-1)`
    pub last: f64,
}

impl Terms {
    /// The bound on regret: the sum of all terms.
    pub fn sum(&self) -> f64 {
        self.e.iter().sum::<f64>() + self.last
    }
}

impl Theorem1Sums {
    /// The sums before the first round, in `dim` coordinates.
    pub fn new(step: Step, dim: usize) -> Self {
        Self { step, rounds: 0, steps: 0.0, apart: 0.0, askew: 0.0, error: vec![0.0; dim], along: 0.0 }
    }

    /// Adds the next round.
    pub fn add(&mut self, round: &Theorem1Round<'_>) {
        let alpha = self.step.after(self.rounds.saturating_sub(1));
        self.steps += alpha * round.moved.iter().map(|p| p * p).sum::<f64>() / 2.0;
        self.apart += distance(round.x, round.middle);
        self.askew += distance(round.at_middle, round.gradient);
        let each = round.gradient.iter().zip(round.moved).zip(round.middle).zip(&mut self.error);
        for (((g, phi), middle), error) in each {
            *error += g - phi;
            self.along += (g - phi) * middle;
        }
        self.rounds += 1;
    }

    /// The terms. There are none before the first round, or if a constant is infinite. The supremum in (E4) is that of a
    /// linear function.
    pub fn terms(&self, constants: &Constants, set: &dyn ConvexSet) -> Option<Terms> {
        let last = constants.psi / self.step.after(self.rounds.checked_sub(1)?);
        let worst = |sum: f64, factor: f64| if sum == 0.0 { 0.0 } else { sum * factor };
        let e = [
            self.steps,
            worst(self.apart, constants.gradient),
            worst(self.askew, constants.diameter),
            self.along - set.floor(&self.error),
        ];
        let terms = Terms { e, last };
        terms.sum().is_finite().then_some(terms)
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
