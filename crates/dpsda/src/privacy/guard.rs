//! What stands between one node's gradients and the world.

use std::ops::Range;

use super::plan::sensitivity;
use super::{Ledger, Mechanism, Released, Sensitive, release};
use crate::rng::{Purpose, Seed};

/// The clip and the mechanism of one node, as its plan set them together.
pub struct Guard {
    node: u64,
    clip: Option<f64>,
    gain: f64,
    mechanism: Box<dyn Mechanism>,
    seed: Seed,
}

impl Guard {
    pub(super) fn new(
        node: usize,
        clip: Option<f64>,
        gain: f64,
        mechanism: Box<dyn Mechanism>,
        seed: Seed,
    ) -> Self {
        Self { node: node as u64, clip, gain, mechanism, seed }
    }

    /// A gradient, clipped and multiplied as the plan says; still sensitive.
    pub fn bound(&self, gradient: Sensitive) -> Sensitive {
        gradient.clipped(self.clip, self.gain)
    }

    /// Releases a bounded secret with the noise named by round `t`.
    pub fn release(
        &mut self,
        bounded: Sensitive,
        event: Option<u64>,
        t: u64,
        ledger: &mut Ledger,
    ) -> Released {
        let mut stream = self.seed.stream(Purpose::Noise, self.node, t);
        let moved = self.clip.map(|clip| sensitivity(clip, self.gain));
        release(bounded, event, &mut *self.mechanism, moved, &mut stream, ledger)
    }

    /// Noise on everything but `own`, which is noised already.
    pub fn noise_foreign(&mut self, dual: &mut Released, own: Range<usize>, t: u64) {
        let mut stream = self.seed.stream(Purpose::ForeignNoise, self.node, t);
        let end = dual.as_slice().len();
        dual.add_noise(0..own.start, &mut *self.mechanism, &mut stream);
        dual.add_noise(own.end..end, &mut *self.mechanism, &mut stream);
    }
}
