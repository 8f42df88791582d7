//! Loops compiled for several kinds of processors. The best one is chosen when the program runs.
//!
//! Every kind does the same operations on the same numbers in the same order. Vectors only do several independent sums at
//! once, and no product is fused with a sum. So results do not depend on the processor.

use std::sync::LazyLock;

use fearless_simd::Level;

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
