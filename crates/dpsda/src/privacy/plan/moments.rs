//! How much noise there is, as a number: for bounds on what it does to regret.

use super::{Adjacency, Noise, Plan};
use crate::privacy::mechanism::Variances;

impl Plan {
    /// T.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Whether the noise of one release depends on earlier ones.
    pub fn correlated(&self) -> bool {
        self.wanted.mechanism.is_correlated()
    }

    /// The standard deviation of the noise on one coordinate of the sum of a node's first `releases` releases, in the dual.
    /// `None` if the mechanism does not say.
    pub fn deviation(&self, releases: u64) -> Option<f64> {
        match self.noise(0) {
            Noise::Nothing => Some(0.0),
            Noise::Ideal(noise) => noise.prefix_deviation(releases),
            Noise::Exact(noise) => {
                // Noise that cancels over time is rounded, by half a unit of the sum at most.
                let rounded = if self.correlated() && releases > 0 { 0.5 } else { 0.0 };
                Some((noise.prefix_deviation(releases) + rounded) * self.unit)
            }
        }
    }

    /// The variances of the noise of a node's releases, and what their unit stands for in the dual. None without noise; the name of the
    /// mechanism if it does not say.
    pub(crate) fn variances(&self) -> Result<Option<(Variances, f64)>, &str> {
        let (variances, unit) = match self.noise(0) {
            Noise::Nothing => return Ok(None),
            Noise::Ideal(noise) => (noise.variances(), 1.0),
            Noise::Exact(noise) => (noise.variances(), self.unit),
        };
        variances.map(|variances| Some((variances, unit))).ok_or_else(|| self.wanted.mechanism.name())
    }

    /// The squared length of the longest mean of clipped gradients, all blocks together, and of how many examples it is the mean. None
    /// where no clip bounds all that is released: public parts are not clipped.
    pub(crate) fn cap(&self) -> Option<(f64, f64)> {
        let clip = self.wanted.clip.filter(|_| self.wanted.adjacency != Adjacency::Agent)?;
        Some((clip * clip * self.gain * self.gain, self.batch as f64))
    }
}
