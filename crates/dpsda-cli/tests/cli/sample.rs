//! Something to run, and a reader for what it writes.

/// A small experiment that runs in a moment.
pub(crate) const SMALL: &str = r#"
title = "small"
rounds = 12
trials = 2

[problem]
loss = "squared"
data = "synthetic-regression"
features = 6

[set]
kind = "box"
lower = -5.0
upper = 5.0

[network]
nodes = 3
graph = "ring"

[algorithm]
name = "dpsda-r"
"#;

/// A CSV file as its header and its rows.
pub(crate) fn csv(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().iter().map(String::from).collect();
    (header, reader.records().map(|r| r.unwrap().iter().map(String::from).collect()).collect())
}
