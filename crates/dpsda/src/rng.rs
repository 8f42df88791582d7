//! Named randomness: a random number depends on its purpose, never on the order of calls.
//!
//! A [`Seed`] and a name (purpose, node, round) give a [`Stream`]. The same name gives the same numbers, in any order and on
//! any machine. On a host, noise is drawn from a secret [`NoiseKey`].

use chacha20::ChaCha20Rng;
use rand::{Rng, SeedableRng};

/// What a stream is drawn for.
///
/// ```
/// use dpsda::rng::{Purpose, Seed};
/// use rand::RngExt;
/// let draw = |purpose| Seed::new(1).stream(purpose, 0, 0).random::<u64>();
/// assert_ne!(draw(Purpose::Graph), draw(Purpose::Outage));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u16)]
pub enum Purpose {
    /// The order of a data set, or the features and errors of a synthetic one.
    Data = 1,
    /// The truth behind synthetic data.
    Truth = 2,
    /// The noise a node adds to its own block.
    Noise = 3,
    /// The noise a node adds to the coordinates of others (`noise = "all"`).
    ForeignNoise = 4,
    /// The gradient error.
    GradientError = 5,
    /// A random graph.
    Graph = 6,
    /// Links that are off.
    Outage = 7,
    /// The direction in which a node probes a cost (two-point feedback).
    Direction = 8,
    /// Messages that are late.
    Delay = 9,
}

/// Who draws: a run's seed and one of its independent trials.
///
/// ```
/// use dpsda::rng::Seed;
/// let seed = Seed::new(7);
/// assert_eq!(seed.trial(3), Seed { seed: 7, trial: 3 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seed {
    /// The seed of the run.
    pub seed: u64,
    /// The trial.
    pub trial: u32,
}

/// A ChaCha20 stream whose key *is* its name: different names, different keys. [`Seed::stream`] and [`NoiseKey::stream`] give
/// one.
///
/// ```
/// use dpsda::rng::{Purpose, Seed, Stream};
/// use rand::RngExt;
/// let mut stream: Stream = Seed::new(1).stream(Purpose::Graph, 0, 0);
/// let coins: Vec<bool> = (0..64).map(|_| stream.random()).collect();
/// assert!(coins.contains(&true) && coins.contains(&false));
/// ```
pub type Stream = ChaCha20Rng;

impl Seed {
    /// Trial 0 of this seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed, trial: 0 }
    }

    /// Trial `k` of the same seed.
    pub const fn trial(self, k: u32) -> Self {
        Self { trial: k, ..self }
    }

    /// The stream for `purpose` of `node` (or of any other index) in round `t`.
    ///
    /// ```
    /// use dpsda::rng::{Purpose, Seed};
    /// use rand::RngExt;
    /// let seed = Seed::new(1);
    /// let a: u64 = seed.stream(Purpose::Noise, 3, 10).random();
    /// assert_eq!(a, seed.stream(Purpose::Noise, 3, 10).random());
    /// assert_ne!(a, seed.stream(Purpose::Noise, 3, 11).random());
    /// ```
    pub fn stream(self, purpose: Purpose, node: u64, t: u64) -> Stream {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..12].copy_from_slice(&self.trial.to_le_bytes());
        key[12..14].copy_from_slice(&(purpose as u16).to_le_bytes());
        key[16..24].copy_from_slice(&node.to_le_bytes());
        key[24..].copy_from_slice(&t.to_le_bytes());
        ChaCha20Rng::from_seed(key)
    }
}

/// The secret that a host draws its noise from: 256 bits of the system's own randomness. It cannot be printed, compared or
/// stored.
///
/// ```
/// use dpsda::rng::{NoiseKey, Purpose};
/// use rand::RngExt;
/// # let randomness = [7; 32];
/// let key = NoiseKey::new(randomness); // 32 bytes of the system's own
/// let noise: u64 = key.stream(Purpose::Noise, 3, 10).random();
/// # assert_eq!(noise, NoiseKey::new([7; 32]).stream(Purpose::Noise, 3, 10).random::<u64>());
/// ```
#[derive(Clone)]
pub struct NoiseKey([u8; 32]);

impl NoiseKey {
    /// From secret randomness that is used for nothing else. A restart needs fresh randomness: the same name under the same key
    /// gives the same noise again.
    pub fn new(randomness: [u8; 32]) -> Self {
        Self(randomness)
    }

    /// The stream for `purpose` of `node` in round `t`. Each part of the name is a stream number of ChaCha20 under the key
    /// that the parts before it gave.
    pub fn stream(&self, purpose: Purpose, node: u64, t: u64) -> Stream {
        let mut key = self.0;
        for part in [purpose as u64, node, t] {
            let mut stream = ChaCha20Rng::from_seed(key);
            stream.set_stream(part);
            stream.fill_bytes(&mut key);
        }
        ChaCha20Rng::from_seed(key)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn a_key_gives_every_name_its_own_stream_and_another_key_another() {
        let mut seen = std::collections::BTreeSet::new();
        for key in [[0; 32], [1; 32]] {
            for purpose in [Purpose::Noise, Purpose::ForeignNoise] {
                for (node, t) in [(0, 0), (0, 1), (1, 0), (1, 1), (u64::MAX, u64::MAX)] {
                    let draw = || NoiseKey::new(key).stream(purpose, node, t).random::<u128>();
                    assert_eq!(draw(), draw());
                    assert!(seen.insert(draw()), "{purpose:?} {node} {t}");
                }
            }
        }
    }
}
