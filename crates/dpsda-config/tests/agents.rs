//! `privacy.adjacency = "agent"` in a file: what it promises, and what is refused by its key.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use dpsda::cost::NumberTable;
use dpsda::privacy::plan::Adjacency;
use dpsda::{Error, Keys};
use dpsda_config::{ResolvedData, ResolvedTable, Resolver, RunConfig, sweep};

/// A table of four rounds: a reference and the wishes of three agents.
struct Wishes;

impl Resolver for Wishes {
    fn read(&self, path: &str) -> Result<String, Error> {
        Err(Error::data(path, "no files here"))
    }

    fn table(&self, path: &str) -> Result<ResolvedTable, Error> {
        let columns = ["wind", "anna", "ben", "carla"].map(String::from).to_vec();
        let numbers = NumberTable::new(path, columns, vec![vec![3.0, 1.0, 1.0, 0.5]; 4])?;
        Ok(ResolvedTable { numbers, sha256: "any".into() })
    }

    fn data(&self, _name: &str, _problem: &Keys<'_>) -> Result<ResolvedData, Error> {
        Ok(ResolvedData { dim: 3, samples: None, handle: 0 })
    }
}

/// The settings that the simulator's test of ledgers has too.
const TRACKING: &str = include_str!("agents.toml");

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

fn run(text: &str, overrides: &[&str]) -> Result<RunConfig, Error> {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    sweep::runs(&sweep::parse(text, &overrides).unwrap(), &Wishes).map(|mut runs| runs.remove(0))
}

#[test]
fn every_agent_has_the_whole_epsilon_and_the_whole_clip() {
    for algorithm in ["dpsda-r", "dpsda-c", "dpsda-ps", "dpcda"] {
        let run = run(TRACKING, &[&format!("algorithm.name='{algorithm}'")]).unwrap();
        let plan = run.spec.plan();
        assert_eq!((plan.adjacency(), run.spec.blocks().nodes()), (Adjacency::Agent, 3));
        assert!(plan.claim().starts_with("eps 1 per agent and round, whole run"), "{}", plan.claim());
        for i in 0..3 {
            let clip = plan.clip(i).unwrap();
            assert_eq!(clip.bound as f64 / f64::from(clip.bits).exp2(), 2.0);
            assert_eq!(plan.cost(i), plan.joint_cost());
        }
        assert!(run.event.contains("; the reference and the signals are public"), "{}", run.event);
    }
}

#[test]
fn what_cannot_keep_the_promise_is_refused_by_its_key() {
    let unclipped = TRACKING
        .replace("epsilon = 1.0\ndelta = 1e-5\nclip = 2.0", "level = 1.0")
        .replace("discrete-", "")
        .replace("budget", "# budget");
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
        let error = match run(text, overrides) {
            Ok(_) => panic!("{overrides:?} was taken"),
            Err(error) => error.to_string(),
        };
        assert!(error.starts_with(key) && error.contains(words), "{overrides:?}: {error}");
    }
    assert!(run(&unclipped, &[]).is_ok());
}

#[test]
fn a_wrong_key_or_value_is_named_with_its_remedy() {
    for (text, overrides, words) in [
        (
            TRACKING,
            &["privacy.epsilon='inf'"][..],
            &["privacy.epsilon = \"inf\": expected a number (write it without quotes)"][..],
        ),
        (
            TRACKING,
            &["privacy.epsilon=inf"],
            &["privacy.budget", "epsilon = inf adds no noise", "`event` from the budget"],
        ),
        (TRACKING, &["dynamic=4"], &["dynamic = 4: expected a table: { segments = 4 }"]),
        (TRACKING, &["dynamic={path='s.csv', borders=4}"], &["dynamic.borders = 4", "remove this key"]),
        (TRACKING, &["dynamic={path='s.csv'}"], &["s.csv, row 1", "begin with 0"]),
        (TRACKING, &["dynamic={segmnts=4}"], &["unknown key `dynamic.segmnts`", "did you mean `segments`?"]),
        (TRACKING, &["problem.path=' '"], &["problem.path = \" \": expected the path of a file"]),
        (
            TRACKING,
            &["problem.refrence='wind'"],
            &["unknown key `problem.refrence`", "did you mean `reference`?"],
        ),
        (
            TRACKING,
            &["problem.reference='wnd'"],
            &[
                "problem.reference = \"wnd\": wishes.csv has no such column (did you mean `wind`? Its columns: wind, anna",
            ],
        ),
        (
            TRACKING,
            &["problem.experts=3"],
            &["`problem.experts` is a key of problem.cost = \"expert\"", "Known here: ", "discomfort"],
        ),
        (TRACKING, &["problem.batch=3"], &["`problem.batch` is a key of problem.cost = \"samples\""]),
        (
            TRACKING,
            &["problem.start=[1e308]", "problem.gains=[9.0, 9.0, 9.0]"],
            &["problem.start", "too large"],
        ),
        (
            SAMPLES,
            &["problem.scale={uper=3}"],
            &["unknown key `problem.scale.uper`", "did you mean `upper`?"],
        ),
        (
            SAMPLES,
            &["problem={cost='expert',experts=1000}", "privacy.adjacency='round'", "rounds=2000000"],
            &["rounds = 2000000: 1000 numbers would be drawn for every round (use at most 1073741 rounds)"],
        ),
        (
            SAMPLES,
            &["problem={cost='portfolio',assets=1000000000}"],
            &["problem.assets = 1000000000: expected at least 1 and at most 134217728"],
        ),
        (
            SAMPLES,
            &["problem={cost='expert',columns=['anna'],experts=3}"],
            &["problem.columns", "name the file as `path`"],
        ),
    ] {
        let error = run(text, overrides).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(words.iter().all(|word| error.contains(word)), "{overrides:?}: {error}");
    }
}

#[test]
fn columns_are_chosen_by_name_and_numbers_that_look_wrong_are_told() {
    let simplex = ["set={kind='simplex'}", "privacy.adjacency='round'", "network.nodes=1"];
    let named = |problem: &str| run(TRACKING, &[&[problem], &simplex[..]].concat()).unwrap();
    let experts = named("problem={cost='expert',path='any',columns=['carla','wind','anna']}");
    let used = experts.problem.model().unwrap().columns();
    assert_eq!(used[0].names, ["carla", "wind", "anna"]);
    assert_eq!((used[1].role, &used[1].names[..]), ("not used", &["ben".to_owned()][..]));
    let warned = |run: &RunConfig, word: &str| run.warnings.iter().any(|warning| warning.contains(word));
    assert!(!warned(&named("problem={cost='portfolio',path='any'}"), "prices"));
    let prices = named("problem={cost='portfolio',path='any',columns=['wind']}");
    assert!(warned(&prices, "problem.path: the mean of all numbers is far above 1"), "{:?}", prices.warnings);
}

#[test]
fn weights_of_nothing_are_told() {
    let warnings = |overrides: &[&str]| run(TRACKING, overrides).unwrap().warnings.join(" ");
    assert_eq!(warnings(&[]), "");
    assert!(
        warnings(&["problem.discomfort=0"]).starts_with("problem.discomfort = 0: no cost depends on a wish")
    );
    assert_eq!(warnings(&["problem.discomfort=0", "privacy.adjacency='round'"]), "");
    assert!(warnings(&["problem.discomfort=0", "problem.follow=0"]).contains("every cost is 0"));
}
