//! The weights of the paper's experiments with DPSDA-C.

use super::{Build, Columns, Weights};
use crate::catalog::Listing;
use crate::network::Degree;

/// `1/deg_i`: a node gives the same weight to every node it hears.
///
/// ```
/// use dpsda::network::Degree;
/// use dpsda::network::weights::{UniformWeights, Weights};
/// let (me, other) = (Degree { node: 0, heard: 4, told: 1 }, Degree { node: 1, heard: 1, told: 2 });
/// assert_eq!(UniformWeights.share(me, other), 0.25);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UniformWeights;

impl Weights for UniformWeights {
    fn row(&self, me: Degree, _: &[Degree], row: &mut [f64]) {
        row.fill(1.0 / me.heard as f64); // (12)
    }

    fn name(&self) -> &str {
        LISTING.name
    }

    fn row_stochastic(&self) -> bool {
        true
    }

    fn column_stochastic(&self) -> Columns {
        Columns::No
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "uniform",
    about: "1/deg_i: rows sum to 1, columns not in general (as in the paper's experiments)",
    keys: &[],
    build: |_| Ok(Box::new(UniformWeights)),
};
