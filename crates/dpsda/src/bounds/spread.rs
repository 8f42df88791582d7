//! How far the dual that a node decides from is from the one that a node who knew everything would have.
//!
//! That difference, `e_i(t)`, is a weighted sum of past gradients and noises. A [`Spread`] gives the weights of a round,
//! added up, from the certificate's constants or as the graphs of the run really have them; what they are multiplied with
//! is in [`super::SignalMoments`].

use super::Missing;

mod certified;
mod products;
mod relayed;

pub use certified::Certified;
pub use products::Products;
pub use relayed::Relayed;

/// `e_i(t)` is a part no longer than `past`, made of gradients, and a part of mean square `noise` times the variance of a
/// coordinate's noise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lag {
    /// How far gradients take it.
    pub past: f64,
    /// How many coordinates' worth of noise it has, weighed.
    pub noise: f64,
}

/// The lags of all nodes, round by round.
pub trait Spread {
    /// Those of round `t`, if all blocks together learned something no longer than `lengths[s]` in the rounds `s < t`. Rounds
    /// are asked for in order from 0, each once.
    fn round(&mut self, t: u64, lengths: &[f64]) -> Result<Vec<Lag>, Missing>;

    /// Whether a node's own block is never off.
    fn own_is_exact(&self) -> bool;
}

/// Nobody is off: one learner who knows everything.
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
