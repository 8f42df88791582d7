//! Convex sets of allowed decisions, and their proximal maps (7).
//!
//! | set | |
//! |---|---|
//! | [`Cuboid`] | every coordinate between two bounds |
//! | [`Ball`] | Euclidean length at most a radius |
//! | [`Simplex`] | probabilities |
//! | [`Simplices`] | shares of several things: each part is a simplex |
//! | [`Free`] | no constraint |
//! | [`Product`] | one set per node, for its block |
//!
//! # A set of your own
//!
//! A set needs three methods. `project` finds the nearest point, `floor` is the least value of a linear function, and
//! `is_separable` says whether the set restricts every coordinate on its own.
//!
//! ```
//! use dpsda::set::ConvexSet;
//!
//! /// `{ x >= 0 }`
//! struct Orthant;
//!
//! impl ConvexSet for Orthant {
//!     fn project(&self, x: &mut [f64]) {
//!         x.iter_mut().for_each(|x| *x = x.max(0.0));
//!     }
//!
//!     fn floor(&self, c: &[f64]) -> f64 {
//!         if c.iter().all(|c| *c >= 0.0) { 0.0 } else { f64::NEG_INFINITY }
//!     }
//!
//!     fn is_separable(&self) -> bool {
//!         true
//!     }
//! }
//!
//! let mut y = [0.0; 2];
//! Orthant.prox(&[-3.0, 4.0], 0.5, &mut y); // the projection of -z/2
//! assert_eq!(y, [1.5, 0.0]);
//! ```

use std::ops::Range;

use crate::catalog::pointers;
use crate::family;
use crate::{Blocks, Error, Keys};

pub mod product;
mod read;

pub use ball::Ball;
pub use cuboid::Cuboid;
pub use free::Free;
pub use product::Product;
pub use read::from_keys;
pub use simplex::{Psi, Simplex};
pub use simplices::Simplices;

/// A closed convex set in `d` coordinates, with a proximal function psi that is 1-strongly convex on it.
///
/// A `Box` or an `Arc` of a set is a set too.
///
/// ```
/// use dpsda::set::{Ball, ConvexSet, Cuboid, Simplex};
/// let (ball, cuboid, simplex) = (Ball::new(1.0)?, Cuboid::new(0.0, 2.0)?, Simplex::default());
/// let sets: [&dyn ConvexSet; 3] = [&ball, &cuboid, &simplex];
/// let nearest = sets.map(|set| {
///     let mut x = [0.0, 4.0];
///     set.project(&mut x);
///     x
/// });
/// assert_eq!(nearest, [[0.0, 1.0], [0.0, 2.0], [0.0, 1.0]]);
/// assert_eq!(sets.map(|set| set.is_separable()), [false, true, false]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait ConvexSet: Send + Sync {
    /// Moves `x` to the nearest point of the set.
    fn project(&self, x: &mut [f64]);

    /// (7): writes `argmin <z, x> + psi(x)/alpha` over the set to `y`. For `psi = |x|^2/2` it is the projection of `-alpha z`.
    fn prox(&self, z: &[f64], alpha: f64, y: &mut [f64]) {
        y.iter_mut().zip(z).for_each(|(y, z)| *y = 0.0 - alpha * z); // 0, not -0, where z is 0
        self.project(y);
    }

    /// The proximal function psi at `x`.
    fn psi(&self, x: &[f64]) -> f64 {
        x.iter().map(|x| x * x).sum::<f64>() / 2.0
    }

    /// `min <c, x>` over the set; minus infinity if there is no minimum.
    fn floor(&self, c: &[f64]) -> f64;

    /// The size of the set in `dim` coordinates; infinite if it is unbounded. This default is that of the smallest box around the
    /// set, for `psi = |x|^2/2`.
    fn size(&self, dim: usize) -> Size {
        let (mut widths, mut squares, mut along) = (0.0, 0.0, vec![0.0; dim]);
        for j in 0..dim {
            along[j] = 1.0;
            let lower = self.floor(&along);
            along[j] = -1.0;
            let upper = -self.floor(&along);
            along[j] = 0.0;
            widths += (upper - lower) * (upper - lower);
            squares += (lower * lower).max(upper * upper);
        }
        let mut start = vec![0.0; dim];
        self.prox(&along, 1.0, &mut start);
        Size { diameter: widths.sqrt(), psi: squares / 2.0 - self.psi(&start) }
    }

    /// The largest distance of a point of the set from `prox(0, 1)`, where nodes start, in `dim` coordinates; at least that, and not far
    /// more. `None` if the set has no end or its psi is not `|x|^2/2`: then steps cannot be automatic. This default is that of the
    /// smallest box around the set.
    fn reach(&self, dim: usize) -> Option<f64> {
        let mut start = vec![0.0; dim];
        self.prox(&vec![0.0; dim], 1.0, &mut start);
        let mut along = vec![0.0; dim];
        let mut side = |j: usize| {
            let mut least = |direction: f64| {
                along[j] = direction;
                self.floor(&along)
            };
            let side = (least(1.0), -least(-1.0));
            along[j] = 0.0;
            side
        };
        let sides = self.sides(dim).unwrap_or_else(|| (0..dim).map(&mut side).collect());
        let far = |((lower, upper), x): (&(f64, f64), &f64)| (x - lower).max(upper - x);
        let squares: f64 = sides.iter().zip(&start).map(far).map(|far| far * far).sum();
        Some(squares.sqrt()).filter(|reach| reach.is_finite())
    }

    /// Takes out of `values`, which stand at the coordinates `block` of `dim`, what no decision of the set can feel, and says in how
    /// many coordinates decisions can differ there. On a simplex the mean makes no difference. This default takes nothing.
    fn tangent(&self, _dim: usize, _block: Range<usize>, values: &mut [f64]) -> usize {
        values.len()
    }

    /// The radius, if this is a ball around the origin. The comparator projects onto balls in other norms.
    fn ball(&self) -> Option<f64> {
        None
    }

    /// The least and the largest value of every coordinate, if this is a box in `dim` coordinates. The comparator then works on its
    /// faces. Values may be infinite.
    fn sides(&self, _dim: usize) -> Option<Vec<(f64, f64)>> {
        None
    }

    /// Whether blocks that are decided separately always form a point of the set: every coordinate is restricted on its own
    /// or, in a product, every node's block is.
    fn is_separable(&self) -> bool;

    /// (7) of some coordinates by themselves, those from `first` on: what [`ConvexSet::prox`] would write there. False, with nothing
    /// written, if the set does not support that. Large fleets decide a few columns at a time.
    fn prox_some(&self, _first: usize, _z: &[f64], _alpha: f64, _y: &mut [f64]) -> bool {
        false
    }

    /// The same set with one step per coordinate, if it supports that.
    fn each(&self) -> Option<&dyn ProxEach> {
        None
    }

    /// Whether the set fits decisions with these blocks. A set with numbers per coordinate or per block refuses blocks of
    /// other sizes. This default fits all.
    fn fits(&self, _blocks: &Blocks) -> Result<(), Error> {
        Ok(())
    }
}

