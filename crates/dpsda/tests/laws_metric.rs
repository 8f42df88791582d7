//! Laws that every metric of the table keeps, and the columns that other programs rely on.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeSet;

use dpsda::metric::{self, Curve, Id, METRICS, Metric, Metrics, Terminal, Unit};

/// The columns of `summary.csv`, in this spelling and order; more may follow.
const SUMMARY: &str = "run, algorithm, mechanism, level, epsilon, delta, rounds, trials, regret_per_round, \
    regret_per_round_sd, pseudo_regret_per_round, averaged_regret_per_round, fitness, accuracy_progressive, \
    accuracy_train_last, accuracy_test_last, accuracy_train_averaged, accuracy_test_averaged, \
    balanced_accuracy_test_averaged, auc_test_averaged, majority_test, disagreement, violation_max, staleness_max, claim, \
    comparator_gap, regret_exponent, regret_exponent_se, spent_event, spent_person, spent_lifetime, accuracy_train_best, \
    accuracy_test_best, auc_test_best, accuracy_progressive_sd, accuracy_test_last_sd, accuracy_test_averaged_sd, \
    auc_test_averaged_sd, fitness_worst_node, regret_per_round_worst_node";

/// The columns of `series.csv` after run, trial and t; the last three only where they were asked for. What only some costs
/// measure follows.
const SERIES: &str = "fitness, regret_per_round, averaged_regret_per_round, accuracy_progressive, disagreement, violation, \
    staleness, regret_bound, theorem1, consensus_error";

fn ids(metrics: &[&Metric]) -> Vec<Id> {
    metrics.iter().map(|metric| Id::from(*metric)).collect()
}

#[test]
fn the_files_have_the_promised_columns_in_their_order() {
    let promised: Vec<&str> = SUMMARY.split(", ").collect();
    let summary: Vec<&str> = metric::all().summary().map(|(column, _)| column).collect();
    assert_eq!(summary[..promised.len()], promised);
    let promised: Vec<&str> = SERIES.split(", ").collect();
    let series: Vec<&str> = metric::all().series().iter().map(|metric| metric.name).collect();
    assert_eq!(series[..promised.len()], promised);
    let asked: Vec<&str> = metric::all()
        .series()
        .iter()
        .filter(|metric| metric.curve.as_ref().is_some_and(|curve| curve.on_request))
        .map(|metric| metric.name)
        .collect();
    assert_eq!(asked[..3], promised[7..]);
}

#[test]
fn every_metric_has_a_name_of_its_own() {
    let (mut names, mut columns) = (BTreeSet::new(), BTreeSet::new());
    for metric in metric::all().iter() {
        let name =
            |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        assert!(!metric.name.is_empty() && name(metric.name), "{}", metric.name);
        assert!(names.insert(metric.name), "{} twice", metric.name);
        if let Some(column) = metric.column_name() {
            assert!(name(column) && columns.insert(column), "{column}");
        }
        assert!(!["trial", "t"].contains(&metric.name), "{} names the rows of series.csv", metric.name);
    }
    assert_eq!(names.len(), METRICS.len());
}

#[test]
fn every_metric_has_a_label_a_heading_and_notes_that_are_sentences() {
    let sentence =
        |text: &str| text.len() > 10 && text.ends_with('.') && !text.contains('\n') && !text.contains("  ");
    for metric in metric::all().iter() {
        assert!(!metric.label.trim().is_empty(), "{}", metric.name);
        assert!(sentence(metric.note), "{}: {}", metric.name, metric.note);
        let column = metric.column.as_ref();
        assert!(column.is_none_or(|column| !column.heading.trim().is_empty()), "{}", metric.name);
        let curve = metric.curve.as_ref();
        assert!(curve.is_none_or(|curve| sentence(curve.note)), "{}", metric.name);
        let total = curve.and_then(|curve| curve.total);
        assert!(total.is_none_or(|total| !total.label.is_empty() && sentence(total.note)), "{}", metric.name);
        let named = column.and_then(|column| column.terminal);
        assert!(!matches!(named, Some(Terminal::Value { heading: "", .. })), "{}", metric.name);
    }
}

#[test]
fn every_metric_that_another_names_is_there() {
    let all = metric::all();
    for metric in all.iter() {
        let column = metric.column.as_ref();
        let named = [
            column.and_then(|column| column.follows),
            column.and_then(|column| column.spread).map(|spread| spread.of),
            metric.curve.as_ref().and_then(|curve| curve.bounds),
        ];
        for other in named.into_iter().flatten() {
            assert!(all.get(other).is_some(), "{} names {other}", metric.name);
            assert!(other != Id::from(metric), "{} names itself", metric.name);
        }
        let spread = column.and_then(|column| column.spread).and_then(|spread| all.get(spread.of));
        assert!(spread.is_none_or(|other| other.unit == metric.unit), "{}: another unit", metric.name);
    }
}

#[test]
fn tables_show_every_column_once_and_what_follows_another_after_it() {
    let shown = ids(&metric::all().shown());
    assert_eq!(shown.len(), metric::all().summary().count());
    let at = |id: Id| shown.iter().position(|known| *known == id).unwrap();
    for metric in metric::all().iter() {
        if let Some(other) = metric.column.as_ref().and_then(|column| column.follows) {
            assert!(at(other) < at(metric.into()), "{} before {other}", metric.name);
        }
    }
    assert_eq!(shown.iter().collect::<BTreeSet<_>>().len(), shown.len());
}

#[test]
fn a_share_lies_between_nothing_and_all() {
    for metric in metric::all().iter().filter(|metric| metric.unit == Unit::Share) {
        let ends = metric.curve.as_ref().map(|curve| (curve.floor, curve.ceiling));
        assert!(ends.is_none_or(|ends| ends == (Some(0.0), Some(1.0))), "{}", metric.name);
    }
}

#[test]
fn a_metric_of_ones_own_follows_the_family_and_takes_no_name_away() {
    let own = || {
        Metric::mean(|round| round.costs.iter().copied().fold(0.0, f64::max))
            .named("cost_worst", "Mean over rounds of the largest cost of any model.")
            .label("Worst cost")
            .curve(Curve::new("Mean of the largest costs so far."))
    };
    let metrics = Metrics::default().with(own()).unwrap();
    assert_eq!(metrics.summary().last().map(|(column, _)| column), Some("cost_worst"));
    assert_eq!(metrics.series().last().map(|metric| metric.name), Some("cost_worst"));
    assert_eq!(metrics.get(&own()).unwrap().column.as_ref().unwrap().heading, "worst cost");
    for taken in ["fitness", "violation_max", "violation", "cost_worst", "trial", ""] {
        let wrong = metrics.clone().with(own().named(taken, "A note.")).err().unwrap().to_string();
        assert!(wrong.contains(&format!("metric = {taken:?}")), "{wrong}");
    }
}
