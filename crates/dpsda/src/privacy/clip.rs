//! Clipping that is exact: gradients go to a grid, and their norm is bounded in integers.
//!
//! **Postcondition.** Whatever numbers go in (NaN and infinity too), the integers `a` that come out satisfy
//! `sum |a_k| <= C` (L1) or `sum a_k^2 <= C^2` (L2), in exact arithmetic. So replacing one gradient by any other moves
//! the result by at most `2C` in that norm, by the triangle inequality.
//!
//! **Proof.** A coordinate is multiplied by a power of two, which is exact unless it overflows, truncated and held within
//! `[-2^50, 2^50]`; what is not finite becomes 0. Let `N` be the L1 norm, or the L2 norm rounded up to an integer. If `N <= C`
//! there is nothing to prove. Otherwise `a_k = trunc(g_k C / N)`, so `|a_k| <= |g_k| C / N`, and summing (squares) gives at most
//! `C` (`C^2`). All products stay below 2^50 2^62 < 2^127, all sums of squares below 2^100 2^27 (no data have more features). No
//! step fails, is skipped, or is reported: an error would reveal something about the data.

/// The norm in which two vectors are compared.
///
/// ```
/// use dpsda::privacy::clip::{Norm, shares};
/// use dpsda::privacy::{Mechanism, mechanism::{DiscreteGaussian, DiscreteLaplace}};
/// assert_eq!(Mechanism::from(DiscreteLaplace).norm(), Norm::L1);
/// assert_eq!(Mechanism::from(DiscreteGaussian).norm(), Norm::L2);
/// assert_eq!(shares(Norm::L1, 100, &[1, 1, 2]), [25, 25, 50]); // they add up to the bound
/// assert_eq!(shares(Norm::L2, 100, &[1, 1, 2]), [50, 50, 70]); // their squares add up to at most its square
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// The sum of absolute values: what Laplace noise is priced in.
    L1,
    /// Euclidean: what Gaussian noise is priced in.
    L2,
}

/// Coordinates are held below this, so that no square or product can overflow.
const LARGEST: i64 = 1 << 50;

/// A bound in units of a grid.
///
/// ```
/// use dpsda::privacy::clip::{Clip, Norm};
/// let clip = Clip { norm: Norm::L2, bound: 5 << 10, bits: 10 }; // at most 5, on multiples of 2^-10
/// let mut sum = [0, 0];
/// clip.add(&[300.0, -400.0], &mut sum);
/// assert_eq!(sum, [3 << 10, -(4 << 10)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clip {
    /// In which norm.
    pub norm: Norm,
    /// The bound, in grid units, below 2^62.
    pub bound: u64,
    /// The grid: one unit is `2^-bits`.
    pub bits: u32,
}

impl Clip {
    /// Adds the clipped `gradient` to `sum`.
    pub fn add(&self, gradient: &[f64], sum: &mut [i64]) {
        let per_unit = f64::from(self.bits).exp2();
        let quantised = gradient.iter().map(|g| quantise(g * per_unit));
        let norm = match self.norm {
            Norm::L1 => quantised.clone().map(|k| u128::from(k.unsigned_abs())).sum(),
            Norm::L2 => ceil_sqrt(quantised.clone().map(|k| u128::from(k.unsigned_abs()).pow(2)).sum()),
        };
        let bound = u128::from(self.bound);
        if norm <= bound {
            sum.iter_mut().zip(quantised).for_each(|(s, k)| *s = s.saturating_add(k));
        } else if let (Ok(norm), Ok(_)) = (i64::try_from(norm), i64::try_from(norm.saturating_mul(bound))) {
            // No coordinate is larger than the norm, so products have 63 bits, and division is faster than below.
            let shrink = |k: i64| k * self.bound as i64 / norm;
            sum.iter_mut().zip(quantised).for_each(|(s, k)| *s = s.saturating_add(shrink(k)));
        } else {
            let (bound, norm) = (bound as i128, norm as i128);
            // Division of integers truncates towards zero.
            let shrink = |k: i64| (i128::from(k) * bound / norm) as i64;
            sum.iter_mut().zip(quantised).for_each(|(s, k)| *s = s.saturating_add(shrink(k)));
        }
    }
}

