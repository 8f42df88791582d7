//! A budget that is too small for the run: releases end, decisions do not.

use rustix::process::Signal;

use crate::world::{Node, SMALL, World, until};

#[test]
fn at_its_limit_a_node_releases_nothing_more_not_even_after_a_restart_and_goes_on_deciding() {
    let world = World::new();
    let experiment =
        format!("{SMALL}budget = {{ lifetime = 10.0 }}\n").replace("rounds = 100", "rounds = 300");
    let mut nodes = world.nodes(&experiment, "pace = 100.0");
    nodes.iter_mut().for_each(Node::start);
    let spent = |node: &Node| {
        let now = node.now();
        (now["health"] == "exhausted").then(|| now["releases"].as_u64().unwrap())
    };
    let releases: Vec<u64> = nodes.iter().map(|node| until("the budget is spent", || spent(node))).collect();
    let foretold = format!("lifetime = 10 is spent after {} of 300 rounds", releases.iter().min().unwrap());
    let shown = world.works(&["manifest", "show", "manifest.toml"]).out;
    assert!(shown.contains(&foretold), "{foretold:?} is not in\n{shown}");
    let rounds: Vec<u64> = nodes.iter().map(|node| node.round().unwrap()).collect();
    for ((node, releases), round) in nodes.iter().zip(&releases).zip(&rounds) {
        assert!((2..200).contains(releases), "{}: {releases}", node.name);
        node.until_round(round + 30);
        let now = node.now();
        assert_eq!(now["releases"].as_u64(), Some(*releases));
        let stream = &now["stream"];
        assert_eq!(stream["taken"].as_u64(), Some(*releases), "what is not learned from is not taken");
        assert!(stream["unused"].as_u64().unwrap() >= 30, "{stream}");
        let metrics = node.get("/metrics").unwrap().1;
        assert!(metrics.contains("dpsda_health{state=\"exhausted\"} 1"), "{metrics}");
        assert!(metrics.contains(&format!("dpsda_releases_total {releases}")), "{metrics}");
        assert!(node.log().contains("the budget is spent"), "{}", node.log());
        assert_eq!(node.get("/healthz").unwrap().0, 200);
        let decided = node.decisions();
        assert!(decided.last().unwrap().round >= round + 30, "decisions go on");
    }
    for (node, releases) in nodes.iter_mut().zip(&releases) {
        assert!(node.stop(Signal::TERM).0.success());
        let book = world.ledger(node);
        assert_eq!(book["releases"].as_u64(), Some(*releases), "{}", node.name);
        let lifetime = &book["spent"]["lifetime"];
        let (epsilon, limit) = (lifetime["epsilon"].as_f64().unwrap(), lifetime["budget"].as_f64().unwrap());
        assert!(epsilon <= limit && epsilon > 0.8 * limit, "{epsilon} of {limit}");
        println!("{}: {releases} releases, epsilon {epsilon} of {limit}", node.name);
    }
    nodes.iter_mut().for_each(Node::start);
    for (node, releases) in nodes.iter().zip(&releases) {
        node.until_round(300);
        assert_eq!(node.now()["health"], "exhausted", "{}", node.name);
        assert_eq!(world.ledger(node)["releases"].as_u64(), Some(*releases), "{}", node.name);
    }
}
