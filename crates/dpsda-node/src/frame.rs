//! The messages between two nodes, and the reasons for which a message or a connection is refused.

use dpsda::learner::Rule;
use dpsda_config::RunConfig;
use serde::{Deserialize, Serialize};

use crate::entry::{Digest, Entry};

/// One message between two nodes. Connections are encrypted, and both ends have proved their keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Frame {
    /// The first message on every connection.
    Hello {
        /// The digest of the sender's manifest.
        manifest: Digest,
    },
    /// The sender's whole manifest, for a peer that runs another one, so that operators can see the differences.
    Manifest(String),
    /// DPSDA-R: blocks that the sender knows and the receiver may lack.
    Know {
        /// The sender's round.
        round: u64,
        /// The epoch and version of every block that the sender has. Peers need not send these.
        versions: Vec<(u64, u64)>,
        /// The mark ([`Entry::mark`]) of the sender's own block. A peer that holds another release of that version sends it back.
        mark: u64,
        /// Signed copies of blocks.
        entries: Vec<Entry>,
    },
    /// DPSDA-C and DPSDA-PS: the running sum of everything that the sender put on its link to the receiver.
    Sum {
        /// The round in which it was sent.
        round: u64,
        /// The sender's in-degree and out-degree in that round, itself included.
        degrees: (u32, u32),
        /// The sum of the dual, in units of the plan's grid.
        #[serde(with = "crate::entry::packed")]
        dual: Vec<i64>,
        /// The sum of the weight, in units of 2^-40.
        weight: i64,
        /// A signed statement that the sender has reached this round. It is an entry whose version is the round, and whose only
        /// number is a fingerprint of the release.
        token: Entry,
    },
    /// Lock-step: the receiver's newest block or token that the sender knows. The receiver seems to have lost it.
    Yours(Entry),
}

/// Why a message or a connection was refused. Counted by peer and reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Refusal {
    /// Larger than any honest message of this manifest.
    #[error("too large")]
    TooLarge,
    /// Not a frame.
    #[error("malformed")]
    Malformed,
    /// A vector of the wrong length, or a node or block that does not exist.
    #[error("wrong shape")]
    WrongShape,
    /// A message that this algorithm does not use.
    #[error("wrong kind")]
    WrongKind,
    /// Infinite, or not a number.
    #[error("not a finite number")]
    NotFinite,
    /// Not signed by the block's owner.
    #[error("bad signature")]
    BadSignature,
    /// From a round after the last one.
    #[error("from the future")]
    Future,
    /// Two different releases of one version.
    #[error("equivocation")]
    Equivocation,
    /// Under another manifest.
    #[error("another manifest")]
    OtherManifest,
    /// From a key that is not a member's.
    #[error("unknown key")]
    UnknownKey,
    /// More than this peer may send.
    #[error("too many messages")]
    Flood,
    /// Begun but not completed in time.
    #[error("too slow")]
    Slow,
}

/// The shape of valid frames under a manifest.
#[derive(Debug, Clone)]
pub struct Grammar {
    /// The number of coordinates of every block.
    pub blocks: Vec<usize>,
    /// The sums of squares that copies carry.
    pub squares: Squares,
}

/// The sums of squares that a copy of a block carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Squares {
    /// None: steps do not follow from what was released.
    None,
    /// One for the block: steps are automatic.
    One,
    /// One per coordinate.
    Each,
}

impl Squares {
    /// Those that the steps of an experiment need.
    pub fn of(rule: Rule) -> Self {
        match rule {
            Rule::Decaying => Self::None,
            Rule::Auto => Self::One,
            Rule::Coordinate => Self::Each,
        }
    }

    /// How many a block of this size has.
    fn count(self, size: usize) -> Option<usize> {
        match self {
            Self::None => None,
            Self::One => Some(1),
            Self::Each => Some(size),
        }
    }
}

/// The longest manifest, in bytes.
pub const MAX_MANIFEST: usize = 1 << 20;

impl Grammar {
    /// The shape of frames in an experiment.
    pub fn of(run: &RunConfig) -> Self {
        Self { blocks: run.spec.blocks().sizes(), squares: Squares::of(run.spec.step().rule) }
    }

