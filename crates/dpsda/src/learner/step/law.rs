//! How loud the noise is, release by release: what automatic steps know of it.

use std::sync::{PoisonError, RwLock};

use crate::privacy::mechanism::Variances;

/// The noise of one coordinate after some releases.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct NoiseSoFar {
    /// The variance in the sum of the releases.
    pub(super) sum: f64,
    /// The sum of the variances of the releases.
    pub(super) each: f64,
    /// The sum of their squares.
    pub(super) squares: f64,
    /// The sum of the deviations of all shorter sums.
    pub(super) drift: f64,
}

/// The law of the noise of a run: a table that grows as rounds are asked for, so that no round adds anything up twice.
pub(super) struct NoiseLaw {
    known: RwLock<LawSoFar>,
}

struct LawSoFar {
    so_far: Vec<NoiseSoFar>,
    more: Variances,
    /// What one unit of the variances stands for.
    unit: f64,
}

impl NoiseLaw {
    pub(super) fn new(more: Variances, unit: f64) -> Self {
        Self { known: RwLock::new(LawSoFar { so_far: vec![NoiseSoFar::default()], more, unit }) }
    }

    /// Shows the noise after 0, 1, ..., `most` releases.
    pub(super) fn upto<R>(&self, most: u64, show: impl FnOnce(&[NoiseSoFar]) -> R) -> R {
        let most = most as usize;
        {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            if known.so_far.len() > most {
                return show(&known.so_far);
            }
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        while known.so_far.len() <= most {
            known.grow();
        }
        show(&known.so_far)
    }
}

impl LawSoFar {
    fn grow(&mut self) {
        let last = self.so_far.last().copied().unwrap_or_default();
        let square = self.unit * self.unit;
        let (release, sum) =
            self.more.next().map_or((0.0, last.sum), |v| (v.release * square, v.sum * square));
        self.so_far.push(NoiseSoFar {
            sum,
            each: last.each + release,
            squares: last.squares + release * release,
            drift: last.drift + last.sum.sqrt(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::mechanism::Variance;

    #[test]
    fn sums_grow_by_one_release_at_a_time_whatever_is_asked_first() {
        let law = || NoiseLaw::new(Variance::independent(4.0), 0.5);
        let all = |law: &NoiseLaw, most| law.upto(most, |so_far| so_far.to_vec());
        let (one, other) = (law(), law());
        let long = all(&one, 9);
        (0..=9).for_each(|most| assert_eq!(all(&other, most)[most as usize], long[most as usize]));
        assert_eq!(long[0], NoiseSoFar::default());
        assert_eq!(
            long[4],
            NoiseSoFar { sum: 4.0, each: 4.0, squares: 4.0, drift: 1.0 + 2_f64.sqrt() + 3_f64.sqrt() }
        );
    }
}
