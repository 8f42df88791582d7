//! Boxes: every coordinate between two bounds.

use std::iter;

use fearless_simd::{Simd, dispatch};

use super::{Build, ConvexSet, ProxEach};
use crate::catalog::{Key, Listing};
use crate::{Blocks, Error, Keys, wide};

/// `{ lower <= x <= upper }`, coordinate by coordinate; a bound may be infinite.
///
/// ```
/// use dpsda::set::{ConvexSet, Cuboid};
/// let mut x = [-9.0, 0.5, 9.0];
/// Cuboid::new(-5.0, 5.0)?.project(&mut x);
/// assert_eq!(x, [-5.0, 0.5, 5.0]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cuboid(Bounds);

#[derive(Debug, Clone, PartialEq)]
enum Bounds {
    /// The same lower and upper bound for any number of coordinates.
    Same(f64, f64),
    /// A lower and an upper bound per coordinate.
    Each(Vec<(f64, f64)>),
}

impl Cuboid {
    /// All coordinates between `lower` and `upper`.
    ///
    /// ```
    /// # use dpsda::set::Cuboid;
    /// assert!(Cuboid::new(0.0, f64::INFINITY).is_ok());
    /// let error = Cuboid::new(2.0, 1.0).unwrap_err().to_string();
    /// assert_eq!(error, "lower = 2: the box is empty: upper is 1 (lower must not be above upper)");
    /// ```
    pub fn new(lower: f64, upper: f64) -> Result<Self, Error> {
        check("", lower, upper)?;
        Ok(Self(Bounds::Same(lower, upper)))
    }

    /// A lower and an upper bound per coordinate. The box fits only decisions with this number of coordinates.
    ///
    /// ```
    /// use dpsda::set::{ConvexSet, Cuboid};
    /// let cuboid = Cuboid::sides(vec![0.0, -1.0], vec![f64::INFINITY, 1.0])?;
    /// let mut x = [7.0, 7.0];
    /// cuboid.project(&mut x);
    /// assert_eq!(x, [7.0, 1.0]);
    /// assert!(cuboid.fits(&dpsda::Blocks::even(3, 1)?).is_err());
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn sides(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, Error> {
        if lower.len() != upper.len() {
            let remedy = format!("there are {} lower bounds (give one per coordinate)", lower.len());
            return Err(Error::value("upper", format!("{} numbers", upper.len()), remedy));
        }
        for (j, (lower, upper)) in lower.iter().zip(&upper).enumerate() {
            check(&format!("[{j}]"), *lower, *upper)?;
        }
        Ok(Self(Bounds::Each(iter::zip(lower, upper).collect())))
    }
}

/// Checks the two bounds of a coordinate. `at` is its index in errors.
fn check(at: &str, lower: f64, upper: f64) -> Result<(), Error> {
    let wrong = |side: &str, found, remedy: &str| Err(Error::value(format!("{side}{at}"), found, remedy));
    if lower.is_nan() || lower == f64::INFINITY {
        return wrong("lower", lower, "expected a number below infinity (-inf means no lower bound)");
    }
    if upper.is_nan() || upper == f64::NEG_INFINITY {
        return wrong("upper", upper, "expected a number above -infinity (inf means no upper bound)");
    }
    if lower > upper {
        let remedy = format!("the box is empty: upper{at} is {upper} (lower must not be above upper)");
        return wrong("lower", lower, &remedy);
    }
    Ok(())
}

impl ConvexSet for Cuboid {
    fn project(&self, x: &mut [f64]) {
        match &self.0 {
            Bounds::Same(lower, upper) => x.iter_mut().for_each(|x| *x = x.max(*lower).min(*upper)),
            Bounds::Each(bounds) => {
                x.iter_mut().zip(bounds).for_each(|(x, (lower, upper))| *x = x.max(*lower).min(*upper));
            }
        }
    }

    fn prox(&self, z: &[f64], alpha: f64, y: &mut [f64]) {
        self.prox_some(0, z, alpha, y);
    }

    fn prox_some(&self, first: usize, z: &[f64], alpha: f64, y: &mut [f64]) -> bool {
        match &self.0 {
            Bounds::Same(lower, upper) => {
                dispatch!(wide::level(), simd => step(simd, z, alpha, iter::repeat(&(*lower, *upper)), y));
            }
            Bounds::Each(bounds) => {
                let bounds = bounds.get(first..).unwrap_or_default();
                dispatch!(wide::level(), simd => step(simd, z, alpha, bounds.iter(), y));
            }
        }
        true
    }

