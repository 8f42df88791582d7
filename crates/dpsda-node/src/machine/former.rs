//! Releases of older epochs.
//!
//! A node whose store is an old copy begins a new epoch after the last release that it has heard of. Another peer may hold a later
//! release of an older epoch. The new epoch replaces it there, so that peer keeps it here and shows it to the owner. The owner then
//! charges it too. Without this, what is charged would depend on which peer was heard first.

use std::collections::{BTreeMap, BTreeSet};

use crate::entry::Entry;

/// Releases are shown to their owners again after this many ticks, because a message may be lost.
const AGAIN: u64 = 32;

/// At most this many are kept per owner, so that no owner can fill the memory of its peers with new epochs.
const MOST: usize = 4;

/// The latest release of each older epoch that was replaced, by owner and epoch.
#[derive(Default)]
pub(super) struct FormerReleases {
    entries: BTreeMap<(usize, u64), Entry>,
    ticks: u64,
}

impl FormerReleases {
    /// Keeps a release, unless a later one of its epoch is kept. If there are too many, the owner's oldest version goes. `old` is
    /// verified.
    pub(super) fn keep(&mut self, old: Entry) {
        let (owner, epoch) = (old.content.owner as usize, old.content.epoch);
        let kept = self.entries.entry((owner, epoch)).or_insert_with(|| old.clone());
        if kept.content.version < old.content.version {
            *kept = old;
        }
        if self.of(owner).count() > MOST {
            let oldest = self.of(owner).min_by_key(|entry| entry.content.version);
            let epoch = oldest.map_or(epoch, |entry| entry.content.epoch);
            self.entries.remove(&(owner, epoch));
        }
    }

    /// The releases of this owner, by epoch.
    pub(super) fn of(&self, owner: usize) -> impl Iterator<Item = &Entry> {
        self.entries.range((owner, 0)..=(owner, u64::MAX)).map(|(_, entry)| entry)
    }

    /// All of them, by owner and epoch. A record has them before the newest entries.
    pub(super) fn all(&self) -> impl Iterator<Item = Entry> {
        self.entries.values().cloned()
    }

    /// Some time has passed: the owners to which releases are shown again.
    pub(super) fn due(&mut self) -> BTreeSet<usize> {
        self.ticks += 1;
        let due = self.ticks.is_multiple_of(AGAIN);
        self.entries.keys().filter(|_| due).map(|(owner, _)| *owner).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Content;
    use crate::identity::Identity;

    #[test]
    fn the_latest_release_of_each_epoch_is_kept_and_at_most_four_of_one_owner() {
        let entry = |owner, epoch, version| {
            let content = Content { owner, epoch, version, sum: vec![0], squares: None };
            content.sign(&Identity::from_secret([1; 32]), &[0; 32])
        };
        let mut former = FormerReleases::default();
        for (epoch, version) in [(0, 9), (0, 10), (0, 3), (1, 8)] {
            former.keep(entry(1, epoch, version));
        }
        let of = |former: &FormerReleases, owner| {
            former.of(owner).map(|entry| (entry.content.epoch, entry.content.version)).collect::<Vec<_>>()
        };
        assert_eq!(of(&former, 1), [(0, 10), (1, 8)], "a later version does not hide a later epoch");
        assert!(of(&former, 0).is_empty() && of(&former, 2).is_empty());
        (2..5).for_each(|epoch| former.keep(entry(1, epoch, 10 + epoch)));
        assert_eq!(of(&former, 1), [(0, 10), (2, 12), (3, 13), (4, 14)]);
        let shown: Vec<_> = (0..64).map(|_| former.due().len()).collect();
        assert_eq!((shown.iter().sum::<usize>(), shown[31]), (2, 1), "each owner once per 32 ticks");
    }
}
