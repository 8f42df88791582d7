//! The upper tail of a sum of losses, by FFT of the tilted law.
//!
//! With `P(x) = exp(Lambda - theta x) Q(x)` and Q the tilted law of the sum, a circular FFT of length N gives Q folded
//! onto a window. Folding only adds positive mass to the window; what lies above it is bounded by Chernoff and charged.
//!
//! Error of the transforms. A value of a fast transform is a sum of inputs, each through `log2 N` butterflies and so
//! right to a factor `1 + 10 u log2 N` (Higham, *Accuracy and Stability*, section 24.1, has 7); the inputs are
//! positive and sum to 1, hence every frequency X is right to `e = 10 u log2 N`, absolutely. The k-th power is right to
//! `(|X| + e)^k - |X|^k`, plus `k` complex products. The transform back averages over frequencies, so each entry of Q is
//! right to the mean of these bounds, which is computed and added to every entry.

use realfft::RealFftPlanner;
use realfft::num_complex::Complex;

use super::sum::{Composition, MISSED};

/// `delta(eps)` of a sum, accurate where the tilt is.
pub(super) struct Tail {
    step: f64,
    theta: f64,
    /// `Lambda(theta)`.
    scale: f64,
    /// The multiple of the step that `law` begins with.
    first: i64,
    /// Q, each entry at least what it should be.
    law: Vec<f64>,
    /// Mass above the window.
    above: f64,
    /// Relative error of delta through masses and exponents.
    margin: f64,
    /// Absolute error of losses.
    slack: f64,
}

impl Tail {
    /// `None` when the numbers are beyond what `f64` counts exactly.
    pub(super) fn new(sum: &Composition, theta: f64, low: f64, high: f64) -> Option<Self> {
        let (first, last) = ((low / sum.step).floor(), (high / sum.step).ceil());
        let exact = |x: f64| x.abs() < 2f64.powi(52);
        if !(exact(first) && exact(last) && theta >= 0.0) {
            return None;
        }
        let first = first as i64;
        let length = ((last as i64 - first + 1).max(2) as usize).next_power_of_two();
        let law = composed(sum, theta, first, length)?;
        let scale = sum.cumulant(theta);
        let top = (first + length as i64 - 1) as f64 * sum.step;
        let (mut margin, mut slack) = (1e-12, 0.0);
        for part in &sum.parts {
            let most = part.reach();
            // Masses carry some hundred roundings (the exponent of a density is up to 200), tilts those of theta x.
            margin += part.times as f64 * f64::EPSILON * (1024.0 + 32.0 * most + 8.0 * theta * most);
            slack += part.times as f64 * f64::EPSILON * 4.0 * most;
        }
        let above = (scale - theta * top - MISSED).exp() * (1.0 + margin);
        Some(Self { step: sum.step, theta, scale, first, law, above, margin, slack })
    }

    /// The lowest loss of the window.
    pub(super) fn lowest(&self) -> f64 {
        self.first as f64 * self.step
    }

    /// The least epsilon at which delta is met; `None` when it lies below the window.
    pub(super) fn epsilon(&self, delta: f64) -> Option<f64> {
        let goal = delta - self.above;
        if goal <= 0.0 {
            return Some(f64::INFINITY);
        }
        let goal = goal.ln() - self.margin;
        let fall = -(-self.step).exp_m1();
        for corner in self.corners() {
            if corner.loss <= -self.slack {
                return Some(0.0);
            }
            let scale = self.scale - self.theta * corner.loss;
            let next = corner.gone + corner.kept * fall;
            if scale + next.ln() > goal {
                let share = (((goal - scale).exp() - corner.gone) / corner.kept).clamp(0.0, fall);
                return Some((corner.loss + (-share).ln_1p() + self.slack).max(0.0));
            }
        }
        None
    }

    /// Whether the errors that were added are small at this answer: they are relative to Chernoff's bound, so that must
    /// be within nine digits of delta.
    pub(super) fn is_sharp(&self, epsilon: f64, delta: f64) -> bool {
        self.scale - self.theta * epsilon - delta.ln() < 20.0
    }

