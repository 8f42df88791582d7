//! What a run writes.

use std::fs;

use serde_json::Value;

use crate::desk::Desk;
use crate::sample::{SMALL, csv};

/// The columns that other programs rely on, in this spelling and order.
const COLUMNS: &str = "run, algorithm, mechanism, level, epsilon, delta, rounds, trials, regret_per_round, \
    regret_per_round_sd, pseudo_regret_per_round, averaged_regret_per_round, fitness, accuracy_progressive, \
    accuracy_train_last, accuracy_test_last, accuracy_train_averaged, accuracy_test_averaged, \
    balanced_accuracy_test_averaged, auc_test_averaged, majority_test, disagreement, violation_max, staleness_max, claim";

const MUSHROOM: &str = r#"
rounds = 10
trials = 3
record = ["decisions"]
[problem]
loss = "logistic"
data = "mushroom"
batch = 50
train = 1000
test = 500
gradient_error = 0.1
[set]
kind = "ball"
radius = 5.0
[network]
nodes = 7
graph = "paper-fig2"
loss = { kind = "gilbert-elliott", to_bad = 0.1, to_good = 0.5 }
[algorithm]
name = ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"]
[privacy]
mechanism = "laplace"
level = [inf, 0.5]
"#;

#[test]
fn the_same_file_gives_the_same_bytes_on_any_number_of_threads() {
    let desk = Desk::new();
    desk.put("m.toml", MUSHROOM);
    for threads in ["1", "2", "5"] {
        desk.works(&["run", "m.toml", "--quiet", "--threads", threads, "--out", &format!("out{threads}")]);
    }
    let names = [
        "decisions.csv",
        "manifest.json",
        "report.html",
        "series.csv",
        "summary.csv",
        "summary.json",
        "timing.json",
    ];
    let mut found: Vec<_> = fs::read_dir(desk.path("out1"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, names);
    for name in names.into_iter().filter(|n| *n != "timing.json") {
        for threads in ["2", "5"] {
            assert!(
                desk.text(&format!("out1/{name}")) == desk.text(&format!("out{threads}/{name}")),
                "{name}"
            );
        }
    }
}

#[test]
fn the_summary_has_the_promised_columns_and_true_values() {
    let desk = Desk::new();
    desk.put("m.toml", MUSHROOM);
    desk.works(&["run", "m.toml", "--out", "out"]);
    let (header, rows) = csv(&desk.text("out/summary.csv"));
    let promised: Vec<_> = COLUMNS.split(',').map(str::trim).collect();
    assert_eq!(header[..promised.len()], promised);
    assert_eq!(rows.len(), 8);
    let at = |row: &[String], name: &str| row[header.iter().position(|h| h == name).unwrap()].clone();
    let number =
        |row: &[String], name: &str| at(row, name).parse::<f64>().unwrap_or_else(|_| panic!("{name}"));
    for row in &rows {
        assert_eq!((at(row, "rounds"), at(row, "trials")), ("10".into(), "3".into()));
        let silent = at(row, "level") == "inf";
        assert_eq!(at(row, "mechanism"), if silent { "none" } else { "laplace" });
        assert_eq!(at(row, "epsilon"), "", "a label is no epsilon");
        assert!(
            at(row, "claim").starts_with(if silent { "no privacy" } else { "unbounded" }),
            "{}",
            at(row, "claim")
        );
        assert!((0.5..=1.0).contains(&number(row, "accuracy_test_averaged")));
        assert!(number(row, "auc_test_averaged") > 0.5);
        assert!(number(row, "regret_per_round") > 0.0 && number(row, "regret_per_round_sd") > 0.0);
        // The trials' own best decisions cost at most what the common one does.
        assert!(number(row, "pseudo_regret_per_round") <= number(row, "regret_per_round") + 1e-5);
        assert_eq!(at(row, "staleness_max").is_empty(), at(row, "algorithm") != "dpsda-r");
        assert_eq!(at(row, "disagreement").is_empty(), at(row, "algorithm") == "dpcda");
    }
    let summary: Vec<Value> = serde_json::from_str(&desk.text("out/summary.json")).unwrap();
    assert_eq!(summary[0]["level"], "inf", "JSON has no infinity: it is a string");
    assert_eq!(summary[0]["claim"], rows[0][24]);

    // The series end where the summary stands.
    let (header, points) = csv(&desk.text("out/series.csv"));
    assert_eq!(header[..3], ["run", "trial", "t"]);
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let last: Vec<f64> = points
        .iter()
        .filter(|p| p[0] == "0" && p[2] == "10")
        .map(|p| p[column("regret_per_round")].parse().unwrap())
        .collect();
    assert_eq!(last.len(), 3);
    let mean = last.iter().sum::<f64>() / 3.0;
    assert!((mean - number(&rows[0], "regret_per_round")).abs() < 1e-12);

    let manifest: Value = serde_json::from_str(&desk.text("out/manifest.json")).unwrap();
    assert_eq!(
        (&manifest["rules"], &manifest["config"]),
        (&2.into(), &format!("rules = 2\n{MUSHROOM}").into())
    );
    assert_eq!(manifest["seed"], 1);
    assert_eq!(manifest["data"][0]["sha256"].as_str().unwrap().len(), 64);
    let (header, decisions) = csv(&desk.text("out/decisions.csv"));
    assert_eq!((header.len(), decisions.len()), (3 + 112, 8 * 3 * 10));
}

#[test]
fn losses_on_held_out_data_are_columns_and_the_terminal_shows_them_without_accuracies() {
    let desk = Desk::new();
    desk.put("m.toml", MUSHROOM);
    desk.put("s.toml", SMALL);
    let classes = desk.works(&["run", "m.toml", "--out", "classes"]).out;
    assert!(classes.contains("test, last") && !classes.contains("test loss"), "{classes}");
    let numbers = desk.works(&["run", "s.toml", "-s", "problem.test=50", "--out", "numbers"]).out;
    assert!(numbers.contains("test loss, last") && numbers.contains("test loss, avg"), "{numbers}");
    for folder in ["classes", "numbers"] {
        let (header, rows) = csv(&desk.text(&format!("{folder}/summary.csv")));
        for name in ["loss_test_last", "loss_test_averaged"] {
            let at = header.iter().position(|h| h == name).unwrap();
            assert!(rows.iter().all(|row| row[at].parse::<f64>().unwrap() > 0.0), "{folder} {name}");
        }
    }
    desk.works(&["run", "s.toml", "--out", "none"]);
    let (header, rows) = csv(&desk.text("none/summary.csv"));
    assert_eq!(
        rows[0][header.iter().position(|h| h == "loss_test_last").unwrap()],
        "",
        "nothing is held out"
    );
    let listed = desk.works(&["list", "columns"]).out;
    assert!(listed.contains("loss_test_last") && listed.contains("loss_test_averaged"), "{listed}");
}

#[test]
fn a_clip_turns_the_label_into_an_epsilon_beside_it() {
    let desk = Desk::new();
    desk.put("m.toml", MUSHROOM);
    desk.works(&["run", "m.toml", "-s", "privacy.clip=0.1", "-s", "privacy.level=0.5", "--out", "out"]);
    let summary: Vec<Value> = serde_json::from_str(&desk.text("out/summary.json")).unwrap();
    for row in &summary {
        // 2 n C level, whatever the algorithm multiplies by; rounded up, never down
        assert!((0.7..0.7001).contains(&row["epsilon"].as_f64().unwrap()), "{row}");
        let claim = row["claim"].as_str().unwrap();
        assert!(
            claim.starts_with("eps 0.7") && claim.contains("per round, whole run, all links and decisions"),
            "{claim}"
        );
    }
    desk.works(&[
        "run",
        "m.toml",
        "-s",
        "privacy.clip=0.1",
        "-s",
        "privacy.level=0.5",
        "-s",
        "privacy.decide=private",
        "--out",
        "p",
    ]);
    let summary: Vec<Value> = serde_json::from_str(&desk.text("p/summary.json")).unwrap();
    for row in &summary {
        let gossip = row["algorithm"] == "dpsda-c" || row["algorithm"] == "dpsda-ps";
        assert_eq!(
            row["epsilon"].is_null(),
            gossip,
            "decisions from un-noised values are not protected: {row}"
        );
    }
}

#[test]
fn nothing_is_overwritten_unasked_and_nothing_half_written() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    desk.works(&["run", "s.toml"]);
    desk.works(&["run", "s.toml"]);
    assert!(desk.path("runs/s/report.html").exists() && desk.path("runs/s-2/report.html").exists());

    let said = desk.dpsda(&["run", "s.toml", "--out", "runs/s"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("--force"), "{}", said.err);
    desk.works(&["run", "s.toml", "--out", "runs/s", "--force", "-s", "seed=9"]);
    assert!(desk.text("runs/s/manifest.json").contains("\"seed\": 9"));

    fs::create_dir(desk.path("precious")).unwrap();
    desk.put("precious/thesis.tex", "years of work");
    desk.put("afile", "");
    let said = desk.dpsda(&["run", "s.toml", "--out", "afile"]);
    assert!(said.code == Some(2) && said.err.contains("a file, not a folder"), "{}", said.err);
    fs::remove_file(desk.path("afile")).unwrap();
    let said = desk.dpsda(&["run", "s.toml", "--out", "precious", "--force"]);
    assert_eq!(said.code, Some(2));
    assert_eq!(desk.text("precious/thesis.tex"), "years of work");
    fs::create_dir(desk.path("empty")).unwrap();
    desk.works(&["run", "s.toml", "--out", "empty"]);
    assert_eq!(desk.names(), ["empty", "precious", "runs", "s.toml"]);
}

#[test]
fn force_leaves_a_folder_that_only_looks_like_a_run() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    fs::create_dir(desk.path("site")).unwrap();
    desk.put("site/thesis.tex", "years of work");
    for (command, mark) in
        [(&["run", "s.toml"][..], "manifest.json"), (&["reproduce", "fig3"][..], "reproduction.json")]
    {
        for (foreign, found) in [
            (r#"{ "name": "My page", "icons": [] }"#, "lacks the keys \"dpsda\""),
            (r#"{ "dpsda": "0.1.0", "nodes": 7 }"#, "lacks the keys \"dpsda\""),
            ("[1, 2]", "lacks the keys \"dpsda\""),
            ("not json", "is not JSON"),
        ] {
            desk.put(&format!("site/{mark}"), foreign);
            let said = desk.dpsda(&[command, &["--out", "site", "--force"]].concat());
            assert_eq!(said.code, Some(2), "{foreign}: {}", said.err);
            for word in ["the folder site", mark, found, "give another --out"] {
                assert!(said.err.contains(word), "{word}: {}", said.err);
            }
            assert_eq!(desk.text(&format!("site/{mark}")), foreign);
            assert_eq!(desk.text("site/thesis.tex"), "years of work");
        }
        fs::remove_file(desk.path(&format!("site/{mark}"))).unwrap();
    }
    assert_eq!(desk.names(), ["s.toml", "site"]);
}

#[test]
fn costs_that_are_not_finite_give_a_warning_and_no_mean() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let args = ["run", "s.toml", "--out", "o", "-s", "problem.feature_range=1e90", "-s", "set={kind='free'}"];
    let said = desk.works(&args);
    assert!(
        said.err.contains("warning: run 0 (dpsda-r): the cost of trial 0 is not a finite number"),
        "{}",
        said.err
    );
    let manifest: Value = serde_json::from_str(&desk.text("o/manifest.json")).unwrap();
    let warnings = manifest["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning.as_str().unwrap().contains("is not a finite number")));
    let summary: Vec<Value> = serde_json::from_str(&desk.text("o/summary.json")).unwrap();
    for column in ["regret_per_round", "pseudo_regret_per_round", "fitness"] {
        assert!(summary[0][column].as_f64().is_none(), "{column} is no number: {}", summary[0]);
    }
}

#[test]
fn a_best_decision_that_is_not_known_well_enough_is_warned_of() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let said = desk.works(&["run", "s.toml", "--out", "o", "-s", "problem.feature_range=1e80"]);
    assert!(
        said.err.contains(
            "warning: run 0 (dpsda-r): the best decision in hindsight, and so the regret, is only known to"
        ),
        "{}",
        said.err
    );
}

#[test]
fn two_runs_at_once_lose_nothing() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let seeds = ["seed=11", "seed=22", "seed=33"];
    let run =
        |seed: &str| desk.command(&["run", "s.toml", "-q", "-s", seed, "-s", "rounds=3000"]).spawn().unwrap();
    for mut child in seeds.map(run) {
        assert!(child.wait().unwrap().success());
    }
    let mut found: Vec<String> = fs::read_dir(desk.path("runs"))
        .unwrap()
        .map(|folder| {
            let manifest = fs::read_to_string(folder.unwrap().path().join("manifest.json")).unwrap();
            let manifest: Value = serde_json::from_str(&manifest).unwrap();
            format!("seed={}", manifest["seed"])
        })
        .collect();
    found.sort();
    assert_eq!(found, seeds);
}
