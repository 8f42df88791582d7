//! Features that are mostly zero: only the others are stored.

use std::ops::Range;

use super::Features;
use crate::Error;

/// A matrix in compressed rows: row `r` has the entries `starts[r]..starts[r + 1]`, in increasing order of columns.
///
/// ```
/// use dpsda::features::{Features, Sparse};
/// // [0 5 0]
/// // [1 0 2]
/// let sparse = Sparse::new(vec![0, 1, 3], vec![1, 0, 2], vec![5.0, 1.0, 2.0], 3)?;
/// assert_eq!(sparse.dot(1, &[1.0, 10.0, 100.0]), 201.0);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    dim: usize,
}

impl Sparse {
    /// `starts` has one more entry than there are rows. Entry `k` has the column `columns[k]` and the value `values[k]`.
    pub fn new(starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64>, dim: usize) -> Result<Self, Error> {
        let wrong =
            |argument: &str, found: String, remedy: String| Err(Error::value(argument, found, remedy));
        if columns.len() != values.len() {
            let remedy = format!("there are {} values (give one column per value)", values.len());
            return wrong("columns", format!("{} columns", columns.len()), remedy);
        }
        if starts.first() != Some(&0) || starts.last() != Some(&columns.len()) || !starts.is_sorted() {
            let remedy = format!("row starts must rise from 0 to {}, the number of entries", columns.len());
            return wrong("starts", format!("{} starts", starts.len()), remedy);
        }
        if dim == 0 {
            return wrong("dim", "0".to_owned(), "a sample has at least one feature".to_owned());
        }
        for (row, ends) in starts.windows(2).enumerate() {
            let columns = &columns[ends[0]..ends[1]];
            if !columns.is_sorted_by(|a, b| a < b) || columns.last().is_some_and(|c| *c as usize >= dim) {
                let remedy =
                    format!("the columns of a row must increase, without repetition, and stay below {dim}");
                return wrong("columns", format!("those of row {row}"), remedy);
            }
            if let Some(k) = (ends[0]..ends[1]).find(|k| !values[*k].is_finite()) {
                let remedy = format!("expected a finite number in row {row}");
                return wrong(&format!("values[{k}]"), values[k].to_string(), remedy);
            }
        }
        Ok(Self { starts, columns, values, dim })
    }

    fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let entries = self.starts[row]..self.starts[row + 1];
        (&self.columns[entries.clone()], &self.values[entries])
    }
}

impl Features for Sparse {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn dot(&self, row: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.row(row);
        columns.iter().zip(values).map(|(c, a)| a * x[*c as usize]).sum()
    }

    /// Four rows side by side, so that no sum waits for its last product alone. Each is added up as by `dot`.
    fn dots(&self, rows: &[usize], x: &[f64], s: &mut [f64]) {
        let (rows, rest) = rows.as_chunks::<4>();
        for (rows, s) in rows.iter().zip(s.as_chunks_mut::<4>().0) {
            let mut order = [0, 1, 2, 3];
            order.sort_by_key(|k| std::cmp::Reverse(self.row(rows[*k]).0.len()));
            let rows = order.map(|k| self.row(rows[k]));
            let [_, second, third, shortest] = rows.map(|(columns, _)| columns.len());
            let sums = [-0.0; 4]; // what a sum of nothing is
            let sums = side_by_side::<4>(&rows, 0..shortest, x, sums);
            let sums = side_by_side::<3>(&rows, shortest..third, x, sums);
            let sums = side_by_side::<2>(&rows, third..second, x, sums);
            let sums = side_by_side::<1>(&rows, second..rows[0].0.len(), x, sums);
            order.into_iter().zip(sums).for_each(|(k, sum)| s[k] = sum);
        }
        let first = rows.len() * 4;
        rest.iter().zip(s.iter_mut().skip(first)).for_each(|(row, s)| *s = self.dot(*row, x));
    }

    fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]) {
        let (mut columns, mut values) = self.row(row);
        // Most slopes of a hinge are zero.
        if c == 0.0 {
            return;
        }
        if block.len() < self.dim {
            let first = columns.partition_point(|c| (*c as usize) < block.start);
            let last = columns.partition_point(|c| (*c as usize) < block.end);
            (columns, values) = (&columns[first..last], &values[first..last]);
        }
        for (column, a) in columns.iter().zip(values) {
            g[*column as usize - block.start] += c * a;
        }
    }

    fn visit(&self, row: usize, show: &mut dyn FnMut(usize, f64)) {
        let (columns, values) = self.row(row);
        columns.iter().zip(values).for_each(|(column, a)| show(*column as usize, *a));
    }

    fn is_sparse(&self) -> bool {
        true
    }
}

