//! Features stored as numbers, row after row.

use std::ops::Range;

use super::{Features, whole_rows};
use crate::Error;

/// A row-major matrix of finite numbers.
///
/// ```
/// use dpsda::features::{Dense, Features};
/// let dense = Dense::new(vec![1.0, 2.0, 3.0, 4.0], 2)?; // two rows
/// assert_eq!(dense.dot(1, &[1.0, 10.0]), 43.0);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    values: Vec<f64>,
    dim: usize,
}

impl Dense {
    /// Rows of `dim` features each, one after the other.
    ///
    /// ```
    /// # use dpsda::features::Dense;
    /// let error = Dense::new(vec![1.0; 7], 3).unwrap_err().to_string();
    /// assert_eq!(error, "values = 7 numbers: they do not make rows of 3 features (use a multiple of dim)");
    /// ```
    pub fn new(values: Vec<f64>, dim: usize) -> Result<Self, Error> {
        whole_rows(values.len(), dim)?;
        if let Some(k) = values.iter().position(|v| !v.is_finite()) {
            let remedy = format!("expected a finite number in row {}, column {}", k / dim, k % dim);
            return Err(Error::value(format!("values[{k}]"), values[k], remedy));
        }
        Ok(Self { values, dim })
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.dim..(row + 1) * self.dim]
    }
}

impl Features for Dense {
    fn len(&self) -> usize {
        self.values.len() / self.dim
    }

    fn dim(&self) -> usize {
        self.dim
    }

    /// Eight running sums, so that the compiler vectorises. They are always added in the same order.
    fn dot(&self, row: usize, x: &[f64]) -> f64 {
        let (a, a_rest) = self.row(row).as_chunks::<8>();
        let (x, x_rest) = x.as_chunks::<8>();
        let mut sums = [0.0; 8];
        for (a, x) in a.iter().zip(x) {
            for k in 0..8 {
                sums[k] += a[k] * x[k];
            }
        }
        let rest: f64 = a_rest.iter().zip(x_rest).map(|(a, x)| a * x).sum();
        let [a, b, c, d, e, f, g, h] = sums;
        ((a + e) + (b + f)) + ((c + g) + (d + h)) + rest
    }

    fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]) {
        // Most slopes of a hinge are zero.
        if c != 0.0 {
            g.iter_mut().zip(&self.row(row)[block]).for_each(|(g, a)| *g += c * a);
        }
    }

    fn visit(&self, row: usize, show: &mut dyn FnMut(usize, f64)) {
        self.row(row).iter().enumerate().for_each(|(column, a)| show(column, *a));
    }

    fn stored(&self, row: usize) -> Option<&[f64]> {
        Some(self.row(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_shapes_and_infinite_numbers_are_refused() {
        assert!(Dense::new(vec![1.0; 7], 3).is_err());
        assert!(Dense::new(vec![], 0).is_err());
        assert_eq!(Dense::new(vec![], 3).unwrap().len(), 0);
        let error = Dense::new(vec![0.0, 1.0, 2.0, f64::NAN], 2).unwrap_err().to_string();
        assert!(error.contains("row 1, column 1"), "{error}");
    }

    #[test]
    fn rows_multiply_and_add_as_written() {
        let values: Vec<f64> = (0..38).map(f64::from).collect();
        let dense = Dense::new(values.clone(), 19).unwrap();
        let x: Vec<f64> = (0..19).map(|j| f64::from(j % 5) - 2.0).collect();
        let plain: f64 = values[19..].iter().zip(&x).map(|(a, x)| a * x).sum();
        assert_eq!(dense.dot(1, &x), plain); // whole numbers: exact in any order
        let mut g = [1.0, 2.0];
        dense.add_to(1, 3..5, 2.0, &mut g);
        assert_eq!(g, [1.0 + 2.0 * 22.0, 2.0 + 2.0 * 23.0]);
    }
}
