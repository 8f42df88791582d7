//! What a run spends is what its plan said it would.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::Path;

use dpsda::privacy::Mechanism;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda_sim::folder::summary_rows;
use dpsda_sim::{Experiment, Options, Progress};

const SMALL: &str = r#"
rounds = 12
[problem]
loss = "squared"
data = "synthetic-regression"
features = 7
batch = 4
[set]
kind = "ball"
radius = 2.0
[network]
nodes = 3
graph = "ring"
[privacy]
epsilon = 1.0
delta = 1e-5
clip = 1.0
adjacency = ["round", "example"]
budget = { event = 1.0, events_per_person = 2 }
"#;

/// A reference and the wishes of three agents.
const AGENTS: &str = include_str!("../../dpsda-config/tests/agents.toml");

/// Runs a file with every mechanism, and compares what ledgers charged with what plans said.
fn ledgers_agree(text: &str, folder: &Path) {
    for mechanism in MECHANISMS.iter().map(|e| Mechanism::named(e.name).unwrap()).filter(|m| !m.is_silent()) {
        let mut overrides = vec![format!("privacy.mechanism='{}'", mechanism.name())];
        if mechanism.is_correlated() {
            overrides.push("algorithm.name=['dpsda-r','dpcda']".into());
        } else {
            overrides.push("algorithm.name=['dpsda-c','dpsda-ps','dpsda-r','dpcda']".into());
        }
        let experiment = Experiment::load(text, &overrides, folder).unwrap();
        let outcome = experiment.run(Options::default(), &Progress::default());
        for row in summary_rows(&experiment, &outcome) {
            let run = &experiment.runs[row["run"].as_u64().unwrap() as usize];
            let plan = run.spec.plan();
            let epsilon = |cost: dpsda::privacy::Price| cost.as_epsilon(1e-5).unwrap();
            let case = format!("{} {} {:?}", mechanism.name(), run.spec.algorithm().name(), plan.adjacency());
            for (key, planned) in [
                ("spent_event", epsilon(plan.joint_cost())),
                ("spent_person", epsilon(plan.person_cost().unwrap())),
                ("spent_lifetime", epsilon(plan.lifetime_cost())),
            ] {
                let spent = row[key].as_f64().unwrap();
                assert!((spent / planned - 1.0).abs() < 2e-5, "{case}: {key} {spent}, planned {planned}");
            }
            assert!(plan.epsilon().unwrap() <= 1.0 + 1e-9, "{case}");
        }
    }
}

#[test]
fn the_ledgers_hold_what_the_plan_derived() {
    ledgers_agree(SMALL, Path::new(""));
}

/// Over all nodes that is the most of a node, not the sum.
#[test]
fn the_ledgers_of_agents_hold_what_one_agent_costs() {
    let folder = tempfile::tempdir().unwrap();
    let row = |t: u32| format!("{},{},1.5,0.5\n", 2 + t % 3, f64::from(t % 2));
    let rows: String = (0..12).map(row).collect();
    std::fs::write(folder.path().join("wishes.csv"), format!("wind,anna,ben,carla\n{rows}")).unwrap();
    ledgers_agree(AGENTS, folder.path());
}
