//! What belongs to one node of a [`DenseFleet`](super::DenseFleet), and how it noises its dual.

use std::ops::Range;

use crate::Blocks;
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

    /// (4) (11): `h_i = z_i + eta_i` in some columns. Only the own block holds anything that was not released before. The stream is
    /// that of the coordinates of others, if they are noised.
    fn publish(
        &mut self,
        dual: &mut [f64],
        columns: &Range<usize>,
        own: &Range<usize>,
        others: Option<&mut Stream>,
    ) {
        let (start, end) =
            (own.start.clamp(columns.start, columns.end), own.end.clamp(columns.start, columns.end));
        let inside = start - columns.start..end - columns.start;
        if let Some(share) = self.share.as_ref().filter(|_| start < end) {
            share.add_some_to(start - own.start..end - own.start, &mut dual[inside.clone()]);
        }
        if let Some(stream) = others {
            for part in [0..inside.start, inside.end..dual.len()] {
                self.guard.noise_next(&mut dual[part], stream);
            }
        }
    }
}

/// (4) (11) at all nodes in the columns of a panel.
pub(super) fn publish(
    nodes: &mut [DenseNode],
    blocks: &Blocks,
    columns: &Range<usize>,
    panel: &mut [f64],
    streams: &mut [Stream],
) {
    let mut streams = streams.iter_mut();
    for ((node, dual), own) in nodes.iter_mut().zip(panel.chunks_mut(columns.len())).zip(blocks.iter()) {
        node.publish(dual, columns, &own, streams.next());
    }
}
