//! Seals the one secret of a record, the past noise, with XChaCha20-Poly1305 under a key derived from the node's key.
//!
//! A thief with a copy of the store but not the key file learns only what was published, and how many numbers are kept.
//! A nonce is 192 random bits, so no nonce repeats under a key, even after a restored copy or a lost store.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use dpsda::privacy::mechanism::PastNoise;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::entry::Digest;
use crate::identity::Identity;

const PURPOSE: &str = "store";

/// Past noise that only its node can read.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SealedNoise {
    nonce: [u8; 24],
    bytes: Vec<u8>,
}

/// Seals and opens past noise.
pub(super) struct Sealer {
    cipher: XChaCha20Poly1305,
    manifest: Digest,
}

impl Sealer {
    /// The sealer of this node, for this run.
    pub(super) fn new(identity: &Identity, manifest: Digest) -> Self {
        Self { cipher: XChaCha20Poly1305::new(&identity.derive(PURPOSE).into()), manifest }
    }

    /// Seals the noise kept after the release of this round.
    pub(super) fn seal(&self, kept: &PastNoise, epoch: u64, round: u64) -> Result<SealedNoise, StoreError> {
        let mut nonce = [0; 24];
        getrandom::fill(&mut nonce).map_err(StoreError::Randomness)?;
        let plain = postcard::to_stdvec(kept).unwrap_or_default(); // writing to memory cannot fail
        let aad = self.bound_to(epoch, round);
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), Payload { msg: &plain, aad: &aad });
        let bytes = sealed.map_err(|_| StoreError::Failed("there is too much noise to seal".into()))?;
        Ok(SealedNoise { nonce, bytes })
    }

    /// Opens sealed noise. None if it was changed, or belongs to another key, manifest, epoch or round.
    pub(super) fn open(&self, sealed: &SealedNoise, epoch: u64, round: u64) -> Option<PastNoise> {
        let aad = self.bound_to(epoch, round);
        let payload = Payload { msg: &sealed.bytes, aad: &aad };
        let plain = self.cipher.decrypt(&XNonce::from(sealed.nonce), payload).ok()?;
        postcard::from_bytes(&plain).ok()
    }

    fn bound_to(&self, epoch: u64, round: u64) -> Vec<u8> {
        [&self.manifest[..], &epoch.to_le_bytes(), &round.to_le_bytes()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(noise: Vec<Vec<i128>>) -> PastNoise {
        let wide = |row: Vec<i128>| row.into_iter().map(i128::to_le_bytes).collect::<Vec<_>>();
        let bytes = postcard::to_stdvec(&(7_u64, noise.into_iter().map(wide).collect::<Vec<_>>())).unwrap();
        postcard::from_bytes(&bytes).unwrap()
    }

    #[test]
    fn sealed_noise_is_opened_by_its_key_for_its_manifest_epoch_and_round_only() {
        let sealer = |key, manifest| Sealer::new(&Identity::from_secret([key; 32]), [manifest; 32]);
        let kept = kept(vec![vec![5, -6], vec![1 << 100]]);
        let sealed = sealer(1, 1).seal(&kept, 2, 3).unwrap();
        assert!(sealer(1, 1).open(&sealed, 2, 3) == Some(kept));
        for (key, manifest, epoch, round) in [(2, 1, 2, 3), (1, 2, 2, 3), (1, 1, 3, 3), (1, 1, 2, 2)] {
            assert!(sealer(key, manifest).open(&sealed, epoch, round).is_none());
        }
    }

    #[test]
    fn no_byte_of_sealed_noise_can_be_flipped() {
        let sealer = Sealer::new(&Identity::from_secret([1; 32]), [1; 32]);
        let sealed = sealer.seal(&kept(vec![vec![5; 9]]), 0, 0).unwrap();
        for k in 0..sealed.bytes.len() {
            let mut other = sealed.clone();
            other.bytes[k] ^= 1;
            assert!(sealer.open(&other, 0, 0).is_none(), "byte {k}");
        }
        for k in 0..24 {
            let mut other = sealed.clone();
            other.nonce[k] ^= 1;
            assert!(sealer.open(&other, 0, 0).is_none(), "byte {k} of the nonce");
        }
        let mut shorter = sealed;
        shorter.bytes.pop();
        assert!(sealer.open(&shorter, 0, 0).is_none());
    }

    #[test]
    fn neither_length_nor_repetition_tells_anything_of_the_noise() {
        let sealer = Sealer::new(&Identity::from_secret([1; 32]), [1; 32]);
        let seal = |noise| sealer.seal(&kept(noise), 0, 0).unwrap();
        let (small, large) = (seal(vec![vec![0, 0]]), seal(vec![vec![i128::MAX, i128::MIN]]));
        assert_eq!(small.bytes.len(), large.bytes.len());
        assert!(small != seal(vec![vec![0, 0]]), "a nonce came twice");
    }
}
