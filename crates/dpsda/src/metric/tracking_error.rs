//! How far the set-points of all agents together are from the reference.

use super::{Better, Build, Curve, measured};
use crate::catalog::Listing;

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "tracking_error",
    about: "How far the sum of set-points is from the reference: root mean square over rounds.",
    keys: &[],
    build: || {
        measured::root_mean_square("tracking_error")
            .label("Tracking error")
            .better(Better::Lower)
            .main()
            .terminal("tracking", 6)
            .curve(Curve::new("Root mean square of the tracking error so far.").at_least(0.0).on_request())
    },
};
