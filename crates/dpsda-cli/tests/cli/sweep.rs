//! Lists in place of single values.

use serde_json::Value;

use crate::desk::Desk;
use crate::sample::SMALL;

fn runs(desk: &Desk, overrides: &[&str]) -> Vec<Value> {
    let args: Vec<&str> =
        ["check", "s.toml", "--json"].into_iter().chain(overrides.iter().flat_map(|o| ["-s", *o])).collect();
    let json: Value = serde_json::from_str(&desk.works(&args).out).unwrap();
    json["runs"].as_array().unwrap().clone()
}

#[test]
fn a_sweep_runs_the_product_of_its_lists() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    assert_eq!(runs(&desk, &["network.graph=['ring','complete']", "algorithm.step=[0.1,1,3]"]).len(), 6);
    assert_eq!(runs(&desk, &["network.loss.kind=bernoulli", "network.loss.rate=[0.0,0.5]"]).len(), 2);
    // Lists by nature are values, and swept by a list of lists.
    assert_eq!(runs(&desk, &["network.blocks=[1,2,3]"]).len(), 1);
    assert_eq!(runs(&desk, &["network.blocks=[[1,2,3],[2,2,2]]"]).len(), 2);
    assert_eq!(runs(&desk, &["set.lower=[-1,-1,-1,-1,-1,-1]"]).len(), 1);
}

#[test]
fn runs_that_would_be_identical_are_done_once() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let noise = ["privacy.mechanism=['none','laplace']", "privacy.level=[inf,1,0.5]"];
    assert_eq!(runs(&desk, &noise).len(), 3, "no noise once, and two levels");
    let with_floor = ["algorithm.name=['dpsda-r','dpcda']", "network.graph=['ring','complete','star']"];
    let found = runs(&desk, &with_floor);
    assert_eq!(found.len(), 4, "the centralised learner has no graph");
    for run in found {
        let named = run["settings"].get("network.graph").is_some();
        assert_eq!(named, run["algorithm"] != "dpcda", "and is not called by one: {run}");
    }
    let own_step = ["algorithm.name=['dpsda-r','dpcda']", "algorithm.dpcda.step=[0.5,1.0,2.0]"];
    assert_eq!(runs(&desk, &own_step).len(), 4, "a step of one algorithm does not touch the other");
    let mixed =
        ["algorithm.name=['dpsda-r','dpcda']", "algorithm.step=[0.5,'auto']", "algorithm.dpcda.step=1.0"];
    assert_eq!(runs(&desk, &mixed).len(), 3, "a number and automatic steps beside each other");
}

#[test]
fn a_key_that_one_run_of_a_sweep_reads_is_known() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    assert_eq!(runs(&desk, &["network.graph=['ring','erdos-renyi']", "network.p=0.5"]).len(), 2);
    let said = desk.dpsda(&["check", "s.toml", "-s", "network.p=0.5"]);
    assert!(
        said.code == Some(2) && said.err.contains("`network.p` is a key of network.graph = \"erdos-renyi\""),
        "{}",
        said.err
    );
}

#[test]
fn swept_keys_get_columns_with_their_dotted_names() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    desk.works(&[
        "run",
        "s.toml",
        "--out",
        "o",
        "-s",
        "algorithm.step=[0.5,1.0]",
        "-s",
        "network.graph=['ring','star']",
    ]);
    let header = desk.text("o/summary.csv").lines().next().unwrap().to_owned();
    assert!(header.ends_with("algorithm.step,network.graph"), "{header}");
}

#[test]
fn a_sweep_over_rounds_or_seeds_can_be_told_apart() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let said = desk.works(&["run", "s.toml", "--out", "o", "-s", "rounds=[5,9]", "-s", "seed=[1,2]"]);
    assert!(said.err.contains("4 runs x 2 trials of 5 or 9 rounds"), "{}", said.err);
    let header = said.out.lines().next().unwrap();
    assert!(header.contains("rounds") && header.contains("seed"), "{header}");
    let manifest: Value = serde_json::from_str(&desk.text("o/manifest.json")).unwrap();
    assert!(manifest["rounds"].is_null() && manifest["trials"] == 2);
}