    /// `delta(eps)`, for epsilons not below the window, or any when there is no tilt.
    pub(super) fn delta(&self, epsilon: f64) -> f64 {
        let epsilon = epsilon - self.slack;
        // The lowest corner above epsilon is the one whose line passes through it.
        let Some(corner) = self.corners().take_while(|corner| corner.loss >= epsilon).last() else {
            return self.above;
        };
        let share = -(epsilon - corner.loss).exp_m1();
        let scale = self.scale - self.theta * corner.loss + self.margin;
        self.above + (corner.gone + corner.kept * share).max(0.0) * scale.exp()
    }

    /// Walks down the window. At a corner, `delta(loss - t) = e^(scale - theta loss) (gone + kept (1 - e^-t))` as far as
    /// the next one; all terms are positive, so nothing cancels.
    fn corners(&self) -> impl Iterator<Item = Corner> {
        let (keep, fall) = ((-self.step).exp(), -(-self.step).exp_m1());
        let tilt = (-self.theta * self.step).exp();
        let (mut gone, mut kept) = (0.0, 0.0);
        self.law.iter().enumerate().rev().map(move |(i, mass)| {
            kept += mass;
            let corner = Corner { loss: (self.first + i as i64) as f64 * self.step, gone, kept };
            (gone, kept) = (tilt * (gone + kept * fall), tilt * kept * keep);
            corner
        })
    }
}

/// A grid point of the curve; see [`Tail::corners`].
struct Corner {
    loss: f64,
    gone: f64,
    kept: f64,
}

/// The tilted law of the sum on `length` grid points from `first`, each entry with its error added.
fn composed(sum: &Composition, theta: f64, first: i64, length: usize) -> Option<Vec<f64>> {
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, backward) = (planner.plan_fft_forward(length), planner.plan_fft_inverse(length));
    let error = 10.0 * f64::EPSILON * (length as f64).log2();
    let mut product = vec![Complex::new(1.0, 0.0); length / 2 + 1];
    let mut bound = vec![0.0; length / 2 + 1]; // logarithms of (|X| + e)^k
    let mut powers = 0.0;
    let mut real = forward.make_input_vec();
    let mut spectrum = forward.make_output_vec();
    for (part, cumulant) in sum.parts.iter().zip(sum.cumulants(theta)) {
        real.fill(0.0);
        for (at, mass) in &part.atoms {
            let tilted = (mass.ln() + theta * *at as f64 * sum.step - cumulant).exp();
            *real.get_mut(at.rem_euclid(length as i64) as usize)? += tilted;
        }
        forward.process(&mut real, &mut spectrum).ok()?;
        powers += part.times as f64;
        for ((product, bound), x) in product.iter_mut().zip(&mut bound).zip(&spectrum) {
            *product *= power(*x, part.times);
            *bound += part.times as f64 * (x.norm() + error).ln();
        }
    }
    let relative = 8.0 * f64::EPSILON * (powers + 1.0) + error;
    let errors = product.iter().zip(&bound).map(|(x, bound)| {
        let bound = bound.exp();
        (bound - x.norm()).max(0.0) + relative * bound
    });
    let each = 2.0 * errors.sum::<f64>() / length as f64;
    // They are real but for rounding, which the bound above covers.
    product.first_mut()?.im = 0.0;
    product.last_mut()?.im = 0.0;
    backward.process(&mut product, &mut real).ok()?;
    let turn = first.rem_euclid(length as i64) as usize;
    real.rotate_left(turn);
    real.iter_mut().for_each(|x| *x = (*x / length as f64).max(0.0) + each);
    (each < 1.0).then_some(real) // also for NaN
}

/// `x^n` by squaring.
fn power(mut x: Complex<f64>, mut n: u64) -> Complex<f64> {
    let mut result = Complex::new(1.0, 0.0);
    while n > 0 {
        if n & 1 == 1 {
            result *= x;
        }
        x *= x;
        n >>= 1;
    }
    result
}
