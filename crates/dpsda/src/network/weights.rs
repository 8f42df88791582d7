//! How much a node listens to whom: `W` of (12), `A` of (20).

use super::{Degree, Graph};
use crate::{Error, Keys, family};

/// One row of the weight matrix of a round.
pub trait Weights: Send + Sync {
    /// The weights that node `me` gives to those it hears: `row[k]` for `heard[k]`. `heard` is in order of nodes
    /// and contains `me`.
    fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]);

    /// What `receiver` gives to `sender`, which is a matter of these two alone: what `sender` puts on the link.
    fn share(&self, receiver: Degree, sender: Degree) -> f64 {
        let mut row = [0.0];
        self.row(receiver, &[sender], &mut row);
        row[0]
    }

    /// What it is called, in errors and certificates.
    fn name(&self) -> &str {
        "own"
    }

    /// Whether grid arithmetic can split whole units as this rule does.
    fn on_grid(&self) -> bool {
        false
    }

    /// Whether rows sum to one.
    fn row_stochastic(&self) -> bool;

    /// Whether columns sum to one: on undirected graphs, on all graphs, or not in general.
    fn column_stochastic(&self) -> Columns;
}

crate::catalog::pointers! { Weights {
    fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]);
    fn share(&self, receiver: Degree, sender: Degree) -> f64;
    fn name(&self) -> &str;
    fn on_grid(&self) -> bool;
    fn row_stochastic(&self) -> bool;
    fn column_stochastic(&self) -> Columns;
} }

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

/// Builds a weight rule from its own keys.
pub type Build = fn(&Keys<'_>) -> Result<Box<dyn Weights>, Error>;

family! {
    /// Every weight rule, by the name it has in `algorithm.weights`.
    WEIGHTS: Build = uniform, metropolis, push_sum, row
}

/// The rows of a round: for every node the nodes it hears, in order and itself included, with their weights.
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

/// The whole matrix of a round, `matrix[i][j]` being what `i` gives to `j`: for tests, tools and small `n`.
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
