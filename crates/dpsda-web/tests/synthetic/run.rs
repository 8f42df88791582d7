//! Runs made up for tests: deterministic, in the shape of a real run folder.

use dpsda_web::{RunFolder, Series};
use serde_json::{Value, json};

const ALGORITHMS: [(&str, &str, f64); 4] = [
    ("dpsda-c", "gossip with doubly stochastic weights", 0.75),
    ("dpsda-ps", "gossip with push-sum weights", 1.5),
    ("dpsda-r", "relay of the newest block of every node", 0.21),
    ("dpcda", "centralised, every gradient seen at once", 0.2),
];
const LEVELS: [f64; 4] = [f64::INFINITY, 1.0, 0.5, 0.2];
const COLUMNS: [&str; 11] = [
    "run",
    "trial",
    "t",
    "fitness",
    "regret_per_round",
    "averaged_regret_per_round",
    "accuracy_progressive",
    "disagreement",
    "violation",
    "staleness",
    "messages",
];
const ROUNDS: u64 = 60;
const TRIALS: u64 = 5;

/// A number in [-1, 1] that depends on its arguments only.
fn jitter(a: u64, b: u64, c: u64) -> f64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (c << 17);
    for _ in 0..3 {
        x ^= x >> 29;
        x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn level(v: f64) -> Value {
    if v.is_finite() { json!(v) } else { json!("inf") }
}

/// Four algorithms, four levels, five trials, sixty rounds.
pub(crate) fn dense() -> RunFolder {
    let mut run = RunFolder { name: "dense".into(), ..RunFolder::default() };
    run.series.columns = COLUMNS.map(String::from).to_vec();
    let mut listed = Vec::new();
    let mut id = 0;
    for (name, about, base) in ALGORITHMS {
        for l in LEVELS {
            rows(&mut run.series, id, base, 1.0 / l);
            run.summary.push(summary(&run.series, id, name, l));
            let noise = match l.is_finite() {
                true => format!("Laplace noise of scale {} is added to every message (level {l}).", 1.0 / l),
                false => "No noise is added: nothing is promised.".into(),
            };
            let warnings = match l.is_finite() {
                true => {
                    json!([format!("level {l} with no clip: the sensitivity is unbounded, so is epsilon")])
                }
                false => json!([]),
            };
            listed.push(json!({
                "run": id, "algorithm": name, "about": about,
                "settings": {"algorithm.name": name, "privacy.level": level(l)},
                "network": match name { "dpcda" => Value::Null, "dpsda-ps" => json!(1), _ => json!(0) },
                "privacy": ["Only messages are protected; decisions are not.", noise],
                "warnings": warnings,
            }));
            id += 1;
        }
    }
    run.manifest = json!({
        "dpsda": "0.1.0", "title": "Mushroom on a changing graph", "seed": 1, "trials": TRIALS, "rounds": ROUNDS,
        "interrupted": false, "config": CONFIG,
        "data": [{"name": "mushroom", "samples": 8124, "features": 112, "sha256": "5f".repeat(32)}],
        "runs": listed,
        "networks": [network("paper-fig2, undirected, metropolis weights", false),
                     network("paper-fig2, directed, push-sum weights", true)],
    });
    run
}

/// Three algorithms on four graphs, and the centralised learner once: no graph matters to it.
pub(crate) fn graphs() -> RunFolder {
    let mut run = RunFolder { name: "graphs".into(), ..dense() };
    run.series.rows.retain(|row| row[0] < Some(13.0));
    run.summary.truncate(13);
    if let Some(listed) = run.manifest["runs"].as_array_mut() {
        listed.truncate(13);
    }
    for (i, row) in run.summary.iter_mut().enumerate() {
        let graph = ["ring", "grid", "geometric", "complete"][i % 4];
        let name = row["algorithm"].clone();
        row["level"] = Value::Null;
        row["network.graph"] = if i < 12 { graph.into() } else { Value::Null };
        row.as_object_mut().map(|row| row.remove("privacy.level"));
        run.manifest["runs"][i]["settings"] = match i {
            12 => json!({"algorithm.name": name}),
            _ => json!({"algorithm.name": name, "network.graph": graph}),
        };
    }
    run
}

/// The dense run as a sweep of a key without a dot: each run has one of two values. The manifest is as it is written then,
/// with the value of the first run.
pub(crate) fn swept(key: &str, values: [u64; 2]) -> RunFolder {
    let mut run = RunFolder { name: "swept".into(), ..dense() };
    run.manifest[key] = values[0].into();
    for (i, row) in run.summary.iter_mut().enumerate() {
        // Levels pair up, so that every algorithm has each of two levels at both values.
        let (value, level) = (values[i % 2], ["inf", "0.5"][i / 2 % 2]);
        row[key] = value.into();
        row["level"] = level.into();
        row["privacy.level"] = level.into();
        let settings = &mut run.manifest["runs"][i]["settings"];
        settings[key] = value.into();
        settings["privacy.level"] = level.into();
    }
    run
}

fn rows(series: &mut Series, id: u64, base: f64, noise: f64) {
    for trial in 0..TRIALS {
        for t in 1..=ROUNDS {
            let s = (t as f64).sqrt();
            let wobble = 1.0 + 0.3 * jitter(id, trial, 7) + 0.3 * jitter(id, trial, t) / s;
            let regret =
                base * (1.0 + 0.35 * noise) * (1.6 / s + 0.9 / (t as f64) - 0.4 / (t * t) as f64) * wobble;
            // Checkpoints: 1, 2, 3, 4, 6, 8, 12, 16, ... and the end.
            let power = 1 << (63 - t.leading_zeros());
            let check = t == power || 2 * t == 3 * power || t == ROUNDS;
            let right = 0.98 - 0.4 * base.sqrt() / s - 0.02 * noise;
            let mut row = vec![Some(id as f64), Some(trial as f64), Some(t as f64), Some(0.08 + regret)];
            row.push(check.then_some(regret));
            row.push(check.then_some(regret * 0.7));
            row.push(Some((right + 0.02 * jitter(id, trial, t + 99) / s).clamp(0.4, 1.0)));
            row.push((id < 12).then(|| base * (0.2 + noise) / s * wobble));
            row.push(Some(0.0));
            row.push(Some(if (8..12).contains(&id) { (t % 4) as f64 } else { 0.0 }));
            row.push(Some((t * (id + 1)) as f64));
            series.rows.push(row);
        }
    }
}

fn summary(series: &Series, id: u64, name: &str, l: f64) -> Value {
    let last: Vec<&Vec<Option<f64>>> =
        series.rows.iter().filter(|r| r[0] == Some(id as f64) && r[2] == Some(ROUNDS as f64)).collect();
    let mean = |i: usize| last.iter().filter_map(|r| r[i]).sum::<f64>() / last.len() as f64;
    let regret = mean(4);
    let right = mean(6);
    json!({
        "run": id, "algorithm": name, "mechanism": if l.is_finite() { "laplace" } else { "none" },
        "level": level(l), "epsilon": null, "delta": null, "rounds": ROUNDS, "trials": TRIALS,
        "regret_per_round": regret, "regret_per_round_sd": 0.06 * regret,
        "pseudo_regret_per_round": 0.97 * regret, "averaged_regret_per_round": mean(5), "fitness": mean(3),
        "accuracy_progressive": right, "accuracy_train_last": right + 0.004, "accuracy_test_last": right - 0.006,
        "accuracy_train_averaged": right + 0.008, "accuracy_test_averaged": right - 0.002,
        "balanced_accuracy_test_averaged": right - 0.004, "auc_test_averaged": 0.5 + right / 2.0,
        "majority_test": 0.518, "disagreement": if id < 12 { json!(mean(7)) } else { Value::Null },
        "violation_max": 0.0, "staleness_max": if (8..12).contains(&id) { 3 } else { 0 },
        "claim": if l.is_finite() { "unbounded (no clip)" } else { "none" }, "comparator_gap": 1e-9,
        "algorithm.name": name, "privacy.level": level(l),
    })
}

fn network(name: &str, directed: bool) -> Value {
    json!({
        "name": name, "nodes": 7, "directed": directed, "period": 4,
        "rounds": [[[0, 1], [1, 2], [4, 5]], [[2, 3], [5, 6], [6, 0]], [[3, 4], [1, 5], [5, 1]], [[0, 3], [2, 6], [4, 0]],
                   [[0, 1], [1, 2], [4, 5]], [[2, 3], [5, 6], [6, 0]]],
        "certificate": [["row sums", "1 to 1"], ["column sums", "1 to 1"],
                        ["connected in every window of", "4 rounds"], ["phi", "0.333"], ["lambda", "0.9987"],
                        ["largest staleness of relay", "11 rounds"]],
        "warnings": [],
    })
}

const CONFIG: &str = r#"# Table 2 of the paper
title  = "Mushroom on a changing graph"
rounds = 60
trials = 5

[algorithm]
name = ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"]

[privacy]
mechanism = "laplace"
level     = [inf, 1.0, 0.5, 0.2]   # a label, not a guarantee
"#;

/// One run, one trial, no accuracies, no settings, no network.
pub(crate) fn tiny() -> RunFolder {
    let mut run = RunFolder { name: "tiny".into(), ..RunFolder::default() };
    run.series.columns = ["run", "trial", "t", "fitness", "regret_per_round"].map(String::from).to_vec();
    for t in 1..=20 {
        let regret = (t % 5 == 0).then(|| 1.0 / f64::from(t));
        run.series.rows.push(vec![
            Some(0.0),
            Some(0.0),
            Some(f64::from(t)),
            Some(2.0 / f64::from(t)),
            regret,
        ]);
    }
    run.summary = vec![json!({"run": 0, "algorithm": "dpcda", "level": null, "rounds": 20, "trials": 1,
        "regret_per_round": 0.05, "regret_per_round_sd": null, "fitness": 0.1})];
    run.manifest = json!({"dpsda": "0.1.0", "title": "Tiny", "seed": 3, "trials": 1, "rounds": 20,
        "runs": [{"run": 0, "algorithm": "dpcda", "settings": {}, "network": null, "privacy": [], "warnings": []}]});
    run
}

/// The dense run, where one trial of run 3 diverges: infinite cost from round 11 on, and no regret after that.
pub(crate) fn diverging() -> RunFolder {
    let mut run = RunFolder { name: "diverging".into(), ..dense() };
    for row in
        run.series.rows.iter_mut().filter(|r| r[0] == Some(3.0) && r[1] == Some(1.0) && r[2] > Some(10.0))
    {
        (row[3], row[4], row[5]) = (Some(f64::INFINITY), None, None);
    }
    run
}

/// Interrupted before anything was finished.
pub(crate) fn empty() -> RunFolder {
    let manifest = json!({"dpsda": "0.1.0", "title": "Nothing yet", "interrupted": true});
    RunFolder { name: "empty".into(), manifest, ..RunFolder::default() }
}

/// Strings that would run as script if any of them reached the page unescaped.
pub(crate) fn hostile() -> RunFolder {
    let evil =
        "</script><script>window.hacked=1</script><img src=x onerror=\"window.hacked=1\">'\"{{script}}<!--";
    let mut run = dense();
    run.name = evil.into();
    run.manifest["title"] = evil.into();
    run.manifest["config"] = format!("title = '{evil}'\n# {evil}\n[{evil}]").into();
    run.manifest["dpsda"] = evil.into();
    run.manifest[evil] = evil.into();
    run.manifest["data"][0]["name"] = evil.into();
    run.manifest["data"][0]["sha256"] = evil.into();
    run.manifest["networks"][0]["name"] = evil.into();
    run.manifest["networks"][0]["certificate"][0] = json!([evil, evil]);
    run.manifest["networks"][0]["warnings"] = json!([evil]);
    for i in 0..4 {
        let entry = &mut run.manifest["runs"][i];
        entry["algorithm"] = evil.into();
        entry["about"] = evil.into();
        entry["settings"][evil] = format!("{evil}{}", i % 2).into();
        entry["privacy"] = json!([evil]);
        entry["warnings"] = json!([evil]);
        run.summary[i]["algorithm"] = evil.into();
        run.summary[i]["claim"] = evil.into();
        run.summary[i][evil] = evil.into();
    }
    if let Some(last) = run.series.columns.last_mut() {
        *last = evil.into();
    }
    run
}
