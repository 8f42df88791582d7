//! Faces of boxes and balls: where a decision on the border can still go.

use super::preconditioner::{add, dot};
use crate::set::ConvexSet;

/// A set whose faces are known.
pub(super) enum Shape {
    /// The least and the largest value of every coordinate.
    Sides(Vec<(f64, f64)>),
    /// A ball around zero.
    Radius(f64),
}

impl Shape {
    /// The shape of a set; `None` if it is neither a box nor a ball.
    pub(super) fn of(set: &dyn ConvexSet, dim: usize) -> Option<Self> {
        set.ball().map(Self::Radius).or_else(|| set.sides(dim).map(Self::Sides))
    }

    /// Whether this point is in the set.
    pub(super) fn contains(&self, x: &[f64]) -> bool {
        match self {
            Self::Sides(sides) => x.iter().zip(sides).all(|(x, (low, high))| low <= x && x <= high),
            Self::Radius(radius) => dot(x, x) <= radius * radius * (1.0 + 1e-14),
        }
    }

    /// How far one can go from `x`, a point of the set, along `way`: at most all of it.
    pub(super) fn reach(&self, x: &[f64], way: &[f64]) -> f64 {
        let Self::Sides(sides) = self else { return 0.0 };
        let room = |((x, way), (low, high)): ((&f64, &f64), &(f64, f64))| {
            if *way == 0.0 { 1.0 } else { (if *way > 0.0 { high - x } else { low - x }) / way }
        };
        x.iter().zip(way).zip(sides).map(room).fold(1.0, f64::min).max(0.0)
    }

    /// The face of `x` on which a function with gradient `g` can fall.
    pub(super) fn face<'x>(&self, x: &'x [f64], g: &[f64]) -> Face<'x> {
        match self {
            Self::Sides(sides) => {
                let held = |((x, g), (low, high)): ((&f64, &f64), &(f64, f64))| {
                    (x <= low && *g > 0.0) || (x >= high && *g < 0.0) || low == high
                };
                let held: Vec<bool> = x.iter().zip(g).zip(sides).map(held).collect();
                if held.contains(&true) { Face::Held(held) } else { Face::Whole }
            }
            Self::Radius(radius) => {
                let (square, along) = (dot(x, x), dot(x, g));
                if square >= radius * radius * (1.0 - 1e-12) && along < 0.0 {
                    Face::Tangent { x, square, bend: -along / square }
                } else {
                    Face::Whole
                }
            }
        }
    }
}

/// The directions that a point can go.
pub(super) enum Face<'x> {
    /// All.
    Whole,
    /// Those that do not move the coordinates that a bound holds.
    Held(Vec<bool>),
    /// Those along the sphere at `x`. A step `d` along it that returns to the sphere has the cost `bend |d|^2/2` in addition.
    Tangent {
        /// Where the sphere is touched, and the square of its length.
        x: &'x [f64],
        square: f64,
        bend: f64,
    },
}

impl Face<'_> {
    /// Keeps only the part of `v` along the face.
    pub(super) fn project(&self, v: &mut [f64]) {
        match self {
            Self::Whole => {}
            Self::Held(held) => v.iter_mut().zip(held).filter(|(_, held)| **held).for_each(|(v, _)| *v = 0.0),
            Self::Tangent { x, square, .. } => {
                let along = dot(x, v) / square;
                add(v, -along, x);
            }
        }
    }

    /// The curvature of the set itself.
    pub(super) fn bend(&self) -> f64 {
        if let Self::Tangent { bend, .. } = self { *bend } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_holds_what_would_leave_and_nothing_else() {
        let shape = Shape::Sides(vec![(0.0, 1.0); 4]);
        let (x, g) = ([0.0, 0.0, 1.0, 0.5], [1.0, -1.0, -1.0, 1.0]);
        let mut way = [1.0; 4];
        shape.face(&x, &g).project(&mut way);
        assert_eq!(way, [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(shape.reach(&x, &[0.0, 4.0, 0.0, -1.0]), 0.25);
        assert!(shape.contains(&x) && !shape.contains(&[0.0, 0.0, 1.1, 0.0]));
    }

    #[test]
    fn on_a_sphere_one_goes_along_it_or_inwards() {
        let (shape, x) = (Shape::Radius(5.0), [3.0, 4.0]);
        let mut way = [1.0, 0.0];
        let face = shape.face(&x, &[-3.0, -4.0]);
        face.project(&mut way);
        assert!(dot(&way, &x).abs() < 1e-15 && (face.bend() - 1.0).abs() < 1e-15);
        assert!(matches!(shape.face(&x, &[3.0, 4.0]), Face::Whole), "inwards");
        assert!(matches!(shape.face(&[3.0, 3.0], &[-3.0, -4.0]), Face::Whole), "inside");
    }
}
