//! A test that a cost is convex on a set, and that its gradient fits its values.

use rand_distr::{Distribution, StandardNormal};

use super::CostSequence;
use crate::Error;
use crate::objective::Objective;
use crate::rng::{Purpose, Seed};
use crate::set::ConvexSet;

/// How many points of the set are tried. All pairs of them are compared.
const POINTS: u64 = 12;

/// Tests a cost at random points of the set:
///
/// - A value is a number or plus infinity. Where it is finite, so is the gradient.
/// - Midway between two points, the value is at most the mean of both values.
/// - No value lies below a tangent.
///
/// An error proves the cost or its gradient wrong. Without an error, it may still be wrong at other points.
///
/// ```
/// use dpsda::cost::check;
/// use dpsda::prelude::*;
/// let set = Cuboid::new(-1.0, 1.0)?;
/// let square = |x: &[f64]| x[0] * x[0];
/// let right = OwnCost::new(1, square, |x: &[f64], g: &mut [f64]| g[0] = 2.0 * x[0]);
/// assert_eq!(check(&right, &set, Seed::new(1)), Ok(()));
///
/// let hill = OwnCost::new(1, move |x: &[f64]| -square(x), |x: &[f64], g: &mut [f64]| g[0] = -2.0 * x[0]);
/// let error = check(&hill, &set, Seed::new(1)).unwrap_err().to_string();
/// assert!(error.contains("the cost is not convex on the set"), "{error}");
///
/// let wrong = OwnCost::new(1, square, |x: &[f64], g: &mut [f64]| g[0] = -2.0 * x[0]);
/// let error = check(&wrong, &set, Seed::new(1)).unwrap_err().to_string();
/// assert!(error.contains("the gradient does not fit the values"), "{error}");
/// # Ok::<(), Error>(())
/// ```
pub fn check(f: &dyn Objective, set: &dyn ConvexSet, seed: Seed) -> Result<(), Error> {
    let points: Vec<ProbedPoint> =
        (0..POINTS).map(|k| ProbedPoint::new(f, draw(f, set, seed, k))).collect::<Result<_, _>>()?;
    let pairs = || points.iter().enumerate().flat_map(|(k, a)| points[..k].iter().map(move |b| (a, b)));
    pairs().try_for_each(|(a, b)| midway(f, a, b))?;
    pairs().try_for_each(|(a, b)| a.tangent(b).and_then(|()| b.tangent(a)))
}

/// Tests the costs of the first, the middle and the last round with [`check`]. An error says which round.
///
/// A program with costs of its own calls this once, before it runs. `dpsda check` and `dpsda run` do the same for every model.
///
/// ```
/// use dpsda::cost::{CostModel, check_rounds, expert::Expert};
/// use dpsda::prelude::*;
/// let costs = Expert::drawn(4, 0.2)?.draw(Seed::new(1), 100);
/// assert_eq!(check_rounds(&*costs, &Simplex::default(), Seed::new(1)), Ok(()));
/// # Ok::<(), Error>(())
/// ```
pub fn check_rounds(costs: &dyn CostSequence, set: &dyn ConvexSet, seed: Seed) -> Result<(), Error> {
    let rounds = costs.rounds();
    let mut tried = vec![0, rounds / 2, rounds.saturating_sub(1)];
    tried.dedup();
    tried.into_iter().try_for_each(|t| {
        let Some(cost) = costs.cost(t) else { return Ok(()) };
        check(&*cost, set, seed).map_err(|error| Error::data(format!("round {t}"), error.to_string()))
    })
}

/// A point of the set. Half of the points are close to the point before them: there a wrong gradient shows most clearly.
fn draw(f: &dyn Objective, set: &dyn ConvexSet, seed: Seed, k: u64) -> Vec<f64> {
    let mut x = vec![0.0; f.dim()];
    let mut add = |node: u64, scale: f64| {
        let mut stream = seed.stream(Purpose::Direction, node, 0);
        let normal = StandardNormal.sample_iter(&mut stream);
        x.iter_mut().zip(normal).for_each(|(x, z): (_, f64)| *x += scale * z);
        set.project(&mut x);
    };
    add(k / 2, [0.1, 1.0, 10.0][(k / 2 % 3) as usize]);
    if k % 2 == 1 {
        add(POINTS + k, 0.01);
    }
    x
}

/// A point, with the value and the gradient there.
struct ProbedPoint {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl ProbedPoint {
    fn new(f: &dyn Objective, x: Vec<f64>) -> Result<Self, Error> {
        let (value, mut gradient) = (f.value(&x), vec![0.0; x.len()]);
        if value.is_nan() || value == f64::NEG_INFINITY {
            let remedy = format!("the value at {} must be a number (check the formula)", shown(&x));
            return Err(Error::value("cost", value, remedy));
        }
        f.partial(&x, 0..x.len(), &mut gradient);
        if let Some(g) = gradient.iter().find(|g| value.is_finite() && !g.is_finite()) {
            let remedy = format!("the gradient at {} must be finite (check its formula)", shown(&x));
            return Err(Error::value("gradient", g, remedy));
        }
        Ok(Self { x, value, gradient })
    }

    /// Whether the value at `to` lies above the tangent here.
    fn tangent(&self, to: &Self) -> Result<(), Error> {
        if self.value == f64::INFINITY {
            return Ok(());
        }
        let rise = |(g, (x, to)): (&f64, (&f64, &f64))| g * (to - x);
        let terms = || self.gradient.iter().zip(self.x.iter().zip(&to.x)).map(rise);
        let (tangent, size) = (self.value + terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
        if to.value >= tangent - 1e-9 * (self.value.abs() + to.value.abs() + size) {
            return Ok(());
        }
        let remedy = format!(
            "the gradient does not fit the values: at {} the cost is {}, below the tangent's {tangent} (check the gradient)",
            shown(&to.x),
            to.value
        );
        Err(Error::value("gradient", format!("{} at {}", shown(&self.gradient), shown(&self.x)), remedy))
    }
}

/// Whether the value midway is at most the mean of both values.
fn midway(f: &dyn Objective, a: &ProbedPoint, b: &ProbedPoint) -> Result<(), Error> {
    let x: Vec<f64> = a.x.iter().zip(&b.x).map(|(a, b)| a / 2.0 + b / 2.0).collect();
    let (value, mean) = (f.value(&x), a.value / 2.0 + b.value / 2.0);
    if value <= mean + 1e-9 * (a.value.abs() + b.value.abs()) {
        return Ok(());
    }
    let remedy = format!(
        "the cost is not convex on the set: midway between {} and {} it must be at most {mean}, the mean of both values",
        shown(&a.x),
        shown(&b.x)
    );
    Err(Error::value("cost", value, remedy))
}

/// The first coordinates.
fn shown(x: &[f64]) -> String {
    let first: Vec<String> = x.iter().take(3).map(|x| format!("{x:.4}")).collect();
    format!("[{}{}]", first.join(", "), if x.len() > 3 { ", .." } else { "" })
}
