//! The cost of a round, `f_t` of (1): any convex function of the shared decision.

use std::borrow::Cow;
use std::ops::Range;

use crate::Error;
use crate::features::Samples;
use crate::loss::Loss;

pub(crate) mod margins;
mod own;
mod rows;
mod share;
mod slopes;
pub mod two_point;
pub use own::OwnCost;
pub(crate) use rows::BatchRows;
pub use share::{Share, deal};
pub(crate) use slopes::Slopes;

/// A convex function of the shared decision.
///
/// [`OwnCost`] makes one from two closures, [`Batch`] from samples and a loss.
///
/// ```
/// use std::ops::Range;
///
/// use dpsda::prelude::*;
///
/// /// The absolute distance to a point, coordinate by coordinate.
/// struct Distance([f64; 2]);
///
/// impl Objective for Distance {
///     fn dim(&self) -> usize {
///         2
///     }
///
///     fn value(&self, x: &[f64]) -> f64 {
///         x.iter().zip(self.0).map(|(x, to)| (x - to).abs()).sum()
///     }
///
///     fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
///         block.zip(g).for_each(|(k, g)| *g = (x[k] - self.0[k]).signum());
///     }
/// }
///
/// let spec = Spec::new(Blocks::even(2, 2)?).set(Cuboid::new(-5.0, 5.0)?).graph(Ring::new(2)?).algorithm(Relay).rounds(50);
/// let (mut fleet, cost) = (spec.fleet(Seed::new(1))?, Distance([1.0, -2.0]));
/// for t in 0..50 {
///     fleet.round(t, &cost)?;
/// }
/// assert!(cost.value(&fleet.decision()) < 1.0); // it was 3 at the start
/// # Ok::<(), Error>(())
/// ```
pub trait Objective: Sync {
    /// How many coordinates.
    fn dim(&self) -> usize;

    /// `f(x)`
    fn value(&self, x: &[f64]) -> f64;

    /// Writes the coordinates `block` of a subgradient at `x` to `g`.
    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]);

    /// The number of examples whose mean cost it is. This number is public.
    fn examples(&self) -> usize {
        1
    }

    /// Writes the coordinates `block` of a subgradient at `x` to `g`, for the cost of example `k` alone.
    fn example(&self, _k: usize, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        self.partial(x, block, g);
    }

    /// The cost of example `k` alone, at `x`.
    fn example_value(&self, _k: usize, x: &[f64]) -> f64 {
        self.value(x)
    }

    /// The part of the cost that node `i` of `of` nodes has, if the cost is a sum that nodes can divide. The parts of all nodes
    /// sum to the cost.
    fn part(&self, _i: usize, _of: usize) -> Option<Box<dyn Objective + '_>> {
        None
    }

    /// The gradient in two parts, for promises about agents. Writes the part that depends on data of the owner of `block` to `own`,
    /// and the part that depends on public data alone to `public`. Their sum is what [`Objective::partial`] writes. False if the
    /// cost has no such parts.
    fn agent(&self, _x: &[f64], _block: Range<usize>, _own: &mut [f64], _public: &mut [f64]) -> bool {
        false
    }

    /// The decision that is carried out when nodes have committed `x`: usually `x` itself. If nodes own parts of one simplex, `x`
    /// may not sum to one. The decision is then `x` divided by its sum.
    fn enacted<'x>(&self, x: &'x [f64]) -> Cow<'x, [f64]> {
        Cow::Borrowed(x)
    }

    /// A quantity of the application at `x`, such as travel time. `name` is the name of its metric.
    fn measure(&self, _name: &str, _x: &[f64]) -> Option<f64> {
        None
    }

    /// The cost as a mean loss of linear predictions, if it is one. Accuracy needs this form, and the comparator is faster with it.
    fn linear(&self) -> Option<Batch<'_>> {
        None
    }
}

/// The mean loss over some rows of a data set.
///
/// ```
/// use dpsda::features::{Dense, Samples};
/// use dpsda::loss::Squared;
/// use dpsda::objective::{Batch, Objective};
/// let samples = Samples::new(Dense::new(vec![1.0, 2.0], 1)?, vec![0.0, 0.0])?;
/// assert_eq!(Batch::new(&samples, &[0, 1], &Squared)?.value(&[1.0]), 2.5);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// The data.
    pub samples: &'a Samples,
    /// The rows, at least one.
    pub rows: &'a [usize],
    /// The loss.
    pub loss: &'a dyn Loss,
}

impl<'a> Batch<'a> {
    /// The mean loss over these rows. There must be at least one, and all must be rows of `samples`.
    ///
    /// ```
    /// use dpsda::features::{Dense, Samples};
    /// use dpsda::loss::Squared;
    /// use dpsda::objective::Batch;
    /// let samples = Samples::new(Dense::new(vec![1.0, 2.0], 1)?, vec![0.0, 0.0])?;
    /// let error = Batch::new(&samples, &[0, 2], &Squared).err().unwrap().to_string();
    /// assert_eq!(error, "rows[1] = 2: there are 2 samples, rows 0 to 1 (use one of these rows)");
    /// assert!(Batch::new(&samples, &[], &Squared).is_err());
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn new(samples: &'a Samples, rows: &'a [usize], loss: &'a dyn Loss) -> Result<Self, Error> {
        if rows.is_empty() {
            return Err(Error::value("rows", "[]", "expected at least one row (a mean needs one)"));
        }
        let batch = Self { samples, rows, loss };
        batch.check_rows()?;
        Ok(batch)
    }

    /// Whether all rows are rows of the samples, each with its label.
    pub(crate) fn check_rows(&self) -> Result<(), Error> {
        let known = self.samples.features.len().min(self.samples.labels.len());
        match self.rows.iter().position(|row| *row >= known) {
            None => Ok(()),
            Some(k) => {
                let remedy = match known {
                    0 => "there are no samples".to_owned(),
                    _ => {
                        format!("there are {known} samples, rows 0 to {} (use one of these rows)", known - 1)
                    }
                };
                Err(Error::value(format!("rows[{k}]"), self.rows[k], remedy))
            }
        }
    }
}

impl Objective for Batch<'_> {
    fn dim(&self) -> usize {
        self.samples.features.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let Samples { features, labels } = self.samples;
        let mut products = vec![0.0; self.rows.len()];
        features.dots(self.rows, x, &mut products);
        let values = self.rows.iter().zip(products).map(|(&r, s)| self.loss.value(s, labels[r]));
        values.sum::<f64>() / self.rows.len() as f64
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let Samples { features, labels } = self.samples;
        g.fill(0.0);
        for &r in self.rows {
            let slope = self.loss.slope(features.dot(r, x), labels[r]);
            features.add_to(r, block.clone(), slope / self.rows.len() as f64, g);
        }
    }

    fn examples(&self) -> usize {
        self.rows.len()
    }

    fn example(&self, k: usize, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let Samples { features, labels } = self.samples;
        let r = self.rows[k];
        g.fill(0.0);
        features.add_to(r, block, self.loss.slope(features.dot(r, x), labels[r]), g);
    }

    fn example_value(&self, k: usize, x: &[f64]) -> f64 {
        let Samples { features, labels } = self.samples;
        let r = self.rows[k];
        self.loss.value(features.dot(r, x), labels[r])
    }

    fn part(&self, i: usize, of: usize) -> Option<Box<dyn Objective + '_>> {
        (i < of).then(|| Box::new(Share::of(*self, i, of)) as Box<dyn Objective>)
    }

    fn linear(&self) -> Option<Batch<'_>> {
        Some(*self)
    }
}
