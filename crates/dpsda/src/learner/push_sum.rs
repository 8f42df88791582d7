//! DPSDA-PS, Algorithm 2: push-sum over directed networks.

use super::{Algorithm, Costs, Gossip, Graphs, Mixes, Noises};
use crate::catalog::Listing;

/// `dpsda-ps`
pub const LISTING: Listing<Algorithm> = Listing {
    name: "dpsda-ps",
    about: "DPSDA-PS, the paper's Algorithm 2: noised duals and a weight are pushed along directed links",
    keys: &[],
    build: Algorithm {
        network: Graphs::AsGiven,
        mixes: Some(Mixes::Columns("push-sum")),
        averages: true,
        coordinate_steps: false,
        costs: Costs::Shared,
        noises: Noises::Gradients,
        keeps_to_set: true,
        build: |setup| Box::new(Gossip::new(setup)),
    },
};
