//! DP-OSP, privacy-masking subgradient-push (Lv, Liao, Xiang, Li and Huang 2021): OSP with noise on what is pushed, `s_i(t+1) = sum_j
//! A_ij (x_j(t+1) + eta_j(t))`. Everything else, the committed model and the steps, is as in `osp.rs`. Directed, unconstrained.

use super::osp::Pusher;
use super::{Algorithm, Costs, Graphs, Mixes, Noises};
use crate::catalog::Listing;

/// `dp-osp`
pub const LISTING: Listing<Algorithm> = Listing {
    name: "dp-osp",
    about: "baseline, own samples a node: subgradient-push with noise on what is pushed, unconstrained (Lv 2021)",
    keys: &[],
    build: Algorithm {
        network: Graphs::AsGiven,
        mixes: Some(Mixes::Columns("push-sum")),
        averages: false,
        coordinate_steps: false,
        costs: Costs::Split,
        noises: Noises::Messages,
        keeps_to_set: false,
        build: |setup| Box::new(Pusher::new(setup)),
    },
};
