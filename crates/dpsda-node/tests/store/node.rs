//! One node that makes records.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dpsda::objective::Objective;
use dpsda::rng::{NoiseKey, Seed};
use dpsda_config::RunConfig;
use dpsda_data::Prepared;
use dpsda_node::entry::Digest;
use dpsda_node::identity::Identity;
use dpsda_node::machine::{FreeRounds, Happened, Machine as _, NodeTerms, Record, Todo};
use dpsda_node::manifest::Pledge;
use dpsda_node::store::Store;
use dpsda_node::store::disk::Keeping;
use dpsda_node::store::ledger::{About, NodeBudget};

pub(crate) const MANIFEST: Digest = [5; 32];

/// Every coordinate of every gradient: no other number has these bytes.
pub(crate) const SENTINEL: f64 = 0.123_456_789_012_345_67;

const EXPERIMENT: &str = r#"
rounds = ROUNDS
[problem]
loss = "squared"
data = "synthetic-regression"
features = 4
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
nodes = 2
graph = "complete"
[algorithm]
name = "dpsda-r"
[privacy]
mechanism = "MECHANISM"
epsilon = 1.0
delta = 1e-5
clip = 1.0
"#;

/// `SENTINEL sum(x)`
struct Slope(usize);

impl Objective for Slope {
    fn dim(&self) -> usize {
        self.0
    }

    fn value(&self, x: &[f64]) -> f64 {
        SENTINEL * x.iter().sum::<f64>()
    }

    fn partial(&self, _: &[f64], _: Range<usize>, g: &mut [f64]) {
        g.fill(SENTINEL);
    }
}

/// An experiment in which node 0 runs.
pub(crate) struct Setting {
    run: RunConfig,
}

impl Setting {
    pub(crate) fn new(mechanism: &str, rounds: u64) -> Self {
        let text = EXPERIMENT.replace("MECHANISM", mechanism).replace("ROUNDS", &rounds.to_string());
        let run = Prepared::load(&text, &[], Path::new("")).unwrap().runs.swap_remove(0);
        Self { run }
    }

    /// A coordinate of a gradient in units of the grid. Node 0 has two of them, and its clip has room for both.
    pub(crate) fn quantised(&self) -> i64 {
        let mut units = [0; 2];
        self.run.spec.plan().clip(0).unwrap().add(&[SENTINEL; 2], &mut units);
        assert!(units[0] == units[1] && units[0] > 1 << 20, "{units:?}");
        units[0]
    }

    pub(crate) fn identity(k: u8) -> Arc<Identity> {
        Arc::new(Identity::from_secret([k + 1; 32]))
    }

    /// Node 0, started from its store.
    pub(crate) fn start(&self, life: u64, record: Option<Record>) -> FreeRounds {
        let run = &self.run;
        let mut key = [7; 32];
        key[..8].copy_from_slice(&life.to_le_bytes());
        let learner = run.spec.durable(0, Seed::default(), Some(NoiseKey::new(key))).unwrap();
        let members = (0..2).map(|k| Self::identity(k).public()).collect();
        let terms = NodeTerms::of(run, 0, Self::identity(0), members, MANIFEST).unwrap();
        let started = match record {
            Some(record) => FreeRounds::resume(terms, learner, record, Vec::new()),
            None => FreeRounds::new(terms, learner),
        };
        started.unwrap().0
    }

    /// The record of the next round.
    pub(crate) fn learn(&self, machine: &mut FreeRounds) -> Record {
        match machine.on(Happened::Cost(&Slope(self.run.spec.blocks().dim()))).swap_remove(0) {
            Todo::Store(record) => *record,
            _ => panic!("a record"),
        }
    }

    /// Runs this many rounds, each made durable.
    pub(crate) fn run(&self, machine: &mut FreeRounds, store: &mut dyn Store, rounds: u64) -> Option<Record> {
        let mut last = None;
        for _ in 0..rounds {
            let record = self.learn(machine);
            store.commit(&record).unwrap();
            machine.on(Happened::Durable);
            last = Some(record);
        }
        last
    }

    /// A store of node `k`. Its clock ticks once per release.
    pub(crate) fn keeping(&self, k: u8, lines: u64) -> Keeping {
        let (identity, ticks) = (Self::identity(k), AtomicU64::new(1_700_000_000));
        let about = About {
            run: "test".into(),
            node: format!("node-{k}"),
            manifest: MANIFEST,
            key: identity.public(),
            promise: Pledge::of(&self.run),
            rules: self.run.rules,
            budget: NodeBudget { lifetime: Some(9.0), ..NodeBudget::default() },
        };
        Keeping { identity, about, lines, clock: Box::new(move || ticks.fetch_add(1, Ordering::Relaxed)) }
    }
}
