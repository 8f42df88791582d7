//! `experiments/paper/book.toml` is true to its experiments: what it names is there, every printed number has a measured partner,
//! and every chosen step stands in the grid it was chosen from.

#![allow(clippy::unwrap_used, reason = "helpers of tests stand outside #[test]")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use dpsda_web::reproduction::{BookExperiment, CHECKS, PaperBook};
use toml::{Table, Value};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../experiments/paper")
}

fn text(file: &str) -> String {
    fs::read_to_string(folder().join(format!("{file}.toml"))).unwrap()
}

fn book() -> PaperBook {
    PaperBook::read(&text("book")).unwrap()
}

fn table(part: &BookExperiment) -> Table {
    text(&part.file).parse().unwrap()
}

#[test]
fn every_file_is_an_experiment_of_the_book_and_each_is_asked_for() {
    let book = book();
    let files: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "book")
        .collect();
    let named: BTreeSet<String> = book.experiment.iter().map(|part| part.file.clone()).collect();
    assert_eq!(files, named);
    assert_eq!(book.experiment.len(), named.len(), "each once");
    let all = book.targets(&[]).unwrap();
    assert_eq!(book.parts(&all).len(), book.experiment.len(), "everything there is belongs to something");
}

#[test]
fn a_target_takes_what_it_needs_and_shared_experiments_run_once() {
    let book = book();
    let parts = |words: &[&str]| -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let targets = book.targets(&words).unwrap();
        book.parts(&targets).iter().map(|part| part.file.clone()).collect()
    };
    assert_eq!(parts(&["fig3"])[0], "fig3");
    assert!(parts(&["table2"]).iter().all(|name| name.starts_with("mushroom")));
    let both = parts(&["fig5", "table2", "table2"]);
    assert_eq!(both.iter().filter(|name| *name == "mushroom").count(), 1);
    assert_eq!(parts(&["all", "fig3"]), parts(&[]));
    assert_eq!(parts(&["fig6"]), ["adjacent"]);
    let error = book.targets(&["tabel2".into()]).unwrap_err().to_string();
    assert!(error.contains("did you mean `table2`?"), "{error}");
}

#[test]
fn every_name_stands_for_something() {
    let book = book();
    let files: Vec<&str> = book.experiment.iter().map(|part| part.file.as_str()).collect();
    let who: Vec<&str> = book.algorithm.iter().map(|algorithm| algorithm.name.as_str()).collect();
    let measures: Vec<&str> = book.measure.keys().map(String::as_str).collect();
    let columns: Vec<&str> = book.column.keys().map(String::as_str).collect();
    let known = |known: &[&str], found: &[String], place: &str| {
        for name in found {
            assert!(known.contains(&name.as_str()), "{place}: {name:?} is none of {known:?}");
        }
    };
    for part in &book.experiment {
        assert!(book.data.contains_key(&part.data), "{}: data {:?}", part.file, part.data);
        known(&files, part.beside.as_slice(), &part.file);
    }
    for panel in book.panels.values().flatten() {
        known(&who, &panel.who, &panel.title);
        assert!(panel.levels.iter().all(|level| book.levels.contains(level)), "{}", panel.title);
    }
    for section in &book.section {
        let takes: Vec<&str> =
            section.targets.iter().flat_map(|target| &target.takes).map(String::as_str).collect();
        known(&files, &section.targets[0].takes, &section.title);
        for block in &section.block {
            known(&takes, &block.files, &section.title);
            let said = [block.text.is_some(), block.table.is_some(), block.figure.is_some()];
            assert_eq!(said.iter().filter(|there| **there).count(), 1, "{}: one of the three", section.title);
            if let Some(table) = &block.table {
                known(&columns, &table.columns, &table.caption);
            }
            if let Some(figure) = &block.figure {
                assert!(book.panels.contains_key(&figure.panels), "{}: {}", figure.title, figure.panels);
                known(&["across", "up"], &figure.log, &figure.title);
            }
        }
        for claim in &section.statement {
            known(&takes, &claim.files, &section.title);
            known(&measures, &claim.by, &section.title);
            known(&measures, claim.limit.as_slice(), &section.title);
            known(&who, &claim.who, &section.title);
            known(&who, &claim.than, &section.title);
            known(&CHECKS, &claim.check, &section.title);
            assert!(!claim.check.is_empty() && !claim.by.is_empty() && !claim.files.is_empty());
            for check in &claim.check {
                let said = claim.claim.is_some() || book.claim.contains_key(check);
                assert!(said, "{}: {check} has no claim, neither its own nor in [claim]", section.title);
            }
        }
    }
    for departure in &book.departure {
        assert!(
            book.paper.contains_key(&departure.of)
                || ["rounds", "batch", "train", "test"].contains(&departure.of.as_str()),
            "the paper says nothing of {:?}",
            departure.of
        );
    }
}

/// The algorithms of a file, and its levels in the paper's units.
fn combined(part: &BookExperiment) -> (Vec<String>, Vec<f64>) {
    let file = table(part);
    let names = file["algorithm"]["name"].as_array().unwrap();
    let privacy = file["privacy"].as_table().unwrap();
    let unit = if part.sums { file["problem"]["batch"].as_integer().unwrap() as f64 } else { 1.0 };
    let levels = match privacy.get("level").or(privacy.get("epsilon")).unwrap() {
        Value::Array(list) => list.iter().map(|level| level.as_float().unwrap() / unit).collect(),
        one => vec![one.as_float().unwrap() / unit],
    };
    (names.iter().map(|name| name.as_str().unwrap().to_owned()).collect(), levels)
}

