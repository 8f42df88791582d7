//! The probability simplex, with two proximal functions.

use std::borrow::Cow;
use std::ops::Range;

use super::{Build, ConvexSet, Size};
use crate::catalog::{Key, Listing};
use crate::{Error, Keys};

/// `{ x >= 0, sum x = 1 }`
///
/// ```
/// use dpsda::set::{ConvexSet, Psi, Simplex};
/// let mut y = [0.0; 2];
/// Simplex::new(Psi::Euclidean).prox(&[0.0, 3.0], 1.0, &mut y);
/// assert_eq!(y, [1.0, 0.0]);
/// Simplex::new(Psi::Entropic).prox(&[0.0, 3.0], 1.0, &mut y); // exponentiated gradients
/// assert!((y[0] / y[1] - 3_f64.exp()).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Simplex {
    psi: Psi,
}

impl Simplex {
    /// The simplex with this proximal function.
    pub fn new(psi: Psi) -> Self {
        Self { psi }
    }
}

/// The proximal function of a [`Simplex`].
///
/// ```
/// use dpsda::set::{ConvexSet, Psi, Simplex};
/// let middle = [0.5, 0.5];
/// assert_eq!(Simplex::new(Psi::Euclidean).psi(&middle), 0.25);
/// assert_eq!(Simplex::new(Psi::Entropic).psi(&middle), 0.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Psi {
    /// `|x|^2/2`
    #[default]
    Euclidean,
    /// `sum x ln x + ln d`: not negative, and 1-strongly convex in the 1-norm (Pinsker), so in the smaller 2-norm.
    Entropic,
}

impl Psi {
    /// The key `psi`.
    pub(super) fn read(keys: &Keys<'_>) -> Result<Self, Error> {
        keys.choice("psi", &[("euclidean", Self::Euclidean), ("entropic", Self::Entropic)])
    }
}