/// Adds the products of some entries of the first `N` rows with `x` to their sums.
fn side_by_side<const N: usize>(
    rows: &[(&[u32], &[f64]); 4],
    entries: Range<usize>,
    x: &[f64],
    mut all: [f64; 4],
) -> [f64; 4] {
    let columns: [&[u32]; N] = std::array::from_fn(|n| &rows[n].0[entries.clone()]);
    let values: [&[f64]; N] = std::array::from_fn(|n| &rows[n].1[entries.clone()]);
    let mut sums: [f64; N] = std::array::from_fn(|n| all[n]);
    for k in 0..entries.len() {
        for n in 0..N {
            sums[n] += values[n][k] * x[columns[n][k] as usize];
        }
    }
    all[..N].copy_from_slice(&sums);
    all
}

#[cfg(test)]
mod tests {
    use super::super::dense::Dense;
    use super::*;

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let ok = |starts: &[usize], columns: &[u32], values: &[f64], dim| {
            Sparse::new(starts.to_vec(), columns.to_vec(), values.to_vec(), dim).is_ok()
        };
        assert!(ok(&[0, 2, 2, 3], &[0, 4, 1], &[1.0; 3], 5));
        assert!(!ok(&[], &[], &[], 5));
        assert!(!ok(&[0, 2], &[0, 4, 1], &[1.0; 3], 5), "entries beyond the last row");
        assert!(!ok(&[0, 3, 2, 3], &[0, 4, 1], &[1.0; 3], 5), "starts fall");
        assert!(!ok(&[0, 2, 3], &[0, 5, 1], &[1.0; 3], 5), "column out of range");
        assert!(!ok(&[0, 2, 3], &[1, 1, 1], &[1.0; 3], 5), "column twice");
        assert!(!ok(&[0, 3], &[0, 4, 1], &[1.0; 3], 5), "columns fall");
        assert!(!ok(&[0, 1], &[0], &[1.0, 2.0], 5), "more values than columns");
        assert!(!ok(&[0, 1], &[0], &[f64::NAN], 5));
        assert!(!ok(&[0], &[], &[], 0));
    }

    #[test]
    fn a_sparse_matrix_gives_the_same_results_as_its_dense_one() {
        let sparse =
            Sparse::new(vec![0, 2, 2, 5], vec![0, 4, 1, 2, 3], vec![1.0, -2.0, 3.0, 4.0, 5.0], 5).unwrap();
        let rows = vec![1.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 4.0, 5.0, 0.0];
        let dense = Dense::new(rows, 5).unwrap();
        assert_eq!((sparse.len(), sparse.dim()), (dense.len(), dense.dim()));
        for row in 0..3 {
            let x = [1.0, 2.0, 3.0, 4.0, 5.0];
            assert_eq!(sparse.dot(row, &x), dense.dot(row, &x));
            for (start, end) in [(0, 5), (1, 3), (2, 5), (0, 1), (4, 5)] {
                let (mut a, mut b) = (vec![1.0; end - start], vec![1.0; end - start]);
                sparse.add_to(row, start..end, 3.0, &mut a);
                dense.add_to(row, start..end, 3.0, &mut b);
                assert_eq!(a, b);
            }
        }
    }
    #[test]
    fn several_products_are_those_of_each_row_to_the_bit() {
        let lengths = [3, 0, 7, 7, 1, 20, 2, 0, 5, 13, 4];
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for (row, len) in lengths.into_iter().enumerate() {
            columns.extend((0..len).map(|k| (k * 3 / 2 + row % 2) as u32));
            starts.push(columns.len());
        }
        let values = (0..columns.len()).map(|k| (k as f64 * 0.7).sin()).collect();
        let sparse = Sparse::new(starts, columns, values, 40).unwrap();
        let x: Vec<f64> = (0..40).map(|k| (f64::from(k) * 1.3).cos()).collect();
        for count in 0..=lengths.len() {
            let rows: Vec<usize> = (0..count).map(|k| (k * 7) % lengths.len()).collect();
            let mut found = vec![f64::NAN; count];
            sparse.dots(&rows, &x, &mut found);
            for (row, found) in rows.iter().zip(found) {
                assert_eq!(found.to_bits(), sparse.dot(*row, &x).to_bits(), "row {row} of {count}");
            }
        }
    }
}
