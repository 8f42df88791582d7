//! What stands between one node's gradients and the world.

use std::ops::Range;

use super::clip::Clip;
use super::plan::Adjacency;
use super::{Cost, Ledger, Mechanism, Released, Sensitive, Values};
use crate::objective::Objective;
use crate::rng::{Purpose, Seed, Stream};

/// The clip and the mechanism of one node, as its plan set them together.
pub struct Guard {
    pub(super) node: u64,
    pub(super) clip: Option<Clip>,
    pub(super) adjacency: Adjacency,
    /// What is released stands for this many times the gradient (without a clip)...
    pub(super) gain: f64,
    /// ...or for this much a unit (with one).
    pub(super) unit: f64,
    pub(super) mechanism: Mechanism,
    pub(super) seed: Seed,
    /// How many events it has released.
    pub(super) events: u64,
}

impl Guard {
    /// (14): the coordinates `block` of the gradient at `y` plus the gradient error, quantised and clipped as the plan says.
    pub fn observe(&self, f: &dyn Objective, y: &[f64], block: Range<usize>, error: &[f64]) -> Sensitive {
        let mut g = vec![0.0; block.len()];
        let add_error = |g: &mut [f64]| g.iter_mut().zip(error).for_each(|(g, e)| *g += e);
        let Some(clip) = &self.clip else {
            f.partial(y, block, &mut g);
            add_error(&mut g);
            g.iter_mut().for_each(|g| *g *= self.gain);
            return Sensitive(Values::Real(g));
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
        }
        Sensitive(Values::Grid { units, unit: self.unit })
    }

    /// What a node releases when it has learned nothing.
    pub fn nothing(&self, len: usize) -> Sensitive {
        Sensitive(match self.clip {
            Some(_) => Values::Grid { units: vec![0; len], unit: self.unit },
            None => Values::Real(vec![0.0; len]),
        })
    }

    /// The one door: adds the noise named by round `t` to `secret` and charges the ledger. `event` is the round whose
    /// cost the secret was computed from, `None` when it holds nothing.
    pub fn release(
        &mut self,
        secret: Sensitive,
        event: Option<u64>,
        t: u64,
        ledger: &mut Ledger,
    ) -> Released {
        let (mut once, mut more) = Default::default();
        if event.is_some() {
            let before = self.cost(self.events);
            self.events += 1;
            (once, more) = (self.cost(1), self.cost(self.events).less(before));
        }
        ledger.charge(event, once, more);
        let mut stream = self.seed.stream(Purpose::Noise, self.node, t);
        self.perturb(secret.0, &mut stream)
    }

    /// Noise on everything but `own`, which is noised already: it can only hide more.
    pub fn noise_foreign(&mut self, dual: &mut Released, own: Range<usize>, t: u64) {
        let mut stream = self.seed.stream(Purpose::ForeignNoise, self.node, t);
        for part in [0..own.start, own.end..dual.len()] {
            let noise = self.nothing(part.len()).0;
            let noise = self.perturb(noise, &mut stream);
            dual.add_block(part, &noise);
        }
    }

    fn perturb(&mut self, values: Values, stream: &mut Stream) -> Released {
        Released(match (&mut self.mechanism, values) {
            (Mechanism::Exact(noise), Values::Grid { mut units, unit }) => {
                noise.perturb(&mut units, stream);
                Values::Grid { units, unit }
            }
            (Mechanism::Ideal(noise), values) => {
                let mut reals = values.to_reals();
                noise.perturb(&mut reals, stream);
                Values::Real(reals)
            }
            // A plan with exact noise has a clip, and what a clip lets through is on the grid.
            (Mechanism::Nothing | Mechanism::Exact(_), values) => Values::Real(values.to_reals()),
        })
    }

    /// The price for one who is in `times` events.
    fn cost(&self, times: u64) -> Cost {
        price(&self.mechanism, self.clip, self.unit, times)
    }
}

/// The price for one who is in `times` events, each clipped before the noise.
pub(super) fn price(mechanism: &Mechanism, clip: Option<Clip>, unit: f64, times: u64) -> Cost {
    let Some(clip) = clip else { return if times == 0 { Cost::default() } else { Cost::Unbounded } };
    let moved = moved(clip);
    match mechanism {
        _ if times == 0 => Cost::default(),
        Mechanism::Nothing => Cost::Unbounded,
        Mechanism::Ideal(noise) => noise.cost(moved as f64 * unit, times),
        Mechanism::Exact(noise) => noise.cost(moved, times),
    }
}

/// Replacing one vector of norm at most `clip` by another, in grid units: (15), with the clip in place of an assumed bound.
pub(super) fn moved(clip: Clip) -> u64 {
    2 * clip.bound
}
