//! Loss of power, and stores that are restored from old copies.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::world::{Node, SMALL, World, ports, until};

#[test]
fn a_node_that_is_killed_again_and_again_releases_every_round_once_and_decides_it_once() {
    let world = World::new();
    let experiment = SMALL.replace("rounds = 100", "rounds = 400");
    let mut nodes = world.nodes(&experiment, "pace = 100.0\nask = 0.05");
    nodes.iter_mut().for_each(Node::start);
    let mut random = 12345_u64;
    let mut kills = 0;
    while nodes[1].round().unwrap_or(0) < 400 && kills < 12 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sleep(Duration::from_millis((random >> 33) % 500)); // also while it starts
        nodes[1].kill();
        nodes[1].start();
        kills += 1;
    }
    for node in &mut nodes {
        node.until_round(400);
        until("all is written", || (node.decisions().len() > 400).then_some(()));
        assert!(node.stop(Signal::TERM).0.success(), "{}", node.name);
        let book = world.ledger(node);
        let decisions = node.decisions();
        let rounds: Vec<(u64, u64)> = decisions.iter().map(|one| (one.epoch, one.round)).collect();
        assert_eq!(rounds, (0..=400).map(|t| (0, t)).collect::<Vec<_>>(), "{}", node.name);
        assert_eq!(book["releases"], 400, "{}", node.name);
        assert!(!node.log().contains("old copy"), "its own releases are not another life's:\n{}", node.log());
    }
    assert!(kills >= 5, "{kills}");
    println!("killed {kills} times");
}

/// The same with DPSDA-C.
fn averages() -> String {
    let algorithm = "name = \"dpsda-c\"\n[algorithm.dpsda-c]\nlinks = \"running-sums\"\n";
    SMALL.replace("name = \"dpsda-r\"\n", algorithm) + "arithmetic = \"grid\"\n"
}

#[test]
fn rounds_in_step_survive_kills_and_the_books_of_whoever_was_killed_are_whole() {
    let world = World::new();
    let experiment = averages().replace("rounds = 100", "rounds = 200");
    let mut nodes = world.nodes(&experiment, "pace = 50.0\nwait = 0.3");
    nodes.iter_mut().for_each(Node::start);
    for round in [20, 60, 61, 100, 150] {
        nodes[1].until_round(round);
        nodes[1].kill();
        nodes[1].start();
    }
    for node in &mut nodes {
        node.until_round(200);
        until("all is written", || (node.decisions().len() > 200).then_some(()));
        assert!(node.stop(Signal::TERM).0.success(), "{}", node.name);
        let rounds: Vec<(u64, u64)> = node.decisions().iter().map(|one| (one.epoch, one.round)).collect();
        assert_eq!(rounds, (0..=200).map(|t| (0, t)).collect::<Vec<_>>(), "{}", node.name);
        // What is said in the first round was released before it.
        assert_eq!(world.ledger(node)["releases"], 201, "{}", node.name);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let (from, to) = (file.path(), to.join(file.file_name()));
        if from.is_dir() { copy(&from, &to) } else { _ = fs::copy(from, to).unwrap() }
    }
}

