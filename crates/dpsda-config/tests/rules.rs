//! `rules`: which meaning a file has, and that it never changes under its number.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use dpsda::learner::ALGORITHMS;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::rng::Generator;
use dpsda::{Error, Keys};
use dpsda_config::{RULES, ResolvedData, Resolver, Rules, RunConfig, sweep};

/// Seven features, and the rules of a file that states none.
struct Plain(Rules);

impl Resolver for Plain {
    fn read(&self, path: &str) -> Result<String, Error> {
        Err(Error::data(path, "no files here"))
    }

    fn data(&self, _name: &str, _problem: &Keys<'_>) -> Result<ResolvedData, Error> {
        Ok(ResolvedData { dim: 7, samples: None, handle: 0 })
    }

    fn unstated(&self) -> Rules {
        self.0
    }
}

const FILE: &str = r#"
rounds = 3
[problem]
loss = "squared"
data = "any"
[set]
kind = "free"
[network]
graph = "paper-fig2"
[algorithm]
name = "dpsda-r"
"#;

fn runs(overrides: &[&str], unstated: Rules) -> Result<Vec<RunConfig>, Error> {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    sweep::runs(&sweep::parse(FILE, &overrides).unwrap(), &Plain(unstated))
}

#[test]
fn a_file_states_its_rules_and_one_that_does_not_has_those_that_its_reader_says() {
    for unstated in RULES {
        assert_eq!(runs(&[], *unstated).unwrap()[0].rules, *unstated);
        for stated in RULES {
            let runs = runs(&[&format!("rules={}", stated.number())], *unstated).unwrap();
            assert_eq!((runs.len(), runs[0].rules), (1, *stated));
        }
    }
}

#[test]
fn rules_that_nobody_knows_are_named_with_what_would_be_right() {
    for (found, remedy) in [
        ("0", "expected 1 or 2"),
        ("3", "expected 1 or 2"),
        ("-1", "expected 1 or 2"),
        ("2.0", "expected 1 or 2"),
        ("\"2\"", "expected 1 or 2"),
        ("true", "expected 1 or 2"),
        ("4294967298", "expected 1 or 2"),
        ("[1, 2]", "a file has one version"),
        ("[]", "a file has one version"),
    ] {
        let error = runs(&[&format!("rules={found}")], Rules::NEWEST).err().unwrap().to_string();
        assert!(error.starts_with(&format!("rules = {found}: ")) && error.contains(remedy), "{error}");
    }
    let error = runs(&["rule=2"], Rules::NEWEST).err().unwrap().to_string();
    assert!(error.contains("did you mean `rules`?"), "{error}");
}

#[test]
fn a_text_states_its_rules_once_and_keeps_its_own() {
    let stated = Rules::Second.stated(FILE).unwrap();
    assert_eq!(stated, format!("rules = 2\n{FILE}"));
    assert_eq!(Rules::First.stated(&stated).unwrap(), stated);
    assert_eq!(Rules::First.stated("\u{feff}# mine\nseed = 1").unwrap(), "rules = 1\n# mine\nseed = 1");
    assert!(Rules::First.stated("seed = ").is_err());
    let mut table = sweep::parse(FILE, &[]).unwrap();
    Rules::First.state(&mut table);
    Rules::Second.state(&mut table);
    assert_eq!(table["rules"].as_integer(), Some(1));
}

#[test]
fn every_number_has_its_rules_and_each_says_of_the_same_things_how_they_are() {
    for rules in RULES {
        assert_eq!(Rules::of(rules.number()), Some(*rules));
        assert_eq!(rules.name(), rules.number().to_string());
        let names = |rules: Rules| rules.about().iter().map(|key| key.name).collect::<Vec<_>>();
        assert_eq!(names(*rules), names(RULES[0]));
    }
    assert_eq!(RULES.last(), Some(&Rules::NEWEST));
    assert_eq!([Rules::of(0), Rules::of(3)], [None, None]);
    // Rules 1 never change. Rules 2 differ in the numbers that a seed gives.
    assert_eq!(
        RULES.iter().map(|r| r.generator()).collect::<Vec<_>>(),
        [Generator::First, Generator::Second]
    );
    for rules in RULES {
        assert_eq!((rules.step(), rules.about()[0].about), (1.0, "when left out: 1.0"));
        assert!(MECHANISMS.iter().all(|listing| rules.mechanism(listing.name) == listing.name));
    }
}

/// All that a run computes from.
fn meaning(run: &RunConfig) -> String {
    let plan = run.spec.plan();
    format!(
        "{} {:?} {:?} {} {:?} {:?} {:?} {} {:?} {}",
        run.spec.algorithm().name(),
        run.spec.step(),
        run.split,
        run.spec.plan().mechanism().name(),
        plan.scale(),
        plan.unit(),
        plan.epsilon(),
        plan.delta(),
        plan.statement(),
        plan.claim()
    )
}

#[test]
fn both_rules_mean_the_same_but_for_random_numbers() {
    let mut compared = 0;
    for algorithm in ALGORITHMS {
        for mechanism in MECHANISMS {
            for how in ["privacy.level=1.0", "privacy.epsilon=1.0"] {
                let [name, noise] = [
                    format!("algorithm.name={}", algorithm.name),
                    format!("privacy.mechanism={}", mechanism.name),
                ];
                let keys = [&name, &noise, how, "privacy.delta=1e-5", "privacy.clip=1.0"];
                let read = |rules| {
                    let runs = runs(&keys, rules).map_err(|error| error.to_string())?;
                    Ok::<_, String>(runs.iter().map(meaning).collect::<Vec<_>>())
                };
                assert_eq!(read(Rules::First), read(Rules::Second), "{keys:?}");
                compared += usize::from(read(Rules::First).is_ok());
            }
        }
    }
    assert!(compared > 40, "{compared}");
}
