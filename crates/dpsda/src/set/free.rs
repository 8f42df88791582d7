//! No constraint.

use super::{Build, ConvexSet, ProxEach};
use crate::catalog::Listing;

/// The whole space.
///
/// ```
/// use dpsda::set::{ConvexSet, Free};
/// let mut x = [1e9, -1e9];
/// Free.project(&mut x);
/// assert_eq!(x, [1e9, -1e9]);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Free;

impl ConvexSet for Free {
    fn project(&self, _x: &mut [f64]) {}

    fn floor(&self, c: &[f64]) -> f64 {
        if c.iter().all(|c| *c == 0.0) { 0.0 } else { f64::NEG_INFINITY }
    }

    fn sides(&self, dim: usize) -> Option<Vec<(f64, f64)>> {
        Some(vec![(f64::NEG_INFINITY, f64::INFINITY); dim])
    }

    fn is_separable(&self) -> bool {
        true
    }

    fn prox_some(&self, _first: usize, z: &[f64], alpha: f64, y: &mut [f64]) -> bool {
        self.prox(z, alpha, y);
        true
    }

    fn each(&self) -> Option<&dyn ProxEach> {
        Some(self)
    }
}

impl ProxEach for Free {
    fn prox_each(&self, z: &[f64], steps: &[f64], y: &mut [f64]) {
        super::step_each(z, steps, y);
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "free",
    about: "no constraint (the paper's bounds ask for a compact set)",
    keys: &[],
    build: |_, _| Ok(Box::new(Free)),
};
