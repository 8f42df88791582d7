//! The weights of the paper's experiments with DPSDA-C.

use super::{Build, Columns, Weights};
use crate::catalog::Listing;
use crate::network::Degree;

/// `1/deg_i` for everybody heard (section 6).
pub const LISTING: Listing<Build> = Listing {
    name: "uniform",
    about: "1/deg_i: rows sum to 1, columns not in general (as the paper's experiments)",
    keys: &[],
    build: |_| Ok(Box::new(Uniform)),
};

/// `1/deg_i`: a node listens to all it hears alike.
#[derive(Debug, Clone, Copy)]
pub struct Uniform;

impl Weights for Uniform {
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
