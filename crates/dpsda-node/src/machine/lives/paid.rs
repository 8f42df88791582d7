//! Which releases of other lives are charged.
//!
//! Lives of several epochs may have released the same event. Peers show one release at a time, in any order. So this counts each
//! epoch on its own: what is charged for one life never hides what another life of another epoch has released.

use std::collections::BTreeMap;

use crate::entry::Entry;

/// Up to which version the releases of other lives are charged, by epoch.
#[derive(Default)]
pub(super) struct Paid {
    /// Holds for each epoch here, and for those after it until the next one here.
    until: BTreeMap<u64, u64>,
    /// Every charge of this process: the round before which its events lie, and for how many lives it was.
    charges: Vec<(u64, u64)>,
}

impl Paid {
    /// Releases of an older epoch are charged up to this version. What a process charged is forgotten when it ends. Then all is
    /// taken as charged that came before the epoch it starts in, which begins in round `begun`.
    pub(super) fn until(&self, epoch: u64, begun: u64) -> u64 {
        self.until.range(..=epoch).next_back().map_or(begun, |(_, until)| *until)
    }

    /// How many lives to charge for every round from `begun`, where the current epoch began, to `next`, so that all releases of
    /// `lost` are paid for. `lost` holds the newest of each epoch.
    pub(super) fn pay(&mut self, (epoch, begun): (u64, u64), next: u64, lost: &BTreeMap<u64, Entry>) -> u64 {
        let recent = lost.keys().next_back().filter(|newest| **newest >= epoch);
        let recent = recent.map_or(0, |newest| (newest - epoch).saturating_add(1));
        let older: Vec<(u64, u64)> =
            lost.range(..epoch).map(|(older, entry)| (*older, entry.content.version)).collect();
        let all = recent.saturating_add(older.len() as u64);
        let lives = self.late(begun, next, &older).map_or(all, |(before, releases)| {
            let others = self.charges.iter().filter(|(next, _)| *next > before);
            let behind_one = others.map(|(_, lives)| *lives).fold(all, u64::saturating_add);
            let least = releases.div_ceil(next.saturating_sub(begun).max(1));
            let ahead = older.iter().filter(|(_, version)| *version > begun).count() as u64;
            behind_one.max(recent.saturating_add(ahead).saturating_add(least))
        });
        self.charges.push((next, all));
        self.until.entry(0).or_insert(begun);
        for (older, version) in older {
            let after = older.saturating_add(1);
            let until = self.until(after, begun);
            self.until.entry(after).or_insert(until);
            self.until.insert(older, upto(begun, next, version));
        }
        self.until.insert(epoch, if recent > 0 { next } else { begun });
        lives
    }

    /// The learner charges rounds from `begun` on. Rounds of an older epoch may lie before. Returns the first of those that are not
    /// charged, and how many there are. None if there are none.
    fn late(&self, begun: u64, next: u64, older: &[(u64, u64)]) -> Option<(u64, u64)> {
        let late =
            older.iter().map(|(older, version)| (self.until(*older, begun), upto(begun, next, *version)));
        let late = late.filter(|(until, _)| *until < begun);
        late.map(|(until, upto)| (until, upto.min(begun).saturating_sub(until)))
            .reduce(|a, b| (a.0.min(b.0), a.1.saturating_add(b.1)))
    }
}

/// Up to which version a life is charged that has released this version. A charge from `begun` goes to `next`.
fn upto(begun: u64, next: u64, version: u64) -> u64 {
    if version > begun { next } else { version }
}
