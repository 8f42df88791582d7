//! How long a traveller is on the road.

use super::{Better, Build, Curve, measured};
use crate::catalog::Listing;

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "travel_time",
    about: "The mean time of a traveller in a round, and the mean over rounds, in the unit of the roads' times.",
    keys: &[],
    build: || {
        measured::mean("travel_time")
            .label("Travel time")
            .better(Better::Lower)
            .main()
            .terminal("travel time", 6)
            .curve(Curve::new("Mean travel time over the rounds so far.").at_least(0.0).on_request())
    },
};
