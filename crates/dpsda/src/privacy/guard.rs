//! The guard of one node: its gradients leave only through here, clipped and noised.

use std::ops::Range;
use std::sync::Arc;

use super::agent;
use super::clip::Clip;
use super::mechanism::Noise;
use super::plan::Adjacency;
use super::{Ledger, Numbers, Released, Seal, Sealed, Sensitive};
use crate::objective::{Objective, Slopes};
use crate::rng::{NoiseKey, Purpose, Seed};

mod charging;
mod noising;

pub use charging::Past;
pub(super) use charging::{moved, price};

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
}
