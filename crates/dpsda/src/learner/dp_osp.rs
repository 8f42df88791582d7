//! DP-OSP, privacy-masking subgradient-push (Lv, Liao, Xiang, Li and Huang 2021): OSP with noise on what is pushed, `s_i(t+1) =
//! sum_j A_ij (x_j(t+1) + eta_j(t))`. Everything else, the committed model and the steps, is as in `osp.rs`. Directed,
//! unconstrained.

use super::osp::Pusher;
use super::{Algorithm, Build, Facts, Mixes};
use crate::catalog::Listing;

/// DP-OSP: OSP with noise on what is pushed.
///
/// ```
/// use dpsda::learner::{Algorithm, dp_osp::DpOsp};
/// assert_eq!(Algorithm::from(DpOsp).name(), "dp-osp");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DpOsp;

const FACTS: Facts = Facts::model(Some(Mixes::Columns("push-sum"))).unconstrained();

impl From<DpOsp> for Algorithm {
    fn from(DpOsp: DpOsp) -> Self {
        Self::bare(LISTING.name, FACTS, Pusher::new)
    }
}

/// `dp-osp`
pub const LISTING: Listing<Build> = Listing {
    name: "dp-osp",
    about: "baseline, own samples per node: subgradient-push with noise on what is pushed, unconstrained (Lv 2021)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(DpOsp.into()) },
};
