//! One row per run: the columns of `summary.csv`.

use dpsda::metric::MetricValue;
use serde_json::{Map, Value};

use crate::check::{json_number, json_value};
use crate::{Experiment, Outcome, Run};

/// The rows, all with the same columns in the same order: every metric, then the swept keys that no metric repeats.
pub(crate) fn rows(experiment: &Experiment, outcome: &Outcome) -> Vec<Map<String, Value>> {
    let mut swept = experiment.swept();
    let repeated =
        |key: &str| experiment.metrics.of_key(key).is_some_and(|m| m.setting.is_some_and(|s| s.same));
    swept.retain(|key| !repeated(key));
    let runs = outcome.runs.iter().filter(|run| !run.trials.is_empty());
    runs.map(|run| row(experiment, outcome, run, &swept)).collect()
}

fn row(experiment: &Experiment, outcome: &Outcome, run: &Run, swept: &[&str]) -> Map<String, Value> {
    let trials = outcome.trials(experiment, run);
    let measured = experiment.metrics.summary();
    let mut row: Map<String, Value> =
        measured.map(|(column, metric)| (column.to_owned(), json(metric.of_run(&trials)))).collect();
    for key in swept {
        let settings = &experiment.runs[run.index].settings;
        let value = settings.iter().find(|(k, _)| k == key).map(|(_, value)| json_value(value));
        row.insert((*key).to_owned(), value.unwrap_or(Value::Null)); // empty where it does not matter
    }
    row
}

fn json(value: MetricValue) -> Value {
    match value {
        MetricValue::Nothing => Value::Null,
        MetricValue::Whole(count) => count.into(),
        MetricValue::Number(number) => json_number(number),
        MetricValue::Text(text) => text.into(),
    }
}
