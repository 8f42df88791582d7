//! A metric of the caller's own is measured beside those of the family.

use dpsda::metric::{Better, Curve, Finished, Metric, Unit, fitness};
use dpsda_sim::folder::{Staging, summary_rows, write};
use dpsda_sim::{Options, Progress};

use crate::load;

const SETTING: &str = r#"
rounds = 30
trials = 3
problem = { loss = "squared", data = "synthetic-regression", features = 4 }
set = { kind = "box", lower = -1.0, upper = 1.0 }
network = { nodes = 2, graph = "ring" }
algorithm = { name = ["dpsda-r", "dpcda"] }
"#;

/// The largest cost of any round.
fn dearest() -> Metric {
    Metric::largest(|round| round.costs.iter().copied().fold(0.0, f64::max))
        .named("cost_largest", "The largest cost of any round.")
        .label("Largest cost")
        .unit(Unit::Cost)
        .better(Better::Lower)
        .curve(Curve::new("The largest cost of any round so far."))
}

#[test]
fn a_closure_has_a_column_in_the_summary_and_in_the_series_and_changes_no_other() {
    let (plain, own) = (load(SETTING, &[]), load(SETTING, &[]).measure(dearest()).unwrap());
    let run = |experiment: &dpsda_sim::Experiment| experiment.run(Options::default(), &Progress::default());
    let outcome = run(&own);
    let (before, after) = (summary_rows(&plain, &run(&plain)), summary_rows(&own, &outcome));
    for (mut row, (without, of)) in after.into_iter().zip(before.into_iter().zip(&outcome.runs)) {
        let found = row.remove("cost_largest").unwrap().as_f64().unwrap();
        // The largest so far is what the mean of all rounds cannot exceed, trial by trial.
        let largest = outcome.values(&own, of, &dearest());
        let mean = outcome.values(&own, of, &fitness::LISTING);
        assert!(largest.len() == 3 && largest.iter().zip(&mean).all(|(largest, mean)| largest > mean));
        assert!((found - largest.iter().sum::<f64>() / 3.0).abs() < 1e-12);
        assert_eq!(row, without);
    }
    let rises = |trial: Finished<'_>| trial.curves.get(&dearest()).is_some_and(|values| values.is_sorted());
    assert!(rises(outcome.finished(&outcome.runs[0], 0).unwrap()));

    let desk = tempfile::tempdir().unwrap();
    let folder = Staging::new(&desk.path().join("run"), false).unwrap();
    write(&folder, &own, &outcome, &dpsda_sim::check::Check::new(&own)).unwrap();
    let folder = folder.commit().unwrap();
    let series = std::fs::read_to_string(folder.join("series.csv")).unwrap();
    let lines: Vec<&str> = series.lines().collect();
    assert!(lines[0].ends_with(",staleness,cost_largest") && lines.len() > 100);
    assert!(lines[1..].iter().all(|line| line.rsplit(',').next().unwrap().parse::<f64>().is_ok()));
}

#[test]
fn a_name_that_is_taken_is_refused_with_a_remedy() {
    let twice = load(SETTING, &[]).measure(dearest().named("fitness", "Another cost.")).err().unwrap();
    assert_eq!(twice.to_string(), "metric = \"fitness\": another metric has this name (choose another one)");
}
