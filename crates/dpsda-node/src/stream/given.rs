//! Arrived costs as functions. Learners ask for the gradient of their own block at their own estimate, and for nothing else.

use std::ops::Range;

use dpsda::objective::Objective;

/// The cost of a round without data.
pub(crate) struct Zero(pub(crate) usize);

impl Objective for Zero {
    fn dim(&self) -> usize {
        self.0
    }

    fn value(&self, _x: &[f64]) -> f64 {
        0.0
    }

    fn partial(&self, _x: &[f64], _block: Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
    }

    fn examples(&self) -> usize {
        0
    }

    fn agent(&self, _x: &[f64], _block: Range<usize>, own: &mut [f64], public: &mut [f64]) -> bool {
        own.fill(0.0);
        public.fill(0.0);
        true
    }
}

/// A cost of which the gradient of one block at one point is known, in two parts.
pub(super) struct GivenGradient<'a> {
    pub(super) dim: usize,
    pub(super) block: Range<usize>,
    pub(super) own: &'a [f64],
    /// Empty if it is zero.
    pub(super) public: &'a [f64],
}

impl Objective for GivenGradient<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    /// Not known.
    fn value(&self, _x: &[f64]) -> f64 {
        0.0
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let mut public = vec![0.0; g.len()];
        self.agent(x, block, g, &mut public);
        g.iter_mut().zip(&public).for_each(|(g, public)| *g += public);
    }

    fn agent(&self, _x: &[f64], block: Range<usize>, own: &mut [f64], public: &mut [f64]) -> bool {
        own.fill(0.0);
        public.fill(0.0);
        if block == self.block {
            own.iter_mut().zip(self.own).for_each(|(g, own)| *g = *own);
            public.iter_mut().zip(self.public).for_each(|(g, public)| *g = *public);
        }
        true
    }
}

/// A cost of which the values at two points are known. Any other point has the value of the nearer one.
pub(super) struct GivenValues<'a> {
    pub(super) points: &'a [Vec<f64>; 2],
    pub(super) values: [f64; 2],
}

impl Objective for GivenValues<'_> {
    fn dim(&self) -> usize {
        self.points[0].len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let [plus, minus] = self.points;
        let distance =
            |from: &[f64]| x.iter().zip(from).map(|(x, from)| (x - from) * (x - from)).sum::<f64>();
        self.values[usize::from(distance(plus) > distance(minus))]
    }

    /// Not known: two-point feedback asks for values.
    fn partial(&self, _x: &[f64], _block: Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_gradient_is_the_sum_of_its_parts_in_its_own_block_and_zero_elsewhere() {
        let cost = GivenGradient { dim: 4, block: 1..3, own: &[1.5, -2.0], public: &[0.25, 8.0] };
        let mut g = [9.0; 2];
        cost.partial(&[0.0; 4], 1..3, &mut g);
        assert_eq!(g, [1.75, 6.0]);
        let (mut own, mut public) = ([9.0; 2], [9.0; 2]);
        assert!(cost.agent(&[0.0; 4], 1..3, &mut own, &mut public));
        assert_eq!((own, public), ([1.5, -2.0], [0.25, 8.0]));
        cost.partial(&[0.0; 4], 2..4, &mut g);
        assert_eq!(g, [0.0; 2]);
        let cost = GivenGradient { public: &[], ..cost };
        cost.partial(&[0.0; 4], 1..3, &mut g);
        assert_eq!(g, [1.5, -2.0]);
    }

    #[test]
    fn two_values_stand_for_the_two_points_they_were_taken_at() {
        let points = [vec![1.0, 2.5], vec![1.0, 1.5]];
        let cost = GivenValues { points: &points, values: [7.0, 4.0] };
        assert_eq!((cost.value(&points[0]), cost.value(&points[1]), cost.dim()), (7.0, 4.0, 2));
    }
}
