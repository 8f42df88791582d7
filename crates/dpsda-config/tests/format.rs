//! The file format: what is read, what is listed, what is refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use dpsda::learner::ALGORITHMS;
use dpsda::{Error, Keys};
use dpsda_config::{KEYS, ResolvedData, Resolver, RunConfig, sweep};

struct Nothing;

impl Resolver for Nothing {
    fn read(&self, path: &str) -> Result<String, Error> {
        Err(Error::data(path, "no files here"))
    }

    fn data(&self, _name: &str, _problem: &Keys<'_>) -> Result<ResolvedData, Error> {
        Ok(ResolvedData { dim: 7, samples: None, handle: 0 })
    }
}

const WHOLE: &str = r#"
title = "all of it"
rounds = 3
[problem]
loss = "squared"
data = "any"
feedback = "two-point"
[set]
kind = "free"
[network]
graph = "paper-fig2"
[algorithm]
name = "dpsda-c"
step = 0.5
[algorithm.dpsda-c]
weights = "uniform"
[algorithm.dpsda-ps]
step = 0.1
"#;

#[test]
fn every_key_that_is_read_is_listed_and_the_other_way_round() {
    let (_, read) = RunConfig::read(&sweep::parse(WHOLE, &[]).unwrap(), &Nothing).unwrap();
    let sections = ["problem", "set", "network", "algorithm", "privacy"];
    let tables: Vec<String> = ALGORITHMS.iter().map(|a| format!("algorithm.{}", a.name)).collect();
    let own = |key: &String| tables.iter().any(|table| key == table || key.starts_with(&format!("{table}.")));
    let asked: BTreeSet<String> =
        read.asked.into_iter().filter(|k| !sections.contains(&k.as_str()) && !own(k)).collect();
    let listed: BTreeSet<String> = KEYS.iter().map(|k| k.name.to_owned()).collect();
    assert_eq!(asked, listed);
}

#[test]
fn keys_of_one_algorithm_are_checked_even_when_it_does_not_run() {
    for (key, known) in [
        ("algorithm.dpsda-c.stp=1", false),
        ("algorithm.dpsda-ps.decide='private'", false),
        ("algorithm.dpsda-r.foo=1", false),
        ("algorithm.dpsda-r.step=2", true),
    ] {
        for names in ["algorithm.name='dpsda-c'", "algorithm.name=['dpsda-c','dpcda']"] {
            let table = sweep::parse(WHOLE, &[key.into(), names.into()]).unwrap();
            let found = sweep::runs(&table, &Nothing);
            assert_eq!(found.is_ok(), known, "{names} {key}: {:?}", found.err());
        }
    }
}

#[test]
fn a_key_of_another_member_says_whose_it_is() {
    let table = sweep::parse(WHOLE, &["set.radius=1".into()]).unwrap();
    let error = sweep::runs(&table, &Nothing).err().unwrap().to_string();
    assert_eq!(
        error,
        "`set.radius` is a key of set.kind = \"ball\", which is not chosen here (remove the key, or choose that). \
         Known here: kind, each, psi."
    );
}

#[test]
fn an_algorithm_may_have_a_mechanism_of_its_own() {
    let set = |more: &[&str]| {
        let common = [
            "algorithm.name=['dpsda-c','dpsda-r']",
            "problem.feedback='gradient'",
            "privacy.mechanism='discrete-gaussian'",
            "privacy.epsilon=1.0",
            "privacy.delta=1e-5",
            "privacy.clip=1.0",
        ];
        let all: Vec<String> = common.iter().chain(more).map(|key| (*key).to_owned()).collect();
        let table = sweep::parse(WHOLE, &all).unwrap();
        sweep::runs(&table, &Nothing)
            .map(|runs| runs.iter().map(|c| c.spec.plan().mechanism().name().to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(set(&[]).unwrap(), ["discrete-gaussian"; 2]);
    assert_eq!(set(&["algorithm.dpsda-r.mechanism='toeplitz'"]).unwrap(), ["discrete-gaussian", "toeplitz"]);
    for (key, words) in [
        (
            "algorithm.dpsda-c.mechanism='toeplitz'",
            "algorithm.dpsda-c.mechanism = \"toeplitz\": noise that cancels",
        ),
        ("algorithm.dpsda-r.mechanism='toplitz'", "algorithm.dpsda-r.mechanism"),
    ] {
        let error = set(&[key]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
