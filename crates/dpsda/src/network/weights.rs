//! How much a node listens to each node it hears: `W` of (12), `A` of (20).
//!
//! | rule | | |
//! |---|---|---|
//! | [`MetropolisWeights`] | `1/max(deg_i, deg_j)` | rows sum to one; on undirected graphs columns too |
//! | [`UniformWeights`] | `1/deg_i` | rows sum to one |
//! | [`PushSumWeights`] | `1/outdeg_j` | columns sum to one |
//! | [`RowWeights`] | `1/indeg_i` | rows sum to one |
//!
//! # A rule of your own
//!
//! A row follows from degrees alone, so a node can compute it from what its neighbours tell it. Algorithms rely on what the
//! rule states about its row and column sums.
//!
//! ```
//! use dpsda::network::weights::{Columns, Weights, matrix};
//! use dpsda::network::{Degree, Graph};
//!
//! /// `1/n` for every other node heard, the rest for itself.
//! struct Shy {
//!     nodes: usize,
//! }
//!
//! impl Weights for Shy {
//!     fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]) {
//!         let n = self.nodes as f64;
//!         for (other, weight) in heard.iter().zip(row) {
//!             let rest = 1.0 - (me.heard - 1) as f64 / n;
//!             *weight = if other.node == me.node { rest } else { 1.0 / n };
//!         }
//!     }
//!
//!     fn row_stochastic(&self) -> bool {
//!         true
//!     }
//!
//!     fn column_stochastic(&self) -> Columns {
//!         Columns::Undirected
//!     }
//! }
//!
//! let graph = Graph::new(2, [(0, 1), (1, 0)])?;
//! assert_eq!(matrix(&Shy { nodes: 4 }, &graph), [[0.75, 0.25], [0.25, 0.75]]);
//! # Ok::<(), dpsda::Error>(())
//! ```

use super::{Degree, Graph};
use crate::catalog::{self, pointers};
use crate::{Error, Keys, family};

pub use metropolis::MetropolisWeights;
pub use push_sum::PushSumWeights;
pub use row::RowWeights;
pub use uniform::UniformWeights;

/// One row of the weight matrix of a round.
///
/// A `Box` or an `Arc` of a rule is a rule too.
///
/// ```
/// use dpsda::network::Graph;
/// use dpsda::network::weights::{PushSumWeights, RowWeights, Weights};
/// let degrees = Graph::new(3, [(0, 1), (0, 2)])?.degrees(); // node 0 sends to all, itself included
/// let mut row = [0.0; 2];
/// RowWeights.row(degrees[1], &degrees[..2], &mut row); // node 1 hears nodes 0 and 1
/// assert_eq!(row, [0.5, 0.5]);
/// assert_eq!(PushSumWeights.share(degrees[1], degrees[0]), 1.0 / 3.0); // a third of what node 0 has
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait Weights: Send + Sync {
    /// The weights that node `me` gives to the nodes it hears: `row[k]` for `heard[k]`. `heard` is in order of nodes
    /// and contains `me`.
    fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]);

    /// The weight that `receiver` gives to `sender`, from the degrees of these two alone. `sender` sends this share.
    fn share(&self, receiver: Degree, sender: Degree) -> f64 {
        let mut row = [0.0];
        self.row(receiver, &[sender], &mut row);
        row[0]
    }

    /// The rule's name in errors and certificates.
    fn name(&self) -> &str {
        "own"
    }

    /// How grid arithmetic splits whole units under this rule, in place of [`Weights::row`]; `None`: it cannot.
    fn on_grid(&self) -> Option<WholeShares> {
        None
    }

    /// Whether rows sum to one.
    fn row_stochastic(&self) -> bool;

    /// Whether columns sum to one: on undirected graphs, on all graphs, or not in general.
    fn column_stochastic(&self) -> Columns;
}

