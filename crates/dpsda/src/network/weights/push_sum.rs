//! Column-stochastic weights: DPSDA-PS.

use super::{Build, Columns, Weights, WholeShares};
use crate::catalog::Listing;
use crate::network::Degree;

/// `1/deg_j^out`: each sender splits its value evenly (section 5.1; section 6 misprints the index).
///
/// ```
/// use dpsda::network::Degree;
/// use dpsda::network::weights::{PushSumWeights, Weights};
/// let (me, sender) = (Degree { node: 0, heard: 2, told: 1 }, Degree { node: 1, heard: 1, told: 4 });
/// assert_eq!(PushSumWeights.share(me, sender), 0.25);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PushSumWeights;

impl Weights for PushSumWeights {
    fn row(&self, _: Degree, heard: &[Degree], row: &mut [f64]) {
        for (sender, weight) in heard.iter().zip(row) {
            *weight = 1.0 / sender.told as f64; // (20)
        }
    }

    fn name(&self) -> &str {
        LISTING.name
    }

    fn on_grid(&self) -> Option<WholeShares> {
        Some(WholeShares::Even)
    }

    fn row_stochastic(&self) -> bool {
        false
    }

    fn column_stochastic(&self) -> Columns {
        Columns::Always
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "push-sum",
    about: "1/outdeg_j: columns sum to 1 on every digraph, rows not in general",
    keys: &[],
    build: |_| Ok(Box::new(PushSumWeights)),
};
