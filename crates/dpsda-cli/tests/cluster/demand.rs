//! Demand response as processes: seven homes, of which none has another's wishes, and one is killed in the middle.

use std::fs;
use std::path::Path;

use crate::world::{Node, World};

const ROUNDS: u64 = 150;

/// These columns of a table, for as many rounds as are run.
fn columns(table: &str, names: &[&str]) -> String {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let places: Vec<usize> =
        names.iter().map(|name| header.iter().position(|column| column == *name).unwrap()).collect();
    let rows = reader.records().take(ROUNDS as usize).map(Result::unwrap);
    let pick =
        |row: csv::StringRecord| places.iter().map(|k| row[*k].to_owned()).collect::<Vec<_>>().join(",");
    std::iter::once(names.join(",")).chain(rows.map(pick)).map(|line| line + "\n").collect()
}

/// Gives each home a table with public columns and its own, and a manifest beside it.
fn at_home(world: &World, nodes: &[Node], weeks: &str, agents: &[String]) {
    for (node, agent) in nodes.iter().zip(agents) {
        fs::write(node.folder.join("simbench-weeks.csv"), columns(weeks, &["target", "wind", agent]))
            .unwrap();
        fs::copy(world.path("manifest.toml"), node.folder.join("manifest.toml")).unwrap();
        let file = node.folder.join("node.toml");
        let text = fs::read_to_string(&file).unwrap().replace("../manifest.toml", "manifest.toml");
        fs::write(file, text).unwrap();
    }
}

/// `manifest make` warns if the wishes are not on its host, and nodes on one host need all of them.
fn says_what_is_missing(world: &World) {
    let manifest: toml::Table = world.text("manifest.toml").parse().unwrap();
    let members = manifest["manifest"]["member"].as_array().unwrap().iter();
    let members: Vec<String> = members
        .map(|one| format!("{}={}", one["name"].as_str().unwrap(), one["key"].as_str().unwrap()))
        .collect();
    let mut make = vec!["manifest", "make", "e.toml", "--out", "again.toml"];
    make.extend(members.iter().flat_map(|member| ["--member", member]));
    let absent = "problem.agents = \"H0-A\", \"H0-C\", \"Air_Parallel_1\"";
    let said = world.works(&make).err;
    assert!(
        said.contains(&format!("warning: {absent}")) && said.contains("need their own columns"),
        "{said}"
    );
    for all in [&["cluster", "up", "e.toml"][..], &["run", "e.toml", "--quiet"]] {
        let said = world.dpsda(all);
        assert!(
            said.code == Some(2) && said.err.contains("problem.agents = \"H0-A\""),
            "{all:?}: {}",
            said.err
        );
    }
}

#[test]
fn seven_homes_without_each_others_wishes_survive_a_kill_and_their_ledgers_are_exact() {
    let world = World::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/applications");
    let text = fs::read_to_string(folder.join("demand-cluster.toml")).unwrap();
    let text = text.replace("rounds = 672 ", &format!("rounds = {ROUNDS} "));
    let (experiment, _) = text.split_once("[node]").unwrap();
    let agents: toml::Table = experiment.parse().unwrap();
    let agents = agents["problem"]["agents"].as_array().unwrap().iter();
    let agents: Vec<String> = agents.map(|name| name.as_str().unwrap().to_owned()).collect();
    let weeks = fs::read_to_string(folder.join("simbench-weeks.csv")).unwrap();
    // The host that makes the manifest has nobody's wishes.
    world.put("simbench-weeks.csv", &columns(&weeks, &["target", "wind"]));
    let mut nodes = world.nodes(experiment, "pace = 50.0\nask = 0.05");
    at_home(&world, &nodes, &weeks, &agents);
    says_what_is_missing(&world);
    let own = nodes[0].folder.join("simbench-weeks.csv");
    let kept = fs::read(&own).unwrap();
    fs::write(&own, columns(&weeks, &["target", "wind", &agents[1]])).unwrap();
    let said = world.dpsda(&["node", "node-0/node.toml"]);
    let words = "problem.agents = \"H0-A\": simbench-weeks.csv has no such column; it has \"target\", \"wind\", \"H0-C\"";
    assert!(said.code == Some(2) && said.err.contains(words), "{}", said.err);
    fs::write(&own, kept).unwrap();

    World::survive_a_kill(&mut nodes, ROUNDS);
    let spent = |node: &mut Node| {
        node.whole_run(ROUNDS);
        world.stopped(node, ROUNDS)["spent"].clone()
    };
    let spent: Vec<_> = nodes.iter_mut().map(spent).collect();
    assert!(spent.iter().all(|one| *one == spent[0]), "the killed one paid what all paid: {spent:?}");
    let epsilon = spent[0]["event"]["epsilon"].as_f64().unwrap();
    assert!((0.99..=1.0).contains(&epsilon), "the promise is epsilon 1 per household and round: {epsilon}");
}
