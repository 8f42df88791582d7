//! The guard of one node: its gradients leave only through here, clipped and noised.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agent;
use super::clip::Clip;
use super::mechanism::Noise;
use super::mechanism::PastNoise;
use super::plan::Adjacency;
use super::{Ledger, Numbers, Price, Released, Seal, Sealed, Sensitive};
use crate::objective::{Objective, Slopes};
use crate::rng::{NoiseKey, Purpose, Seed, Stream};

/// The clip and the mechanism of one node, as its plan set them together.
///
/// ```
/// use dpsda::prelude::*;
/// let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace);
/// let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).privacy(asked).rounds(1).check()?;
/// let (plan, cost) = (spec.plan(), OwnCost::new(2, |x| x[0] + x[1], |_, g| g.fill(1.0)));
/// let (mut guard, mut ledger) = (plan.guard(0, Seed::new(1)), plan.ledger());
/// let gradient = guard.observe(0, &plan.seal(&cost), &[0.0; 2], 0..2, &[]); // clipped; nobody can read it
/// let released = guard.release(gradient, 0, &mut ledger); // noised and charged
/// assert_eq!((released.len(), ledger.per_event().as_pure()), (2, Some(1.0)));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Guard {
    pub(super) node: u64,
    /// Where the blocks of all nodes end.
    pub(super) ends: Arc<[usize]>,
    pub(super) clip: Option<Clip>,
    pub(super) adjacency: Adjacency,
    /// What is released stands for this many times the gradient (without a clip)...
    pub(super) gain: f64,
    /// ...or for this much per unit (with a clip).
    pub(super) unit: f64,
    /// The largest coordinate of a public part, in grid units.
    pub(super) room: i64,
    pub(super) noise: Noise,
    pub(super) seed: Seed,
    /// The key that the noise is drawn from, in place of the seed, where noise must be secret.
    pub(super) key: Option<NoiseKey>,
    pub(super) past: Past,
    /// It opens costs that were sealed with this.
    pub(super) seal: Seal,
    /// Whether a baseline may have gradients from it before the noise.
    pub(super) bare: bool,
}

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
    named: Option<u64>,
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
    /// The same guard for costs sealed with `seal`. It draws its noise from `key`, if there is one, in place of its seed.
    pub(crate) fn entrusted(self, seal: Seal, key: Option<NoiseKey>, bare: bool) -> Self {
        Self { seal, key, bare, ..self }
    }

    /// A guard that opens nothing, with the noise of a node that does not exist.
    pub(crate) fn stranger(self) -> Self {
        Self { node: !self.node, seal: Seal::default(), bare: false, ..self }
    }

    /// (14) of round `t`: the coordinates `block` of the gradient at `y` plus the gradient error, quantised and clipped as the
    /// plan says. Zero if the cost was sealed for another plan.
    pub fn observe(
        &self,
        t: u64,
        cost: &Sealed<'_>,
        y: &[f64],
        block: Range<usize>,
        error: &[f64],
    ) -> Sensitive {
        let (values, public) = match self.open(cost) {
            Some(f) => self.bounded(f, y, block, error),
            None => (self.zeros(block.len()), None),
        };
        Sensitive { values, public, event: Some(t) }
    }

    fn open<'a>(&self, cost: &Sealed<'a>) -> Option<&'a dyn Objective> {
        cost.seal.is(&self.seal).then_some(cost.cost)
    }

    /// All coordinates of a subgradient at `x`, un-noised, for a baseline that decides from them. The ledger records that. Zero
    /// unless such a baseline is what the run's specification names.
    pub(crate) fn unprotected(&self, cost: &Sealed<'_>, x: &[f64], ledger: &mut Ledger) -> Vec<f64> {
        ledger.note_unprotected();
        let mut g = vec![0.0; x.len()];
        if let Some(f) = self.open(cost).filter(|_| self.bare) {
            f.partial(x, 0..x.len(), &mut g);
        }
        g
    }

    /// The part that noise must hide, and the public part that is added after the noise, if the plan has one.
    fn bounded(
        &self,
        f: &dyn Objective,
        y: &[f64],
        block: Range<usize>,
        error: &[f64],
    ) -> (Numbers, Option<Released>) {
        let mut g = vec![0.0; block.len()];
        let add_error = |g: &mut [f64]| g.iter_mut().zip(error).for_each(|(g, e)| *g += e);
        // Linear predictions are summed block by block, so that a fleet may share the sums of nodes that know the same block.
        let known = Slopes::at(f, &self.ends, y);
        let f = known.as_ref().map_or(f, |known| known as &dyn Objective);
        let Some(clip) = &self.clip else {
            f.partial(y, block, &mut g);
            add_error(&mut g);
            g.iter_mut().for_each(|g| *g *= self.gain);
            return (Numbers::Real(g), None);
        };
        let mut units = vec![0; g.len()];
        match self.adjacency {
            Adjacency::Round => {
                f.partial(y, block, &mut g);
                add_error(&mut g);
                clip.add(&g, &mut units);
            }
            Adjacency::Example => {
                for k in 0..f.examples() {
                    f.example(k, y, block.clone(), &mut g);
                    add_error(&mut g);
                    clip.add(&g, &mut units);
                }
            }
            Adjacency::Agent => {
                let (own, public) = agent::parts(f, y, block, error);
                clip.add(&own, &mut units);
                let public = Released::on_grid(clip.place(&public, self.room), self.unit);
                return (Numbers::Grid { units, unit: self.unit }, Some(public));
            }
        }
        (Numbers::Grid { units, unit: self.unit }, None)
    }

    /// The whole state of a baseline in round `t`. The baseline has the numbers and decides from them, so decisions are not
    /// protected. The ledger records that.
    pub(crate) fn state(&self, t: u64, values: Vec<f64>, ledger: &mut Ledger) -> Sensitive {
        ledger.note_unprotected();
        Sensitive { values: Numbers::Real(values), public: None, event: Some(t) }
    }

    /// What a node releases when it has learned nothing.
    pub fn nothing(&self, len: usize) -> Sensitive {
        Sensitive { values: self.zeros(len), public: None, event: None }
    }

    fn zeros(&self, len: usize) -> Numbers {
        match self.clip {
            Some(_) => Numbers::Grid { units: vec![0; len], unit: self.unit },
            None => Numbers::Real(vec![0.0; len]),
        }
    }

    /// The one door: adds the noise named by round `t` to `secret` and charges the ledger for the event it was computed from.
    /// Rounds must come in order: noise whose name is used again hides nothing, and the ledger then has no bound.
    pub fn release(&mut self, secret: Sensitive, t: u64, ledger: &mut Ledger) -> Released {
        let fresh = self.past.named.is_none_or(|last| last < t);
        self.past.named = self.past.named.max(Some(t));
        let (once, more) = secret.event.map_or_else(Default::default, |event| self.charge(event));
        ledger.charge(secret.event, once, more);
        if !fresh {
            ledger.note_reused();
        }
        let mut stream = self.stream(Purpose::Noise, t);
        let mut released = self.perturb(secret.values, &mut stream);
        if let Some(public) = secret.public {
            released.add_block(0..public.len(), &public); // after the noise, so that no mechanism sees it
        }
        released
    }

    fn stream(&self, purpose: Purpose, t: u64) -> Stream {
        match &self.key {
            Some(key) => key.stream(purpose, self.node, t),
            None => self.seed.stream(purpose, self.node, t),
        }
    }

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
    fn charge(&mut self, event: u64) -> (Price, Price) {
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

    /// Adds noise to everything but `own`, which is noised already: it can only hide more. `own` must lie within `dual`.
    pub fn noise_foreign(&mut self, dual: &mut Released, own: Range<usize>, t: u64) {
        if let Numbers::Real(dual) = &mut dual.0 {
            return self.noise_others(dual, own, t);
        }
        let mut stream = self.stream(Purpose::ForeignNoise, t);
        for part in [0..own.start, own.end..dual.len()] {
            let noise = self.perturb(self.zeros(part.len()), &mut stream);
            dual.add_block(part, &noise);
        }
    }

    /// The same for a released dual of real numbers, in place.
    fn noise_others(&mut self, dual: &mut [f64], own: Range<usize>, t: u64) {
        let mut stream = self.foreign_stream(t);
        for part in [0..own.start, own.end..dual.len()] {
            self.noise_next(&mut dual[part], &mut stream);
        }
    }

    /// What the noise on coordinates of others is drawn from in round `t`.
    pub(crate) fn foreign_stream(&self, t: u64) -> Stream {
        self.stream(Purpose::ForeignNoise, t)
    }

    /// Whether these coordinates may be noised in pieces.
    pub(crate) fn in_pieces(&self) -> bool {
        match &self.noise {
            Noise::Nothing => true,
            Noise::Ideal(noise) => noise.in_pieces(),
            Noise::Exact(_) => false,
        }
    }

    /// Adds noise to coordinates of others, which were released before: those before the own block, then those after it.
    pub(crate) fn noise_next(&mut self, values: &mut [f64], stream: &mut Stream) {
        match &mut self.noise {
            Noise::Ideal(noise) => noise.perturb(values, stream),
            Noise::Exact(_) => {
                let noise = self.perturb(self.zeros(values.len()), stream);
                noise.add_to(values);
            }
            Noise::Nothing => {}
        }
    }

    fn perturb(&mut self, values: Numbers, stream: &mut Stream) -> Released {
        Released(match (&mut self.noise, values) {
            (Noise::Exact(noise), Numbers::Grid { mut units, unit }) => {
                noise.perturb(&mut units, stream);
                Numbers::Grid { units, unit }
            }
            (Noise::Ideal(noise), values) => {
                let mut reals = values.into_reals();
                noise.perturb(&mut reals, stream);
                Numbers::Real(reals)
            }
            (Noise::Nothing, values) => Numbers::Real(values.into_reals()),
            // A plan with exact noise has a clip, and clipped values are on the grid. Nothing else gets out.
            (Noise::Exact(_), Numbers::Real(secret)) => Numbers::Real(vec![0.0; secret.len()]),
        })
    }

    /// The price for someone in `times` events.
    fn cost(&self, times: u64) -> Price {
        price(&self.noise, self.clip, self.unit, times)
    }
}

/// The price for someone in `times` events, each clipped before the noise.
pub(super) fn price(noise: &Noise, clip: Option<Clip>, unit: f64, times: u64) -> Price {
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
pub(super) fn moved(clip: Clip) -> u64 {
    2 * clip.bound
}
