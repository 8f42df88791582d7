//! The consensus error of Lemmas 3 and 6.

use super::{Build, Curve, Metric};
use crate::catalog::Listing;

const NOTE: &str = "Sum over nodes of the squared distance between the dual a node decides from and the mean dual: \
                    what Lemmas 3 and 6 bound.";

/// `sum_i |z_i/w_i - z-|^2`
pub const LISTING: Listing<Build> = Listing {
    name: "consensus_error",
    about: NOTE,
    keys: &[],
    build: || {
        Metric::supplied()
            .label("Consensus error")
            .without_column()
            .curve(Curve::new(NOTE).at_least(0.0).on_request())
    },
};
