//! `problem.scale` and `problem.intercept`: what is read, swept and refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use dpsda::features::Scaling;
use dpsda::{Error, Keys};
use dpsda_config::{ResolvedData, Resolver, RunConfig, scaling, sweep};

/// Data of three features.
struct Three;

impl Resolver for Three {
    fn read(&self, path: &str) -> Result<String, Error> {
        Err(Error::data(path, "no files here"))
    }

    fn data(&self, _: &str, problem: &Keys<'_>) -> Result<ResolvedData, Error> {
        Ok(ResolvedData { dim: scaling(problem, 3)?.dim(3), samples: None, handle: 0 })
    }
}

const FILE: &str = "
    rounds = 3
    problem = { loss = 'squared', data = 'any' }
    set.kind = 'free'
    network = { nodes = 2, graph = 'ring' }
    algorithm.name = 'dpsda-r'";

fn runs(set: &[&str]) -> Result<Vec<RunConfig>, Error> {
    let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
    sweep::runs(&sweep::parse(FILE, &set)?, &Three)
}

#[track_caller]
fn found(set: &[&str]) -> (Scaling, usize) {
    let runs = runs(set).unwrap_or_else(|e| panic!("{e}"));
    (runs[0].problem.samples().unwrap().scaling.clone(), runs[0].spec.blocks().dim())
}

#[test]
fn scale_and_intercept_are_read() {
    let each = Scaling::between_each(vec![0.0, 1.0, 2.0], vec![9.0; 3]).unwrap();
    assert_eq!(found(&[]), (Scaling::none(), 3));
    assert_eq!(found(&["problem.scale=none", "problem.intercept=false"]), (Scaling::none(), 3));
    assert_eq!(found(&["problem.intercept=true"]), (Scaling::none().intercept(true), 4));
    assert_eq!(found(&["problem.scale=unit"]), (Scaling::unit(), 3));
    let same = Scaling::between(-3.0, 3.0).unwrap();
    assert_eq!(found(&["problem.scale={ lower = -3, upper = 3.0 }"]), (same.clone(), 3));
    assert_eq!(found(&["problem.scale.lower=-3.0", "problem.scale.upper=3.0"]), (same, 3));
    for lists in ["{ lower = [0, 1, 2], upper = [9, 9, 9] }", "{ lower = [0.0, 1.0, 2.0], upper = 9 }"] {
        assert_eq!(found(&[&format!("problem.scale={lists}")]), (each.clone(), 3));
    }
}

#[test]
fn words_and_bounds_are_swept_by_one_list_and_a_list_of_lists_sweeps_bounds() {
    let swept = runs(&[
        "problem.scale=['none', 'unit', { lower = [0, 0, 0], upper = 1 }]",
        "problem.intercept=[false, true]",
    ]);
    let dims: Vec<usize> = swept.unwrap().iter().map(|run| run.spec.blocks().dim()).collect();
    assert_eq!(dims, [3, 3, 3, 4, 4, 4]);
    let swept = runs(&["problem.scale={ lower = [[0, 0, 0], [-1, -1, -1]], upper = [1, 1, 1] }"]).unwrap();
    assert_eq!(swept.len(), 2);
    assert_eq!(swept[1].settings[0].0, "problem.scale.lower");
}

#[test]
fn wrong_scales_name_the_key_the_value_and_the_remedy() {
    let cases = [
        ("{ lower = 3, upper = 1 }", "problem.scale.lower = 3: upper is 1 (lower must be below upper)"),
        ("{ lower = 1.0, upper = 1.0 }", "problem.scale.lower = 1.0: upper is 1 (lower must be below upper)"),
        ("{ lower = -inf, upper = 1 }", "problem.scale.lower = -inf: expected a finite number"),
        (
            "{ lower = [0, 0, 4], upper = 4 }",
            "problem.scale.lower[2] = 4: upper[2] is 4 (lower must be below upper)",
        ),
        (
            "{ lower = [0, 0], upper = [1, 1] }",
            "problem.scale.lower = [0, 0]: 2 bounds for 3 features (give one per feature, or one number for all)",
        ),
        (
            "{ lower = [0, 0, 0], upper = [1, 1] }",
            "problem.scale.upper = [1, 1]: there are 3 lower bounds (give one per feature)",
        ),
        ("{ lower = 0 }", "`problem.scale.upper` is missing: give a public bound of the features"),
        ("{ lower = 'a', upper = 1 }", "problem.scale.lower = \"a\": expected a number"),
        ("{ lower = ['a'], upper = 1 }", "problem.scale.lower = [\"a\"]: expected a list of numbers"),
        ("{ lower = 0, upper = 1, uper = 2 }", "unknown key `problem.scale.uper`: did you mean `upper`?"),
        ("'unti'", "problem.scale = \"unti\" is not known: did you mean `unit`?"),
        (
            "3",
            "problem.scale = 3: expected \"none\", \"unit\" or public bounds, e.g. { lower = -3.0, upper = 3.0 }",
        ),
    ];
    for (scale, message) in cases {
        let said = runs(&[&format!("problem.scale={scale}")]).err().unwrap().to_string();
        assert!(said.starts_with(message), "{scale}: {said}");
    }
    let said = runs(&["problem.intercept=1"]).err().unwrap().to_string();
    assert_eq!(said, "problem.intercept = 1: expected true or false");
}
