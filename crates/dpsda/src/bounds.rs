//! What theory promises for a run: constants from the data, the set and the network, and the bounds made of them.
//!
//! Three versions of each, from loose to tight: the paper's formulas as printed ([`printed`]), bounds that are proved for
//! what runs here with the constants of the certificate, and the same with the contraction that the graphs of the run
//! really have ([`spread`]). [`theorem1`] evaluates Theorem 1 along a run. Statements and proofs are in `docs/bounds.md`.

use std::fmt;

mod constants;
pub mod exponent;
pub mod printed;
mod promise;
mod signal;
pub mod spread;
pub mod theorem1;

pub use constants::Constants;
pub use promise::{BoundPoint, Promise, Tally};
pub use signal::{Perturbation, SignalMoments};

/// Why there is no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The set, and with it C or D, is not bounded, or L is not on it.
    Unbounded,
    /// The loss has kinks: gradients at nearby points may be far apart, and G does not exist.
    Rough,
    /// Columns of the weights do not sum to one, so the mean dual is not kept (Lemma 2(a)).
    Columns,
    /// The graphs never connect within windows.
    Disconnected,
    /// Duals are mixed in whole units of a grid, which is not linear.
    Grid,
    /// Nodes are told costs and no gradients.
    Feedback,
    /// Messages are late or lost without anybody knowing, and duals in transit are in nobody's mean.
    Transit,
    /// The mechanism does not say how much its noise varies.
    Noise,
    /// Finding out would take too long.
    Work,
    /// Nothing is proved for this algorithm.
    Algorithm,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unbounded => "the set is unbounded, or gradients are on it",
            Self::Rough => "the loss is not smooth",
            Self::Columns => "columns of the weights do not sum to 1 (Lemma 2(a))",
            Self::Disconnected => "the graphs do not connect in windows",
            Self::Grid => "mixing in whole units is not linear",
            Self::Feedback => "gradients are estimated from costs",
            Self::Transit => "messages are late, or lost without anybody knowing",
            Self::Noise => "the mechanism does not tell its variance",
            Self::Work => "the products of so many weight matrices take too long",
            Self::Algorithm => "nothing is proved for this algorithm",
        })
    }
}
