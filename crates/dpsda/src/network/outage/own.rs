//! Outages from a closure.

use std::fmt;

use super::Outage;

/// An outage of your own: any function that says whether a link works in a round.
///
/// ```
/// use dpsda::network::outage::{Outage, OwnOutage};
/// let node_2_sleeps = OwnOutage::new(|t, from, to| t % 10 < 7 || (from != 2 && to != 2));
/// assert!(node_2_sleeps.up(6, 2, 0) && !node_2_sleeps.up(7, 2, 0));
/// ```
pub struct OwnOutage<F>(F);

impl<F: Fn(u64, usize, usize) -> bool + Send + Sync> OwnOutage<F> {
    /// The link `from -> to` works in round `t` if `up(t, from, to)` is true. `up` must be a pure function.
    pub fn new(up: F) -> Self {
        Self(up)
    }
}

impl<F: Fn(u64, usize, usize) -> bool + Send + Sync> Outage for OwnOutage<F> {
    fn up(&self, t: u64, from: usize, to: usize) -> bool {
        (self.0)(t, from, to)
    }
}

impl<F> fmt::Debug for OwnOutage<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnOutage").finish_non_exhaustive()
    }
}
