//! One row of numbers per node, in panels: some columns of all rows together, so that they are read and written in one go.

use std::ops::Range;

/// The rows of all nodes.
pub(super) struct Panels {
    nodes: usize,
    dim: usize,
    width: usize,
    /// Panel after panel, and in a panel row after row.
    numbers: Vec<f64>,
}

impl Panels {
    /// Zeros. A panel has so many columns, the last one perhaps fewer.
    pub(super) fn new(nodes: usize, dim: usize, width: usize) -> Self {
        Self { nodes, dim, width: width.clamp(1, dim.max(1)), numbers: vec![0.0; nodes * dim] }
    }

    /// The columns of every panel.
    pub(super) fn columns(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (dim, width) = (self.dim, self.width);
        (0..dim).step_by(width).map(move |start| start..(start + width).min(dim))
    }

    /// The panel with these columns: row after row.
    pub(super) fn panel(&mut self, columns: &Range<usize>) -> &mut [f64] {
        &mut self.numbers[self.nodes * columns.start..self.nodes * columns.end]
    }

    /// Row `i` of the panel with these columns.
    pub(super) fn row(&mut self, i: usize, columns: &Range<usize>) -> &mut [f64] {
        &mut self.numbers[self.nodes * columns.start + i * columns.len()..][..columns.len()]
    }

    /// Row `i` in these columns, part by part: each part with its columns.
    pub(super) fn parts(
        &self,
        i: usize,
        columns: &Range<usize>,
    ) -> impl Iterator<Item = (Range<usize>, &[f64])> {
        let (columns, first) = (columns.clone(), columns.start / self.width * self.width);
        (first..columns.end).step_by(self.width).map(move |start| {
            let width = self.width.min(self.dim - start);
            let row = &self.numbers[self.nodes * start + i * width..][..width];
            let part = columns.start.max(start)..columns.end.min(start + width);
            (part.clone(), &row[part.start - start..part.end - start])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_what_was_written_to_panels() {
        let (nodes, dim) = (3, 10);
        for width in [1, 4, 5, 10, 99] {
            let mut panels = Panels::new(nodes, dim, width);
            let all: Vec<Range<usize>> = panels.columns().collect();
            assert_eq!((all[0].start, all[all.len() - 1].end), (0, dim));
            for columns in all {
                for (i, row) in panels.panel(&columns).chunks_mut(columns.len()).enumerate() {
                    row.iter_mut().zip(columns.clone()).for_each(|(x, k)| *x = (100 * i + k) as f64);
                }
            }
            for (i, from, to) in [(0, 0, 10), (1, 3, 7), (2, 4, 5), (2, 9, 10), (0, 5, 5)] {
                let mut row = Vec::new();
                for (columns, part) in panels.parts(i, &(from..to)) {
                    assert_eq!((columns.len(), columns.start), (part.len(), from + row.len()));
                    row.extend_from_slice(part);
                }
                let expected: Vec<f64> = (from..to).map(|k| (100 * i + k) as f64).collect();
                assert_eq!(row, expected, "{width} {i} {from}..{to}");
            }
        }
    }
}
