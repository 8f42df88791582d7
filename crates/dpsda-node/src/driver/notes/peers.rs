//! Reports about peers: connections, manifests that differ, refusals.

use tokio::time::Instant;

use super::{Notes, PATIENCE, is_told};
use crate::frame::Refusal;
use crate::manifest::{Signed, differences};
use crate::transport::Traffic;

impl Notes {
    pub(in crate::driver) fn connected(&mut self, peer: usize) {
        let (times, _) = self.came.entry(peer).or_default();
        *times += 1;
        if is_told(*times) {
            let times = *times;
            tracing::info!(peer = self.name(peer), times, "connected");
        }
        self.board.change(|now| {
            if let Some(peer) = now.peers.get_mut(peer) {
                peer.differs.clear();
            }
        });
    }

    pub(in crate::driver) fn gone(&mut self, peer: usize) {
        let (_, times) = self.came.entry(peer).or_default();
        *times += 1;
        if is_told(*times) {
            let times = *times;
            tracing::warn!(peer = self.name(peer), times, "disconnected");
        }
    }

    /// Logs once why each peer is not reached, and again when the reason changes.
    pub(super) fn unreached(&mut self, at: Instant, peers: &[Traffic]) {
        for (peer, traffic) in peers.iter().enumerate() {
            let Some(why) = traffic.unreached else {
                self.unreached.remove(&peer);
                continue;
            };
            let (since, told) = self.unreached.entry(peer).or_insert((at, None));
            if at - *since >= PATIENCE && told.replace(why) != Some(why) {
                tracing::warn!(
                    peer = self.name(peer),
                    %why,
                    times = traffic.tried,
                    "peer not reached (check its address in [node.peers], and that it runs)"
                );
            }
        }
    }

    /// A member runs another manifest. It may reconnect often with the same one, so the log repeats it less and less often.
    pub(in crate::driver) fn differs(&mut self, peer: usize, theirs: &str) {
        let lines = match Signed::read(theirs) {
            Ok(theirs) => differences(&self.manifest, &theirs.manifest),
            Err(_) => vec!["its manifest cannot be read".into()],
        };
        let times = self.quarrels.entry(peer).or_default();
        *times += 1;
        if times.is_power_of_two() {
            for line in &lines {
                tracing::error!(peer = self.name(peer), differs = line, "a member runs another manifest");
            }
        }
        self.board.change(|now| {
            if let Some(peer) = now.peers.get_mut(peer) {
                peer.differs = lines;
            }
        });
    }

    /// The machine refused a message. A flood of refusals does not flood the log.
    pub(in crate::driver) fn refused(&mut self, from: usize, why: Refusal) {
        let times = self.refused.entry((from, why)).or_default();
        *times += 1;
        if times.is_power_of_two() {
            let times = *times;
            tracing::warn!(peer = self.name(from), %why, times, "message refused");
        }
    }
}