pointers! { Weights {
    fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]);
    fn share(&self, receiver: Degree, sender: Degree) -> f64;
    fn name(&self) -> &str;
    fn on_grid(&self) -> Option<WholeShares>;
    fn row_stochastic(&self) -> bool;
    fn column_stochastic(&self) -> Columns;
} }

/// How whole units are split, so that none is lost.
///
/// ```
/// use dpsda::network::weights::{MetropolisWeights, PushSumWeights, UniformWeights, Weights, WholeShares};
/// assert_eq!(MetropolisWeights.on_grid(), Some(WholeShares::Pairwise));
/// assert_eq!(PushSumWeights.on_grid(), Some(WholeShares::Even));
/// assert_eq!(UniformWeights.on_grid(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeShares {
    /// Over every link flows a share of the difference of its ends: one part in the larger of their degrees.
    Pairwise,
    /// A sender gives equal parts to all it tells, and keeps the rest.
    Even,
}

/// On which graphs the columns of a rule sum to one.
///
/// ```
/// use dpsda::network::weights::{Columns, MetropolisWeights, PushSumWeights, Weights};
/// assert_eq!(PushSumWeights.column_stochastic(), Columns::Always);
/// assert_eq!(MetropolisWeights.column_stochastic(), Columns::Undirected);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// On all graphs.
    Always,
    /// On undirected graphs.
    Undirected,
    /// Not in general.
    No,
}

/// Builds a weight rule from the keys of the table in which `weights` names it. Every row of [`WEIGHTS`] has one.
pub type Build = fn(&Keys<'_>) -> Result<Box<dyn Weights>, Error>;

family! {
    /// Every weight rule, by the name it has in `algorithm.weights`.
    WEIGHTS: Build = uniform, metropolis, push_sum, row
}

/// The rule called `name`, with its own keys at their defaults.
///
/// ```
/// use dpsda::network::weights;
/// assert!(weights::named("push-sum")?.column_stochastic() == weights::Columns::Always);
/// assert!(weights::named("pushsum").err().unwrap().to_string().contains("did you mean `push-sum`?"));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn named(name: &str) -> Result<Box<dyn Weights>, Error> {
    (catalog::find(WEIGHTS, "weights", name)?.build)(&Keys::none())
}

/// The rows of a round: for every node, the nodes it hears with their weights. They are in order and include the node itself.
///
/// ```
/// use dpsda::network::Graph;
/// use dpsda::network::weights::{UniformWeights, rows};
/// let graph = Graph::new(2, [(0, 1)])?;
/// assert_eq!(rows(&UniformWeights, &graph), [vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)]]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn rows(weights: &dyn Weights, graph: &Graph) -> Vec<Vec<(usize, f64)>> {
    let degrees = graph.degrees();
    let row = |(me, heard): (usize, Vec<usize>)| {
        let told: Vec<Degree> = heard.iter().map(|j| degrees[*j]).collect();
        let mut row = vec![0.0; heard.len()];
        weights.row(degrees[me], &told, &mut row);
        heard.into_iter().zip(row).collect()
    };
    graph.heard().into_iter().enumerate().map(row).collect()
}

/// The whole matrix of a round: `matrix[i][j]` is the weight that `i` gives to `j`. For tests, tools and small `n`.
///
/// ```
/// use dpsda::network::Graph;
/// use dpsda::network::weights::{PushSumWeights, matrix};
/// let graph = Graph::new(2, [(0, 1)])?;
/// assert_eq!(matrix(&PushSumWeights, &graph), [[0.5, 0.0], [0.5, 1.0]]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn matrix(weights: &dyn Weights, graph: &Graph) -> Vec<Vec<f64>> {
    let dense = |row: Vec<(usize, f64)>| {
        let mut line = vec![0.0; graph.nodes()];
        for (j, weight) in row {
            line[j] = weight;
        }
        line
    };
    rows(weights, graph).into_iter().map(dense).collect()
}
