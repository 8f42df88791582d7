//! Bandit feedback: a node sees the cost at two points per round, and no gradient.

use std::ops::Range;

use rand_distr::{Distribution, StandardNormal};

use super::Objective;
use crate::rng::Stream;

/// What a node learns about a cost.
///
/// ```
/// use dpsda::objective::two_point::Feedback;
/// assert_ne!(Feedback::TwoPoint { probe: 0.1 }, Feedback::Gradient);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Feedback {
    /// Its gradient.
    Gradient,
    /// Its value at two points, one on either side of the decision, at the distance `probe`.
    TwoPoint {
        /// The distance `delta`.
        probe: f64,
    },
}

/// A cost that is only evaluated. Its "gradient" is the two-point estimate
/// `u = d_i/(2 delta) (f(y + delta e) - f(y - delta e)) e` along one direction `e`, a unit vector in the node's own block.
///
/// **Bias.** If `e` is uniform, the mean of `e e'` is `I/d_i`. So the mean of `u` is the gradient wherever `f` is linear or
/// quadratic along `e`. Elsewhere it is the gradient of `f` averaged over a ball of radius `delta`, which is off by at most
/// `M delta` if slopes are `M`-Lipschitz.
///
/// **Variance.** If `f` is linear with gradient `g`, the mean of `|u|^2 = d_i^2 (g.e)^2` is `d_i |g|^2`. This is `d_i` times the
/// square of the gradient: the price of seeing values and no gradient.
///
/// Probes may leave the set by at most `delta`, which is allowed because losses are defined everywhere.
///
/// ```
/// use dpsda::objective::two_point::TwoPoint;
/// use dpsda::objective::{Objective, OwnCost};
/// let cost = OwnCost::new(1, |x| x[0] * x[0], |x, g| g[0] = 2.0 * x[0]);
/// let mut g = [0.0];
/// TwoPoint { cost: &cost, probe: 0.5, direction: vec![1.0] }.partial(&[3.0], 0..1, &mut g);
/// assert_eq!(g, [6.0]); // exact for a quadratic cost in one coordinate
/// ```
pub struct TwoPoint<'a> {
    /// The cost.
    pub cost: &'a dyn Objective,
    /// The distance `delta` of the two points from the decision.
    pub probe: f64,
    /// `e`, in the coordinates of the node's block. All examples of a round are probed along the same direction.
    pub direction: Vec<f64>,
}

impl TwoPoint<'_> {
    fn estimate(&self, x: &[f64], block: Range<usize>, g: &mut [f64], cost: impl Fn(&[f64]) -> f64) {
        let value = |side: f64| {
            let mut probe = x.to_vec();
            probe[block.clone()].iter_mut().zip(&self.direction).for_each(|(x, e)| *x += side * e);
            cost(&probe)
        };
        let slope = (value(self.probe) - value(-self.probe)) / (2.0 * self.probe);
        let scale = slope * self.direction.len() as f64;
        g.iter_mut().zip(&self.direction).for_each(|(g, e)| *g = scale * e);
    }
}

impl Objective for TwoPoint<'_> {
    fn dim(&self) -> usize {
        self.cost.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.cost.value(x)
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        self.estimate(x, block, g, |x| self.cost.value(x));
    }

    fn examples(&self) -> usize {
        self.cost.examples()
    }

    fn example(&self, k: usize, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        self.estimate(x, block, g, |x| self.cost.example_value(k, x));
    }

    fn example_value(&self, k: usize, x: &[f64]) -> f64 {
        self.cost.example_value(k, x)
    }
}

