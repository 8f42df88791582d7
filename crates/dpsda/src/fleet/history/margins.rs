//! The margins of all nodes, however they were computed.

use std::sync::Arc;

use super::shared::SharedMargins;
use crate::objective::margins::{LANES, Margins};
use crate::objective::{BatchRows, Slopes};

/// The margins of all nodes.
pub(super) enum NodeMargins {
    /// Computed by version of each block.
    Shared(SharedMargins),
    /// Computed from whole estimates.
    Rows(Margins),
}

impl NodeMargins {
    /// The gradients of node `i`.
    pub(super) fn slopes<'a>(&self, rows: &Arc<BatchRows<'a>>, i: usize) -> Slopes<'a> {
        match self {
            Self::Shared(SharedMargins::One(sums)) => Slopes::new(rows, sums[i..=i].iter().copied()),
            Self::Shared(SharedMargins::Several(sums)) => {
                let own = &sums[i * rows.len().div_ceil(LANES)..];
                Slopes::new(rows, own.iter().flat_map(|eight| eight.0))
            }
            Self::Rows(margins) => Slopes::new(rows, margins.of(i).iter().copied()),
        }
    }
}
