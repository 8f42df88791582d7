//! A constant feature.

use std::ops::Range;
use std::sync::Arc;

use super::{Features, Samples};

/// The features of these samples, and after them the constant 1. Nothing is copied.
pub(super) struct WithIntercept(pub(super) Arc<Samples>);

impl WithIntercept {
    fn rest(&self) -> &dyn Features {
        &*self.0.features
    }
}

impl Features for WithIntercept {
    fn len(&self) -> usize {
        self.rest().len()
    }

    fn dim(&self) -> usize {
        self.rest().dim() + 1
    }

    fn dot(&self, row: usize, x: &[f64]) -> f64 {
        match x.split_last() {
            Some((constant, x)) => self.rest().dot(row, x) + constant,
            None => 0.0,
        }
    }

    fn dots(&self, rows: &[usize], x: &[f64], s: &mut [f64]) {
        let Some((constant, x)) = x.split_last() else { return s.fill(0.0) };
        self.rest().dots(rows, x, s);
        s.iter_mut().for_each(|s| *s += constant);
    }

    fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]) {
        let last = self.rest().dim();
        if block.contains(&last)
            && let Some((constant, g)) = g.split_last_mut()
        {
            *constant += c;
            self.rest().add_to(row, block.start..last, c, g);
        } else {
            self.rest().add_to(row, block.start.min(last)..block.end.min(last), c, g);
        }
    }

    fn visit(&self, row: usize, show: &mut dyn FnMut(usize, f64)) {
        self.rest().visit(row, show);
        show(self.rest().dim(), 1.0);
    }

    fn write(&self, row: usize, columns: Range<usize>, numbers: &mut [f64]) {
        let last = self.rest().dim();
        match numbers.split_last_mut() {
            Some((constant, numbers)) if columns.contains(&last) => {
                *constant = 1.0;
                self.rest().write(row, columns.start..last, numbers);
            }
            _ => self.rest().write(row, columns, numbers),
        }
    }

    fn is_sparse(&self) -> bool {
        self.rest().is_sparse()
    }
}
