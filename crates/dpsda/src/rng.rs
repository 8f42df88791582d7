//! Named randomness: a random number depends on its purpose, never on the order of calls.
//!
//! A [`Seed`] and a name (purpose, node, round) give a [`Stream`]. The same name gives the same numbers, in any order and on
//! any machine. On a host, noise is drawn from a secret [`NoiseKey`].

use chacha20::ChaCha20Rng;
use rand::{Rng, SeedableRng};

mod counter;
mod stream;
pub(crate) use stream::Words;
pub use stream::{Generator, Stream};

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

/// Who draws: a run's seed and one of its independent trials, with the generator of its rules.
///
/// ```
/// use dpsda::rng::{Generator, Seed};
/// let seed = Seed::new(7).trial(3);
/// assert_eq!((seed.seed, seed.trial), (7, 3));
/// assert_ne!(seed, seed.with(Generator::First)); // the same names, other numbers
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Seed {
    /// The seed of the run.
    pub seed: u64,
    /// The trial.
    pub trial: u32,
    /// The generator: it makes words from the name, and noise from the words.
    pub generator: Generator,
}

impl Seed {
    /// Trial 0 of this seed, with the newest generator.
    pub const fn new(seed: u64) -> Self {
        Self { seed, trial: 0, generator: Generator::NEWEST }
    }

    /// Trial `k` of the same seed.
    #[must_use]
    pub const fn trial(self, k: u32) -> Self {
        Self { trial: k, ..self }
    }

    /// The same with another generator: old files keep theirs.
    #[must_use]
    pub const fn with(self, generator: Generator) -> Self {
        Self { generator, ..self }
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
    #[inline]
    pub fn stream(self, purpose: Purpose, node: u64, t: u64) -> Stream {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..12].copy_from_slice(&self.trial.to_le_bytes());
        key[12..14].copy_from_slice(&(purpose as u16).to_le_bytes());
        key[16..24].copy_from_slice(&node.to_le_bytes());
        key[24..].copy_from_slice(&t.to_le_bytes());
        Stream::new(self.generator, key)
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
pub struct NoiseKey {
    key: [u8; 32],
    generator: Generator,
}

impl NoiseKey {
    /// From secret randomness that is used for nothing else. A restart needs fresh randomness: the same name under the same key
    /// gives the same noise again.
    pub fn new(randomness: [u8; 32]) -> Self {
        Self { key: randomness, generator: Generator::NEWEST }
    }

    /// The same with another generator, for a node whose manifest has old rules.
    #[must_use]
    pub fn with(self, generator: Generator) -> Self {
        Self { generator, ..self }
    }

    /// The stream for `purpose` of `node` in round `t`. Each part of the name is a stream number of ChaCha20 under the key
    /// that the parts before it gave, and the last is the key of the stream.
    pub fn stream(&self, purpose: Purpose, node: u64, t: u64) -> Stream {
        let mut key = self.key;
        for part in [purpose as u64, node, t] {
            let mut stream = ChaCha20Rng::from_seed(key);
            stream.set_stream(part);
            stream.fill_bytes(&mut key);
        }
        Stream::new(self.generator, key)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// The generator of rules 1 never changes.
    #[test]
    fn the_first_generator_is_chacha20_under_the_name() {
        let mut key = [0; 32];
        (key[0], key[8], key[12], key[16], key[24]) = (5, 2, Purpose::Outage as u8, 7, 9);
        let mut expected = ChaCha20Rng::from_seed(key);
        let mut found = Seed::new(5).trial(2).with(Generator::First).stream(Purpose::Outage, 7, 9);
        assert!((0..1000).all(|_| found.next_u64() == expected.next_u64()));
        assert!((0..7).all(|_| found.next_u32() == expected.next_u32()));
        let (mut a, mut b) = ([0; 333], [0; 333]);
        found.fill_bytes(&mut a);
        expected.fill_bytes(&mut b);
        assert_eq!(a, b);
    }

    #[test]
    fn a_key_gives_every_name_its_own_stream_and_another_key_another() {
        let mut seen = std::collections::BTreeSet::new();
        for (key, generator) in [
            ([0; 32], Generator::First),
            ([1; 32], Generator::First),
            ([0; 32], Generator::Second),
            ([1; 32], Generator::Second),
        ] {
            for purpose in [Purpose::Noise, Purpose::ForeignNoise] {
                for (node, t) in [(0, 0), (0, 1), (1, 0), (1, 1), (u64::MAX, u64::MAX)] {
                    let key = NoiseKey::new(key).with(generator);
                    let draw = || key.stream(purpose, node, t).random::<u128>();
                    assert_eq!(draw(), draw());
                    assert!(seen.insert(draw()), "{purpose:?} {node} {t}");
                }
            }
        }
    }
}
