//! What theory promises for a run: constants from the data, the set and the network, and the bounds made of them.
//!
//! Each bound comes in three versions, from loose to tight:
//!
//! 1. the paper's formulas as printed ([`printed`]);
//! 2. bounds proved for the algorithms as they run here, with the constants of the network's certificate;
//! 3. the same bounds, with the contraction that the graphs of this run really have ([`spread`]).
//!
//! [`theorem1`] evaluates Theorem 1 along a run. Statements and proofs are in `docs/bounds.md`.

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
///
/// ```
/// use dpsda::bounds::Missing;
/// assert_eq!(Missing::Rough.to_string(), "the loss is not smooth");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The set is unbounded, so C or D is infinite; or gradients on the set are, so L is.
    Unbounded,
    /// The loss has kinks: gradients at nearby points may differ by much, so there is no G.
    Rough,
    /// Columns of the weights do not sum to one, so mixing changes the mean dual (Lemma 2(a)).
    Columns,
    /// There is no window length B for which every window of B rounds connects all nodes.
    Disconnected,
    /// Duals are mixed in whole units of a grid, which is not linear.
    Grid,
    /// Nodes see costs only, no gradients.
    Feedback,
    /// Messages arrive late or are lost unnoticed: a dual in transit is missing from the mean of the nodes.
    Transit,
    /// The mechanism does not state the variance of its noise.
    Noise,
    /// The clip holds a part of each gradient, an agent's own, and no constant bounds that part.
    Agent,
    /// Computing the bound would take too long.
    Work,
    /// Constants are computed for losses of samples only.
    Cost,
    /// Steps are automatic: the run decides how long they are, and no number is computed before it.
    Steps,
    /// Nothing is proved for this algorithm.
    Algorithm,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unbounded => "the set is unbounded, or the gradients on it are",
            Self::Rough => "the loss is not smooth",
            Self::Columns => "columns of the weights do not sum to 1 (Lemma 2(a))",
            Self::Disconnected => "the graphs do not connect all nodes in windows of any length",
            Self::Grid => "mixing in whole units is not linear",
            Self::Feedback => "gradients are estimated from costs",
            Self::Transit => "messages arrive late, or are lost unnoticed",
            Self::Noise => "the mechanism does not state its variance",
            Self::Agent => "the clip holds an agent's own part of a gradient, and only the whole is bounded",
            Self::Work => "multiplying so many weight matrices takes too long",
            Self::Cost => "constants are not computed for this cost",
            Self::Steps => "steps are automatic, and how long they get is not known before the run",
            Self::Algorithm => "nothing is proved for this algorithm",
        })
    }
}
