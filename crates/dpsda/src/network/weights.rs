//! How much a node listens to whom: `W` of (12), `A` of (20).

use super::Degree;
use crate::family;

/// One row of the weight matrix of a round.
pub trait Weights: Send + Sync {
    /// The weights that node `me` gives to those it hears: `row[k]` for `heard[k]`. `heard` is in order of nodes
    /// and contains `me`.
    fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]);

    /// Whether rows sum to one.
    fn row_stochastic(&self) -> bool;

    /// Whether columns sum to one: on undirected graphs, on all graphs, or not in general.
    fn column_stochastic(&self) -> Columns;
}

/// On which graphs the columns of a rule sum to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// On all.
    Always,
    /// On undirected ones.
    Undirected,
    /// Not in general.
    No,
}

/// Builds a weight rule; it has no keys.
pub type Build = fn() -> Box<dyn Weights>;

family! {
    /// Every weight rule, by the name it has in `algorithm.weights`.
    WEIGHTS: Build = uniform, metropolis, push_sum
}
