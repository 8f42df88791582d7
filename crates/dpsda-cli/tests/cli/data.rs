//! `dpsda data`, without a network: what is bundled, what is missing, what is wrong.

use std::fs;

use serde_json::Value;

use crate::desk::{Desk, Said};

/// A desk with a cache of its own.
fn dpsda(desk: &Desk, args: &[&str]) -> Said {
    let output = desk.command(args).env("DPSDA_CACHE", desk.path("cache")).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn data_sets_are_listed_with_state_size_licence_and_home() {
    let desk = Desk::new();
    let said = dpsda(&desk, &["data", "list"]);
    assert_eq!(said.code, Some(0));
    for part in
        ["mushroom     bundled", "mnist-68     bundled", "cifar10-cat  missing", "CC BY-SA 3.0", "Krizhevsky"]
    {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    let all: Value = serde_json::from_str(&dpsda(&desk, &["data", "list", "--json"]).out).unwrap();
    assert_eq!(all[2]["state"], "missing");
    assert!(all[2]["home"].as_str().unwrap().starts_with("https://www.cs.toronto.edu/"));
}

#[test]
fn what_is_bundled_is_verified_and_what_is_missing_is_said() {
    let desk = Desk::new();
    let said = dpsda(&desk, &["data", "verify"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("mnist-68: bundled, as published"), "{}", said.out);
    assert!(said.out.contains("cifar10-cat: missing (dpsda data get cifar10-cat)"), "{}", said.out);
    let said = dpsda(&desk, &["data", "verify", "cifar10-cat"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("run `dpsda data get cifar10-cat`"), "{}", said.err);
    let said = dpsda(&desk, &["data", "get", "mushroom"]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "mushroom is bundled, there is nothing to fetch"));
}

#[test]
fn an_experiment_that_names_missing_data_says_how_to_get_them() {
    let desk = Desk::new();
    let text = "[problem]\nloss = 'logistic'\ndata = 'cifar10-cat'\n[set]\nkind = 'ball'\nradius = 5.0\n\
                [network]\nnodes = 7\n[algorithm]\nname = 'dpsda-r'\n";
    desk.put("cats.toml", text);
    let said = dpsda(&desk, &["run", "cats.toml"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("problem.data = \"cifar10-cat\": "), "{}", said.err);
    assert!(said.err.contains("run `dpsda data get cifar10-cat`"), "{}", said.err);
}

#[test]
fn files_that_are_not_the_data_are_refused_and_nothing_is_kept() {
    let desk = Desk::new();
    desk.put("not.tar.gz", "no archive");
    let said = dpsda(&desk, &["data", "get", "cifar10-cat", "--from", "not.tar.gz"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("not.tar.gz: not a whole .tar.gz"), "{}", said.err);
    let said = dpsda(&desk, &["data", "get", "cifar10-cat", "--from", "nothing"]);
    assert!(said.err.contains("nothing: cannot be read"), "{}", said.err);
    assert!(!desk.path("cache").exists());
    fs::create_dir(desk.path("cache")).unwrap();
    fs::write(desk.path("cache/cifar-10.bin"), "short").unwrap();
    let said = dpsda(&desk, &["data", "verify", "cifar10-cat"]);
    assert!(
        said.err.contains("5 bytes with SHA-256") && said.err.contains("remove it and run"),
        "{}",
        said.err
    );
    let said = dpsda(&desk, &["data", "get", "cifar9"]);
    assert!(said.err.contains("did you mean") || said.err.contains("cifar10-cat"), "{}", said.err);
}
