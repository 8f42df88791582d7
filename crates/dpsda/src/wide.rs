//! Loops compiled for several kinds of processors. The best one is chosen when the program runs.
//!
//! Every kind does the same operations on the same numbers in the same order. Vectors only do several independent sums at
//! once, and no product is fused with a sum. So results do not depend on the processor.

use std::sync::LazyLock;

use fearless_simd::prelude::*;
use fearless_simd::{Level, f32x16, f64x8};

/// What this processor has. It is asked once.
static LEVEL: LazyLock<Level> = LazyLock::new(Level::new);

/// What this processor has.
pub(crate) fn level() -> Level {
    *LEVEL
}

/// As many numbers side by side as the widest registers hold. They never lie across two lines of the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Eight(pub(crate) [f64; 8]);

/// A number as it is stored. It is computed with in 64 bits.
pub(crate) trait StoredNumber: Copy + Default + Into<f64> {
    /// Sixteen of them.
    fn sixteen<S: Simd>(simd: S, from: &[Self]) -> [f64x8<S>; 2];
}

impl StoredNumber for f64 {
    #[inline(always)]
    fn sixteen<S: Simd>(simd: S, from: &[Self]) -> [f64x8<S>; 2] {
        [f64x8::from_slice(simd, &from[..8]), f64x8::from_slice(simd, &from[8..16])]
    }
}

impl StoredNumber for f32 {
    #[inline(always)]
    fn sixteen<S: Simd>(simd: S, from: &[Self]) -> [f64x8<S>; 2] {
        let (low, high) = simd.widen_f32x16(f32x16::from_slice(simd, &from[..16]));
        [low, high]
    }
}