#[test]
fn a_node_with_an_old_store_is_told_by_its_peers_and_pays_for_what_it_forgot() {
    let world = World::new();
    let experiment = SMALL.replace("rounds = 100", "rounds = 300");
    let mut nodes = world.nodes(&experiment, "pace = 50.0\nask = 10.0");
    nodes.iter_mut().for_each(Node::start);
    let (store, away) = (nodes[1].folder.join("store"), world.path("away"));
    nodes[1].until_round(30);
    assert!(nodes[1].stop(Signal::TERM).0.success());
    copy(&store, &away);
    let old = world.ledger(&nodes[1])["releases"].as_u64().unwrap();
    nodes[1].start();
    nodes[1].until_round(old + 30);
    assert!(nodes[0].stop(Signal::TERM).0.success()); // it knows less than the other peer
    nodes[1].until_round(old + 60);
    assert!(nodes[1].stop(Signal::TERM).0.success());
    assert!(nodes[2].stop(Signal::TERM).0.success());
    let lost = world.ledger(&nodes[1])["releases"].as_u64().unwrap();
    fs::remove_dir_all(&store).unwrap();
    copy(&away, &store);
    // Peers that know better were restarted too: they have it on their disks. What each of them knows begins an epoch.
    nodes[0].start();
    nodes[1].start();
    let epoch = |nodes: &[Node], epoch| {
        let begun = || (nodes[1].now()["epoch"].as_u64()? == epoch).then_some(());
        until(&format!("epoch {epoch} has begun"), begun);
    };
    epoch(&nodes, 1);
    assert!(nodes[1].log().contains("the store was an old copy"), "{}", nodes[1].log());
    nodes[2].start();
    epoch(&nodes, 2);
    for node in &nodes {
        node.until_round(300);
        until("all know the last of it", || {
            let versions = node.now()["versions"].clone();
            (versions[1][0] == 2 && versions[1][1].as_u64()? >= 300).then_some(())
        });
        assert_eq!(node.now()["epoch"], if node.name == "node-1" { 2 } else { 0 }, "{}", node.name);
    }
    let caveats: Vec<bool> = nodes.iter().map(|node| node.now()["caveat"].is_string()).collect();
    assert_eq!(caveats, [false, true, false], "it says that its promise is not what it was");
    for node in &mut nodes {
        assert!(node.stop(Signal::TERM).0.success(), "{}", node.name);
    }
    let words = world.works(&["ledger", "node-1/store"]).out;
    assert!(words.contains("an old copy"), "{words}");
    let book = world.ledger(&nodes[1]);
    let spent = |node| world.ledger(node)["spent"]["lifetime"]["charged"]["nano_rho"].as_u64().unwrap();
    let (its, another) = (spent(&nodes[1]), spent(&nodes[0]));
    println!(
        "{old} releases in the old store, {lost} when it was lost; at the end {} releases, {its} nano-rho, and {another} of a node that lost nothing",
        book["releases"]
    );
    // What was released between the copy and the loss is charged although the store has forgotten it.
    let lines = book["lines"].as_array().unwrap();
    let last = lines.iter().filter_map(|line| line["epoch"].as_u64()).max().unwrap();
    assert_eq!(last, 2);
    let renewed = lines.iter().find(|line| line["epoch"] == last).unwrap();
    assert!(renewed["releases"].as_u64().unwrap() >= lost, "{renewed}");
    assert!(its >= another, "the ledger has no less than the wire has seen");
    let decisions = nodes[1].decisions();
    let rounds = |epoch| decisions.iter().filter(move |one| one.epoch == epoch).map(|one| one.round);
    for epoch in 0..=last {
        let all: Vec<u64> = rounds(epoch).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "epoch {epoch}: {all:?}");
    }
    assert_eq!(rounds(last).next_back(), Some(300));
}

#[test]
fn of_two_processes_with_one_key_one_halts_and_the_others_go_on() {
    let world = World::new();
    let mut nodes = world.nodes(&SMALL.replace("rounds = 100", "rounds = 5000"), "pace = 50.0");
    nodes.iter_mut().for_each(Node::start);
    nodes[1].until_round(30);
    assert!(nodes[1].stop(Signal::TERM).0.success());
    let twin = world.path("twin");
    copy(&nodes[1].folder, &twin);
    let (udp, tcp) = ports(1);
    let http = format!("127.0.0.1:{}", tcp[0]);
    let lines = fs::read_to_string(twin.join("node.toml")).unwrap();
    let moved = |line: &str| match line.split_once(' ') {
        Some(("listen", _)) => format!("listen = \"127.0.0.1:{}\"\n", udp[0]),
        Some(("http", _)) => format!("http = \"{http}\"\n"),
        _ => format!("{line}\n"),
    };
    fs::write(twin.join("node.toml"), lines.lines().map(moved).collect::<String>()).unwrap();
    let mut twins =
        [nodes.remove(1), Node { name: "twin".into(), folder: twin, http: http.clone(), child: None }];
    twins.iter_mut().for_each(Node::start);
    let halted = until("one of them halts", || twins.iter().find(|twin| twin.now()["health"] == "halted"));
    let now = halted.now();
    let words = "This node releases nothing more";
    assert!(now["caveat"].as_str().unwrap().starts_with(words) && halted.log().contains(words), "{now}");
    assert!(halted.get("/metrics").unwrap().1.contains("dpsda_health{state=\"halted\"} 1"));
    assert_eq!(halted.get("/healthz").unwrap().0, 200, "whoever restarts it makes it worse");
    let epoch = now["epoch"].as_u64().unwrap();
    assert!((1..=8).contains(&epoch), "they do not outbid each other for ever: epoch {epoch}");
    nodes.iter().for_each(|node| node.until_round(node.round().unwrap() + 20));
    halted.until_round(now["round"].as_u64().unwrap() + 20);
    assert_eq!(halted.now()["releases"], now["releases"], "it decides and releases nothing");
}

