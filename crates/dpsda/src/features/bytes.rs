//! Features stored as bytes, for images: an eighth of the memory and half of the time of [`Dense`](super::Dense).

use std::ops::Range;

use super::{Features, whole_rows};
use crate::Error;

/// A row-major matrix of bytes. A feature is its byte divided by `whole`.
///
/// ```
/// use dpsda::features::{Bytes, Features};
/// let pixels = Bytes::new(vec![0, 255, 255, 51], 2, 255.0)?;
/// assert_eq!(pixels.dot(1, &[1.0, 10.0]), 3.0);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bytes {
    values: Vec<u8>,
    dim: usize,
    whole: f64,
}

impl Bytes {
    /// Rows of `dim` bytes each, one after the other. A byte equal to `whole` is the feature 1.
    pub fn new(values: Vec<u8>, dim: usize, whole: f64) -> Result<Self, Error> {
        whole_rows(values.len(), dim)?;
        if !(whole > 0.0 && whole.is_finite()) {
            return Err(Error::value(
                "whole",
                whole,
                "bytes are divided by it (use a positive finite number)",
            ));
        }
        Ok(Self { values, dim, whole })
    }

    fn row(&self, row: usize) -> &[u8] {
        &self.values[row * self.dim..(row + 1) * self.dim]
    }
}

impl Features for Bytes {
    fn len(&self) -> usize {
        self.values.len() / self.dim
    }

    fn dim(&self) -> usize {
        self.dim
    }

    /// Sixteen running sums, one per byte of a vector register. They are always added in the same order, and divided once at
    /// the end.
    fn dot(&self, row: usize, x: &[f64]) -> f64 {
        let (a, a_rest) = self.row(row).as_chunks::<16>();
        let (x, x_rest) = x.as_chunks::<16>();
        let mut sums = [0.0; 16];
        for (a, x) in a.iter().zip(x) {
            for k in 0..16 {
                sums[k] += f64::from(a[k]) * x[k];
            }
        }
        let rest: f64 = a_rest.iter().zip(x_rest).map(|(a, x)| f64::from(*a) * x).sum();
        let mut width = 8;
        while width > 0 {
            (0..width).for_each(|k| sums[k] += sums[k + width]);
            width /= 2;
        }
        (sums[0] + rest) / self.whole
    }

    fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]) {
        // Most slopes of a hinge are zero.
        if c != 0.0 {
            let c = c / self.whole;
            g.iter_mut().zip(&self.row(row)[block]).for_each(|(g, a)| *g += c * f64::from(*a));
        }
    }

    fn visit(&self, row: usize, show: &mut dyn FnMut(usize, f64)) {
        self.row(row).iter().enumerate().for_each(|(column, a)| show(column, f64::from(*a) / self.whole));
    }

    fn write(&self, row: usize, columns: Range<usize>, numbers: &mut [f64]) {
        numbers
            .iter_mut()
            .zip(&self.row(row)[columns])
            .for_each(|(number, a)| *number = f64::from(*a) / self.whole);
    }
}

#[cfg(test)]
mod tests {
    use super::super::dense::Dense;
    use super::*;

    #[test]
    fn shapes_and_scales_that_do_not_fit_are_refused() {
        assert!(Bytes::new(vec![1; 7], 3, 255.0).is_err());
        assert!(Bytes::new(vec![], 0, 255.0).is_err());
        assert_eq!(Bytes::new(vec![], 3, 255.0).unwrap().len(), 0);
        for whole in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Bytes::new(vec![1; 6], 3, whole).is_err(), "{whole}");
        }
    }

    #[test]
    fn bytes_give_the_same_results_as_their_numbers() {
        const DIM: usize = 53; // three registers and a rest
        let bytes: Vec<u8> = (0..3 * DIM).map(|k| (k * k * 7 + k) as u8).collect();
        // Divided by a power of two every sum is exact, in any order.
        let dense = Dense::new(bytes.iter().map(|b| f64::from(*b) / 128.0).collect(), DIM).unwrap();
        let bytes = Bytes::new(bytes, DIM, 128.0).unwrap();
        assert_eq!((bytes.len(), bytes.dim()), (3, DIM));
        let x: Vec<f64> = (0..DIM as i32).map(|j| f64::from(j % 7 - 3)).collect();
        for row in 0..3 {
            assert_eq!(bytes.dot(row, &x), dense.dot(row, &x));
            for (start, end) in [(0, DIM), (1, 3), (20, DIM), (0, 1), (7, 7)] {
                let (mut a, mut b) = (vec![1.0; end - start], vec![1.0; end - start]);
                bytes.add_to(row, start..end, 3.0, &mut a);
                dense.add_to(row, start..end, 3.0, &mut b);
                assert_eq!(a, b);
            }
        }
        let mut g = [0.5; DIM];
        bytes.add_to(0, 0..DIM, 0.0, &mut g);
        assert_eq!(g, [0.5; DIM]);
    }
}
