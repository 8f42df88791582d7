//! How much noise there is, as a number: for bounds on what it does to regret.

use super::{Noise, Plan};

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
}