#[test]
fn in_step_one_who_never_came_is_waited_for_once() {
    let world = World::new();
    let mut nodes = world.nodes(SMALL, "rounds = \"lock-step\"");
    let start = Instant::now();
    nodes[..2].iter_mut().for_each(Node::start);
    nodes[..2].iter().for_each(|node| node.until_round(100));
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "100 rounds took {took:?}, and each may wait 1 s");
}

const COST: &str = "{\"x\": [[1, 0, 0, 0, 0, 0]], \"y\": [1]}\n";

/// So many costs for each of these.
fn feed(nodes: &[&Node], rounds: usize) {
    std::thread::scope(|scope| {
        for node in nodes {
            scope.spawn(move || {
                let (status, text) = node.post(&COST.repeat(rounds));
                assert_eq!(status, 200, "{}: {text}", node.name);
            });
        }
    });
}

/// Three nodes in step after eight rounds. The second has lost the last five. Also returns how many it had released.
fn forgetful(world: &World, experiment: &str) -> (Vec<Node>, u64) {
    let stream = experiment.replace("\"synthetic-regression\"", "\"stream\"");
    let mut nodes = world.nodes(&stream, "rounds = \"lock-step\"\nstream = \"http\"\nwait = 0.5");
    nodes.iter_mut().for_each(Node::start);
    nodes.iter().for_each(|node| node.until_round(0));
    feed(&nodes.iter().collect::<Vec<_>>(), 3);
    let (store, away) = (nodes[1].folder.join("store"), world.path("away"));
    assert!(nodes[1].stop(Signal::TERM).0.success());
    copy(&store, &away);
    nodes[1].start();
    nodes[1].until_round(0);
    feed(&nodes.iter().collect::<Vec<_>>(), 5);
    assert!(nodes[1].stop(Signal::TERM).0.success());
    let lost = world.ledger(&nodes[1])["releases"].as_u64().unwrap();
    fs::remove_dir_all(&store).unwrap();
    copy(&away, &store);
    nodes[1].start();
    (nodes, lost)
}

#[test]
fn a_node_that_averages_with_an_old_store_pays_and_halts_and_whoever_brings_it_costs_is_told() {
    let world = World::alone();
    let (mut nodes, lost) = forgetful(&world, &averages());
    let halts = |node: &Node| until("it halts", || (node.now()["health"] == "halted").then_some(()));
    halts(&nodes[1]);
    let (status, text) = nodes[1].post(COST);
    assert!(status == 409 && text.contains("\"halted\":true"), "{status} {text}");
    let start = Instant::now();
    feed(&[&nodes[0], &nodes[2]], 20);
    let took = start.elapsed();
    assert!(
        took < Duration::from_secs(5),
        "20 rounds took {took:?}: one who says nothing is waited for once"
    );
    assert!(nodes[1].stop(Signal::TERM).0.success());
    let book = world.ledger(&nodes[1]);
    assert!(
        book["releases"].as_u64().unwrap() > lost,
        "{lost} were released, and charged are {}",
        book["releases"]
    );
    nodes[1].start();
    halts(&nodes[1]);
    assert!(nodes[1].now()["caveat"].as_str().unwrap().contains("agree on a new manifest"));
}

#[test]
fn a_node_that_relays_in_step_with_an_old_store_begins_a_new_epoch() {
    let world = World::new();
    let (mut nodes, lost) = forgetful(&world, SMALL);
    until("a new epoch has begun", || (nodes[1].now()["epoch"].as_u64()? > 0).then_some(()));
    feed(&nodes.iter().collect::<Vec<_>>(), 4);
    for node in &mut nodes {
        let now = node.now();
        assert!(now["round"].as_u64().unwrap() >= 11, "{}: {now}", node.name);
        assert!(node.stop(Signal::TERM).0.success());
    }
    let releases = world.ledger(&nodes[1])["releases"].as_u64().unwrap();
    assert!(releases > lost + 4, "{lost} and four more, and what was lost once more: {releases}");
}
