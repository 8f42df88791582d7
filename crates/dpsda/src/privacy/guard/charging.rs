//! What releases cost, and what a guard remembers of them.

use serde::{Deserialize, Serialize};

use super::Guard;
use crate::privacy::clip::Clip;
use crate::privacy::mechanism::{Noise, PastNoise};
use crate::privacy::{Ledger, Price};

/// What a guard has released so far: only the rounds and the price.
///
/// ```
/// use dpsda::prelude::*;
/// use dpsda::privacy::Price;
/// let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace);
/// let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).privacy(asked).rounds(9).check()?;
/// let (mut guard, mut ledger) = (spec.plan().guard(0, Seed::new(1)), spec.plan().ledger());
/// guard.release(guard.nothing(2), 0, &mut ledger);
/// let (past, secret) = guard.keep();
/// let mut next = spec.plan().guard(0, Seed::new(1)); // after a restart
/// assert!(next.resume(past, secret));
/// next.release(next.nothing(2), 0, &mut ledger); // it remembers that the noise of round 0 was used
/// assert_eq!(ledger.per_event(), Price::Unbounded);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Past {
    /// The round that named the latest noise.
    pub(super) named: Option<u64>,
    /// The latest event, and how often it was released.
    event: Option<(u64, u64)>,
    /// How many releases had an event.
    events: u64,
    /// Their price for someone who takes part in all of them.
    lifetime: Price,
    /// The first event of this epoch: another life that released earlier ones too has been charged for them.
    begun: u64,
}

impl Guard {
    /// The state it needs after a restart: what it has released, and the noise that later releases take back.
    pub fn keep(&self) -> (Past, PastNoise) {
        let kept = match &self.noise {
            Noise::Exact(noise) => noise.keep(),
            _ => PastNoise::default(),
        };
        (self.past, kept)
    }

    /// Continues after a restart from the state that was kept. False, with nothing changed, if that state does not fit.
    #[must_use]
    pub fn resume(&mut self, past: Past, kept: PastNoise) -> bool {
        let fits = match &mut self.noise {
            Noise::Exact(noise) => noise.resume(kept),
            _ => kept == PastNoise::default(),
        };
        if fits {
            self.past = past;
        }
        fits
    }

    /// The first event that this epoch may release.
    pub fn begun(&self) -> u64 {
        self.past.begun
    }

    /// Begins a new epoch at event `next`, because `lives` other lives of this node have released events of this epoch, and what
    /// they kept is lost. Charges each of these lives for every event before `next`. False, with nothing changed, if the noise
    /// cannot begin again.
    ///
    /// **Why that is enough.** A lost life and this one came from the same store at some event of this epoch. Nobody knows that
    /// event any longer, but each life drew fresh noise from there on. So given everything released before, by any life, every
    /// release has the same centre in either world as in the run of its own life. The lemma of `tree` then adds up the squares
    /// of `lives + 1` whole runs (for pure noise, the likelihood ratios multiply likewise). An event costs at most `lives + 1`
    /// times the price of one, or `lives` times if this life has not released it. A lifetime costs what this run cost, plus
    /// `lives` times a run of all events since `begun`. The new epoch has noise of its own, no known life has released its
    /// events, and the sum that it continues from is public.
    #[must_use]
    pub fn renew(&mut self, next: u64, lives: u64, ledger: &mut Ledger) -> bool {
        let begun = self.past.begun;
        let lost = next.saturating_sub(begun).max(1);
        let lifetime = self.cost(lost).times(lives);
        let own = self.past.event.filter(|(latest, _)| *latest >= begun).map_or(0, |(_, often)| often);
        let often = lives.saturating_add(own);
        let event = self.cost(1).times(often);
        let fresh = match &mut self.noise {
            Noise::Exact(noise) => noise.resume(PastNoise::default()),
            _ => true,
        };
        if fresh {
            ledger.lose(next.max(begun).saturating_sub(1), lost.saturating_mul(lives), event, lifetime);
            let named = self.past.named.max(next.checked_sub(1));
            self.past = Past { named, begun: next, ..Past::default() };
        }
        fresh
    }

    /// What one more release of `event` adds to the price of that event, and to the price of a lifetime. Prices of correlated
    /// noise do not add up, so both are differences of totals, each total as it was when it was charged.
    pub(super) fn charge(&mut self, event: u64) -> (Price, Price) {
        let (after, once, more) = self.priced(event);
        self.past = after;
        (once, more)
    }

    /// The same without charging: the state after the release, and both prices.
    fn priced(&self, event: u64) -> (Past, Price, Price) {
        let often = self.past.event.filter(|(latest, _)| *latest == event).map_or(0, |(_, often)| often);
        let events = self.past.events + 1;
        let lifetime = self.cost(events);
        let after = Past { event: Some((event, often + 1)), events, lifetime, ..self.past };
        (after, self.cost(often + 1).less(self.cost(often)), lifetime.less(self.past.lifetime))
    }

    /// What a ledger would hold after a release of `event`. A host asks before the release.
    pub fn foresee(&self, event: u64, ledger: &Ledger) -> Ledger {
        let (_, once, more) = self.priced(event);
        let mut ledger = ledger.clone();
        ledger.charge(Some(event), once, more);
        ledger
    }

    /// The price for someone in `times` events.
    fn cost(&self, times: u64) -> Price {
        price(&self.noise, self.clip, self.unit, times)
    }
}

/// The price for someone in `times` events, each clipped before the noise.
pub(in crate::privacy) fn price(noise: &Noise, clip: Option<Clip>, unit: f64, times: u64) -> Price {
    let Some(clip) = clip else { return if times == 0 { Price::default() } else { Price::Unbounded } };
    let moved = moved(clip);
    match noise {
        _ if times == 0 => Price::default(),
        Noise::Nothing => Price::Unbounded,
        Noise::Ideal(noise) => noise.cost(moved as f64 * unit, times),
        Noise::Exact(noise) => noise.cost(moved, times),
    }
}

/// Replacing one vector of norm at most `clip` by another, in grid units: (15), with the clip in place of an assumed bound.
pub(in crate::privacy) fn moved(clip: Clip) -> u64 {
    2 * clip.bound
}