    /// The longest valid frame, in bytes. A receiver refuses longer ones unread.
    pub fn longest(&self) -> usize {
        let nodes = self.blocks.len();
        let dim: usize = self.blocks.iter().sum();
        let number = if self.squares == Squares::Each { 8 + 8 } else { 8 };
        // A packed number has at most 8 bytes. The rest of an entry, with the energy of a block, has less than 160.
        (dim * number + nodes * (160 + 20) + 256).max(MAX_MANIFEST + 16)
    }

    /// Reads a frame and checks its shape. Its signatures are checked later.
    pub fn read(&self, bytes: &[u8]) -> Result<Frame, Refusal> {
        if bytes.len() > self.longest() {
            return Err(Refusal::TooLarge);
        }
        let (frame, rest) = postcard::take_from_bytes::<Frame>(bytes).map_err(|_| Refusal::Malformed)?;
        if !rest.is_empty() {
            return Err(Refusal::Malformed);
        }
        match &frame {
            Frame::Hello { .. } => {}
            Frame::Manifest(text) if text.len() > MAX_MANIFEST => return Err(Refusal::TooLarge),
            Frame::Manifest(_) => {}
            Frame::Know { versions, entries, .. } => {
                // Every block at most once, so that no peer can make others verify more signatures than there are blocks.
                let ordered = entries.is_sorted_by(|a, b| a.content.owner < b.content.owner);
                if versions.len() != self.blocks.len() || !ordered {
                    return Err(Refusal::WrongShape);
                }
                entries.iter().try_for_each(|entry| self.check(entry))?;
            }
            Frame::Yours(entry) => Self::check_token(entry).or_else(|_| self.check(entry))?,
            Frame::Sum { dual, degrees, token, .. } => {
                Self::check_token(token)?;
                let nodes = self.blocks.len() as u32;
                let possible = |degree: u32| (1..=nodes).contains(&degree);
                let whole = dual.len() == self.blocks.iter().sum::<usize>();
                if !(whole && possible(degrees.0) && possible(degrees.1)) {
                    return Err(Refusal::WrongShape);
                }
            }
        }
        Ok(frame)
    }

    fn check_token(token: &Entry) -> Result<(), Refusal> {
        let one = token.content.sum.len() == 1 && token.content.squares.is_none();
        if one { Ok(()) } else { Err(Refusal::WrongShape) }
    }

    fn check(&self, entry: &Entry) -> Result<(), Refusal> {
        let content = &entry.content;
        let size = self.blocks.get(content.owner as usize).copied().ok_or(Refusal::WrongShape)?;
        let squares = content.squares.as_ref();
        if content.sum.len() != size || squares.map(Vec::len) != self.squares.count(size) {
            return Err(Refusal::WrongShape);
        }
        let finite = squares.is_none_or(|s| s.iter().all(|x| x.is_finite() && *x >= 0.0));
        if finite { Ok(()) } else { Err(Refusal::NotFinite) }
    }
}