pointers! { ConvexSet {
    fn project(&self, x: &mut [f64]);
    fn prox(&self, z: &[f64], alpha: f64, y: &mut [f64]);
    fn psi(&self, x: &[f64]) -> f64;
    fn floor(&self, c: &[f64]) -> f64;
    fn size(&self, dim: usize) -> Size;
    fn reach(&self, dim: usize) -> Option<f64>;
    fn tangent(&self, dim: usize, block: Range<usize>, values: &mut [f64]) -> usize;
    fn ball(&self) -> Option<f64>;
    fn sides(&self, dim: usize) -> Option<Vec<(f64, f64)>>;
    fn is_separable(&self) -> bool;
    fn prox_some(&self, first: usize, z: &[f64], alpha: f64, y: &mut [f64]) -> bool;
    fn each(&self) -> Option<&dyn ProxEach>;
    fn fits(&self, blocks: &Blocks) -> Result<(), Error>;
} }

/// A set whose proximal map supports one step per coordinate.
///
/// ```
/// use dpsda::set::{ConvexSet, Cuboid};
/// let cuboid = Cuboid::new(-1.0, 1.0)?;
/// let mut y = [0.0; 2];
/// if let Some(each) = cuboid.each() {
///     each.prox_each(&[1.0, 1.0], &[0.5, 2.0], &mut y);
/// }
/// assert_eq!(y, [-0.5, -1.0]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait ProxEach: Send + Sync {
    /// Writes `argmin <z, x> + sum x_k^2 / (2 steps_k)` over the set to `y`. Steps are positive.
    fn prox_each(&self, z: &[f64], steps: &[f64], y: &mut [f64]);
}

/// The solution without a constraint: `y_k = -steps_k z_k`.
fn step_each(z: &[f64], steps: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(z.iter().zip(steps)).for_each(|(y, (z, step))| *y = 0.0 - step * z); // 0, not -0, where z is 0
}

/// A bound on the size of a set.
///
/// ```
/// use dpsda::set::{Ball, ConvexSet, Free, Size};
/// assert_eq!(Ball::new(3.0)?.size(2), Size { diameter: 6.0, psi: 4.5 });
/// assert_eq!(Free.size(2).diameter, f64::INFINITY);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// The largest distance between two of its points: D.
    pub diameter: f64,
    /// By how much psi varies on it: C of Assumption 1, if the least value of psi is 0.
    pub psi: f64,
}

/// Builds a set in `dim` coordinates from the keys of `[set]`. Every row of [`SETS`] has one.
pub type Build = fn(&Keys<'_>, usize) -> Result<Box<dyn ConvexSet>, Error>;

family! {
    /// Every set, by the name it has in `set.kind`.
    SETS: Build = cuboid, ball, simplex, simplices, free
}