impl Clip {
    /// A public vector on the same grid: rounded towards zero, each coordinate held within `[-most, most]`. A coordinate that is
    /// not finite becomes 0. It is not clipped to a norm, because it is public.
    pub(super) fn place(&self, public: &[f64], most: i64) -> Vec<i64> {
        let per_unit = f64::from(self.bits).exp2();
        let units = |g: &f64| if g.is_finite() { (g * per_unit) as i64 } else { 0 };
        public.iter().map(|g| units(g).clamp(-most, most)).collect()
    }
}

/// Towards zero; what is not finite becomes 0.
fn quantise(x: f64) -> i64 {
    if x.is_finite() { (x as i64).clamp(-LARGEST, LARGEST) } else { 0 }
}

/// The least integer whose square is at least `x`.
fn ceil_sqrt(x: u128) -> u128 {
    let root = x.isqrt();
    root + u128::from(root * root < x)
}

/// A whole bound, divided among the owners of blocks of these sizes: `C d_i/d` in L1, so that the shares add up to `C`;
/// `C sqrt(d_i/d)` in L2, so that their squares add up to `C^2`. Rounded down.
pub fn shares(norm: Norm, bound: u64, sizes: &[usize]) -> Vec<u64> {
    let bound = u128::from(bound);
    let d: u128 = sizes.iter().map(|s| *s as u128).sum::<u128>().max(1);
    let share = |size: &usize| match norm {
        Norm::L1 => bound * *size as u128 / d,
        Norm::L2 => (bound * bound / d * *size as u128).isqrt(),
    };
    sizes.iter().map(|size| share(size) as u64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_add_up_to_more_than_the_whole() {
        for sizes in [vec![1], vec![3, 3, 1], vec![439, 439, 439, 439, 439, 439, 438], vec![1; 1000]] {
            for bound in [1, 7, 1_000_003, (1 << 48) - 1] {
                let l1 = shares(Norm::L1, bound, &sizes);
                assert!(l1.iter().sum::<u64>() <= bound);
                let l2: u128 = shares(Norm::L2, bound, &sizes).iter().map(|c| u128::from(*c).pow(2)).sum();
                assert!(l2 <= u128::from(bound).pow(2), "{sizes:?} {bound}");
                if sizes.len() < 10 && bound > 1000 {
                    assert!(l2 as f64 > 0.98 * (bound as f64).powi(2), "{sizes:?} {bound}: not wasteful");
                }
            }
        }
    }

    #[test]
    fn both_divisions_give_the_same_numbers() {
        for (bits, bound) in
            [(10, 5 << 10), (20, 1 << 20), (30, (1 << 30) + 7), (40, 1 << 45), (40, (1 << 61) + 1)]
        {
            for norm in [Norm::L1, Norm::L2] {
                let clip = Clip { norm, bound, bits };
                let gradient: Vec<f64> =
                    (0..40).map(|k| (f64::from(k) - 20.3) * 3_f64.powi(k % 19)).collect();
                let units: Vec<i64> = gradient.iter().map(|g| quantise(g * f64::from(bits).exp2())).collect();
                let size = match norm {
                    Norm::L1 => units.iter().map(|k| u128::from(k.unsigned_abs())).sum(),
                    Norm::L2 => ceil_sqrt(units.iter().map(|k| u128::from(k.unsigned_abs()).pow(2)).sum()),
                };
                let shrunk = |k: &i64| (i128::from(*k) * i128::from(bound) / size as i128) as i64;
                let expected = if size <= bound.into() { units } else { units.iter().map(shrunk).collect() };
                let mut sum = vec![0; gradient.len()];
                clip.add(&gradient, &mut sum);
                assert_eq!(sum, expected, "{clip:?}");
            }
        }
    }

    #[test]
    fn a_small_gradient_is_kept_and_a_large_one_keeps_its_direction() {
        let clip = Clip { norm: Norm::L2, bound: 5 << 10, bits: 10 };
        let clipped = |g: &[f64]| {
            let mut sum = vec![0; g.len()];
            clip.add(g, &mut sum);
            sum
        };
        assert_eq!(clipped(&[1.5, -2.0]), [1536, -2048]);
        assert_eq!(clipped(&[300.0, -400.0]), [3 << 10, -(4 << 10)]);
        assert_eq!(clipped(&[f64::NAN, 1.0]), [0, 1024]);
        assert_eq!(clipped(&[f64::INFINITY, f64::NEG_INFINITY]), [0, 0]);
    }
}
