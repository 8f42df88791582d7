//! Folders of runs that were written before rules had numbers.

use std::fs;
use std::path::Path;

use crate::desk::Desk;

/// A copy of the folder and its experiment.
fn laid(desk: &Desk) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dpsda-node/tests/fixtures/rules-1/run");
    fs::copy(from.join("experiment.toml"), desk.path("experiment.toml")).unwrap();
    fs::create_dir(desk.path("folder")).unwrap();
    for file in fs::read_dir(from.join("folder")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), desk.path("folder").join(file.file_name())).unwrap();
    }
}

/// The columns of a table by name, without the words of claims.
fn columns(text: &str) -> Vec<(String, Vec<String>)> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let column = |(k, name): (usize, String)| (name, rows.iter().map(|row| row[k].to_owned()).collect());
    names.into_iter().enumerate().map(column).filter(|(name, _)| name != "claim").collect()
}

/// How far two numbers of a column may be apart, relative to their size. The best decision in hindsight is known up to its gap, and how it
/// is searched may change. Of the distances between nodes, a fast fleet has other last bits. All else is the same to the bit.
fn tolerance(column: &str) -> f64 {
    match column {
        "disagreement" => 1e-12,
        "comparator_gap" => 1e-5,
        _ if column.contains("regret") || column.contains("_best") => 1e-5,
        _ => 0.0,
    }
}

fn near(tolerance: f64) -> impl Fn(&str, &str) -> bool {
    move |found, value| {
        let apart = |a: f64, b: f64| (a - b).abs() <= tolerance * (1.0 + b.abs());
        found == value || found.parse().ok().zip(value.parse().ok()).is_some_and(|(a, b)| apart(a, b))
    }
}

#[test]
fn a_folder_of_before_is_reported_and_by_its_rules_its_file_runs_to_the_same_numbers() {
    let desk = Desk::new();
    laid(&desk);
    desk.works(&["report", "folder"]);
    let page = desk.text("folder/report.html");
    assert!(page.contains("<dt>rules</dt><dd>1</dd>"), "what it means is said where it is not stated");
    desk.works(&["run", "experiment.toml", "-s", "rules=1", "--out", "old", "--quiet"]);
    for file in ["summary.csv", "series.csv", "decisions.csv"] {
        let [before, now] = ["folder", "old"].map(|folder| columns(&desk.text(&format!("{folder}/{file}"))));
        for (name, values) in before {
            let (_, found) = now.iter().find(|(other, _)| *other == name).unwrap();
            let near = near(tolerance(&name));
            assert_eq!(found.len(), values.len(), "{file}, {name}");
            assert!(
                found.iter().zip(&values).all(|(found, value)| near(found, value)),
                "{file}, {name}: {found:?} and {values:?}"
            );
        }
    }
    let page = desk.text("old/report.html");
    assert!(page.contains("<dt>rules</dt><dd>1</dd>"));
    // A file that states no rules has the newest, and other random numbers.
    desk.works(&["run", "experiment.toml", "--out", "new", "--quiet"]);
    let [before, now] = ["folder", "new"].map(|folder| columns(&desk.text(&format!("{folder}/summary.csv"))));
    assert_ne!(before, now);
    let page = desk.text("new/report.html");
    assert!(page.contains("<dt>rules</dt><dd>2</dd>"));
    desk.works(&["report", "folder", "new", "--out", "both.html"]);
}
