//! AES-256 in counter mode: a stream of bytes under a key.
//!
//! The stream is the encryption of 0, 1, 2, ... It is a sequence of bytes: a request for eight and then one for four give
//! the bytes that one request for twelve gives. Long requests are encrypted where they are wanted, many blocks at a time.
//! Processors without instructions for AES give the same bytes, more slowly.

use std::fmt;
use std::ops::Range;

use aes::cipher::{Array, BlockCipherEncrypt as _, KeyInit as _};
use aes::{Aes256Enc, Block};

const BLOCK: usize = 16;

/// How many bytes are kept for short requests: as many as the widest instructions encrypt together.
const KEPT: usize = 64 * BLOCK;

/// As many of them are made the first time, or as many as are asked for if that is little more: many streams are asked for a few
/// words only.
const AT_FIRST: Range<usize> = 4 * BLOCK..16 * BLOCK;

pub(super) struct Counter {
    cipher: Aes256Enc,
    /// The number of the next block.
    next: u64,
    kept: [u8; KEPT],
    /// Where the unused ones of the kept bytes begin.
    from: usize,
}

impl Counter {
    #[inline]
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let cipher = Aes256Enc::new(&Array(*key));
        Self { cipher, next: 0, kept: [0; KEPT], from: KEPT }
    }

    pub(super) fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    pub(super) fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    #[inline]
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        if let Some(bytes) = self.kept.get(self.from..).and_then(|kept| kept.first_chunk()) {
            self.from += N;
            return *bytes;
        }
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    pub(super) fn fill(&mut self, bytes: &mut [u8]) {
        let (first, rest) = bytes.split_at_mut(bytes.len().min(KEPT - self.from));
        self.take(first);
        let (whole, rest) = rest.split_at_mut(rest.len() / KEPT * KEPT);
        encrypt(&self.cipher, &mut self.next, whole.as_chunks_mut().0);
        if !rest.is_empty() {
            let few = self.next == 0 && rest.len() <= AT_FIRST.end;
            let made = if few { rest.len().next_multiple_of(BLOCK).max(AT_FIRST.start) } else { KEPT };
            self.from = KEPT - made;
            let (blocks, _) = self.kept[self.from..].as_chunks_mut();
            encrypt(&self.cipher, &mut self.next, blocks);
            self.take(rest);
        }
    }

    /// No more than are kept.
    fn take(&mut self, bytes: &mut [u8]) {
        let end = self.from + bytes.len();
        bytes.copy_from_slice(&self.kept[self.from..end]);
        self.from = end;
    }

    /// How many bytes were asked for.
    fn place(&self) -> u128 {
        u128::from(self.next) * BLOCK as u128 - (KEPT - self.from) as u128
    }
}

/// Writes the next blocks of the stream.
fn encrypt(cipher: &Aes256Enc, next: &mut u64, blocks: &mut [[u8; BLOCK]]) {
    if blocks.is_empty() {
        return;
    }
    for block in &mut *blocks {
        *block = u128::from(*next).to_le_bytes();
        *next += 1;
    }
    cipher.encrypt_blocks(Block::cast_slice_from_core_mut(blocks));
}

/// The same key, as far as two blocks tell, and the same place.
impl PartialEq for Counter {
    fn eq(&self, other: &Self) -> bool {
        let first = |of: &Self| {
            let mut blocks = [Array([0; BLOCK]), Array([255; BLOCK])];
            of.cipher.encrypt_blocks(&mut blocks);
            blocks
        };
        self.place() == other.place() && first(self) == first(other)
    }
}

impl Eq for Counter {}

/// It says nothing of the key.
impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counter").field("place", &self.place()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> [u8; 32] {
        std::array::from_fn(|k| k as u8)
    }

    /// The first block is the encryption of zeros, the second that of a one in the first byte.
    #[test]
    fn it_is_aes_256() {
        // FIPS 197, C.3: the same key.
        let mut block = Array(std::array::from_fn(|k| 0x11 * k as u8));
        Counter::new(&key()).cipher.encrypt_block(&mut block);
        let expected: [u8; 16] = 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089_u128.to_be_bytes();
        assert_eq!(block.0, expected);
        let (mut stream, cipher) = (Counter::new(&key()), Counter::new(&key()).cipher);
        for number in 0..100_u8 {
            let (mut block, mut found) = (Array([0; 16]), [0; 16]);
            block[0] = number;
            cipher.encrypt_block(&mut block);
            stream.fill(&mut found);
            assert_eq!(found, block.0);
        }
    }

    #[test]
    fn the_bytes_are_the_same_however_they_are_asked_for() {
        let mut whole = vec![0; 10_000];
        Counter::new(&key()).fill(&mut whole);
        let (mut stream, mut from) = (Counter::new(&key()), 0);
        for n in (0..500).map(|k| [4, 8, 1, 16, 0, 100, 17, 8][k % 8]) {
            let bytes = match n {
                4 => stream.next_u32().to_le_bytes().to_vec(),
                8 => stream.next_u64().to_le_bytes().to_vec(),
                n => {
                    let mut bytes = vec![0; n];
                    stream.fill(&mut bytes);
                    bytes
                }
            };
            assert_eq!(bytes, whole[from..from + n]);
            from += n;
        }
        let mut other = Counter::new(&key());
        other.fill(&mut whole[..from]);
        assert_eq!(stream, other);
        other.next_u32();
        assert_ne!(stream, other);
        assert_ne!(Counter::new(&[0; 32]), Counter::new(&[1; 32]));
    }

    #[test]
    fn it_cannot_be_read() {
        let shown = format!("{:?}", Counter::new(&key()));
        assert_eq!(shown, "Counter { place: 0, .. }");
    }
}
