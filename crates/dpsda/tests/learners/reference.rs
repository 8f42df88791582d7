//! Whole small runs with known decisions, computed elsewhere by a plain transcription.

use std::fs;
use std::path::Path;

use dpsda::catalog::find;
use dpsda::keys::Table;
use dpsda::loss::LOSSES;
use dpsda::privacy::plan::{Coverage, Decide};
use dpsda::{Blocks, Keys, set};
use serde_json::Value;

use crate::world::{World, distance};

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn matrix(v: &Value) -> Vec<Vec<f64>> {
    v.as_array().unwrap().iter().map(numbers).collect()
}

fn world(run: &Value) -> World {
    let sizes: Vec<usize> = numbers(&run["block_sizes"]).iter().map(|s| *s as usize).collect();
    let blocks = Blocks::of(&sizes, sizes.iter().sum()).unwrap();
    let set = dpsda_config::table(
        &run["set"].as_object().unwrap().iter().fold(String::new(), |s, (k, v)| format!("{s}{k} = {v}\n")),
    )
    .unwrap();
    let loss = find(LOSSES, "loss", run["loss"].as_str().unwrap()).unwrap();
    let a: Vec<Vec<f64>> = run["a"].as_array().unwrap().iter().flat_map(matrix).collect();
    let b: Vec<f64> = matrix(&run["b"]).concat();
    let rounds = run["rounds"].as_u64().unwrap() as usize;
    let (n, relay) = (sizes.len(), run["algorithm"] == "relay");
    let eta = match run.get("noise") {
        None => Vec::new(),
        // T x d for relay, where every coordinate has one owner; T x n x d for the others.
        Some(noise) if relay => matrix(noise).into_iter().map(|eta| vec![eta; n]).collect(),
        Some(noise) => noise.as_array().unwrap().iter().map(matrix).collect(),
    };
    let own = run["name"].as_str().unwrap().contains("own") || relay;
    let graphs = run["graph"].as_array().unwrap().iter();
    World {
        set: set::from_keys(&Keys::new("set", &set), &blocks).unwrap().into(),
        blocks,
        loss: (loss.build)(&Keys::new("problem", &Table::new())).unwrap(),
        graphs: graphs.map(|g| matrix(g).iter().map(|l| (l[0] as usize, l[1] as usize)).collect()).collect(),
        samples: World::samples(&a, b),
        batch: run["batch"].as_u64().unwrap() as usize,
        rounds,
        weights: match run["weights"].as_str() {
            Some("uniform") => "uniform",
            Some("push-sum") => "push-sum",
            _ => "metropolis",
        },
        decide: if run["decide"] == "published" { Decide::Published } else { Decide::Private },
        coverage: if own { Coverage::Own } else { Coverage::All },
        eta,
    }
}

#[test]
fn every_reference_run_is_matched_to_1e_9() {
    let mut matched = 0;
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference")).unwrap() {
        let path = file.unwrap().path();
        let run: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let world = world(&run);
        let name = match (run["algorithm"].as_str(), world.weights) {
            (Some("relay"), _) => "dpsda-r",
            (_, "push-sum") => "dpsda-ps",
            _ => "dpsda-c",
        };
        let away = distance(&world.run(name).x, &matrix(&run["expected_decisions"]));
        assert!(away < 1e-9, "{}: off by {away:e}", path.display());
        matched += 1;
    }
    assert_eq!(matched, 8);
}