#[test]
fn every_printed_number_has_a_measured_partner() {
    let book = book();
    let mut numbers = 0;
    for section in &book.section {
        let tables: Vec<_> =
            section.block.iter().filter_map(|block| Some((block, block.table.as_ref()?))).collect();
        for (name, by_algorithm) in &section.printed {
            let shows = |column: &String| book.column[column].printed == *name;
            let (block, _) = tables
                .iter()
                .find(|(_, table)| table.columns.iter().any(shows))
                .unwrap_or_else(|| panic!("{}: no table shows {name:?}", section.title));
            let shown = if block.files.is_empty() { &section.targets[0].takes } else { &block.files };
            for (algorithm, printed) in by_algorithm {
                assert_eq!(printed.len(), book.levels.len(), "{} {name} {algorithm}", section.title);
                for level in &book.levels {
                    let measured =
                        book.experiment.iter().filter(|part| shown.contains(&part.file)).any(|part| {
                            let (names, levels) = combined(part);
                            names.contains(algorithm) && levels.contains(level)
                        });
                    assert!(measured, "{} {name}: nothing runs {algorithm} at level {level}", section.title);
                    numbers += 1;
                }
            }
        }
    }
    assert_eq!(numbers, 3 * 16 + 8, "Tables 2 to 4 print 16 numbers each, Table 5 prints 8");
    // As the paper prints them: one number of each table.
    let printed = |k: usize, name: &str, who: &str| &book.section[k].printed[name][who];
    assert_eq!(printed(1, "train", "dpsda-c"), &[97.95, 94.77, 88.25, 79.38]);
    assert_eq!(printed(2, "test", "dpsda-ps"), &[97.98, 89.60, 77.47, 61.02]);
    assert_eq!(printed(3, "test", "dpsda-c"), &[89.70, 83.33, 72.64, 63.01]);
    assert_eq!(printed(5, "difference", "dpsda-ps"), &[0.0357, 0.0082, 0.0042, 0.0016]);
}

/// The steps that a file sets for its algorithms one by one, and whether each has steps by coordinate.
fn steps(part: &BookExperiment) -> Vec<(String, Vec<f64>, bool)> {
    let file = table(part);
    let own = |(name, value): (&String, &Value)| {
        let keys = value.as_table()?;
        let steps = match keys.get("step")? {
            Value::Table(by_level) => by_level.values().map(|step| step.as_float().unwrap()).collect(),
            one => vec![one.as_float().unwrap()],
        };
        Some((name.clone(), steps, keys.get("steps").is_some_and(|rule| rule.as_str() == Some("coordinate"))))
    };
    file["algorithm"].as_table().unwrap().iter().filter_map(own).collect()
}

#[test]
fn every_step_that_was_chosen_stands_in_the_grid_of_its_file_and_no_grid_in_a_comment() {
    let book = book();
    let mut tuned = 0;
    for part in &book.experiment {
        assert!(!text(&part.file).contains("--steps"), "{}: its grid belongs into the book", part.file);
        let steps = steps(part);
        assert_eq!(
            steps.is_empty(),
            part.tune.is_none(),
            "{}: steps are chosen where there is a grid",
            part.file
        );
        let Some(tune) = &part.tune else { continue };
        assert!(tune.steps.len() > 2 && tune.steps.is_sorted(), "{}: {:?}", part.file, tune.steps);
        for (algorithm, chosen, _) in steps {
            for step in chosen {
                assert!(
                    tune.steps.contains(&step),
                    "{} {algorithm}: {step} is not in {:?}",
                    part.file,
                    tune.steps
                );
            }
        }
        tuned += 1;
    }
    assert_eq!(tuned, 16);
}

#[test]
fn a_comparison_of_unlike_steps_says_so() {
    let book = book();
    for claim in
        book.section.iter().flat_map(|section| &section.statement).filter(|claim| !claim.than.is_empty())
    {
        for part in book.experiment.iter().filter(|part| claim.files.contains(&part.file)) {
            let beside = book.experiment.iter().find(|other| Some(&other.file) == part.beside.as_ref());
            let all: Vec<_> = [Some(part), beside].into_iter().flatten().flat_map(steps).collect();
            let by_coordinate = |name: &String| all.iter().any(|(other, _, by)| other == name && *by);
            let unlike = claim.than.iter().any(|than| by_coordinate(than) != by_coordinate(&claim.who[0]));
            let said = claim.note.as_ref().is_some_and(|note| note.contains("steps by coordinate"));
            assert_eq!(unlike, said, "{}: {:?}", part.file, claim.check);
        }
    }
}

/// A name that a placeholder may have: of the page, a run's fact, a measure, or of two worlds.
#[test]
fn every_placeholder_has_a_value() {
    let text = text("book");
    let rest = "trials bands fewest setting data who than levels level measure paper statistic event next pairs runs confidence \
                pixel file weights step coordinate edge chosen least most batch set mechanism clip epsilon \
                at_delta rounds train test nodes radius lower upper graph";
    let book = book();
    let known: Vec<&str> = rest.split_whitespace().chain(book.measure.keys().map(String::as_str)).collect();
    for found in text.split("{{").skip(1) {
        let name = found.split("}}").next().unwrap();
        assert!(known.contains(&name), "{name:?}");
    }
}

/// As the text of Table 5 says.
#[test]
fn the_first_pixel_is_black_in_every_digit() {
    let experiment = dpsda_sim::Experiment::load(&text("adjacent"), &[], &folder()).unwrap();
    let samples = experiment.draw(0, 0).unwrap().samples;
    for row in 0..samples.labels.len() {
        let mut first = [0.0];
        samples.features.add_to(row, 0..1, 1.0, &mut first);
        assert_eq!(first, [0.0], "sample {row}");
    }
}
