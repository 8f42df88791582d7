//! What belongs to one node of a [`DenseFleet`](super::DenseFleet), and how it noises its dual.

use std::ops::Range;

use crate::learner::Setup;
use crate::privacy::{Guard, Ledger, Released, Sensitive};
use crate::rng::Stream;

/// What belongs to one node.
pub(super) struct DenseNode {
    pub(super) setup: Setup,
    pub(super) guard: Guard,
    pub(super) ledger: Ledger,
    /// `n u_i`, until it is released.
    pub(super) pending: Option<Sensitive>,
    /// The same, released and not yet added.
    pub(super) share: Option<Released>,
    /// The same before the noise, if the node decides from it.
    pub(super) seen: Vec<f64>,
    /// `w_i`
    pub(super) weight: f64,
}

impl DenseNode {
    /// (4) Releases what it has learned, for the next dual.
    pub(super) fn release(&mut self, len: usize, t: u64) {
        let secret = self.pending.take().unwrap_or_else(|| self.guard.nothing(len));
        self.share = Some(self.guard.release(secret, t, &mut self.ledger));
    }

    /// (4) (11) in some columns of its dual: adds what it released. Only the own block holds anything that was not released before.
    pub(super) fn add_share(&self, dual: &mut [f64], columns: &Range<usize>, own: &Range<usize>) {
        let (start, end) = (own.start.max(columns.start), own.end.min(columns.end));
        if let Some(share) = self.share.as_ref().filter(|_| start < end) {
            let inside = start - columns.start..end - columns.start;
            share.add_some_to(start - own.start..end - own.start, &mut dual[inside]);
        }
    }

    /// (11) in some columns of its dual: noises the coordinates of others from this stream.
    pub(super) fn noise_others(
        &mut self,
        dual: &mut [f64],
        columns: &Range<usize>,
        own: &Range<usize>,
        stream: &mut Stream,
    ) {
        let end = |end: usize| end.clamp(columns.start, columns.end) - columns.start;
        for part in [0..end(own.start), end(own.end)..dual.len()] {
            self.guard.noise_next(&mut dual[part], stream);
        }
    }
}
