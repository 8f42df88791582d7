//! What an event is, in the application's words, and which columns of a table are private.

use dpsda::cost::UsedColumns;
use dpsda::privacy::plan::Adjacency;
use dpsda_config::RunConfig;
use serde_json::{Value, json};

use crate::Experiment;

/// Sentences for a run whose clip bounds an event; none for other runs.
pub(super) fn sentences(run: &RunConfig) -> Vec<String> {
    let plan = run.spec.plan();
    if plan.asked().clip.is_none() {
        return Vec::new();
    }
    if plan.mechanism().is_silent() {
        let (bounded, _) = run.event.split_once(';').unwrap_or((&run.event, ""));
        return vec![format!("Nothing is protected: this run adds no noise. The clip bounds {bounded}.")];
    }
    let mut says = vec![format!("An event is {}.", run.event)];
    if plan.adjacency() != Adjacency::Agent {
        return says;
    }
    let columns = run.problem.model().map_or_else(Vec::new, |model| model.columns());
    let agent = &run.problem.words.agent;
    for UsedColumns { table, role, names, .. } in columns.iter().filter(|used| used.own) {
        let each: Vec<String> = names.iter().enumerate().map(|(k, name)| format!("{k} is {name}")).collect();
        says.push(format!(
            "Private: the {role} in {table}. Each {agent} has one column: {agent} {}.",
            each.join(", ")
        ));
    }
    let public = columns.iter().filter(|used| !used.own && used.role != UsedColumns::UNUSED);
    let public: Vec<String> = public.map(words).collect();
    if !public.is_empty() {
        says.push(format!("Public: {}.", public.join(", ")));
    }
    says
}

/// "wind, sun (signals)"
fn words(used: &UsedColumns) -> String {
    format!("{} ({})", used.names.join(", "), used.role)
}

/// The columns of a table by role, over all runs that use it.
pub(super) fn columns(experiment: &Experiment, table: &str) -> Vec<Value> {
    let mut all: Vec<UsedColumns> = Vec::new();
    for model in experiment.runs.iter().filter_map(|run| run.problem.model()) {
        for used in model.columns() {
            if used.table == table && !all.contains(&used) {
                all.push(used);
            }
        }
    }
    all.iter().map(|used| json!({ "role": used.role, "names": used.names })).collect()
}
