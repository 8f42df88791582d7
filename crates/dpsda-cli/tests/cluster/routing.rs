//! Routing as processes: seven nodes with the districts of Sioux Falls, and one is killed in the middle.

use std::fs;
use std::path::Path;

use crate::world::World;

const ROUNDS: u64 = 60;

#[test]
fn seven_nodes_divide_the_travellers_of_24_districts_and_survive_a_kill() {
    let world = World::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/applications");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let text = read("routing-cluster.toml");
    let text = text.replace("rounds = 168 ", &format!("rounds = {ROUNDS} "));
    assert!(text.contains(&format!("rounds = {ROUNDS} ")), "{text}");
    let (experiment, _) = text.split_once("[node]").unwrap();
    for name in ["sioux-falls-links.csv", "sioux-falls-trips.csv"] {
        world.put(name, &read(name));
    }
    let mut nodes = world.nodes(experiment, "pace = 20.0\nask = 0.05");
    World::survive_a_kill(&mut nodes, ROUNDS);
    let mut paths = 0;
    for node in &mut nodes {
        let decisions = node.whole_run(ROUNDS);
        for one in &decisions {
            let (sum, pairs) = (one.block.iter().sum::<f64>(), one.block.len() as f64 / 3.0);
            assert!(one.block.iter().all(|share| (-1e-9..=1.0 + 1e-9).contains(share)), "{}", node.name);
            assert!((sum - pairs).abs() < 1e-6 * pairs, "{}: the shares of every pair sum to 1", node.name);
        }
        paths += decisions[0].block.len();
        world.stopped(node, ROUNDS);
    }
    assert_eq!(paths, 1584, "528 pairs with three paths each");
}
