//! How far the agents' set-points are from their wishes.

use super::{Better, Build, Curve, measured};
use crate::catalog::Listing;

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "discomfort",
    about: "How far an agent's set-point is from its wish: root mean square over agents and rounds.",
    keys: &[],
    build: || {
        measured::root_mean_square("discomfort")
            .label("Discomfort")
            .better(Better::Lower)
            .terminal("discomfort", 5)
            .curve(
                Curve::new("Root mean square of the distance to the agents' wishes so far.")
                    .at_least(0.0)
                    .on_request(),
            )
    },
};