/// A uniform direction: a vector of normal coordinates, divided by its length. In one dimension it is a sign.
pub fn direction(len: usize, stream: &mut Stream) -> Vec<f64> {
    loop {
        let mut e: Vec<f64> = StandardNormal.sample_iter(&mut *stream).take(len).collect();
        let norm = e.iter().map(|e: &f64| e * e).sum::<f64>().sqrt();
        // Shorter vectors are next to impossible, and dividing them would lose digits.
        if norm > 1e-100 || len == 0 {
            e.iter_mut().for_each(|e| *e /= norm);
            return e;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    /// `c.x + k |x|^2 / 2`, the mean of two examples that cost 0.5 and 1.5 times as much.
    struct Bowl {
        c: Vec<f64>,
        k: f64,
    }

    impl Objective for Bowl {
        fn dim(&self) -> usize {
            self.c.len()
        }

        fn value(&self, x: &[f64]) -> f64 {
            self.c.iter().zip(x).map(|(c, x)| c * x + self.k * x * x / 2.0).sum()
        }

        fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
            block.zip(g).for_each(|(j, g)| *g = self.c[j] + self.k * x[j]);
        }

        fn examples(&self) -> usize {
            2
        }

        fn example_value(&self, k: usize, x: &[f64]) -> f64 {
            (0.5 + k as f64) * self.value(x)
        }
    }

    const BLOCK: Range<usize> = 1..5;
    const DRAWS: u64 = 40_000;

    fn estimates(cost: &Bowl, x: &[f64], probe: f64) -> Vec<Vec<f64>> {
        let one = |t| {
            let direction = direction(BLOCK.len(), &mut Seed::default().stream(Purpose::Direction, 0, t));
            let mut g = vec![0.0; BLOCK.len()];
            TwoPoint { cost, probe, direction }.partial(x, BLOCK, &mut g);
            g
        };
        (0..DRAWS).map(one).collect()
    }

    #[test]
    fn the_mean_of_many_estimates_is_the_gradient_of_a_linear_and_of_a_quadratic_cost() {
        for (k, probe) in [(0.0, 0.01), (3.0, 0.01), (3.0, 2.0)] {
            let cost = Bowl { c: vec![9.0, 1.0, -2.0, 0.5, 0.0, 7.0], k };
            let x = [0.3, -0.1, 0.2, 0.4, -0.5, 0.6];
            let found = estimates(&cost, &x, probe);
            let mut gradient = vec![0.0; BLOCK.len()];
            cost.partial(&x, BLOCK, &mut gradient);
            let length: f64 = gradient.iter().map(|g| g * g).sum();
            for (j, g) in gradient.iter().enumerate() {
                let mean = found.iter().map(|u| u[j]).sum::<f64>() / DRAWS as f64;
                // Six standard errors; a coordinate of u has variance below d_i |g|^2.
                let room = 6.0 * (BLOCK.len() as f64 * length / DRAWS as f64).sqrt();
                assert!((mean - g).abs() < room, "k = {k}, probe {probe}: {mean} for {g}");
            }
        }
    }

    #[test]
    fn the_mean_square_of_an_estimate_is_that_of_the_gradient_times_the_block_size() {
        let cost = Bowl { c: vec![0.0, 1.0, -2.0, 0.5, 0.0, 0.0], k: 0.0 };
        let found = estimates(&cost, &[0.0; 6], 0.01);
        let second = found.iter().flatten().map(|u| u * u).sum::<f64>() / DRAWS as f64;
        assert!((second / (4.0 * 5.25) - 1.0).abs() < 0.05, "{second} for 4 |g|^2 = 21");
    }

    #[test]
    fn examples_are_probed_along_the_same_direction_and_their_mean_is_the_estimate_of_the_round() {
        let cost = Bowl { c: vec![0.1, 1.0, -2.0, 0.5, 0.3, 0.2], k: 2.0 };
        let x = [0.5; 6];
        let direction = direction(BLOCK.len(), &mut Seed::default().stream(Purpose::Direction, 3, 9));
        let asked = TwoPoint { cost: &cost, probe: 0.01, direction };
        let mut parts = [vec![0.0; 4], vec![0.0; 4], vec![0.0; 4]];
        asked.partial(&x, BLOCK, &mut parts[2]);
        asked.example(0, &x, BLOCK, &mut parts[0]);
        asked.example(1, &x, BLOCK, &mut parts[1]);
        let [first, second, mean] = &parts;
        for ((a, b), m) in first.iter().zip(second).zip(mean) {
            assert!((a + b - 2.0 * m).abs() < 1e-9 && (b - 3.0 * a).abs() < 1e-9);
        }
    }

    #[test]
    fn a_block_of_one_coordinate_is_a_central_difference() {
        let e = direction(1, &mut Seed::default().stream(Purpose::Direction, 0, 0));
        assert_eq!(e[0].abs(), 1.0);
        let cost = Bowl { c: vec![2.0], k: 1.0 };
        let mut g = [0.0];
        TwoPoint { cost: &cost, probe: 0.5, direction: e }.partial(&[3.0], 0..1, &mut g);
        assert!((g[0] - 5.0).abs() < 1e-12);
    }
}
