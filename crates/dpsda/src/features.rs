//! Samples: rows of features and their labels.
//!
//! [`Dense`] stores every number, [`Single`] in half of the memory, [`Sparse`] only numbers that are not zero, [`Bytes`] one byte
//! per number. A [`Scaling`] brings numbers of any size to the size that steps and clips expect, and adds a constant feature.
//!
//! # Features of your own
//!
//! Costs need only the product of a row with a decision, and the sum of multiples of rows.
//!
//! ```
//! use std::ops::Range;
//!
//! use dpsda::features::{Features, Samples};
//!
//! /// Row `r` is one in column `r mod dim` and zero elsewhere.
//! struct OneHot {
//!     rows: usize,
//!     dim: usize,
//! }
//!
//! impl Features for OneHot {
//!     fn len(&self) -> usize {
//!         self.rows
//!     }
//!
//!     fn dim(&self) -> usize {
//!         self.dim
//!     }
//!
//!     fn dot(&self, row: usize, x: &[f64]) -> f64 {
//!         x[row % self.dim]
//!     }
//!
//!     fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]) {
//!         if block.contains(&(row % self.dim)) {
//!             g[row % self.dim - block.start] += c;
//!         }
//!     }
//! }
//!
//! let samples = Samples::new(OneHot { rows: 4, dim: 3 }, vec![1.0, -1.0, 1.0, -1.0])?;
//! assert_eq!(samples.features.dot(3, &[5.0, 6.0, 7.0]), 5.0);
//! # Ok::<(), dpsda::Error>(())
//! ```

use std::fmt;
use std::ops::Range;

use crate::Error;
use crate::catalog::pointers;

pub mod bytes;
pub mod dense;
mod intercept;
pub mod scaling;
pub mod single;
pub mod sparse;

pub use bytes::Bytes;
pub use dense::Dense;
pub use scaling::Scaling;
pub use single::Single;
pub use sparse::Sparse;

/// A matrix whose rows are samples.
///
/// A `Box` or an `Arc` of features implements `Features` too.
///
/// ```
/// use dpsda::features::{Bytes, Dense, Features};
/// let (dense, bytes) = (Dense::new(vec![0.0, 1.0, 1.0, 0.0], 2)?, Bytes::new(vec![0, 255, 255, 0], 2, 255.0)?);
/// let mut sum = [0.0; 2];
/// for features in [&dense as &dyn Features, &bytes] {
///     assert_eq!((features.len(), features.dot(0, &[5.0, 7.0])), (2, 7.0));
///     features.add_to(1, 0..2, 0.5, &mut sum); // half of row 1
/// }
/// assert_eq!(sum, [1.0, 0.0]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait Features: Send + Sync {
    /// How many samples.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many features a sample has.
    fn dim(&self) -> usize;

    /// `a_row . x`
    fn dot(&self, row: usize, x: &[f64]) -> f64;

    /// [`Features::dot`] of several rows: one number per row.
    fn dots(&self, rows: &[usize], x: &[f64], s: &mut [f64]) {
        rows.iter().zip(s).for_each(|(row, s)| *s = self.dot(*row, x));
    }

    /// `g += c a_row[block]`
    fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]);

    /// Shows the columns and numbers of a row, in the order of columns. Columns that are not shown are zero. The default shows all.
    fn visit(&self, row: usize, show: &mut dyn FnMut(usize, f64)) {
        let mut numbers = vec![0.0; self.dim()];
        self.add_to(row, 0..self.dim(), 1.0, &mut numbers);
        numbers.into_iter().enumerate().for_each(|(column, number)| show(column, number));
    }

    /// All numbers of a row, if they are stored as such.
    fn stored(&self, _row: usize) -> Option<&[f64]> {
        None
    }

    /// All numbers of a row, if they are stored as numbers of 32 bits.
    fn stored_single(&self, _row: usize) -> Option<&[f32]> {
        None
    }

    /// Writes the numbers of some columns of a row.
    fn write(&self, row: usize, columns: Range<usize>, numbers: &mut [f64]) {
        numbers.fill(0.0);
        self.visit(row, &mut |column, a| {
            let place = column.checked_sub(columns.start).filter(|_| column < columns.end);
            place.and_then(|place| numbers.get_mut(place)).into_iter().for_each(|number| *number = a);
        });
    }

    /// Whether zeros are not stored.
    fn is_sparse(&self) -> bool {
        false
    }
}

pointers! { Features {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn dim(&self) -> usize;
    fn dot(&self, row: usize, x: &[f64]) -> f64;
    fn dots(&self, rows: &[usize], x: &[f64], s: &mut [f64]);
    fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]);
    fn visit(&self, row: usize, show: &mut dyn FnMut(usize, f64));
    fn stored(&self, row: usize) -> Option<&[f64]>;
    fn stored_single(&self, row: usize) -> Option<&[f32]>;
    fn write(&self, row: usize, columns: Range<usize>, numbers: &mut [f64]);
    fn is_sparse(&self) -> bool;
} }

/// Features with labels.
///
/// ```
/// use dpsda::features::{Dense, Samples};
/// let features = Dense::new(vec![1.0, 2.0, 3.0, 4.0], 2)?; // two samples
/// let samples = Samples::new(features, vec![1.0, -1.0])?;
/// assert_eq!(samples.labels.len(), 2);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Samples {
    /// One row per sample.
    pub features: Box<dyn Features>,
    /// One label per row.
    pub labels: Vec<f64>,
}

impl Samples {
    /// These features, with one label per row.
    ///
    /// ```
    /// use dpsda::features::{Dense, Samples};
    /// let features = Dense::new(vec![1.0, 2.0, 3.0, 4.0], 2)?;
    /// let error = Samples::new(features, vec![1.0]).unwrap_err().to_string();
    /// assert_eq!(error, "labels = 1 labels: there are 2 samples (give one label per sample)");
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn new(features: impl Features + 'static, labels: Vec<f64>) -> Result<Self, Error> {
        if labels.len() != features.len() {
            let remedy = format!("there are {} samples (give one label per sample)", features.len());
            return Err(Error::value("labels", format!("{} labels", labels.len()), remedy));
        }
        if let Some(row) = labels.iter().position(|b| !b.is_finite()) {
            return Err(Error::value(format!("labels[{row}]"), labels[row], "expected a finite number"));
        }
        Ok(Self { features: Box::new(features), labels })
    }
}

impl fmt::Debug for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Samples")
            .field("len", &self.features.len())
            .field("dim", &self.features.dim())
            .finish_non_exhaustive()
    }
}

/// Checks that `len` numbers make whole rows of `dim` features.
fn whole_rows(len: usize, dim: usize) -> Result<(), Error> {
    if dim == 0 {
        return Err(Error::value("dim", dim, "a sample has at least one feature"));
    }
    if !len.is_multiple_of(dim) {
        let remedy = format!("they do not make rows of {dim} features (use a multiple of dim)");
        return Err(Error::value("values", format!("{len} numbers"), remedy));
    }
    Ok(())
}
