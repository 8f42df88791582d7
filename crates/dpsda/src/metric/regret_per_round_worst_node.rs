//! Regret of the worst node.

use super::{Build, Metric, fitness_worst_node};
use crate::catalog::Listing;

/// `regret_per_round_worst_node`
pub const LISTING: Listing<Build> = Listing {
    name: "regret_per_round_worst_node",
    about: "Regret (2) over T of the node with the largest regret, if every node has a model of its own.",
    keys: &[],
    build: || {
        Metric::regret(&fitness_worst_node::LISTING)
            .label("Regret per round of the worst node")
            .heading("regret\u{a0}/\u{a0}T, worst node")
    },
};
