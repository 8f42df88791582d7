//! The clip, as the adversary computes it from the claim, with its own arithmetic. So the audit notices a program with another
//! clip.

use dpsda::privacy::clip::Norm;

/// The largest coordinate, in units.
const HELD: i128 = 1 << 50;

/// The claimed clip of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClaimedClip {
    /// The norm in which the noise is priced.
    pub(super) norm: Norm,
    /// The node's share of the clip, or the whole clip where an event is an agent's, in units of `2^-bits`.
    pub(super) bound: u64,
    /// The bits of a unit.
    pub(super) bits: u32,
}

impl ClaimedClip {
    /// Adds a clipped gradient, in whole units. A coordinate that is not a finite number counts as zero, fractions are dropped,
    /// and a gradient that is too long is shortened to the bound.
    pub(super) fn add(&self, gradient: &[f64], sum: &mut [f64]) {
        let whole: Vec<i128> = gradient.iter().map(|g| units(*g, self.bits)).collect();
        let length = match self.norm {
            Norm::L1 => whole.iter().map(|k| k.abs()).sum::<i128>(),
            Norm::L2 => {
                let square: i128 = whole.iter().map(|k| k * k).sum();
                let root = square.isqrt();
                if root * root == square { root } else { root + 1 }
            }
        };
        let bound = i128::from(self.bound);
        for (sum, k) in sum.iter_mut().zip(whole) {
            *sum += if length > bound { k * bound / length } else { k } as f64;
        }
    }
}

impl ClaimedClip {
    /// Adds a public vector, in whole units, each at most `most` to either side.
    pub(super) fn add_public(&self, public: &[f64], most: i64, sum: &mut [f64]) {
        let most = i128::from(most);
        for (sum, g) in sum.iter_mut().zip(public) {
            let x = if g.is_finite() { g * 2_f64.powi(self.bits as i32) } else { 0.0 };
            *sum += (x.trunc() as i128).clamp(-most, most) as f64;
        }
    }
}

fn units(g: f64, bits: u32) -> i128 {
    let x = g * 2_f64.powi(bits as i32);
    if x.is_finite() { (x.trunc() as i128).clamp(-HELD, HELD) } else { 0 }
}

#[cfg(test)]
mod tests {
    use dpsda::privacy::clip::Clip;
    use dpsda::rng::{Purpose, Seed};
    use rand::RngExt;

    use super::*;

    #[test]
    fn it_is_the_programs_clip_to_the_unit() {
        let mut stream = Seed::default().stream(Purpose::Data, 0, 0);
        for norm in [Norm::L1, Norm::L2] {
            for (bound, bits) in [(1 << 23, 24), (12_345, 10), (3 << 40, 40)] {
                for size in [1, 2, 7, 40] {
                    let mut g: Vec<f64> = (0..size).map(|_| stream.random::<f64>() - 0.5).collect();
                    let by = 10_f64.powi(stream.random_range(-3..6));
                    g.iter_mut().for_each(|g| *g *= by);
                    let (mut theirs, mut ours) = (vec![0; size], vec![0.0; size]);
                    Clip { norm, bound, bits }.add(&g, &mut theirs);
                    ClaimedClip { norm, bound, bits }.add(&g, &mut ours);
                    assert_eq!(ours, theirs.iter().map(|k| *k as f64).collect::<Vec<_>>(), "{norm:?} {g:?}");
                }
            }
        }
    }

    #[test]
    fn coordinates_that_are_not_finite_count_as_zero() {
        let mut sum = [0.0; 3];
        ClaimedClip { norm: Norm::L1, bound: 8, bits: 2 }.add(&[f64::NAN, f64::INFINITY, 1.9], &mut sum);
        assert_eq!(sum, [0.0, 0.0, 7.0]);
    }
}
