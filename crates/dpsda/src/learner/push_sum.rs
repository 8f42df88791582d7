//! DPSDA-PS, Algorithm 2: push-sum over directed networks.

use super::{Algorithm, Gossip, Mixes, Network};
use crate::catalog::Entry;

/// `dpsda-ps`
pub const ENTRY: Entry<Algorithm> = Entry {
    name: "dpsda-ps",
    about: "DPSDA-PS, the paper's Algorithm 2: noised duals and a weight are pushed along directed links",
    keys: &[],
    build: Algorithm {
        network: Network::AsGiven,
        mixes: Some(Mixes::Columns("push-sum")),
        averages: true,
        coordinate_steps: false,
        build: |setup| Box::new(Gossip::new(setup)),
    },
};
