//! The number of seeds: a few in a test run. `DPSDA_SEEDS` multiplies it for a long run.

use std::ops::Range;

pub(crate) fn seeds(few: u64) -> Range<u64> {
    let times = std::env::var("DPSDA_SEEDS").ok().and_then(|times| times.parse::<u64>().ok());
    0..few.saturating_mul(times.unwrap_or(1).max(1))
}
