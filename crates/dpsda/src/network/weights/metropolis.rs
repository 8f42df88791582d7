//! Doubly stochastic weights on undirected graphs: what Lemma 2(a) needs.

use super::{Build, Columns, Weights, WholeShares};
use crate::catalog::Listing;
use crate::network::Degree;

/// `1/max(deg_i, deg_j)` for other nodes, the rest for the node itself: both ends of a link compute the same number.
///
/// ```
/// use dpsda::network::Graph;
/// use dpsda::network::weights::{MetropolisWeights, matrix};
/// let pair = Graph::new(2, [(0, 1), (1, 0)])?;
/// assert_eq!(matrix(&MetropolisWeights, &pair), [[0.5, 0.5], [0.5, 0.5]]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MetropolisWeights;

impl Weights for MetropolisWeights {
    fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]) {
        let mut rest = 1.0;
        let mut diagonal = None;
        for (other, weight) in heard.iter().zip(row) {
            if other.node == me.node {
                diagonal = Some(weight);
            } else {
                *weight = 1.0 / me.heard.max(other.heard) as f64; // (12)
                rest -= *weight;
            }
        }
        if let Some(weight) = diagonal {
            *weight = rest; // at least 1/deg_i: there are deg_i - 1 others
        }
    }

    fn name(&self) -> &str {
        LISTING.name
    }

    fn on_grid(&self) -> Option<WholeShares> {
        Some(WholeShares::Pairwise)
    }

    fn row_stochastic(&self) -> bool {
        true
    }

    fn column_stochastic(&self) -> Columns {
        Columns::Undirected
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "metropolis",
    about: "1/max(deg_i, deg_j), the rest on the diagonal: rows and columns sum to 1 on undirected graphs",
    keys: &[],
    build: |_| Ok(Box::new(MetropolisWeights)),
};
