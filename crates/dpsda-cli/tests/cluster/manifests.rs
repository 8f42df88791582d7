//! Three members agree on a run, as people do it: each with a key of its own, a file that goes around, signatures that are put together.

use std::fs;

use crate::world::{Node, SMALL, World, until};

const NAMES: [&str; 3] = ["alice", "bob", "carol"];

fn names() -> Vec<String> {
    NAMES.map(str::to_owned).into()
}

/// Keys of three and a manifest that nobody has signed; what `node init` told each to send.
fn made(world: &World) -> Vec<String> {
    world.put("e.toml", SMALL);
    let members: Vec<String> = NAMES.iter().map(|name| world.member(name)).collect();
    let mut make = vec!["manifest", "make", "e.toml", "--name", "harvest"];
    make.extend(members.iter().flat_map(|member| ["--member", member]));
    let said = world.works(&make);
    assert!(said.out.contains("3 signatures needed") && said.out.contains("NOT signed"), "{}", said.out);
    assert!(said.out.contains("put it beside every node.toml"), "{}", said.out);
    members
}

/// Everybody signs a copy, and the copies are put together.
fn signed(world: &World) {
    for name in NAMES {
        let copy = format!("{name}.toml");
        fs::copy(world.path("manifest.toml"), world.path(&copy)).unwrap();
        world.works(&["manifest", "sign", &copy, "--key", &format!("{name}/node.key")]);
    }
    world.works(&["manifest", "join", "manifest.toml", "alice.toml", "bob.toml", "carol.toml"]);
}

/// What a node says that does not start.
fn refused(world: &World, name: &str) -> String {
    let said = world.dpsda(&["node", &format!("{name}/node.toml")]);
    assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
    said.err
}

#[test]
fn three_members_make_sign_and_join_a_manifest_and_run_it() {
    let world = World::new();
    made(&world);
    signed(&world);
    let shown = world.works(&["manifest", "show", "manifest.toml"]).out;
    assert!(shown.contains("harvest, epoch 1: 3 members"), "{shown}");
    assert!(!shown.contains("NOT signed") && shown.matches("signed").count() >= 3, "{shown}");
    assert!(shown.contains("Promise: eps 1 per example") && shown.contains("\nRules: 2\n"), "{shown}");
    assert!(world.text("manifest.toml").contains("\nrules = 2\n"), "what is made states its rules");
    let mut nodes = world.place(&names(), "");
    nodes.iter_mut().for_each(Node::start);
    nodes.iter().for_each(|node| node.until_round(100));
    let known =
        |node: &Node| node.now()["versions"].as_array().is_some_and(|all| all.iter().all(|v| v[1] == 100));
    nodes.iter().for_each(|node| until("all is known", || known(node).then_some(())));
    let said = world.dpsda(&["manifest", "make", "e.toml", "--member", "a=00"]);
    assert_eq!(said.code, Some(2), "{}", said.err);
}

