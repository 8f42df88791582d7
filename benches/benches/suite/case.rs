//! The sizes, and one problem at each: linear regression in a box, as dpsda runs it and as files say it.

use std::sync::Arc;
use std::time::Instant;

use dpsda::cost::CostSequence;
use dpsda::fleet::Fleet;
use dpsda::network::Exponential;
use dpsda::prelude::*;
use dpsda::privacy::plan::{Coverage, Decide};
use dpsda_data::Prepared;

use dpsda_benches::turns::Turn;

/// Nodes, coordinates and samples per round.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Case {
    pub(crate) n: usize,
    pub(crate) d: usize,
    pub(crate) batch: usize,
    /// Rounds of a whole run.
    pub(crate) rounds: u64,
}

pub(crate) const CASES: [Case; 6] = [
    Case::new(7, 112, 100, 100),
    Case::new(7, 784, 100, 100),
    Case::new(7, 3072, 140, 100),
    Case::new(100, 3072, 140, 24),
    Case::new(1000, 1000, 10, 24),
    Case::new(4096, 4096, 1, 24),
];

/// How many different batches rounds learn from, in turn.
const BATCHES: u64 = 8;
/// More than are ever measured.
const ENDLESS: u64 = 1_000_000;

impl Case {
    pub(crate) const fn new(n: usize, d: usize, batch: usize, rounds: u64) -> Self {
        Self { n, d, batch, rounds }
    }

    pub(crate) fn name(self) -> String {
        format!("({},{},{})", self.n, self.d, self.batch)
    }

    pub(crate) fn graph(self) -> &'static str {
        if self.n == 7 { "paper-fig2" } else { "exponential" }
    }

    /// A file. The paper's order, noise on all coordinates.
    pub(crate) fn file(self, algorithm: &str, more: &str) -> String {
        let Self { n, d, batch, rounds } = self;
        let graph = self.graph();
        format!(
            "rules = 2\ntitle = \"benchmark\"\nrounds = {rounds}\ntrials = 1\nseed = 1\n{more}\n[problem]\nloss = \"squared\"\n\
             data = \"synthetic-regression\"\nfeatures = {d}\nbatch = {batch}\n[set]\nkind = \"box\"\nlower = -5.0\nupper = 5.0\n\
             [network]\nnodes = {n}\ngraph = \"{graph}\"\n[algorithm]\nname = \"{algorithm}\"\n[privacy]\nmechanism = \"laplace\"\n\
             level = 1.0\nnoise = \"all\"\ndecide = \"private\"\n"
        )
    }

    fn fleet(self, algorithm: &str, coverage: Coverage) -> Result<Box<dyn Fleet>, Error> {
        let privacy = Privacy::level(1.0).mechanism(Laplace).coverage(coverage).decide(Decide::Private);
        let spec = Spec::new(Blocks::even(self.d, self.n)?).set(Cuboid::new(-5.0, 5.0)?).privacy(privacy);
        let spec = spec.rounds(ENDLESS).batch(self.batch as u64);
        let spec = if self.n == 7 { spec.graph(PaperFig2) } else { spec.graph(Exponential::new(self.n)?) };
        let spec = match algorithm {
            "dpsda-c" => spec.algorithm(Circulation).undirected(),
            "dpsda-ps" => spec.algorithm(PushSum),
            _ => spec.algorithm(Relay),
        };
        spec.fleet(Seed::new(1))
    }

    fn costs(self) -> Result<Arc<dyn CostSequence>, Error> {
        let text = Self { rounds: BATCHES, ..self }.file("dpsda-r", "");
        // A file may name fewer nodes than a fleet can have: costs do not depend on them.
        let few = ["network.nodes=1".to_owned(), "network.graph=complete".to_owned()];
        Ok(Prepared::load(&text, &few, std::path::Path::new(""))?.costs(0, 0))
    }

    /// Rounds of our fleet: decide, learn, exchange.
    pub(crate) fn ours(self, algorithm: &str, coverage: Coverage) -> Result<Turn<'static>, String> {
        let costs = self.costs().map_err(|error| error.to_string())?;
        let mut fleet = self.fleet(algorithm, coverage).map_err(|error| error.to_string())?;
        let mut t = 0;
        Ok(Box::new(move |rounds| {
            let start = Instant::now();
            for _ in 0..rounds {
                std::hint::black_box(fleet.decision());
                let cost = costs.cost(t % BATCHES).ok_or("no such round")?;
                fleet.round(t, &*cost).map_err(|error| error.to_string())?;
                t += 1;
            }
            Ok(start.elapsed().as_secs_f64() / rounds as f64)
        }))
    }
}
