//! Delays from a closure.

use std::fmt;

use super::{Delay, rounds};
use crate::Error;

/// A delay of your own: any function that says how many rounds a message is late.
///
/// ```
/// use dpsda::network::delay::{Delay, OwnDelay};
/// let far = OwnDelay::new(3, |_, from, to| if from.abs_diff(to) > 5 { 3 } else { 0 })?;
/// assert_eq!((far.rounds(0, 0, 9), far.rounds(0, 0, 1), far.longest()), (3, 0, 3));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct OwnDelay<F> {
    longest: u64,
    rounds: F,
}

impl<F: Fn(u64, usize, usize) -> u64 + Send + Sync> OwnDelay<F> {
    /// The message of round `t` from `from` to `to` is `late(t, from, to)` rounds late, but at most `longest`. `late` must be a
    /// pure function.
    pub fn new(longest: u64, late: F) -> Result<Self, Error> {
        Ok(Self { longest: rounds("longest", longest)?, rounds: late })
    }
}

impl<F: Fn(u64, usize, usize) -> u64 + Send + Sync> Delay for OwnDelay<F> {
    fn rounds(&self, t: u64, from: usize, to: usize) -> u64 {
        (self.rounds)(t, from, to).min(self.longest)
    }

    fn longest(&self) -> u64 {
        self.longest
    }
}

impl<F> fmt::Debug for OwnDelay<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnDelay").field("longest", &self.longest).finish_non_exhaustive()
    }
}