impl Frame {
    /// The bytes that are sent.
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_extend(self, Vec::with_capacity(self.room())).unwrap_or_default() // writing to memory cannot fail
    }

    /// About how many bytes it has. More are no error: then its memory grows while it is written.
    fn room(&self) -> usize {
        match self {
            Self::Hello { .. } => 40,
            Self::Manifest(text) => text.len() + 8,
            Self::Know { versions, entries, .. } => {
                32 + 20 * versions.len() + entries.iter().map(Entry::room).sum::<usize>()
            }
            Self::Sum { dual, token, .. } => 64 + 8 * dual.len() + token.room(),
            Self::Yours(entry) => 8 + entry.room(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Content;
    use crate::identity::Identity;

    fn grammar() -> Grammar {
        Grammar { blocks: vec![2, 1], squares: Squares::Each }
    }

    fn entry(owner: u32, sum: Vec<i64>, squares: Option<Vec<f64>>) -> Entry {
        Content { owner, epoch: 0, version: 1, sum, squares }.sign(&Identity::from_secret([1; 32]), &[0; 32])
    }

    fn frames() -> Vec<Frame> {
        let good = entry(0, vec![i64::MIN, i64::MAX], Some(vec![0.0, 1.0]));
        vec![
            Frame::Hello { manifest: [3; 32] },
            Frame::Manifest("epoch = 1".into()),
            Frame::Know {
                round: u64::MAX,
                versions: vec![(u64::MAX, 7); 2],
                mark: u64::MAX,
                entries: vec![good],
            },
            Frame::Sum {
                round: 0,
                degrees: (1, 2),
                dual: vec![i64::MIN; 3],
                weight: i64::MIN,
                token: entry(0, vec![7], None),
            },
            Frame::Yours(entry(1, vec![7], None)),
            Frame::Yours(entry(0, vec![1, 2], Some(vec![0.0, 1.0]))),
        ]
    }

    #[test]
    fn a_written_frame_is_read_back_and_every_truncation_is_refused() {
        for frame in frames() {
            let bytes = frame.bytes();
            assert!(bytes.len() <= grammar().longest());
            assert_eq!(grammar().read(&bytes), Ok(frame));
            for cut in 0..bytes.len() {
                assert!(grammar().read(&bytes[..cut]).is_err(), "{cut}");
            }
            assert_eq!(grammar().read(&[&bytes[..], &[0]].concat()), Err(Refusal::Malformed));
        }
    }

    #[test]
    fn wrong_shapes_are_refused_by_name() {
        let know = |versions, entries| Frame::Know { round: 0, versions, mark: 0, entries }.bytes();
        let good = || entry(1, vec![7], Some(vec![1.0]));
        let sum = |dual: usize, degrees| {
            Frame::Sum { round: 0, degrees, dual: vec![0; dual], weight: 1, token: entry(0, vec![7], None) }
                .bytes()
        };
        for (bytes, why) in [
            (know(vec![(0, 0); 3], vec![]), Refusal::WrongShape),
            (know(vec![(0, 0); 2], vec![good(), good()]), Refusal::WrongShape),
            (know(vec![(0, 0); 2], vec![entry(2, vec![7], Some(vec![1.0]))]), Refusal::WrongShape),
            (know(vec![(0, 0); 2], vec![entry(1, vec![7, 7], Some(vec![1.0]))]), Refusal::WrongShape),
            (know(vec![(0, 0); 2], vec![entry(1, vec![7], None)]), Refusal::WrongShape),
            (know(vec![(0, 0); 2], vec![entry(1, vec![7], Some(vec![f64::NAN]))]), Refusal::NotFinite),
            (know(vec![(0, 0); 2], vec![entry(1, vec![7], Some(vec![-1.0]))]), Refusal::NotFinite),
            (sum(2, (1, 1)), Refusal::WrongShape),
            (sum(3, (0, 1)), Refusal::WrongShape),
            (sum(3, (1, 3)), Refusal::WrongShape),
            (Frame::Yours(entry(1, vec![], None)).bytes(), Refusal::WrongShape),
            (vec![0; grammar().longest() + 1], Refusal::TooLarge),
            (vec![], Refusal::Malformed),
            (vec![99], Refusal::Malformed),
        ] {
            assert_eq!(grammar().read(&bytes).err(), Some(why));
        }
    }

    /// False lengths do not make the reader allocate memory.
    #[test]
    fn no_bytes_make_it_panic() {
        use dpsda::rng::{Purpose, Seed};
        use rand::RngExt;
        let mut rng = Seed::default().stream(Purpose::Data, 0, 0);
        let seeds: Vec<Vec<u8>> = frames().iter().map(Frame::bytes).collect();
        for k in 0..20_000 {
            let mut bytes = seeds[k % seeds.len()].clone();
            for _ in 0..rng.random_range(1..6) {
                let at = rng.random_range(0..bytes.len());
                bytes[at] = rng.random();
            }
            let _ = grammar().read(&bytes);
            let noise: Vec<u8> = (0..rng.random_range(0..64)).map(|_| rng.random()).collect();
            let _ = grammar().read(&noise);
        }
    }
}
