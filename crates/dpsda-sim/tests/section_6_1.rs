//! The setting of section 6.1: seven nodes on the Fig. 2 graph, linear regression in a box, T = 500.

use std::path::Path;

use dpsda_sim::folder::summary_rows;
use dpsda_sim::{Experiment, Options, Progress};

const SETTING: &str = include_str!("../../../experiments/regression.toml");

#[test]
fn relay_pays_nothing_for_being_decentralised_and_gossip_does() {
    let experiment = Experiment::load(SETTING, &[], Path::new("")).unwrap();
    let outcome = experiment.run(Options::default(), &Progress::default());
    let rows = summary_rows(&experiment, &outcome);
    let regret = |algorithm: &str, level: &str| {
        let row = rows.iter().find(|row| {
            let found = &row["level"];
            row["algorithm"] == algorithm && (found == level || found.as_f64() == level.parse().ok())
        });
        row.unwrap()["regret_per_round"].as_f64().unwrap()
    };
    for level in ["inf", "1", "0.5", "0.2"] {
        let (relay, central) = (regret("dpsda-r", level), regret("dpcda", level));
        println!(
            "level {level}: C {:.3}, PS {:.3}, R {relay:.4}, centralised {central:.4}",
            regret("dpsda-c", level),
            regret("dpsda-ps", level)
        );
        assert!(relay <= 1.05 * central, "level {level}: relay {relay}, centralised {central}");
    }
    let relay = regret("dpsda-r", "inf");
    assert!(regret("dpsda-c", "inf") >= 3.0 * relay, "C {} R {relay}", regret("dpsda-c", "inf"));
    assert!(regret("dpsda-ps", "inf") >= 6.0 * relay, "PS {} R {relay}", regret("dpsda-ps", "inf"));
    for row in &rows {
        let gap = row["comparator_gap"].as_f64().unwrap();
        assert!(gap < 1e-5, "the best decision is only known to {gap}");
    }
}
