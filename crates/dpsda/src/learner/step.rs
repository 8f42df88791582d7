//! The step sizes of a learner.

mod auto;
mod basis;
mod law;

pub use auto::{AutoSeen, AutoState};
pub(crate) use basis::{AutoBasis, AutoSteps, HeardBlock};

/// The steps of a learner.
///
/// ```
/// use dpsda::learner::{Rule, Step};
/// assert_eq!(Step::decaying(3.0).after(8), 1.0); // 3/sqrt(8 + 1)
/// let step = Step { c: 2.0, rule: Rule::Coordinate };
/// assert_eq!(step.each(&[4.0, 16.0]), [1.0, 0.5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The factor c in every step.
    pub c: f64,
    /// How c becomes a step.
    pub rule: Rule,
}

/// How a step follows from c.
///
/// ```
/// use dpsda::learner::Rule;
/// use dpsda::prelude::*;
/// let step = Step { c: 0.5, rule: Rule::Coordinate };
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).step(step).rounds(9);
/// assert!(spec.clone().algorithm(Relay).check().is_ok()); // blocks have one writer, which releases each value once
/// assert!(spec.algorithm(PushSum).check().is_err()); // averages do not tell what one node released
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// `alpha(t) = c / sqrt(t + 1)` for all coordinates, as in the paper.
    Decaying,
    /// `alpha_k(t) = c / sqrt(sum over s <= t of v_k(s)^2)` for coordinate k, from released values alone: post-processing, so
    /// it costs no privacy. Coordinates with rare or small values take long steps, those with large or noisy values short ones.
    Coordinate,
    /// Nothing to choose: steps follow from released values, the law of the noise, the clip, how late blocks are, and the set
    /// ([`AutoState`]). All of that is released or public, so it costs no privacy. c is a factor of the radius of the set.
    Auto,
}

impl Step {
    /// The paper's steps.
    pub const fn decaying(c: f64) -> Self {
        Self { c, rule: Rule::Decaying }
    }

    /// Automatic steps.
    ///
    /// ```
    /// use dpsda::prelude::*;
    /// let spec = Spec::new(Blocks::even(4, 2)?).graph(Ring::new(2)?).algorithm(Relay).step(Step::auto()).rounds(9);
    /// assert!(spec.clone().set(Ball::new(5.0)?).check().is_ok());
    /// let error = spec.set(Free).check().map(|_| ()).unwrap_err().to_string();
    /// assert!(error.contains("step = \"auto\"") && error.contains("use a number"), "{error}"); // no end, no radius
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub const fn auto() -> Self {
        Self { c: 1.0, rule: Rule::Auto }
    }

    /// The step after round `t`, where all coordinates have the same step.
    pub fn after(self, t: u64) -> f64 {
        self.c / ((t + 1) as f64).sqrt()
    }

    /// The steps of coordinates whose released values have these sums of squares. Where only zeros were released the dual is 0
    /// too, and any step will do.
    pub fn each(self, squares: &[f64]) -> Vec<f64> {
        squares.iter().map(|q| if *q > 0.0 { self.c / q.sqrt() } else { self.c }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinate_steps_by_what_it_has_released() {
        let step = Step { c: 2.0, rule: Rule::Coordinate };
        assert_eq!(step.each(&[4.0, 0.0, 1e-300]), [1.0, 2.0, 2e150]);
        assert_eq!(Step::decaying(3.0).after(8), 1.0);
    }

    /// `|z_k| <= sqrt(t Q_k)`, so `|alpha_k z_k| <= c sqrt(t)` whatever the scale of the data.
    #[test]
    fn scaling_the_data_does_not_move_the_decision() {
        let step = Step { c: 0.5, rule: Rule::Coordinate };
        let walk = |scale: f64| {
            let v = [0.3, -0.1, 0.7].map(|v| v * scale);
            let square: f64 = v.iter().map(|v| v * v).sum();
            step.each(&[square])[0] * v.iter().sum::<f64>()
        };
        assert!((walk(1.0) - walk(1e-9)).abs() < 1e-12);
        assert!(walk(1e6).abs() <= 0.5 * 3f64.sqrt());
    }
}
