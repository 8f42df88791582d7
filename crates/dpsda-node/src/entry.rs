//! A block's running sum, signed by the one node that owns the block. Relays pass it on unchanged: they cannot alter it.

pub(crate) mod packed;

use std::fmt;
use std::sync::Arc;

use dpsda::learner::Replica;
use dpsda::privacy::Verified;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest as _, Sha256};

use crate::identity::{Identity, PublicKey, Signature};

/// The digest of a manifest or of a release.
pub type Digest = [u8; 32];

const PURPOSE: &str = "entry";

/// Bytes of an entry besides its numbers: at least as many as postcard writes.
const HEAD: usize = 64;

/// One version of one block, signed. It is encoded or decoded once: relays pass on the same bytes, and clones share them.
#[derive(Clone)]
pub struct Entry(Arc<Envelope>);

/// The parts of an entry.
pub struct Envelope {
    /// Its content.
    pub content: Content,
    /// The content as bytes, as signed and as sent.
    bytes: Box<[u8]>,
    digest: Digest,
    signature: Signature,
}

/// What an owner states about its block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// The node that owns the block.
    pub owner: u32,
    /// The epoch of that node: a restored backup starts a new one.
    pub epoch: u64,
    /// The number of rounds in the sum.
    pub version: u64,
    /// The sum, in units of the plan's grid.
    #[serde(with = "packed")]
    pub sum: Vec<i64>,
    /// The sums of squares, if step sizes depend on them: one per coordinate, or one of the block.
    pub squares: Option<Vec<f64>>,
}

impl Content {
    /// The owner's own block. None if it is not on a grid, and so cannot be sent.
    pub fn of(owner: u32, epoch: u64, copy: &Replica) -> Option<Self> {
        let (units, _) = copy.sum.units()?;
        let squares = copy.squares.as_ref().map(|squares| squares.to_reals());
        Some(Self { owner, epoch, version: copy.version, sum: units.to_vec(), squares })
    }

    /// Signs it as its owner, for one manifest.
    pub fn sign(self, identity: &Identity, manifest: &Digest) -> Entry {
        let bytes = self.bytes();
        let digest: Digest = Sha256::digest(&bytes).into();
        let signature = identity.sign(PURPOSE, &[*manifest, digest].concat());
        Entry(Arc::new(Envelope { content: self, bytes, digest, signature }))
    }

    /// As signed and as sent. Writing to memory cannot fail. If it did, no reader would accept the signed bytes.
    fn bytes(&self) -> Box<[u8]> {
        let squares = self.squares.as_ref().map_or(0, Vec::len);
        let room = HEAD + 8 * (self.sum.len() + squares); // numbers have at most 8 bytes when packed
        postcard::to_extend(self, Vec::with_capacity(room)).unwrap_or_default().into()
    }
}

impl Entry {
    fn new(content: Content, bytes: Box<[u8]>, signature: Signature) -> Self {
        let digest = Sha256::digest(&bytes).into();
        Self(Arc::new(Envelope { content, bytes, digest, signature }))
    }

    /// Other content under the same signature. Receivers must refuse it, and tests check that.
    #[must_use]
    pub fn forged(&self, content: Content) -> Self {
        let bytes = content.bytes();
        Self::new(content, bytes, self.signature)
    }

    /// The digest of this release. If one node, epoch and version has two digests, the owner has equivocated.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// About how many bytes it has in a frame.
    pub(crate) fn room(&self) -> usize {
        self.bytes.len() + HEAD + 16
    }

    /// Whether `key` signed this under this manifest.
    pub fn is_by(&self, key: &PublicKey, manifest: &Digest) -> bool {
        key.signed(PURPOSE, &[*manifest, self.digest].concat(), &self.signature)
    }

    /// Eight bytes that tell two releases of one version apart.
    pub fn mark(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.digest;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    /// The block as learners take it, on a grid of this unit.
    pub fn copy(&self, unit: f64) -> Replica {
        Replica::from_wire(&Owned(&self.content), self.content.version, unit)
    }
}

/// Values that an owner has signed.
struct Owned<'a>(&'a Content);

impl Verified for Owned<'_> {
    fn units(&self) -> &[i64] {
        &self.0.sum
    }

    fn squares(&self) -> Option<&[f64]> {
        self.0.squares.as_deref()
    }
}

impl std::ops::Deref for Entry {
    type Target = Envelope;

    fn deref(&self) -> &Envelope {
        &self.0
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest && self.signature == other.signature
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("content", &self.content).field("signature", &self.signature).finish()
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (AsBytes(&self.bytes), self.signature).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (bytes, signature) = <(&'de [u8], Signature)>::deserialize(from)?;
        match postcard::take_from_bytes(bytes) {
            Ok((content, [])) => Ok(Self::new(content, bytes.into(), signature)),
            _ => Err(D::Error::custom("not the content of an entry")),
        }
    }
}

/// Encodes as bytes, not as a list of numbers.
struct AsBytes<'a>(&'a [u8]);

impl Serialize for AsBytes<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Content {
        Content {
            owner: 1,
            epoch: 2,
            version: 3,
            sum: vec![4, -5, i64::MIN],
            squares: Some(vec![0.5, 1e-300, 3.0]),
        }
    }

    #[test]
    fn nothing_of_an_entry_can_be_changed_and_it_is_for_one_manifest() {
        let (identity, manifest) = (Identity::from_secret([1; 32]), [9; 32]);
        let entry = content().sign(&identity, &manifest);
        assert!(entry.is_by(&identity.public(), &manifest));
        assert!(!entry.is_by(&identity.public(), &[8; 32]));
        assert!(!entry.is_by(&Identity::from_secret([2; 32]).public(), &manifest));
        let changed: [fn(&mut Content); 5] =
            [|c| c.owner = 0, |c| c.epoch = 1, |c| c.version = 4, |c| c.sum[1] = 5, |c| c.squares = None];
        for change in changed {
            let mut other = content();
            change(&mut other);
            let forged = entry.forged(other);
            assert!(!forged.is_by(&identity.public(), &manifest), "{:?}", forged.content);
            assert!(forged != entry && forged.digest() != entry.digest() && forged.mark() != entry.mark());
        }
    }

    #[test]
    fn an_entry_gives_back_the_copy_it_was_made_from() {
        let entry = content().sign(&Identity::from_secret([1; 32]), &[0; 32]);
        let copy = entry.copy(0.25);
        assert_eq!(copy.sum.units(), Some((&[4, -5, i64::MIN][..], 0.25)));
        assert_eq!(Content::of(1, 2, &copy), Some(content()));
        let bytes = postcard::to_stdvec(&entry).unwrap();
        let read: Entry = postcard::from_bytes(&bytes).unwrap();
        assert_eq!((&read, &read.content), (&entry, &entry.content));
        // No bytes may follow the content.
        let longer = [&entry.bytes[..], &[0]].concat();
        let bytes = postcard::to_stdvec(&(AsBytes(&longer), entry.signature)).unwrap();
        assert!(postcard::from_bytes::<Entry>(&bytes).is_err());
    }
}
