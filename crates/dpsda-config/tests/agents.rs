//! `privacy.adjacency = "agent"` in a file: what it promises, and what is refused by its key.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use dpsda::cost::NumberTable;
use dpsda::privacy::plan::Adjacency;
use dpsda::{Error, Keys};
use dpsda_config::{ResolvedData, Resolver, RunConfig, sweep};

/// A table of four rounds: a reference and the wishes of three agents.
struct Wishes;

impl Resolver for Wishes {
    fn read(&self, path: &str) -> Result<String, Error> {
        Err(Error::data(path, "no files here"))
    }

    fn table(&self, path: &str) -> Result<NumberTable, Error> {
        let columns = ["wind", "anna", "ben", "carla"].map(String::from).to_vec();
        NumberTable::new(path, columns, vec![vec![3.0, 1.0, 1.0, 0.5]; 4])
    }

    fn data(&self, _name: &str, _problem: &Keys<'_>) -> Result<ResolvedData, Error> {
        Ok(ResolvedData { dim: 3, samples: None, handle: 0 })
    }
}

const TRACKING: &str = r#"
[problem]
cost = "tracking"
path = "wishes.csv"
reference = "wind"
[set]
kind = "box"
lower = 0.0
upper = 2.0
[network]
graph = "complete"
[algorithm]
name = "dpsda-r"
[privacy]
mechanism = "discrete-laplace"
epsilon = 1.0
clip = 2.0
adjacency = "agent"
"#;

const SAMPLES: &str = r#"
rounds = 4
[problem]
loss = "squared"
data = "any"
[set]
kind = "free"
[network]
graph = "complete"
nodes = 3
[algorithm]
name = "dpsda-r"
[privacy]
mechanism = "discrete-laplace"
epsilon = 1.0
clip = 2.0
adjacency = "agent"
"#;

fn cell(text: &str, overrides: &[&str]) -> Result<RunConfig, Error> {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    sweep::cells(&sweep::parse(text, &overrides).unwrap(), &Wishes).map(|mut cells| cells.remove(0))
}

#[test]
fn every_agent_has_the_whole_epsilon_and_the_whole_clip() {
    for algorithm in ["dpsda-r", "dpsda-c", "dpsda-ps", "dpcda"] {
        let cell = cell(TRACKING, &[&format!("algorithm.name='{algorithm}'")]).unwrap();
        let plan = cell.spec.plan();
        assert_eq!((plan.adjacency(), cell.spec.blocks().nodes()), (Adjacency::Agent, 3));
        assert!(plan.claim().starts_with("eps 1 per agent and round, whole run"), "{}", plan.claim());
        for i in 0..3 {
            let clip = plan.clip(i).unwrap();
            assert_eq!(clip.bound as f64 / f64::from(clip.bits).exp2(), 2.0);
            assert_eq!(plan.cost(i), plan.joint_cost());
        }
        assert!(cell.event.contains("its wish; the reference and the signals are public"), "{}", cell.event);
    }
}

#[test]
fn what_cannot_keep_the_promise_is_refused_by_its_key() {
    let unclipped = TRACKING.replace("epsilon = 1.0\nclip = 2.0", "level = 1.0").replace("discrete-", "");
    for (text, overrides, key, words) in [
        (SAMPLES, &[][..], "privacy.adjacency", "use \"round\" or \"example\""),
        (TRACKING, &["problem.feedback='two-point'"], "problem.feedback", "only a gradient tells"),
        (TRACKING, &["privacy.adjacency='agents'"], "privacy.adjacency", "agent"),
        (TRACKING, &["privacy.adjacency='example'"], "privacy.adjacency", "use \"round\" or \"agent\""),
        (TRACKING, &["privacy.grid=48"], "privacy.grid", "use at most"),
        (
            &unclipped,
            &["privacy.decide='private'", "algorithm.name='dpsda-c'"],
            "privacy.adjacency",
            "use adjacency = \"round\"",
        ),
    ] {
        let error = match cell(text, overrides) {
            Ok(_) => panic!("{overrides:?} was taken"),
            Err(error) => error.to_string(),
        };
        assert!(error.starts_with(key) && error.contains(words), "{overrides:?}: {error}");
    }
    assert!(cell(&unclipped, &[]).is_ok());
}
