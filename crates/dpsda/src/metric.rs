//! Metrics: what is measured, one file per metric.
//!
//! A metric has a name, a meaning and a unit. It says whether lower or higher is better, where it is shown and how it is
//! computed. `summary.csv`, `series.csv`, the table on the terminal, the pages and `dpsda list` are all made from this
//! family. Values are looked up by metric, never by position.
//!
//! A program can add metrics of its own: see [`Metric`] and [`Metrics::with`].

use crate::family;

mod average;
mod computed;
mod curves;
mod definition;
mod finished;
mod measured;
mod observers;
mod online;
mod over_trials;
mod predictions;
mod registry;
mod shown;
mod values;
pub use average::{deviation, mean};
pub use curves::{Curves, Point};
pub use definition::Metric;
pub use finished::{Finished, Trials};
pub use observers::Observers;
pub use online::{Observer, Round, Start};
pub use over_trials::{OverTrials, power};
pub use predictions::{DataSplit, ModelKind, Predictions, TrialData, scores};
pub use registry::{Metrics, all};
pub use shown::{Better, Column, Curve, Setting, Terminal, Total, Uncertainty, Unit};
pub use values::{Id, MetricNumbers, MetricValue};

/// Makes a metric. Every row of [`METRICS`] has one, and adds the name and the note.
pub type Build = fn() -> Metric;

family! {
    /// Every metric, in the order of the columns of `summary.csv`.
    METRICS: Build =
        run, algorithm, mechanism, level, epsilon, delta, rounds, trials,
        regret_per_round, regret_per_round_sd, pseudo_regret_per_round, averaged_regret_per_round,
        fitness, accuracy_progressive, accuracy_train_last, accuracy_test_last, accuracy_train_averaged,
        accuracy_test_averaged, balanced_accuracy_test_averaged, auc_test_averaged, majority_test,
        disagreement, violation, staleness, claim, comparator_gap, regret_exponent, regret_exponent_se,
        spent_event, spent_person, spent_lifetime, accuracy_train_best, accuracy_test_best, auc_test_best,
        accuracy_progressive_sd, accuracy_test_last_sd, accuracy_test_averaged_sd, auc_test_averaged_sd,
        fitness_worst_node, regret_per_round_worst_node, dynamic_regret_per_round,
        loss_test_last, loss_test_averaged, averaged_fitness, regret_bound, theorem1, consensus_error,
        tracking_error, discomfort, travel_time
}