    fn floor(&self, c: &[f64]) -> f64 {
        match &self.0 {
            Bounds::Same(lower, upper) => floor(c, iter::repeat((*lower, *upper))),
            Bounds::Each(bounds) => floor(c, bounds.iter().copied()),
        }
    }

    fn sides(&self, dim: usize) -> Option<Vec<(f64, f64)>> {
        match &self.0 {
            Bounds::Same(lower, upper) => Some(vec![(*lower, *upper); dim]),
            Bounds::Each(bounds) => (bounds.len() == dim).then(|| bounds.clone()),
        }
    }

    fn is_separable(&self) -> bool {
        true
    }

    fn each(&self) -> Option<&dyn ProxEach> {
        Some(self)
    }

    fn fits(&self, blocks: &Blocks) -> Result<(), Error> {
        match &self.0 {
            Bounds::Each(bounds) if bounds.len() != blocks.dim() => {
                let remedy =
                    format!("there are {} coordinates (give one bound per coordinate)", blocks.dim());
                Err(Error::value("lower", format!("{} numbers", bounds.len()), remedy))
            }
            _ => Ok(()),
        }
    }
}

/// The projection of `-alpha z`.
#[inline(always)]
fn step<'a, S: Simd>(
    _: S,
    z: &[f64],
    alpha: f64,
    bounds: impl Iterator<Item = &'a (f64, f64)>,
    y: &mut [f64],
) {
    for ((y, z), (lower, upper)) in y.iter_mut().zip(z).zip(bounds) {
        let free = 0.0 - alpha * z; // 0, not -0, where z is 0
        let above = if free > *lower { free } else { *lower };
        *y = if above < *upper { above } else { *upper };
    }
}

fn floor(c: &[f64], bounds: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut sum = 0.0;
    for (c, (lower, upper)) in c.iter().zip(bounds) {
        if *c != 0.0 {
            sum += c * if *c > 0.0 { lower } else { upper };
        }
    }
    // If products overflow to both infinities, there is no finite minimum to state.
    if sum.is_nan() { f64::NEG_INFINITY } else { sum }
}

/// Coordinates are independent, so the solution is the projection of the unconstrained one.
impl ProxEach for Cuboid {
    fn prox_each(&self, z: &[f64], steps: &[f64], y: &mut [f64]) {
        super::step_each(z, steps, y);
        self.project(y);
    }
}

fn build(keys: &Keys<'_>, dim: usize) -> Result<Box<dyn ConvexSet>, Error> {
    // Read both before either fails, so that the list of known keys is complete.
    let (lower, upper) = (bound(keys, "lower", dim), bound(keys, "upper", dim));
    let cuboid = match (lower?, upper?) {
        (Bound::All(lower), Bound::All(upper)) => Cuboid::new(lower, upper),
        (lower, upper) => Cuboid::sides(lower.of(dim), upper.of(dim)),
    };
    Ok(Box::new(cuboid.map_err(|error| keys.locate(error))?))
}

/// A bound as written in a file.
enum Bound {
    All(f64),
    Each(Vec<f64>),
}

impl Bound {
    fn of(self, dim: usize) -> Vec<f64> {
        match self {
            Self::All(x) => vec![x; dim],
            Self::Each(list) => list,
        }
    }
}

/// Reads one number for all coordinates, or a list with one number per coordinate.
fn bound(keys: &Keys<'_>, key: &str, dim: usize) -> Result<Bound, Error> {
    match keys.raw(key) {
        None => Err(keys.bad(
            key,
            format!("a box needs it: a number, or a list of {dim} numbers (inf or -inf: no bound)"),
        )),
        Some(value) if value.as_list().is_some() => {
            let list = keys.f64s(key)?.unwrap_or_default();
            if list.len() == dim {
                Ok(Bound::Each(list))
            } else {
                let remedy = format!(
                    "{} numbers for {dim} coordinates (give one number, or one per coordinate)",
                    list.len()
                );
                Err(keys.bad(key, remedy))
            }
        }
        Some(_) => match keys.f64(key)? {
            Some(x) => Ok(Bound::All(x)),
            None => Err(keys.bad(key, "expected a number, or one number per coordinate")),
        },
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "box",
    about: "every coordinate between two bounds",
    keys: &[
        Key { name: "lower", about: "a number, or one number per coordinate; -inf: no bound" },
        Key { name: "upper", about: "a number, or one number per coordinate; inf: no bound" },
    ],
    build,
};
