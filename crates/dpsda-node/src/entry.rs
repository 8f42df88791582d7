//! A block's running sum, signed by the one node that writes it. Relays pass it on as it is and cannot change it.

pub(crate) mod packed;

use std::sync::Arc;

use dpsda::learner::Copy;
use dpsda::privacy::Released;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::identity::{Identity, PublicKey, Signature};

/// What names a manifest, and a release.
pub type Digest = [u8; 32];

const PURPOSE: &str = "entry";

/// One version of one block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What it says.
    pub claim: Claim,
    /// Its owner's signature, under the manifest it was released for.
    pub signature: Signature,
}

/// What an owner says of its block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Which node's block.
    pub owner: u32,
    /// Which life of that node: a restored backup starts a new one.
    pub epoch: u64,
    /// How many rounds it has taken in.
    pub version: u64,
    /// The sum, in units of the plan's grid.
    #[serde(with = "packed")]
    pub sum: Vec<i64>,
    /// The sums of squares, where steps follow from them.
    pub squares: Option<Vec<f64>>,
}

impl Claim {
    /// What the owner has of its own block. None if that is not on a grid, and so not for the wire.
    pub fn of(owner: u32, epoch: u64, copy: &Copy) -> Option<Self> {
        let (units, _) = copy.sum.units()?;
        let squares = copy.squares.as_ref().map(|squares| squares.to_reals());
        Some(Self { owner, epoch, version: copy.version, sum: units.to_vec(), squares })
    }

    /// What is signed: all of it, and the manifest it is for.
    fn bytes(&self, manifest: &Digest) -> Vec<u8> {
        let mut bytes = manifest.to_vec();
        // Writing to memory cannot fail; if it did, what is signed would be verified by nobody.
        bytes.extend(postcard::to_stdvec(self).unwrap_or_default());
        bytes
    }

    /// Names this release: one for every node, epoch and version, or the owner has equivocated.
    pub fn digest(&self, manifest: &Digest) -> Digest {
        Sha256::digest(self.bytes(manifest)).into()
    }

    /// Signed by its owner.
    pub fn sign(self, identity: &Identity, manifest: &Digest) -> Entry {
        let signature = identity.sign(PURPOSE, &self.bytes(manifest));
        Entry { claim: self, signature }
    }
}

impl Entry {
    /// Whether `key` said this under this manifest.
    pub fn is_by(&self, key: &PublicKey, manifest: &Digest) -> bool {
        key.signed(PURPOSE, &self.claim.bytes(manifest), &self.signature)
    }

    /// Eight bytes that tell two releases of one version apart.
    pub fn mark(&self, manifest: &Digest) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.claim.digest(manifest);
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    /// As learners know it, on a grid of this unit.
    pub fn copy(&self, unit: f64) -> Copy {
        let squares = self.claim.squares.clone();
        Copy {
            version: self.claim.version,
            sum: Arc::new(Released::on_grid(self.claim.sum.clone(), unit)),
            squares: squares.map(|squares| Arc::new(Released::reals(squares))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        Claim {
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
        let entry = claim().sign(&identity, &manifest);
        assert!(entry.is_by(&identity.public(), &manifest));
        assert!(!entry.is_by(&identity.public(), &[8; 32]));
        assert!(!entry.is_by(&Identity::from_secret([2; 32]).public(), &manifest));
        let changed: [fn(&mut Claim); 5] =
            [|c| c.owner = 0, |c| c.epoch = 1, |c| c.version = 4, |c| c.sum[1] = 5, |c| c.squares = None];
        for change in changed {
            let mut other = entry.clone();
            change(&mut other.claim);
            assert!(!other.is_by(&identity.public(), &manifest), "{:?}", other.claim);
            assert_ne!(other.claim.digest(&manifest), entry.claim.digest(&manifest));
        }
    }

    #[test]
    fn an_entry_is_the_copy_that_it_was_made_of() {
        let entry = claim().sign(&Identity::from_secret([1; 32]), &[0; 32]);
        let copy = entry.copy(0.25);
        assert_eq!(copy.sum.units(), Some((&[4, -5, i64::MIN][..], 0.25)));
        assert_eq!(Claim::of(1, 2, &copy), Some(claim()));
        let bytes = postcard::to_stdvec(&entry).unwrap();
        assert_eq!(postcard::from_bytes::<Entry>(&bytes).unwrap(), entry);
    }
}