impl ConvexSet for Simplex {
    /// `max(x - theta, 0)` with the theta that makes it sum to one, found by sorting.
    fn project(&self, x: &mut [f64]) {
        below_largest(x);
        let mut sorted = x.to_vec();
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut sum, mut theta) = (0.0, 0.0);
        for (count, x) in (1..).map(f64::from).zip(&sorted) {
            let next = (sum + x - 1.0) / count;
            // If a coordinate is not above its theta, no smaller coordinate is.
            if *x <= next {
                break;
            }
            (sum, theta) = (sum + x, next);
        }
        x.iter_mut().for_each(|x| *x = (*x - theta).max(0.0));
    }

    fn prox(&self, z: &[f64], alpha: f64, y: &mut [f64]) {
        y.iter_mut().zip(z).for_each(|(y, z)| *y = -alpha * z);
        match self.psi {
            Psi::Euclidean => self.project(y),
            Psi::Entropic => {
                below_largest(y);
                y.iter_mut().for_each(|y| *y = y.exp());
                let sum: f64 = y.iter().sum();
                y.iter_mut().for_each(|y| *y /= sum);
            }
        }
    }

    fn psi(&self, x: &[f64]) -> f64 {
        match self.psi {
            Psi::Euclidean => x.iter().map(|x| x * x).sum::<f64>() / 2.0,
            Psi::Entropic => {
                let sum: f64 = x.iter().filter(|x| **x > 0.0).map(|x| x * x.ln()).sum();
                (sum + (x.len() as f64).ln()).max(0.0)
            }
        }
    }

    fn floor(&self, c: &[f64]) -> f64 {
        c.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The diameter is the distance of two corners. psi is largest in a corner and least in the middle.
    fn size(&self, dim: usize) -> Size {
        let d = dim as f64;
        let psi = match self.psi {
            Psi::Euclidean => (1.0 - 1.0 / d) / 2.0,
            Psi::Entropic => d.ln(),
        };
        Size { diameter: if dim > 1 { 2_f64.sqrt() } else { 0.0 }, psi }
    }

    /// From the middle to a corner.
    fn reach(&self, dim: usize) -> Option<f64> {
        (self.psi == Psi::Euclidean).then(|| (1.0 - 1.0 / dim.max(1) as f64).sqrt())
    }

    fn tangent(&self, dim: usize, block: Range<usize>, values: &mut [f64]) -> usize {
        if block != (0..dim) || values.is_empty() {
            return values.len(); // nobody knows the mean of a part
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter_mut().for_each(|v| *v -= mean);
        values.len() - 1
    }

    fn is_separable(&self) -> bool {
        false
    }
}

/// Subtracts the largest coordinate from all. Neither map changes by that, and infinite coordinates stay comparable.
fn below_largest(x: &mut [f64]) {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    x.iter_mut().for_each(|x| *x = if *x == largest { 0.0 } else { *x - largest });
}

/// `x` divided by its sum, negative parts left out. Nodes that own parts of one simplex carry this out when their parts do not sum
/// to one. Without any positive part, all shares are equal.
pub(crate) fn shares(x: &[f64]) -> Cow<'_, [f64]> {
    // By the largest part first, so that the sum cannot overflow.
    let largest = x.iter().copied().fold(0.0, f64::max);
    let part = |x: &f64| {
        if largest == f64::INFINITY { f64::from(u8::from(*x == largest)) } else { x.max(0.0) / largest }
    };
    if largest == 0.0 {
        return Cow::Owned(vec![1.0 / x.len() as f64; x.len()]);
    }
    let sum: f64 = x.iter().map(part).sum();
    Cow::Owned(x.iter().map(|x| part(x) / sum).collect())
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "simplex",
    about: "probabilities: not negative, summing to one",
    keys: &[Key { name: "psi", about: "\"euclidean\" (default) or \"entropic\": exponentiated gradients" }],
    build: |keys, _| Ok(Box::new(Simplex::new(Psi::read(keys)?))),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_lie_on_the_simplex_whatever_the_parts() {
        for (x, want) in [
            ([0.6, 0.6, -1.0], [0.5, 0.5, 0.0]),
            ([0.0, -1.0, 0.0], [1.0 / 3.0; 3]),
            ([1e308, 1e308, 0.0], [0.5, 0.5, 0.0]),
            ([f64::INFINITY, 1.0, 0.0], [1.0, 0.0, 0.0]),
        ] {
            assert_eq!(*shares(&x), want, "{x:?}");
        }
    }

    #[test]
    fn only_a_whole_simplex_takes_out_the_mean() {
        let mut values = [1.0, 2.0, 6.0];
        assert_eq!((Simplex::default().tangent(6, 0..3, &mut values), values), (3, [1.0, 2.0, 6.0]));
        assert_eq!((Simplex::default().tangent(3, 0..3, &mut values), values), (2, [-2.0, -1.0, 3.0]));
        assert_eq!(Simplex::new(Psi::Entropic).reach(3), None);
        assert_eq!(Simplex::default().reach(3), Some((2.0_f64 / 3.0).sqrt()));
    }

    #[test]
    fn projection_and_softmax_survive_any_size() {
        for (x, want) in [
            ([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]),
            ([1e300, 1e300, -1e300], [0.5, 0.5, 0.0]),
            ([f64::INFINITY, 0.0, f64::NEG_INFINITY], [1.0, 0.0, 0.0]),
            ([-1e308, -1e308, -1e308], [1.0 / 3.0; 3]),
        ] {
            let mut y = x;
            Simplex { psi: Psi::Euclidean }.project(&mut y);
            assert!(y.iter().zip(&want).all(|(y, w)| (y - w).abs() < 1e-15), "{x:?} -> {y:?}");
        }
        let mut y = [0.0; 3];
        Simplex { psi: Psi::Entropic }.prox(&[-1e308, 0.0, 1e308], 10.0, &mut y);
        assert_eq!(y, [1.0, 0.0, 0.0]);
    }
}
