//! What baselines read of a file, and what they refuse.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use dpsda::learner::{ALGORITHMS, Noises};
use dpsda::{Error, Keys};
use dpsda_config::{ResolvedData, Resolver, RunConfig, sweep};

struct Nothing;

impl Resolver for Nothing {
    fn read(&self, path: &str) -> Result<String, Error> {
        Err(Error::data(path, "no files here"))
    }

    fn data(&self, _name: &str, _problem: &Keys<'_>) -> Result<ResolvedData, Error> {
        Ok(ResolvedData { dim: 7, samples: None, handle: 0 })
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
name = "dpps"
[privacy]
mechanism = "laplace"
level = 1.0
"#;

fn runs(overrides: &[&str]) -> Result<Vec<RunConfig>, Error> {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    sweep::runs(&sweep::parse(FILE, &overrides).unwrap(), &Nothing)
}

fn names(noises: Noises) -> impl Iterator<Item = String> {
    let all = ALGORITHMS.iter().filter(move |a| a.build.facts.noises == noises);
    all.map(|a| format!("algorithm.name='{}'", a.name))
}

#[test]
fn what_never_noises_runs_once_in_a_sweep_over_levels_and_says_none() {
    for name in names(Noises::Nothing) {
        for sweep in ["privacy.level=[inf, 1.0, 0.5]", "privacy.mechanism=['laplace', 'gaussian', 'none']"] {
            let [run] = &runs(&[&name, sweep]).unwrap()[..] else { panic!("{name} {sweep}: one run") };
            assert_eq!(
                (run.spec.plan().mechanism().name(), run.level, run.settings.len()),
                ("none", None, 0),
                "{name} {sweep}"
            );
            assert_eq!(run.spec.plan().claim(), "no privacy: nothing is noised");
        }
    }
    for name in names(Noises::Messages) {
        assert_eq!(runs(&[&name, "privacy.level=[inf, 1.0, 0.5]"]).unwrap().len(), 3, "{name}");
        // What only others read is passed over, and does not make runs differ.
        let ignored = ["privacy.noise=['own', 'all']", "privacy.decide=['published', 'private']"];
        assert_eq!(runs(&[&name, ignored[0], ignored[1]]).unwrap().len(), 1, "{name}");
    }
}

#[test]
fn what_would_promise_something_is_refused_by_its_key() {
    let epsilon = ["privacy.epsilon=1.0", "privacy.clip=1.0"];
    for name in names(Noises::Messages) {
        for (keys, key) in [
            (&["privacy.clip=1.0"][..], "privacy.clip = 1"),
            (&["privacy.mechanism='discrete-laplace'"], "privacy.mechanism = \"discrete-laplace\""),
            (&["privacy.mechanism='tree'"], "privacy.mechanism = \"tree\""),
            (&["privacy.adjacency='example'"], "privacy.adjacency = \"example\""),
            (&["privacy.adjacency='agent'"], "privacy.adjacency = \"agent\""),
            (&["privacy.arithmetic='grid'"], "privacy.arithmetic = \"grid\""),
            (&["privacy.grid=20"], "privacy.grid = 20"),
            (&["privacy.budget={ event = 1.0 }"], "privacy.budget"),
        ] {
            let overrides: Vec<&str> = [name.as_str()].iter().chain(keys).copied().collect();
            let error =
                runs(&overrides).err().unwrap_or_else(|| panic!("{name} {keys:?} was taken")).to_string();
            assert!(error.starts_with(key) && error.contains('('), "{name}: {error}");
        }
        let text = FILE.replace("level = 1.0", "");
        let overrides: Vec<String> = [&name, epsilon[0], epsilon[1]].map(String::from).to_vec();
        let error =
            sweep::runs(&sweep::parse(&text, &overrides).unwrap(), &Nothing).err().unwrap().to_string();
        assert!(error.starts_with("privacy.epsilon = 1.0:") && error.contains("use `level`"), "{error}");
    }
    for name in names(Noises::Nothing) {
        let error = runs(&[&name, "privacy.budget={ event = 1.0 }"]).err().unwrap().to_string();
        assert!(error.starts_with("privacy.budget") && error.contains("never noises"), "{error}");
        let text = FILE.replace("level = 1.0", "");
        let overrides: Vec<String> = [&name, epsilon[0], epsilon[1]].map(String::from).to_vec();
        let found = sweep::runs(&sweep::parse(&text, &overrides).unwrap(), &Nothing).unwrap();
        assert_eq!(found[0].spec.plan().mechanism().name(), "none", "a reference beside any file: {name}");
    }
}

/// Beside algorithms with an epsilon they run once, without noise, and every claim says so.
#[test]
fn what_never_noises_is_the_noise_free_reference_of_a_sweep_over_epsilons() {
    let text = FILE.replace("level = 1.0", "").replace("\"laplace\"", "\"discrete-laplace\"");
    for algorithm in ALGORITHMS.iter().filter(|a| a.build.facts.noises == Noises::Nothing) {
        let both = format!("algorithm.name=['dpsda-r', '{}']", algorithm.name);
        let overrides = [&both, "privacy.epsilon=[1.0, 2.0]", "privacy.clip=1.0"].map(String::from);
        let found = sweep::runs(&sweep::parse(&text, &overrides).unwrap(), &Nothing).unwrap();
        let (noised, reference): (Vec<_>, Vec<_>) =
            found.iter().partition(|run| run.spec.algorithm().name() == "dpsda-r");
        assert!(noised.len() == 2 && noised.iter().all(|run| run.spec.plan().claim().starts_with("eps ")));
        assert!(noised.iter().all(|run| run.warnings.is_empty()));
        let [reference] = reference[..] else { panic!("{} runs once", algorithm.name) };
        assert_eq!(reference.spec.plan().claim(), "no privacy: nothing is noised");
        assert_eq!(reference.spec.plan().epsilon(), None);
        let [warning] = &reference.warnings[..] else { panic!("{:?}", reference.warnings) };
        assert!(warning.starts_with("privacy.epsilon: ") && warning.ends_with("protects nothing"));
    }
}

/// In the algorithm's own table the key is a mistake, whether the algorithm runs or not. In a common table it is for the others.
#[test]
fn a_key_that_does_nothing_for_an_algorithm_is_refused_in_its_own_table() {
    let level = ["privacy.mechanism='none'", "privacy.level=inf"];
    let links = ["dpsda-c", "dpsda-ps", "oda-c", "oda-ps"];
    for algorithm in ALGORITHMS {
        let name = algorithm.name;
        let own = [
            ("weights", "'push-sum'", algorithm.build.facts.mixes.is_some()),
            ("links", "'naive'", links.contains(&name)),
        ];
        for (key, value, used) in own {
            let setting = format!("algorithm.{name}.{key}={value}");
            for named in [name, "dpsda-ps"] {
                let named = format!("algorithm.name='{named}'");
                let error = runs(&[&named, &setting, level[0], level[1]]).err().map(|e| e.to_string());
                let refused = error.as_ref().is_some_and(|e| e.contains("does nothing"));
                assert_eq!(refused, !used, "{named} {setting}: {error:?}");
                let value = value.replace('\'', "\"");
                let start = format!("algorithm.{name}.{key} = {value}: {name} ");
                assert!(
                    used || error.as_ref().is_some_and(|e| e.starts_with(&start) && e.contains("(remove it")),
                    "{error:?}"
                );
            }
            // Alone it refuses a common key that is not for it. Beside an algorithm that uses the key, the key counts there.
            let common =
                format!("algorithm.{key}={}", if key == "links" { "'naive'" } else { "'metropolis'" });
            if !used {
                let error = runs(&[&format!("algorithm.name='{name}'"), &common]).err().unwrap().to_string();
                assert!(
                    error.contains(&format!("`algorithm.{key}` is a key of algorithm.name = \"dpsda-c\"")),
                    "{error}"
                );
                assert!(
                    runs(&[&format!("algorithm.name=['{name}', 'dpsda-c']"), &common]).is_ok(),
                    "{name} {key}"
                );
            }
        }
    }
    let short = runs(&["algorithm.name='dpsda-r'", "network.weights='uniform'"]).err().unwrap().to_string();
    assert!(short.starts_with("`network.weights` is a key of algorithm.name"), "{short}");
}

/// The remedy is right for a file with one algorithm and for one with several.
#[test]
fn late_lost_and_untold_name_what_to_remove_and_who_could() {
    for algorithm in ALGORITHMS.iter().filter(|a| a.build.facts.style.splits_costs()) {
        let alone = format!("algorithm.name='{}'", algorithm.name);
        let beside = format!("algorithm.name=['dpsda-r', '{}']", algorithm.name);
        let lost = "network.loss={ kind = 'bernoulli', rate = 0.1, known = false }";
        let delay = "network.delay={ kind = 'fixed', rounds = 2 }";
        for names in [&alone, &beside] {
            let refused = |key: &str| runs(&[names, key]).err().unwrap().to_string();
            let error = refused(delay);
            let able = "dpsda-c or dpsda-ps or dpsda-r";
            assert!(
                error.starts_with("network.delay = ") && error.contains("(remove the delay, or use dpsda-c"),
                "{error}"
            );
            assert!(error.contains(able) && !error.contains("dpcda"), "one learner hears nobody: {error}");
            let error = refused("problem.feedback='two-point'");
            assert!(
                error.starts_with("problem.feedback = ") && error.contains("(remove the feedback, or use"),
                "{error}"
            );
            assert!(error.contains(able) && error.contains("dpcda"), "{error}");
            let error = refused(lost);
            assert!(error.starts_with("network.loss = ") && error.contains("(remove "), "{error}");
        }
    }
}

/// In a file with others they run, and a warning says that there is nothing to draw for them.
#[test]
fn recorded_bounds_are_missed_aloud_where_none_is_known() {
    for algorithm in ALGORITHMS {
        let name = format!("algorithm.name=['dpsda-r', '{}']", algorithm.name);
        let found = runs(&[&name, "record=['bounds']"]).unwrap();
        let warned = |run: &RunConfig| {
            run.warnings.iter().any(|w| w.starts_with("record = [\"bounds\"]: no bound is known for"))
        };
        for run in &found {
            assert!(run.record_bounds);
            assert_eq!(warned(run), run.spec.style().splits_costs(), "{name}");
        }
    }
}

#[test]
fn dpsr_and_dp_wb_run_on_the_union_of_a_period_and_refuse_what_has_none() {
    for name in ["algorithm.name='dpsr'", "algorithm.name='dp-wb'"] {
        let net = runs(&[name]).unwrap().remove(0).spec.network().unwrap().clone();
        let given = runs(&["algorithm.name='dpps'"]).unwrap().remove(0).spec.network().unwrap().clone();
        let mut all: Vec<_> =
            (0..4).flat_map(|t| given.topology.graph(t).links().collect::<Vec<_>>()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 14);
        for t in 0..6 {
            assert_eq!(net.topology.graph(t).links().collect::<Vec<_>>(), all, "{name} round {t}");
        }
        let moving = "network.graph='geometric'";
        let error = runs(&[name, "network.nodes=7", moving]).err().unwrap().to_string();
        assert!(error.starts_with("network.graph = ") && error.contains("no period"), "{error}");
        let error =
            runs(&[name, "network.loss={ kind = 'bernoulli', rate = 0.1 }"]).err().unwrap().to_string();
        assert!(error.starts_with("network.loss = ") && error.contains("always there"), "{error}");
    }
}

#[test]
fn weights_that_are_not_doubly_stochastic_are_refused_where_they_must_be() {
    for (name, weights, taken) in [
        ("doda", "metropolis", true),
        ("doda", "uniform", false),
        ("dpdola", "row", false),
        ("dpdola", "push-sum", false),
        ("dpps", "row", false),
        ("dpsr", "row", true),
        ("dpsr", "push-sum", false),
        ("dpsda-ps", "row", false),
    ] {
        let overrides = [format!("algorithm.name='{name}'"), format!("algorithm.weights='{weights}'")];
        let found = runs(&[&overrides[0], &overrides[1]]);
        assert_eq!(found.is_ok(), taken, "{name} with {weights}: {:?}", found.err());
    }
}

#[test]
fn whoever_knows_no_set_is_warned_of_one() {
    for algorithm in ALGORITHMS {
        let name = format!("algorithm.name='{}'", algorithm.name);
        let ball = ["set.kind='ball'", "set.radius=2.0"];
        let on_ball = runs(&[&name, ball[0], ball[1]]).unwrap().remove(0).warnings;
        assert_eq!(on_ball.is_empty(), algorithm.build.facts.keeps_to_set, "{name}: {on_ball:?}");
        assert!(runs(&[&name]).unwrap().remove(0).warnings.is_empty(), "{name} on a free set");
    }
}
