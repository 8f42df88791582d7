//! One trial of one cell: the corridor, round by round.

use std::ops::ControlFlow;

use dpsda::fleet::{Fleet, mean};
use dpsda::metric::{Curves, Observers};
use dpsda::objective::Batch;
use dpsda::privacy::Spent;
use dpsda_config::RunConfig;
use dpsda_data::Draw;

/// What a trial leaves behind.
pub struct TrialRecord {
    /// What was observed along it.
    pub curves: Curves,
    /// `x(0), x(1), ...`, if recorded; where every node has a model, their mean.
    pub decisions: Vec<Vec<f64>>,
    /// `x(T)`: the decision after the last round, one per model.
    pub last: Vec<Vec<f64>>,
    /// The mean of `x(0..T-1)`, one per model.
    pub averaged: Vec<Vec<f64>>,
    /// What the ledgers of all nodes hold at the end, if it bounds anything.
    pub spent: Option<Spent>,
}

/// Runs a fleet for a trial of `rounds` rounds. `keep` says after how many rounds the observers are read; `tick` is called once
/// per round and may break off, which gives `None`.
pub fn run(
    cell: &RunConfig,
    rounds: u64,
    draw: &Draw,
    mut fleet: Box<dyn Fleet>,
    mut observers: Observers<'_>,
    keep: &[u64],
    tick: &dyn Fn() -> ControlFlow<()>,
) -> Option<TrialRecord> {
    let mut trial = TrialRecord {
        curves: Curves::default(),
        decisions: Vec::new(),
        last: Vec::new(),
        averaged: Vec::new(),
        spent: None,
    };
    for (t, rows) in (0..rounds).zip(draw.train.chunks_exact(cell.problem.batch)) {
        let f = Batch { samples: &draw.samples, rows, loss: &*cell.problem.loss }; // (1)
        let models = observers.reveal(t, &f, cell.spec.set(), &*fleet); // committed, then revealed
        fleet.round(t, &f).ok()?; // a batch has the dimension of its data, and parts
        observers.settled(&*fleet);
        if keep.binary_search(&(t + 1)).is_ok() {
            observers.keep(t + 1);
        }
        if cell.record_decisions {
            trial.decisions.push(mean(models));
        }
        if tick().is_break() {
            return None;
        }
    }
    trial.last = fleet.models();
    trial.averaged = observers.averaged().to_vec();
    trial.curves = observers.into_curves();
    trial.spent = fleet.spent().spent;
    Some(trial)
}
