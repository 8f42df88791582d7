//! What stands behind a name: a generator of words.

use std::convert::Infallible;

use chacha20::ChaCha20Rng;
use rand::{Rng as _, SeedableRng, TryCryptoRng, TryRng};

use super::counter::Counter;

/// How numbers are made from a name. The numbers of a generator never change, and neither does the noise made from them. So a
/// file with old rules keeps its noise.
///
/// ```
/// use dpsda::rng::{Generator, Purpose, Seed};
/// use rand::RngExt;
/// let seed = Seed::new(1);
/// let draw = |seed: Seed| seed.stream(Purpose::Graph, 0, 0).random::<u64>();
/// assert_eq!(draw(seed), draw(seed.with(Generator::Second))); // the newest
/// assert_ne!(draw(seed), draw(seed.with(Generator::First)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Generator {
    /// ChaCha20. Noise is drawn word by word.
    First,
    /// AES-256 in counter mode. Noise is drawn in blocks.
    #[default]
    Second,
}

impl Generator {
    /// The one for everything new.
    pub const NEWEST: Self = Self::Second;
}

/// A cryptographic generator whose key *is* its name: different names, different keys. [`Seed::stream`](super::Seed::stream) and
/// [`NoiseKey::stream`](super::NoiseKey::stream) give one.
///
/// ```
/// use dpsda::rng::{Purpose, Seed, Stream};
/// use rand::RngExt;
/// let mut stream: Stream = Seed::new(1).stream(Purpose::Graph, 0, 0);
/// let coins: Vec<bool> = (0..64).map(|_| stream.random()).collect();
/// assert!(coins.contains(&true) && coins.contains(&false));
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Stream(StreamKind);

#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "streams are short-lived and on the stack")]
enum StreamKind {
    First(ChaCha20Rng),
    Second(Counter),
}

/// The words of a stream, by the generator that made them. With the first generator, samplers draw as they always did.
pub(crate) enum Words<'a> {
    First(&'a mut ChaCha20Rng),
    Newest(&'a mut Stream),
}

impl Stream {
    /// The stream of this key.
    #[inline]
    pub(super) fn new(generator: Generator, key: [u8; 32]) -> Self {
        Self(match generator {
            Generator::First => StreamKind::First(ChaCha20Rng::from_seed(key)),
            Generator::Second => StreamKind::Second(Counter::new(&key)),
        })
    }

    pub(crate) fn words(&mut self) -> Words<'_> {
        match self {
            Self(StreamKind::First(words)) => Words::First(words),
            newest => Words::Newest(newest),
        }
    }
}

/// With the newest generator.
impl SeedableRng for Stream {
    type Seed = [u8; 32];

    fn from_seed(key: [u8; 32]) -> Self {
        Self::new(Generator::NEWEST, key)
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(match &mut self.0 {
            StreamKind::First(words) => words.next_u32(),
            StreamKind::Second(words) => words.next_u32(),
        })
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(match &mut self.0 {
            StreamKind::First(words) => words.next_u64(),
            StreamKind::Second(words) => words.next_u64(),
        })
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        match &mut self.0 {
            StreamKind::First(words) => words.fill_bytes(bytes),
            StreamKind::Second(words) => words.fill(bytes),
        }
        Ok(())
    }
}

impl TryCryptoRng for Stream {}
