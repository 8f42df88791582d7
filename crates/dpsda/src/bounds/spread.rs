//! How far the dual that a node decides from is from the one that a node who knew everything would have.
//!
//! That difference, `e_i(t)`, is a weighted sum of past gradients and noises. A [`Spread`] gives the weights of a round,
//! added up, from the certificate's constants or as the graphs of the run really have them; what they are multiplied with
//! is in [`super::Signal`].

use super::Missing;

mod certified;
mod products;
mod relayed;

pub use certified::Certified;
pub use products::Products;
pub use relayed::Relayed;

/// `sqrt(E |e_i(t)|^2) <= past L^ + s sqrt(noise)`, for one node in one round.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lag {
    /// By how many rounds' worth of gradients it is off.
    pub past: f64,
    /// By how many coordinates' worth of noise, in squares.
    pub noise: f64,
}

/// The lags of all nodes, round by round.
pub trait Spread {
    /// Those of round `t`; rounds are asked for in order from 0, each once.
    fn round(&mut self, t: u64) -> Result<Vec<Lag>, Missing>;

    /// Whether a node's own block is never off.
    fn own_is_exact(&self) -> bool;
}

/// Nobody is off: one learner who knows everything.
#[derive(Debug, Clone, Copy)]
pub struct Central;

impl Spread for Central {
    fn round(&mut self, _t: u64) -> Result<Vec<Lag>, Missing> {
        Ok(vec![Lag::default()])
    }

    fn own_is_exact(&self) -> bool {
        true
    }
}
