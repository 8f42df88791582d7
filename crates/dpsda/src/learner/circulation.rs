//! DPSDA-C, Algorithm 1: circulation over undirected networks.

use super::{Algorithm, Costs, Gossip, Graphs, Mixes, Noises};
use crate::catalog::Listing;

/// `dpsda-c`
pub const LISTING: Listing<Algorithm> = Listing {
    name: "dpsda-c",
    about: "DPSDA-C, the paper's Algorithm 1: noised duals are averaged over undirected links",
    keys: &[],
    build: Algorithm {
        network: Graphs::Undirected,
        mixes: Some(Mixes::Rows("metropolis")),
        averages: true,
        coordinate_steps: false,
        costs: Costs::Shared,
        noises: Noises::Gradients,
        keeps_to_set: true,
        build: |setup| Box::new(Gossip::new(setup)),
    },
};
