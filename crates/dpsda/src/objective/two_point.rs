//! Bandit feedback: a node may ask what a decision costs, twice a round, and is told no gradient.

use std::ops::Range;

use rand_distr::{Distribution, StandardNormal};

use super::Objective;
use crate::rng::Stream;

/// What a node is told of a cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Feedback {
    /// Its gradient.
    Gradient,
    /// Its value at two points, this far from the decision to either side.
    TwoPoint {
        /// `delta`
        probe: f64,
    },
}

/// A cost of which only values are asked. Its "gradient" is the two-point estimate
/// `u = d_i/(2 delta) (f(y + delta e) - f(y - delta e)) e` along one direction `e`, a unit vector in the node's own block.
///
/// **Over a uniform `e`** the mean of `e e'` is `I/d_i`. So the mean of `u` is the gradient wherever `f` is linear or
/// quadratic along `e`, and elsewhere that of `f` averaged over a ball of radius `delta`: off by at most `M delta` if
/// slopes are `M`-Lipschitz. Where `f` is linear with gradient `g`, `|u|^2 = d_i^2 (g.e)^2` is `d_i |g|^2` in the mean:
/// `d_i` times what the gradient itself has, which is the price of seeing values only.
///
/// Probes may leave the set, by `delta` at most: losses are defined everywhere.
pub struct TwoPoint<'a> {
    /// The cost.
    pub cost: &'a dyn Objective,
    /// `delta`
    pub probe: f64,
    /// `e`, in the coordinates of the block that is asked for; every example of a round is probed along the same one.
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

/// A direction, all alike: normal coordinates, divided by their length. In one dimension a sign.
pub fn direction(len: usize, stream: &mut Stream) -> Vec<f64> {
    loop {
        let mut e: Vec<f64> = StandardNormal.sample_iter(&mut *stream).take(len).collect();
        let norm = e.iter().map(|e: &f64| e * e).sum::<f64>().sqrt();
        // Shorter ones are next to impossible and would be rounded badly.
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

    /// `c.x + k |x|^2 / 2`, of two examples: once and three times that, twice over.
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
    fn an_estimate_has_as_many_times_the_square_of_the_gradient_as_the_block_has_coordinates() {
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
