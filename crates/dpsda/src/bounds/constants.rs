//! Assumption 1 with numbers in it: C, D, L and G of a problem.

use crate::Blocks;
use crate::objective::Batch;
use crate::set::{ConvexSet, Size};

/// The constants of a problem, over the rounds of one trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Constants {
    /// The sizes of the blocks.
    pub sizes: Vec<usize>,
    /// D, how far apart two points of the set are at most: the paper's `sqrt(n) D_chi`.
    pub diameter: f64,
    /// How far the assembled decision can be from a point of the set: D, or `sqrt(n) D` on a set that couples blocks.
    pub reach: f64,
    /// C, by how much psi varies on the set.
    pub psi: f64,
    /// L. No gradient of a round is longer at a decision that nodes can put together, nor is one whose blocks are taken
    /// at different points.
    pub gradient: f64,
    /// The same for one example and the coordinates of one block, for every block.
    pub examples: Vec<f64>,
    /// G.
    pub smoothness: f64,
    /// Whether blocks decided apart fit together, and each depends on its own dual alone.
    pub separable: bool,
}

impl Constants {
    /// Of the rounds that `all` is cut into, `batch` rows each.
    ///
    /// The gradient of a round is the mean of `slope(a.x) a` over its rows. Slopes of a convex loss rise with `a.x`, whose
    /// least and largest values over all assembled decisions are sums over blocks of the set's support function. So
    /// `|grad f_t| <= mean S |a|`, where `S` is the larger slope of the two ends. If block `i` is taken at a point of its
    /// own, its length is at most `mean S |a[b_i]|`, and by the triangle inequality in `R^n` the whole still is at most
    /// `mean S |a|`. Likewise `|grad f_t(x) - grad f_t(y)| <= G |x - y|` with `G = mean smoothness |a|^2`, and if block `i`
    /// is taken at `y_i`, the largest of the `|x - y_i|` stands in place of `|x - y|`.
    pub fn of(all: Batch<'_>, batch: usize, set: &dyn ConvexSet, blocks: &Blocks) -> Self {
        let Size { diameter, psi } = set.size(blocks.dim());
        let separable = set.is_separable();
        let reach = diameter * if separable { 1.0 } else { (blocks.nodes() as f64).sqrt() };
        let (mut gradient, mut square) = (0.0_f64, 0.0_f64);
        let mut examples = vec![0.0_f64; blocks.nodes()];
        let mut a = vec![0.0; blocks.dim()];
        for round in all.rows.chunks(batch.max(1)) {
            let (mut slopes, mut squares) = (0.0, 0.0);
            for row in round {
                a.fill(0.0);
                all.samples.features.add_to(*row, 0..a.len(), 1.0, &mut a);
                let (least, most) = range(&a, set, blocks);
                let label = all.samples.labels.get(*row).copied().unwrap_or(0.0);
                let slope = |s| all.loss.slope(s, label).abs();
                let slope = worst(slope(least), slope(most));
                for (largest, block) in examples.iter_mut().zip(blocks.iter()) {
                    *largest = largest.max(times(slope, norm(&a[block])));
                }
                let length = norm(&a);
                slopes += times(slope, length);
                squares += length * length;
            }
            gradient = gradient.max(slopes / round.len() as f64);
            square = square.max(squares / round.len() as f64);
        }
        let smoothness = times(all.loss.smoothness(), square);
        Self { sizes: blocks.sizes(), diameter, reach, psi, gradient, examples, smoothness, separable }
    }

    /// How many nodes.
    pub fn nodes(&self) -> usize {
        self.sizes.len()
    }

    /// How many coordinates.
    pub fn dim(&self) -> usize {
        self.sizes.iter().sum()
    }
}

/// The least and the largest `a.x` over decisions whose blocks come from points of the set, not always the same.
fn range(a: &[f64], set: &dyn ConvexSet, blocks: &Blocks) -> (f64, f64) {
    let minus: Vec<f64> = a.iter().map(|a| -a).collect();
    if set.is_separable() || blocks.nodes() == 1 {
        return (set.floor(a), -set.floor(&minus));
    }
    let mut only = vec![0.0; a.len()];
    blocks.iter().fold((0.0, 0.0), |(least, most), block| {
        only[block.clone()].copy_from_slice(&a[block.clone()]);
        let low = set.floor(&only);
        only[block.clone()].copy_from_slice(&minus[block.clone()]);
        let high = -set.floor(&only);
        only[block].fill(0.0);
        (least + low, most + high)
    })
}

/// The larger; what is no number is infinite.
fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// A product in which nothing times infinity is nothing.
pub(super) fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

fn norm(a: &[f64]) -> f64 {
    a.iter().map(|a| a * a).sum::<f64>().sqrt()
}
