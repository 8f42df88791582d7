//! Convex sets and their proximal maps (7).

use crate::family;
use crate::{Error, Keys};

/// A closed convex set in `d` coordinates with a proximal function psi that is 1-strongly convex on it.
pub trait ConvexSet: Send + Sync {
    /// The nearest point of the set.
    fn project(&self, x: &mut [f64]);

    /// (7): `argmin <z, x> + psi(x)/alpha` over the set. With `psi = |x|^2/2`, the projection of `-alpha z`.
    fn prox(&self, z: &[f64], alpha: f64, y: &mut [f64]) {
        y.iter_mut().zip(z).for_each(|(y, z)| *y = -alpha * z);
        self.project(y);
    }

    /// psi.
    fn psi(&self, x: &[f64]) -> f64 {
        x.iter().map(|x| x * x).sum::<f64>() / 2.0
    }

    /// `min <c, x>` over the set; minus infinity where there is none.
    fn floor(&self, c: &[f64]) -> f64;

    /// Whether every coordinate is restricted on its own, so that blocks decided apart always fit together.
    fn is_separable(&self) -> bool;
}

/// Builds a set in `dim` coordinates from the keys of `[set]`.
pub type Build = fn(&Keys<'_>, usize) -> Result<Box<dyn ConvexSet>, Error>;

family! {
    /// Every set, by the name it has in `set.kind`.
    SETS: Build = cuboid, ball, simplex, free
}

pub mod product;
