//! Small experiments for the audits, read from TOML like a user's.

use dpsda::{Error, Keys};
use dpsda_audit::Arena;
use dpsda_config::{ResolvedData, Resolver, RunConfig};

/// Data that are never read: only their number of features counts.
struct Nowhere {
    features: usize,
}

impl Resolver for Nowhere {
    fn read(&self, path: &str) -> Result<String, Error> {
        Err(Error::data(path, "there are no files here"))
    }

    fn data(&self, _: &str, _: &Keys<'_>) -> Result<ResolvedData, Error> {
        Ok(ResolvedData { dim: self.features, samples: None, handle: 0 })
    }
}

/// A small experiment.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) algorithm: &'static str,
    pub(crate) mechanism: &'static str,
    pub(crate) nodes: usize,
    pub(crate) features: usize,
    /// For all nodes together.
    pub(crate) epsilon: f64,
    pub(crate) rounds: u64,
    /// Further lines of `[privacy]`.
    pub(crate) more: &'static str,
}

pub(crate) const FIELD: Field = Field {
    algorithm: "dpsda-r",
    mechanism: "discrete-laplace",
    nodes: 2,
    features: 4,
    epsilon: 2.0,
    rounds: 3,
    more: "",
};

impl Field {
    pub(crate) fn run(&self) -> RunConfig {
        let Self { algorithm, mechanism, nodes, epsilon, rounds, more, .. } = self;
        let pure = matches!(*mechanism, "laplace" | "discrete-laplace");
        let delta = if pure || more.contains("delta") { "" } else { "delta = 1e-5" };
        let amount = if more.contains("level") { String::new() } else { format!("epsilon = {epsilon}") };
        let text = format!(
            "rounds = {rounds}\n[problem]\nloss = 'squared'\ndata = 'none'\nbatch = 3\n[set]\nkind = 'free'\n\
             [network]\nnodes = {nodes}\ngraph = 'complete'\n[algorithm]\nname = '{algorithm}'\n\
             [privacy]\nmechanism = '{mechanism}'\nclip = 1.0\n{amount}\n{delta}\n{more}\n"
        );
        let resolver = Nowhere { features: self.features };
        RunConfig::read(&text.parse().unwrap(), &resolver).unwrap().0
    }

    pub(crate) fn arena(&self) -> Arena {
        Arena::of(&self.run(), self.rounds)
    }
}