#[test]
fn a_node_refuses_a_manifest_that_is_not_signed_was_changed_or_is_not_about_it() {
    let world = World::new();
    let members = made(&world);
    world.place(&names(), "");
    world.works(&["manifest", "sign", "manifest.toml", "--key", "alice/node.key"]);
    let said = refused(&world, "alice");
    assert!(said.contains("1 of 3 signatures") && said.contains("bob, carol did not sign"), "{said}");
    assert!(said.contains("dpsda manifest sign"), "{said}");
    signed(&world);
    let whole = world.text("manifest.toml");

    world.put("manifest.toml", &whole.replace("epoch = 1", "epoch = 2"));
    let said = refused(&world, "alice");
    assert!(said.contains("was changed after signing"), "{said}");
    world.put("manifest.toml", &whole.replace("clip = 1.0", "clip = 9.0"));
    let said = refused(&world, "alice");
    assert!(said.contains("promise.") && said.contains("its experiment gives"), "{said}");

    world.put("manifest.toml", &whole);
    world.member("mallory");
    fs::copy(world.path("alice/node.toml"), world.path("mallory/node.toml")).unwrap();
    let said = refused(&world, "mallory");
    assert!(said.contains("is not the key of a member"), "{said}");
    let said = world.dpsda(&["manifest", "sign", "manifest.toml", "--key", "mallory/node.key"]);
    assert!(said.code == Some(2) && said.err.contains("is not the key of a member"), "{}", said.err);

    let two =
        ["manifest", "make", "e.toml", "--out", "two.toml", "--member", &members[0], "--member", &members[1]];
    let said = world.dpsda(&two);
    assert!(
        said.code == Some(2) && said.err.contains("--member: 2 given") && said.err.contains("3 nodes"),
        "{}",
        said.err
    );
    let twice =
        ["manifest", "make", "e.toml", "--out", "two.toml", "--member", &members[0], "--member", &members[1]];
    let said = world.dpsda(&[&twice[..], &["--member", &members[1]]].concat());
    assert!(said.code == Some(2) && said.err.contains("two members have this"), "{}", said.err);
    let mut lines: Vec<&str> = whole.lines().collect();
    let member = lines.iter().rposition(|line| *line == "[[manifest.member]]").unwrap();
    lines.drain(member..member + 4);
    world.put("manifest.toml", &lines.join("\n"));
    let said = refused(&world, "alice");
    assert!(said.contains("needs = 3: expected a number from 1 to 2"), "{said}");
    world.put("manifest.toml", &lines.join("\n").replace("needs = 3", "needs = 2"));
    let said = refused(&world, "alice");
    assert!(said.contains("member: the manifest says 2 of them, its experiment gives 3 nodes"), "{said}");

    world.put("manifest.toml", "nothing");
    let said = refused(&world, "alice");
    assert!(said.contains("not a manifest"), "{said}");
}

#[test]
fn who_is_asked_to_sign_reads_what_is_signed_and_what_does_not_fit_is_not_signed() {
    let world = World::new();
    let members = made(&world);
    let run = "Run: 100 rounds of dpsda-r, 3 nodes with 6 coordinates in all";
    let show = || world.dpsda(&["manifest", "show", "manifest.toml"]);
    let shown = world.works(&["manifest", "sign", "manifest.toml", "--key", "alice/node.key"]).out;
    assert!([run, "Clip: 1.0", "Budget: none"].iter().all(|words| shown.contains(words)), "{shown}");
    let whole = world.text("manifest.toml");

    world.put("manifest.toml", &whole.replace("epoch = 1", "epoch = 2"));
    let shown = show();
    assert!(shown.code == Some(1) && shown.err.contains("changed after alice signed"), "{}", shown.err);
    let shown = shown.out;
    let line = |name: &str| shown.lines().find(|line| line.contains(name)).unwrap();
    assert!(line("alice").ends_with("signed, and changed since"), "{shown}");
    assert!(line("bob").ends_with("NOT signed"), "{shown}");

    // Signed again on a copy, it is valid again. A new signature replaces an outdated one, but never a valid one.
    world.put("copy.toml", &world.text("manifest.toml"));
    world.works(&["manifest", "sign", "copy.toml", "--key", "alice/node.key"]);
    for files in [["manifest.toml", "copy.toml"], ["copy.toml", "manifest.toml"]] {
        let joined = world.works(&["manifest", "join", files[0], files[1]]).out;
        let alice = joined.lines().find(|line| line.contains("alice")).unwrap();
        assert!(alice.ends_with("  signed"), "{files:?}: {joined}");
        world.put("manifest.toml", &whole.replace("epoch = 1", "epoch = 2"));
    }

    // The manifest promises less than its experiment gives.
    world.put("manifest.toml", &whole.replacen("epsilon = 1.0", "epsilon = 4.0", 1));
    let before = world.text("manifest.toml");
    for (said, code) in
        [(show(), 1), (world.dpsda(&["manifest", "sign", "manifest.toml", "--key", "bob/node.key"]), 2)]
    {
        assert_eq!(said.code, Some(code), "{}{}", said.out, said.err);
        assert!(said.err.contains("manifest.toml: promise."), "{}", said.err);
        assert!(said.err.contains("its experiment gives") && !said.err.contains("Promise {"), "{}", said.err);
    }
    assert!(show().out.contains(run), "it is shown nevertheless");
    assert_eq!(world.text("manifest.toml"), before, "and stays as it was");

    let make = |text: &str| {
        world.put("b.toml", text);
        let mut make = vec!["manifest", "make", "b.toml", "--out", "b-manifest.toml"];
        make.extend(members.iter().flat_map(|member| ["--member", member]));
        world.dpsda(&make)
    };
    let said = make(&format!("{SMALL}budget = {{ lifetime = 0.001 }}\n"));
    assert_eq!(said.code, Some(2), "{}", said.out);
    assert!(said.err.contains("privacy.budget = { lifetime = 0.001 }: alice could not"), "{}", said.err);
    assert!(!world.path("b-manifest.toml").exists());
    let limits = "budget = { event = 1.5, person = 5.0, events_per_person = 4, lifetime = 10.0 }\n";
    let said = make(&format!("{SMALL}{limits}").replace("features = 6", "features = 3"));
    let words = "Budget: event 1.5, person 5.0 (4 events), lifetime 10.0 (privacy.budget";
    assert!(said.code == Some(0) && said.out.contains(words), "{}{}", said.out, said.err);
    assert!(said.out.contains(" 1 coordinate  NOT signed"), "{}", said.out);
}

