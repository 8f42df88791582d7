//! Releases of older epochs.
//!
//! A node whose store is an old copy begins a new epoch after the last release that it has heard of. Another peer may hold a later
//! release of the old epoch. The new epoch replaces it there, so that peer keeps it here and shows it to the owner. The owner then
//! charges it too. Without this, what is charged would depend on which peer was heard first.

use std::collections::BTreeMap;

use crate::entry::Entry;

/// Releases are shown to their owners again after this many ticks, because a message may be lost.
const AGAIN: u64 = 32;

/// The latest release of an older epoch that was replaced, by owner.
#[derive(Default)]
pub(super) struct FormerReleases {
    entries: BTreeMap<usize, Entry>,
    ticks: u64,
}

impl FormerReleases {
    /// Keeps a release, unless a later one is kept. `old` is verified.
    pub(super) fn keep(&mut self, old: Entry) {
        let kept = self.entries.entry(old.content.owner as usize).or_insert_with(|| old.clone());
        if kept.content.version < old.content.version {
            *kept = old;
        }
    }

    /// The release of this owner.
    pub(super) fn of(&self, owner: usize) -> Option<&Entry> {
        self.entries.get(&owner)
    }

    /// All of them. A record has them before the newest entries.
    pub(super) fn all(&self) -> impl Iterator<Item = Entry> {
        self.entries.values().cloned()
    }

    /// Some time has passed: the owners to which releases are shown again.
    pub(super) fn due(&mut self) -> Vec<usize> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(AGAIN) { self.entries.keys().copied().collect() } else { Vec::new() }
    }
}
