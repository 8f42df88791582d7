//! One row per cell: the columns of `summary.csv`.

use dpsda::bounds::exponent;
use dpsda::privacy::{Cost, Spent};
use serde_json::{Map, Value};

use crate::check::{json_number, json_value};
use crate::outcome::{Done, deviation, mean};
use crate::{Experiment, Outcome, Run};

/// Swept keys that have a column of their own.
const NAMED: [&str; 5] = ["algorithm.name", "privacy.level", "privacy.mechanism", "rounds", "trials"];

/// Standard deviations over trials, and of what.
const SPREADS: [(&str, &str); 4] = [
    ("accuracy_progressive_sd", "accuracy_progressive"),
    ("accuracy_test_last_sd", "accuracy_test_last"),
    ("accuracy_test_averaged_sd", "accuracy_test_averaged"),
    ("auc_test_averaged_sd", "auc_test_averaged"),
];

/// The rows, each with the same columns in the same order.
pub(crate) fn rows(experiment: &Experiment, outcome: &Outcome) -> Vec<Map<String, Value>> {
    let mut swept = experiment.swept();
    swept.retain(|key| !NAMED.contains(key));
    let runs = outcome.runs.iter().filter(|run| !run.trials.is_empty());
    runs.map(|run| row(experiment, outcome, run, &swept)).collect()
}

fn row(experiment: &Experiment, outcome: &Outcome, run: &Run, swept: &[&str]) -> Map<String, Value> {
    let cell = &experiment.cells[run.cell];
    let number = |x: Option<f64>| x.map_or(Value::Null, json_number);
    let average = |of: &dyn Fn(&Done) -> Option<f64>| {
        let values: Vec<f64> = run.trials.values().filter_map(of).collect();
        number((!values.is_empty()).then(|| mean(&values)))
    };
    let largest = |name: &str| number(run.trials.values().filter_map(|d| d.at_end(name)).reduce(f64::max));
    let at_end = |name: &str| average(&|done| done.at_end(name));
    let score =
        |name: &str| average(&|done| done.scores.iter().find(|(n, _)| *n == name).map(|(_, value)| *value));
    let regrets = outcome.regrets(run, "fitness");

    let mut row = Map::new();
    let mut put = |name: &str, value: Value| {
        row.insert(name.to_owned(), value);
    };
    put("run", run.cell.into());
    put("algorithm", cell.spec.algorithm().name().into());
    put("mechanism", cell.spec.plan().mechanism().name().into());
    put("level", number(cell.level));
    put(
        "epsilon",
        number(
            cell.spec
                .plan()
                .epsilon()
                .and_then(|_| cell.spec.plan().joint_cost().shown(cell.spec.plan().delta())),
        ),
    );
    put("delta", number(cell.spec.plan().claimed_delta()));
    put("rounds", experiment.rounds(run.cell).into());
    put("trials", run.trials.len().into());
    put("regret_per_round", json_number(mean(&regrets)));
    put("regret_per_round_sd", number(deviation(&regrets)));
    put("pseudo_regret_per_round", number(run.pseudo_regret));
    put("averaged_regret_per_round", json_number(mean(&outcome.regrets(run, "averaged_fitness"))));
    put("fitness", at_end("fitness"));
    put("accuracy_progressive", at_end("accuracy_progressive"));
    for name in [
        "accuracy_train_last",
        "accuracy_test_last",
        "accuracy_train_averaged",
        "accuracy_test_averaged",
        "balanced_accuracy_test_averaged",
        "auc_test_averaged",
        "majority_test",
    ] {
        put(name, score(name));
    }
    put("disagreement", at_end("disagreement"));
    put("violation_max", largest("violation"));
    put("staleness_max", largest("staleness"));
    put("claim", cell.spec.plan().claim().into());
    put("comparator_gap", json_number(run.gap));
    let exponent = exponent::of_trials(&outcome.curves(run));
    put("regret_exponent", number(exponent.map(|(power, _)| power)));
    put("regret_exponent_se", number(exponent.and_then(|(_, error)| error)));
    let spent = |of: &dyn Fn(Spent) -> Option<Cost>| {
        let costs =
            run.trials.values().map(|done| done.trial.spent.and_then(of)?.shown(cell.spec.plan().delta()));
        number(costs.reduce(|a, b| Some(a?.max(b?))).flatten())
    };
    put("spent_event", spent(&|s| Some(s.event)));
    put("spent_person", spent(&|s| s.person));
    put("spent_lifetime", spent(&|s| Some(s.lifetime)));
    for name in ["accuracy_train_best", "accuracy_test_best", "auc_test_best"] {
        let values: Vec<f64> =
            run.trials.keys().filter_map(|trial| outcome.best_score(run, *trial, name)).collect();
        put(name, number((!values.is_empty()).then(|| mean(&values))));
    }
    for (name, of) in SPREADS {
        let values: Vec<f64> = run.trials.values().filter_map(|done| done.score(of)).collect();
        put(name, number((!values.is_empty()).then(|| deviation(&values)).flatten()));
    }
    put("fitness_worst_node", at_end("fitness_worst_node"));
    let worst = outcome.regrets(run, "fitness_worst_node");
    put("regret_per_round_worst_node", number((!worst.is_empty()).then(|| mean(&worst))));
    for key in swept {
        let value = cell.settings.iter().find(|(k, _)| k == key).map(|(_, value)| json_value(value));
        put(key, value.unwrap_or(Value::Null)); // empty where it does not matter
    }
    row
}
