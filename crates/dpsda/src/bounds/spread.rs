//! How far nodes' duals are apart: the distance between a node's dual and that of a node which knew everything.
//!
//! This difference, `e_i(t)`, is a weighted sum of past gradients and noise. A [`Spread`] gives the total weights of a round.
//! They follow from the certificate's constants or from the graphs of the run themselves. [`super::SignalMoments`] bounds
//! the gradients and the noise that they multiply.

use super::Missing;

mod certified;
mod products;
mod relayed;

pub use certified::Certified;
pub use products::Products;
pub use relayed::Relayed;

/// A bound on `e_i(t)`, in two parts: one of gradients, one of noise.
///
/// ```
/// use dpsda::bounds::spread::{Lag, NoLag, Spread};
/// assert_eq!(NoLag.round(0, &[])?, [Lag { past: 0.0, noise: 0.0 }]);
/// # Ok::<(), dpsda::bounds::Missing>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lag {
    /// The length of the part made of gradients.
    pub past: f64,
    /// The mean square length of the noise part, divided by the variance of the noise on one coordinate.
    pub noise: f64,
}

/// The lags of all nodes, round by round.
///
/// A type of your own states what is known about an algorithm of your own:
///
/// ```
/// use dpsda::bounds::Missing;
/// use dpsda::bounds::spread::{Lag, Spread};
///
/// /// Two nodes that hear each other one round late.
/// struct OneRoundLate;
///
/// impl Spread for OneRoundLate {
///     fn round(&mut self, t: u64, lengths: &[f64]) -> Result<Vec<Lag>, Missing> {
///         let past = lengths.last().copied().unwrap_or(0.0); // the newest gradient is missing, and its noise
///         Ok(vec![Lag { past, noise: f64::from(u8::from(t > 0)) }; 2])
///     }
///
///     fn own_is_exact(&self) -> bool {
///         true
///     }
/// }
///
/// assert_eq!(OneRoundLate.round(1, &[3.0])?, [Lag { past: 3.0, noise: 1.0 }; 2]);
/// # Ok::<(), Missing>(())
/// ```
pub trait Spread {
    /// The lags of round `t`. In each round `s < t`, what all blocks together learned was at most `lengths[s]` long. Ask for
    /// every round once, in order from 0.
    fn round(&mut self, t: u64, lengths: &[f64]) -> Result<Vec<Lag>, Missing>;

    /// Whether every node knows its own block exactly.
    fn own_is_exact(&self) -> bool;
}

/// No lag: a single learner that knows everything.
///
/// ```
/// use dpsda::bounds::spread::{NoLag, Spread};
/// let lags = NoLag.round(2, &[1.0, 5.0])?; // in any round, after any gradients
/// assert!(lags.len() == 1 && lags[0].past == 0.0 && NoLag.own_is_exact());
/// # Ok::<(), dpsda::bounds::Missing>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct NoLag;

impl Spread for NoLag {
    fn round(&mut self, _t: u64, _lengths: &[f64]) -> Result<Vec<Lag>, Missing> {
        Ok(vec![Lag::default()])
    }

    fn own_is_exact(&self) -> bool {
        true
    }
}

impl Spread for Box<dyn Spread + Send + '_> {
    fn round(&mut self, t: u64, lengths: &[f64]) -> Result<Vec<Lag>, Missing> {
        (**self).round(t, lengths)
    }

    fn own_is_exact(&self) -> bool {
        (**self).own_is_exact()
    }
}
