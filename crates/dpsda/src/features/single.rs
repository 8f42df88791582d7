//! Features stored as numbers of 32 bits: half of the memory of [`Dense`](super::Dense), and of what a processor waits for.

use std::ops::Range;

use super::{Features, whole_rows};
use crate::Error;

/// A row-major matrix of finite numbers of 32 bits, in memory of any kind. All that is computed from them is computed in 64 bits.
///
/// ```
/// use dpsda::features::{Features, Single};
/// let single = Single::new(vec![1.0, 2.0, 3.0, 4.0], 2)?; // two rows
/// assert_eq!(single.dot(1, &[1.0, 10.0]), 43.0);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Single<M = Vec<f32>> {
    values: M,
    dim: usize,
}

impl Single {
    /// Rows of `dim` features each, one after the other.
    pub fn new(values: Vec<f32>, dim: usize) -> Result<Self, Error> {
        Self::in_memory(values, dim)
    }
}

impl<M: AsRef<[f32]>> Single<M> {
    /// The same in memory of the caller's kind, such as a file that is mapped.
    ///
    /// ```
    /// use dpsda::features::{Features, Single};
    /// let shared: std::sync::Arc<[f32]> = [1.0, 2.0].into();
    /// assert_eq!(Single::in_memory(shared, 2)?.dot(0, &[1.0, 10.0]), 21.0);
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn in_memory(memory: M, dim: usize) -> Result<Self, Error> {
        let values = memory.as_ref();
        whole_rows(values.len(), dim)?;
        // Whole stretches first: they need no branch, and hardly any holds a number that is not finite.
        let infinite = |v: &f32| !v.is_finite();
        let stretch = |part: &[f32]| part.iter().fold(false, |any, v| any | infinite(v));
        let found = values.chunks(4096).position(stretch).map(|k| 4096 * k);
        if let Some(k) = found.and_then(|from| Some(from + values[from..].iter().position(infinite)?)) {
            let remedy = format!("expected a finite number in row {}, column {}", k / dim, k % dim);
            return Err(Error::value(format!("values[{k}]"), values[k], remedy));
        }
        Ok(Self { values: memory, dim })
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.values.as_ref()[row * self.dim..(row + 1) * self.dim]
    }
}

impl<M: AsRef<[f32]> + Send + Sync> Features for Single<M> {
    fn len(&self) -> usize {
        self.values.as_ref().len() / self.dim
    }

    fn dim(&self) -> usize {
        self.dim
    }

    /// Eight running sums, as those of [`Dense`](super::Dense).
    fn dot(&self, row: usize, x: &[f64]) -> f64 {
        let (a, a_rest) = self.row(row).as_chunks::<8>();
        let (x, x_rest) = x.as_chunks::<8>();
        let mut sums = [0.0; 8];
        for (a, x) in a.iter().zip(x) {
            for k in 0..8 {
                sums[k] += f64::from(a[k]) * x[k];
            }
        }
        let rest: f64 = a_rest.iter().zip(x_rest).map(|(a, x)| f64::from(*a) * x).sum();
        let [a, b, c, d, e, f, g, h] = sums;
        ((a + e) + (b + f)) + ((c + g) + (d + h)) + rest
    }

    fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]) {
        // Most slopes of a hinge are zero.
        if c != 0.0 {
            g.iter_mut().zip(&self.row(row)[block]).for_each(|(g, a)| *g += c * f64::from(*a));
        }
    }

    fn visit(&self, row: usize, show: &mut dyn FnMut(usize, f64)) {
        self.row(row).iter().enumerate().for_each(|(column, a)| show(column, f64::from(*a)));
    }

    fn stored_single(&self, row: usize) -> Option<&[f32]> {
        Some(self.row(row))
    }

    fn write(&self, row: usize, columns: Range<usize>, numbers: &mut [f64]) {
        numbers.iter_mut().zip(&self.row(row)[columns]).for_each(|(number, a)| *number = f64::from(*a));
    }
}

#[cfg(test)]
mod tests {
    use super::super::dense::Dense;
    use super::*;

    #[test]
    fn wrong_shapes_and_infinite_numbers_are_refused() {
        assert!(Single::new(vec![1.0; 7], 3).is_err());
        assert!(Single::new(vec![], 0).is_err());
        assert_eq!(Single::new(vec![], 3).unwrap().len(), 0);
        let mut values = vec![1.0; 10_000];
        values[9_001] = f32::NAN;
        let error = Single::new(values, 2).unwrap_err().to_string();
        assert!(error.contains("values[9001]") && error.contains("row 4500, column 1"), "{error}");
    }

    #[test]
    fn it_gives_the_same_bits_as_its_numbers_in_64_bits() {
        const DIM: usize = 53; // six times eight and a rest
        let values: Vec<f32> = (0..3 * DIM).map(|k| (k as f32 * 0.7).sin()).collect();
        let dense = Dense::new(values.iter().map(|v| f64::from(*v)).collect(), DIM).unwrap();
        let single = Single::new(values, DIM).unwrap();
        assert_eq!((single.len(), single.dim()), (3, DIM));
        let x: Vec<f64> = (0..DIM).map(|j| (j as f64).cos()).collect();
        for row in 0..3 {
            assert_eq!(single.dot(row, &x).to_bits(), dense.dot(row, &x).to_bits());
            for (start, end) in [(0, DIM), (1, 3), (20, DIM), (7, 7)] {
                let (mut a, mut b) = (vec![1.0; end - start], vec![1.0; end - start]);
                single.add_to(row, start..end, 0.3, &mut a);
                dense.add_to(row, start..end, 0.3, &mut b);
                assert_eq!(a, b);
                single.write(row, start..end, &mut a);
                dense.write(row, start..end, &mut b);
                assert_eq!(a, b);
            }
            let (mut a, mut b) = (Vec::new(), Vec::new());
            single.visit(row, &mut |column, number| a.push((column, number)));
            dense.visit(row, &mut |column, number| b.push((column, number)));
            assert_eq!(a, b);
        }
    }
}
