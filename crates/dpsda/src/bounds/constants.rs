//! The constants of Assumption 1 for a given problem: C, D, L and G.

use crate::objective::Batch;
use crate::set::{ConvexSet, Size};
use crate::{Blocks, Error};

/// The constants of a problem, over the rounds of one trial.
///
/// ```
/// use dpsda::Blocks;
/// use dpsda::bounds::Constants;
/// use dpsda::features::{Dense, Samples};
/// use dpsda::loss::Squared;
/// use dpsda::objective::Batch;
/// use dpsda::set::Cuboid;
/// let samples = Samples::new(Dense::new(vec![3.0, 4.0], 2)?, vec![0.0])?;
/// let all = Batch::new(&samples, &[0], &Squared)?;
/// let constants = Constants::of(all, 1, &Cuboid::new(-1.0, 1.0)?, &Blocks::even(2, 2)?)?;
/// assert_eq!(constants.gradient, 2.0 * 7.0 * 5.0); // in a corner: a.x = 7, |a| = 5
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Constants {
    /// The sizes of the blocks.
    pub sizes: Vec<usize>,
    /// D, the largest distance between two points of the set: the paper's `sqrt(n) D_chi`.
    pub diameter: f64,
    /// The largest distance between the assembled decision and a point of the set: D, or `sqrt(n) D` on a set that
    /// couples blocks.
    pub reach: f64,
    /// C, by how much psi varies on the set.
    pub psi: f64,
    /// L. It bounds the gradient of every round at every decision that nodes can assemble. It also bounds a gradient whose
    /// blocks are taken at different points.
    pub gradient: f64,
    /// For every block: a bound on the gradient of one example in the coordinates of that block.
    pub examples: Vec<f64>,
    /// G, the Lipschitz constant of the gradient.
    pub smoothness: f64,
    /// Whether blocks that are decided separately always form a point of the set. Each then depends on its own dual alone.
    pub separable: bool,
}

impl Constants {
    /// The constants of the rounds that `all` is divided into, `batch` rows per round.
    ///
    /// **L.** The gradient of a round is the mean of `slope(a.x) a` over its rows. The slope of a convex loss rises with
    /// `a.x`. The least and the largest `a.x` over all assembled decisions are sums over blocks of the set's support
    /// function. So `|grad f_t| <= mean S |a|`, where `S` is the steeper of the slopes at the two ends. If block `i` is
    /// taken at a point of its own, its length is at most `mean S |a[b_i]|`. By the triangle inequality in `R^n` the whole
    /// gradient is still at most `mean S |a|` long.
    ///
    /// **G.** Likewise `|grad f_t(x) - grad f_t(y)| <= G |x - y|` with `G = mean smoothness |a|^2`. If block `i` is taken
    /// at `y_i`, replace `|x - y|` by the largest of the `|x - y_i|`.
    ///
    /// It is an error if the rows are not rows of the samples, or if the samples or the set do not fit the blocks.
    pub fn of(all: Batch<'_>, batch: usize, set: &dyn ConvexSet, blocks: &Blocks) -> Result<Self, Error> {
        let features = all.samples.features.dim();
        if features != blocks.dim() {
            let remedy =
                format!("the samples have {features} features (use blocks with one coordinate per feature)");
            return Err(Error::value("blocks", format!("{} coordinates", blocks.dim()), remedy));
        }
        all.check_rows()?;
        set.fits(blocks)?;
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
        Ok(Self { sizes: blocks.sizes(), diameter, reach, psi, gradient, examples, smoothness, separable })
    }

    /// The constants of a problem about which nothing is known: all of them are infinite, so there is no bound.
    ///
    /// ```
    /// use dpsda::{Blocks, bounds::Constants};
    /// assert_eq!(Constants::unbounded(&Blocks::even(4, 2)?).gradient, f64::INFINITY);
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn unbounded(blocks: &Blocks) -> Self {
        let inf = f64::INFINITY;
        let (sizes, examples) = (blocks.sizes(), vec![inf; blocks.nodes()]);
        Self {
            sizes,
            diameter: inf,
            reach: inf,
            psi: inf,
            gradient: inf,
            examples,
            smoothness: inf,
            separable: false,
        }
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

/// The least and the largest `a.x` over assembled decisions: every block comes from some point of the set, perhaps from
/// different ones.
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

/// The larger of the two; NaN counts as infinite.
fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// A product in which zero times infinity is zero.
pub(super) fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

fn norm(a: &[f64]) -> f64 {
    a.iter().map(|a| a * a).sum::<f64>().sqrt()
}
