//! The wall between what must not leave a host and what may.
//!
//! A gradient is born [`Sensitive`] and there is one door out of that type: [`release`], which needs a mechanism and
//! writes the ledger. Messages hold [`Released`] values only, so no program that compiles can send a gradient:
//!
//! ```compile_fail
//! use dpsda::{learner::{Body, Message}, privacy::Sensitive};
//! fn leak(gradient: Sensitive) -> Body {
//!     Body::Dual { dual: gradient, weight: 1.0 } // expected `Released`, found `Sensitive`
//! }
//! ```
//!
//! ```compile_fail
//! fn log(gradient: &dpsda::privacy::Sensitive) {
//!     println!("{gradient:?}"); // `Sensitive` has no `Debug`, no `Serialize`, no way to its numbers
//! }
//! ```

use std::ops::Range;

use crate::objective::Objective;
use crate::rng::Stream;

pub mod accounting;
mod guard;
pub mod ledger;
pub mod mechanism;
pub mod plan;
mod statement;

pub use guard::Guard;
pub use ledger::{Cost, Ledger};
pub use mechanism::Mechanism;
pub use plan::Plan;

/// What depends on data and has not been noised. It cannot be printed, stored, compared or sent.
pub struct Sensitive(Vec<f64>);

/// What may leave the host: noised values and whatever is computed from them.
#[derive(Debug, Clone, PartialEq)]
pub struct Released(Vec<f64>);

impl Sensitive {
    /// (14): the coordinates `block` of the gradient at `y`, plus the gradient error.
    pub fn gradient(f: &dyn Objective, y: &[f64], block: Range<usize>, error: &[f64]) -> Self {
        let mut g = vec![0.0; block.len()];
        f.partial(y, block, &mut g);
        g.iter_mut().zip(error).for_each(|(g, e)| *g += e);
        Self(g)
    }

    /// A secret that says nothing: what a node releases when it has learned nothing.
    pub fn nothing(len: usize) -> Self {
        Self(vec![0.0; len])
    }

    /// The coordinates `part` of this secret alone.
    pub fn part(&self, part: Range<usize>) -> Self {
        Self(self.0[part].to_vec())
    }

    /// Shrunk to an L1 norm of at most `clip`, then times `gain`. What is not finite becomes 0 first, without a word:
    /// an error or a skipped round would tell.
    #[must_use]
    pub(crate) fn clipped(mut self, clip: Option<f64>, gain: f64) -> Self {
        let shrink = clip.map_or(1.0, |clip| {
            self.0.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = 0.0);
            let norm: f64 = self.0.iter().map(|x| x.abs()).sum();
            if norm > clip { clip / norm } else { 1.0 }
        });
        self.0.iter_mut().for_each(|x| *x *= shrink * gain);
        self
    }

    /// The un-noised numbers, for `decide = "private"`: the paper's order, in which decisions are not protected. The
    /// ledger keeps that.
    pub(crate) fn unprotected(&self, ledger: &mut Ledger) -> &[f64] {
        ledger.note_unprotected();
        &self.0
    }
}

/// The one door: adds the mechanism's noise to `secret` and charges the ledger. `event` is the round whose cost the
/// secret was computed from, `None` when it holds nothing.
pub fn release(
    secret: Sensitive,
    event: Option<u64>,
    mechanism: &mut dyn Mechanism,
    sensitivity: Option<f64>,
    stream: &mut Stream,
    ledger: &mut Ledger,
) -> Released {
    ledger.charge(event, mechanism.cost(sensitivity));
    let Sensitive(mut v) = secret;
    mechanism.perturb(&mut v, stream);
    Released(v)
}

/// Post-processing: what is computed from released values alone is released.
impl Released {
    /// The zero vector, which depends on no data.
    pub fn zeros(len: usize) -> Self {
        Self(vec![0.0; len])
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// `self += c other`
    pub fn add(&mut self, c: f64, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(s, o)| *s += c * o);
    }

    /// `self[block] += other`
    pub fn add_block(&mut self, block: Range<usize>, other: &Self) {
        self.0[block].iter_mut().zip(&other.0).for_each(|(s, o)| *s += o);
    }

    /// Fresh noise on the coordinates `block`: it can only hide more.
    pub fn add_noise(&mut self, block: Range<usize>, mechanism: &mut dyn Mechanism, stream: &mut Stream) {
        mechanism.perturb(&mut self.0[block], stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clipped_gradient_never_exceeds_its_bound_not_even_with_nan() {
        for g in [vec![3.0, -4.0], vec![f64::NAN, 5.0], vec![f64::INFINITY, 1e300], vec![1e-300, 0.0]] {
            let Sensitive(v) = Sensitive(g.clone()).clipped(Some(1.0), 1.0);
            let norm: f64 = v.iter().map(|x| x.abs()).sum();
            assert!(norm <= 1.0 + 1e-12, "{g:?} -> {v:?}");
        }
    }
}
