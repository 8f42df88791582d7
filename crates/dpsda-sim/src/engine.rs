//! One trial of one run, round by round.

use std::ops::ControlFlow;

use dpsda::cost::CostSequence;
use dpsda::fleet::{Fleet, mean};
use dpsda::metric::{Curves, Observers};
use dpsda::privacy::Spent;
use dpsda_config::RunConfig;

/// The results of a trial.
pub struct TrialRecord {
    /// The curves that observers kept.
    pub curves: Curves,
    /// `x(0), x(1), ...`, if recorded; the mean of the models, if every node has its own.
    pub decisions: Vec<Vec<f64>>,
    /// `x(T)`: the decision after the last round, one per model.
    pub last: Vec<Vec<f64>>,
    /// The mean of `x(0..T-1)`, one per model.
    pub averaged: Vec<Vec<f64>>,
    /// The privacy spent by all nodes together, if there is a bound.
    pub spent: Option<Spent>,
}

/// Runs a fleet for a trial of `rounds` rounds. The observers are read after each number of rounds in `keep`. `tick` is called
/// once per round and may stop the trial; the result is then `None`.
pub fn run(
    run: &RunConfig,
    rounds: u64,
    costs: &dyn CostSequence,
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
    for (t, f) in (0..rounds).map_while(|t| Some((t, costs.cost(t)?))) {
        // (1)
        let models = observers.reveal(t, &*f, run.spec.set(), &*fleet); // committed, then revealed
        fleet.round(t, &*f).ok()?; // no error: the costs were checked against the run when its file was read
        observers.settled(&*fleet);
        if keep.binary_search(&(t + 1)).is_ok() {
            observers.keep(t + 1);
        }
        if run.record_decisions {
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