#[test]
fn two_nodes_with_different_manifests_are_told_what_differs() {
    let world = World::new();
    let members = made(&world);
    signed(&world);
    world.put("f.toml", &SMALL.replace("epsilon = 1.0", "epsilon = 2.0"));
    let mut make = vec!["manifest", "make", "f.toml", "--name", "harvest", "--out", "other.toml"];
    make.extend(members.iter().flat_map(|member| ["--member", member]));
    world.works(&make);
    for name in NAMES {
        world.works(&["manifest", "sign", "other.toml", "--key", &format!("{name}/node.key")]);
    }
    let said = world.dpsda(&["manifest", "join", "manifest.toml", "other.toml"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("experiment.privacy.epsilon: 1.0 here, 2.0 there"), "{}", said.err);
    let mut nodes = world.place(&names(), "");
    let file = world.text("bob/node.toml").replace("../manifest.toml", "../other.toml");
    world.put("bob/node.toml", &file);
    nodes.iter_mut().for_each(Node::start);
    let differs = |node: &Node, peer: usize| {
        let peers = node.now()["peers"].clone();
        let lines = peers.as_array()?.iter().find(|one| one["name"] == NAMES[peer])?["differs"].clone();
        Some(lines.as_array()?.iter().map(|line| line.as_str().unwrap().to_owned()).collect::<Vec<_>>())
            .filter(|lines| !lines.is_empty())
    };
    for (node, peer, words) in [
        (0, 1, "experiment.privacy.epsilon: 1.0 here, 2.0 there"),
        (1, 0, "experiment.privacy.epsilon: 2.0 here, 1.0 there"),
    ] {
        let lines = until("it says what differs", || differs(&nodes[node], peer));
        assert!(lines.iter().any(|line| line == words), "{lines:?}");
        assert!(nodes[node].log().contains(words), "{}", nodes[node].log());
    }
    // The two who agree go on with each other.
    nodes[0].until_round(50);
    until("carol's block is known to alice", || {
        (nodes[0].now()["versions"][2][1].as_u64()? > 0).then_some(())
    });
    assert_eq!(nodes[0].now()["versions"][1][1], 0, "and nothing of bob");
}
