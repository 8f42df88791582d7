//! The noise of releases, and the noise on coordinates of others.

use std::ops::Range;

use super::Guard;
use crate::privacy::mechanism::Noise;
use crate::privacy::{Numbers, Released};
use crate::rng::{Purpose, Stream};

impl Guard {
    #[inline]
    pub(super) fn stream(&self, purpose: Purpose, t: u64) -> Stream {
        match &self.key {
            Some(key) => key.stream(purpose, self.node, t),
            None => self.seed.stream(purpose, self.node, t),
        }
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
    #[inline]
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

    pub(super) fn perturb(&mut self, values: Numbers, stream: &mut Stream) -> Released {
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
}
