//! Draws in blocks: what the first bits of a word tell, for many words at once, and the exact question where they do not.
//!
//! A block has one attempt for every value that is still without noise, at most [`BLOCK`]. An attempt has the same number of
//! words whatever becomes of it, and all words of a block are drawn at once: first those of the first kind for all attempts,
//! then those of the second. An attempt that is open draws more words after those of its block. Attempts that are kept go to
//! the values in their order.

use fearless_simd::{Simd, dispatch};
use rand::Rng;

use crate::wide;

mod gaussian;
mod laplace;

pub(super) use gaussian::BlockGaussian;
pub(super) use laplace::BlockLaplace;

/// The largest scale of these samplers: above it, f64 leaves too many attempts open.
pub(super) const MAX_BLOCK_SCALE: u64 = 1 << 36;

/// How many attempts a block has: their words stay in the first cache.
const BLOCK: usize = 256;

/// As many as the few values of a small node need: room that is not used is cleared all the same.
const SMALL: usize = 32;

/// What became of an attempt: zero if it is kept.
type DrawFate = u64;

/// It is refused.
const REFUSED: DrawFate = 1;

/// The first bits do not tell.
const OPEN: DrawFate = 2;

/// A law, drawn by attempts of at most two words.
trait BlockLaw: Sync {
    /// How many words an attempt has.
    const WORDS: usize;

    /// One attempt, as far as floating point tells for certain. The second word of a law of one word is zero.
    fn attempt(&self, first: u64, second: u64) -> (i64, DrawFate);

    /// The same attempt in exact arithmetic: its draw, unless it is refused. It may draw more bits of the numbers that begin
    /// with these words.
    fn exactly<R: Rng + ?Sized>(&self, first: u64, second: u64, rng: &mut R) -> Option<i64>;
}

/// The words of a block of at most `N` attempts and what became of them.
struct DrawBlock<const N: usize> {
    first: [[u8; 8]; N],
    second: [[u8; 8]; N],
    draws: [i64; N],
    fates: [DrawFate; N],
}

/// Adds a draw to each value. Sums saturate.
fn add_to<L: BlockLaw, R: Rng + ?Sized>(law: &L, values: &mut [i64], rng: &mut R) {
    match values.len() {
        ..=SMALL => DrawBlock::<SMALL>::new().add_to(law, values, rng),
        _ => DrawBlock::<BLOCK>::new().add_to(law, values, rng),
    }
}

impl<const N: usize> DrawBlock<N> {
    fn new() -> Self {
        Self { first: [[0; 8]; N], second: [[0; 8]; N], draws: [0; N], fates: [0; N] }
    }

    fn add_to<L: BlockLaw, R: Rng + ?Sized>(&mut self, law: &L, values: &mut [i64], rng: &mut R) {
        let mut rest = values;
        while !rest.is_empty() {
            let kept = self.draw(law, rest.len().min(N), rng);
            let (now, later) = rest.split_at_mut(kept);
            dispatch!(wide::level(), simd => add(simd, now, &self.draws));
            rest = later;
        }
    }

    /// Makes `n` attempts, and brings the draws of those that are kept to the front. How many those are.
    fn draw<L: BlockLaw, R: Rng + ?Sized>(&mut self, law: &L, n: usize, rng: &mut R) -> usize {
        let (first, second) = (&mut self.first[..n], &mut self.second[..n]);
        rng.fill_bytes(first.as_flattened_mut());
        if L::WORDS == 2 {
            rng.fill_bytes(second.as_flattened_mut());
        }
        let (draws, fates) = (&mut self.draws[..n], &mut self.fates[..n]);
        dispatch!(wide::level(), simd => attempts(simd, law, first, second, draws, fates));
        let any = fates.iter().fold(0, |any, fate| any | fate);
        if any == 0 {
            return n;
        }
        if any & OPEN != 0 {
            for (i, (draw, fate)) in draws.iter_mut().zip(&mut *fates).enumerate() {
                if *fate & OPEN != 0 {
                    let word = |of: &[[u8; 8]]| u64::from_le_bytes(of[i]);
                    let exact = law.exactly(word(first), word(second), rng);
                    (*draw, *fate) = exact.map_or((0, REFUSED), |draw| (draw, 0));
                }
            }
        }
        // No processor can predict which attempts are kept, so there is no branch on it.
        let mut kept = 0;
        for i in 0..n {
            draws[kept] = draws[i];
            kept += usize::from(fates[i] == 0);
        }
        kept
    }
}

#[inline(always)]
fn attempts<S: Simd, L: BlockLaw>(
    _: S,
    law: &L,
    first: &[[u8; 8]],
    second: &[[u8; 8]],
    draws: &mut [i64],
    fates: &mut [DrawFate],
) {
    // Loops, not closures: a closure may become a function of its own, compiled for the least of processors.
    let to = draws.iter_mut().zip(fates).zip(first);
    if L::WORDS == 2 {
        for (((draw, fate), first), second) in to.zip(second) {
            (*draw, *fate) = law.attempt(u64::from_le_bytes(*first), u64::from_le_bytes(*second));
        }
    } else {
        for ((draw, fate), first) in to {
            (*draw, *fate) = law.attempt(u64::from_le_bytes(*first), 0);
        }
    }
}

#[inline(always)]
fn add<S: Simd>(_: S, values: &mut [i64], draws: &[i64]) {
    for (v, draw) in values.iter_mut().zip(draws) {
        *v = v.saturating_add(*draw);
    }
}

#[cfg(test)]
mod tests;
