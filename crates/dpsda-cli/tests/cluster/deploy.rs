//! What docs/deploy.md tells operators to write.

use std::fs;
use std::path::Path;

use crate::world::{Node, World};

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy.md")).unwrap()
}

/// The experiment of "Four steps".
fn experiment() -> String {
    let page = page();
    let steps = page.split_once("## Four steps").unwrap().1;
    steps.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0.to_owned()
}

#[test]
fn its_experiment_is_checked_signed_and_run() {
    let world = World::new();
    world.put("experiment.toml", &experiment());
    let said = world.works(&["check", "experiment.toml"]).out;
    for words in ["samples come while nodes run", "Clip: ", "Sensitivity: ", "eps 1 at delta 1e-7"] {
        assert!(said.contains(words), "{words:?} is not in\n{said}");
    }
    assert!(!said.contains("warning"), "{said}");
    let mut nodes = world.nodes(&experiment(), "stream = \"http\"");
    nodes.iter_mut().for_each(Node::start);
    nodes[0].until_round(0);
    let (status, answer) = nodes[0].post("{\"x\": [{\"0\": 0.5, \"19\": 1}], \"y\": [1]}\n");
    assert!(status == 200 && answer.replace(' ', "").contains("\"taken\":0"), "{status} {answer}");
}

#[test]
fn what_streams_is_checked_without_data() {
    let world = World::new();
    world.put("e.toml", &experiment());
    let json = world.works(&["check", "e.toml", "--json", "-s", "privacy.clip=2.0"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["data"][0]["samples"].is_null() && json["data"][0]["features"] == 20, "{json}");
    assert_eq!(json["bounds"], serde_json::json!([]));
    assert!(json["runs"][0]["claim"].as_str().unwrap().contains("eps 1 per example"), "{json}");
    let said = world.dpsda(&["run", "e.toml", "-s", "privacy.budget={}"]);
    assert!(said.code == Some(2) && said.err.contains("problem.data"), "there is nothing to simulate");
    let said = world.dpsda(&["check", "e.toml", "-s", "privacy.epsilom=1.0"]);
    assert!(said.code == Some(2) && said.err.contains("did you mean `epsilon`?"), "{}", said.err);
}
