//! Boxes: every coordinate between two bounds.

use super::{Build, ConvexSet, ProxEach};
use crate::catalog::{Key, Listing};
use crate::{Error, Keys};

/// `{ lower <= x <= upper }`, coordinate by coordinate; a bound may be infinite.
#[derive(Debug, Clone)]
pub struct Cuboid {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl ConvexSet for Cuboid {
    fn project(&self, x: &mut [f64]) {
        for (x, (lower, upper)) in x.iter_mut().zip(self.lower.iter().zip(&self.upper)) {
            *x = x.max(*lower).min(*upper);
        }
    }

    fn floor(&self, c: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (c, (lower, upper)) in c.iter().zip(self.lower.iter().zip(&self.upper)) {
            if *c != 0.0 {
                sum += c * if *c > 0.0 { lower } else { upper };
            }
        }
        // Bounds so large that products overflow both ways leave nothing to say.
        if sum.is_nan() { f64::NEG_INFINITY } else { sum }
    }

    fn is_separable(&self) -> bool {
        true
    }

    fn each(&self) -> Option<&dyn ProxEach> {
        Some(self)
    }
}

/// Coordinates do not know of each other: the projection of the free solution.
impl ProxEach for Cuboid {
    fn prox_each(&self, z: &[f64], steps: &[f64], y: &mut [f64]) {
        super::step_each(z, steps, y);
        self.project(y);
    }
}

fn build(keys: &Keys<'_>, dim: usize) -> Result<Box<dyn ConvexSet>, Error> {
    // Both are asked for before either may fail, so that the list of known keys is whole.
    let (lower, upper) = (bound(keys, "lower", dim), bound(keys, "upper", dim));
    let (lower, upper) = (lower?, upper?);
    if let Some(j) = lower.iter().position(|l| *l == f64::INFINITY) {
        return Err(keys
            .bad("lower", format!("nothing is above infinity (coordinate {j}); -inf means no lower bound")));
    }
    if let Some(j) = upper.iter().position(|u| *u == f64::NEG_INFINITY) {
        return Err(keys
            .bad("upper", format!("nothing is below -infinity (coordinate {j}); inf means no upper bound")));
    }
    if let Some(j) = (0..dim).find(|j| lower[*j] > upper[*j]) {
        let remedy = format!(
            "the box is empty: in coordinate {j} lower is {} and upper is {} (lower must not be above upper)",
            lower[j], upper[j]
        );
        return Err(keys.bad("lower", remedy));
    }
    Ok(Box::new(Cuboid { lower, upper }))
}

/// A number for every coordinate, or one number per coordinate.
fn bound(keys: &Keys<'_>, key: &str, dim: usize) -> Result<Vec<f64>, Error> {
    match keys.raw(key) {
        None => Err(keys.bad(
            key,
            format!("a box needs it: a number, or a list of {dim} numbers (inf or -inf: no bound)"),
        )),
        Some(value) if value.as_list().is_some() => {
            let list = keys.f64s(key)?.unwrap_or_default();
            if list.len() == dim {
                Ok(list)
            } else {
                let remedy = format!(
                    "{} numbers for {dim} coordinates (give one number, or one per coordinate)",
                    list.len()
                );
                Err(keys.bad(key, remedy))
            }
        }
        Some(_) => match keys.f64(key)? {
            Some(x) => Ok(vec![x; dim]),
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
