use std::path::Path;

use dpsda_data::Prepared;

use super::pledge::OLD_SEEDED;
use super::*;

const EXPERIMENT: &str = r#"
rounds = 20
[problem]
loss = "squared"
data = "synthetic-regression"
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
nodes = 3
graph = "ring"
[algorithm]
name = "dpsda-r"
[privacy]
mechanism = "discrete-gaussian"
epsilon = 1.0
delta = 1e-5
clip = 1.0
"#;

fn run(overrides: &[&str]) -> RunConfig {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    Prepared::load(EXPERIMENT, &overrides, Path::new("")).unwrap().runs.swap_remove(0)
}

fn identity(k: u8) -> Identity {
    Identity::from_secret([k + 1; 32])
}

fn manifest() -> Manifest {
    let run = run(&[]);
    let member = |(k, size): (usize, usize)| Member {
        name: format!("node-{k}"),
        key: identity(k as u8).public(),
        coordinates: size as u64,
    };
    Manifest {
        name: "test".into(),
        epoch: 1,
        needs: 2,
        experiment: EXPERIMENT.into(),
        promise: Pledge::of(&run),
        member: run.spec.blocks().sizes().into_iter().enumerate().map(member).collect(),
    }
}

fn signed(by: &[u8]) -> Signed {
    let mut signed = Signed::new(manifest());
    by.iter().for_each(|k| signed.sign(&identity(*k)).unwrap());
    signed
}

#[test]
fn a_node_runs_what_enough_members_signed_and_nothing_else() {
    let run = run(&[]);
    let admit = |signed: &Signed, k| signed.admit(&identity(k).public(), &run);
    assert_eq!(admit(&signed(&[0, 1]), 1), Ok(1));
    assert_eq!(admit(&signed(&[0, 2, 0]), 1), Ok(1), "its own signature is not asked for, one counts once");
    let few = admit(&signed(&[2]), 1).unwrap_err().to_string();
    assert!(few.contains("1 of 2") && few.contains("node-0, node-1"), "{few}");
    assert!(matches!(admit(&signed(&[0, 1]), 7), Err(Unfit::NotAMember(_))));
    assert!(matches!(signed(&[]).sign(&identity(9)), Err(Unfit::NotAMember(_))));
    let mut changed = signed(&[0, 1]);
    changed.manifest.epoch = 2;
    assert_eq!(admit(&changed, 0), Err(Unfit::BadSignature("node-0".into())));
    assert_eq!((changed.signers(), changed.outdated()), ([].into(), [0, 1].into()));
    changed.sign(&identity(1)).unwrap();
    assert_eq!((changed.signers(), changed.outdated()), ([1].into(), [0].into()));
}

#[test]
fn a_promise_must_be_the_one_that_the_experiment_gives() {
    type Change = fn(&mut Manifest);
    let wrong: [(&str, Change); 6] = [
        ("promise.scale", |m| m.promise.scale /= 2.0),
        ("promise.epsilon: the manifest says 0.5, its experiment gives 0.99", |m| {
            m.promise.epsilon = Some(0.5)
        }),
        ("member.coordinates", |m| m.member[2].coordinates += 1),
        ("member", |m| _ = m.member.pop()),
        ("needs", |m| m.needs = 4),
        ("name", |m| m.member[0].name = "node-1".into()),
    ];
    for (what, change) in wrong {
        let mut manifest = manifest();
        change(&mut manifest);
        let mut signed = Signed::new(manifest);
        [0, 1].iter().for_each(|k| signed.sign(&identity(*k)).unwrap());
        let error = signed.admit(&identity(0).public(), &run(&[])).unwrap_err().to_string();
        assert!(error.contains(what), "{what}: {error}");
    }
    let other = signed(&[0, 1]).admit(&identity(0).public(), &run(&["privacy.epsilon=2.0"])).unwrap_err();
    assert!(matches!(other, Unfit::Pledge { what: "promise.scale", .. }), "{other}");
    assert!(!other.to_string().contains('{'), "{other}");
}

#[test]
fn promises_are_compared_by_numbers_and_never_by_words() {
    let given = Pledge::of(&run(&[]));
    let words: [fn(&mut Pledge); 4] = [
        |p| p.claim = "in other words".into(),
        |p| p.mechanism = "as it was called before".into(),
        |p| p.scale *= 1.0 + 1e-13,
        |p| p.epsilon = p.epsilon.map(|epsilon| epsilon * (1.0 - 1e-13)),
    ];
    for change in words {
        let mut written = given.clone();
        change(&mut written);
        assert_eq!(written.differs(&given), None);
        let mut signed = Signed::new(Manifest { promise: written, ..manifest() });
        [0, 1].iter().for_each(|k| signed.sign(&identity(*k)).unwrap());
        assert_eq!(signed.admit(&identity(0).public(), &run(&[])), Ok(0));
    }
    type Change = fn(&mut Pledge);
    let numbers: [(&str, Change); 7] = [
        ("promise.adjacency", |p| p.adjacency = "example".into()),
        ("promise.adjacency", |p| p.adjacency = "agent".into()),
        ("promise.scale", |p| p.scale *= 1.001),
        ("promise.unit", |p| p.unit *= 2.0),
        ("promise.epsilon", |p| p.epsilon = None),
        ("promise.epsilon", |p| p.epsilon = Some(f64::NAN)),
        ("promise.delta", |p| p.delta = 1e-6),
    ];
    for (key, change) in numbers {
        let mut written = given.clone();
        change(&mut written);
        assert_eq!(written.differs(&given).map(|(key, ..)| key), Some(key));
    }
}

/// Old stores said it in words alone.
#[test]
fn seeded_noise_promises_nothing_also_in_old_stores() {
    let secret = Pledge::of(&run(&[]));
    let before = Pledge { claim: OLD_SEEDED.into(), ..secret.clone() };
    let now = secret.clone().seeded();
    assert_eq!((now.scale, now.epsilon), (0.0, None));
    assert_eq!(before.differs(&now), None);
    assert_eq!(now.differs(&secret).map(|(key, ..)| key), Some("promise.scale"));
    assert_eq!(secret.differs(&before).map(|(key, ..)| key), Some("promise.scale"));
}

#[test]
fn a_file_is_read_back_and_errors_name_the_place() {
    let signed = signed(&[0, 1, 2]);
    let text = signed.write().unwrap();
    assert_eq!(Signed::read(&text).unwrap(), signed);
    assert_eq!(Signed::read(&text).unwrap().manifest.digest(), signed.manifest.digest());
    for (from, to, words) in [
        ("epoch = 1", "epoch = -1", "epoch"),
        ("needs = 2", "neds = 2", "neds"),
        ("coordinates = 7", "coordinates = \"x\"", "coordinates"),
    ] {
        assert!(text.contains(from), "{text}");
        let error = Signed::read(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn differences_are_listed_for_people() {
    let (ours, mut theirs) = (manifest(), manifest());
    assert_eq!(differences(&ours, &theirs), [""; 0]);
    theirs.epoch = 2;
    theirs.experiment = EXPERIMENT.replace("epsilon = 1.0", "epsilon = 2.0");
    theirs.member[1].key = identity(5).public();
    let found = differences(&ours, &theirs);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.contains(&"epoch: 1 here, 2 there".to_owned()));
    assert!(found.contains(&"experiment.privacy.epsilon: 1.0 here, 2.0 there".to_owned()));
    assert!(found.iter().any(|line| line.starts_with("member.1.key:")));
    theirs = manifest();
    theirs.experiment.push('\n');
    assert_eq!(differences(&ours, &theirs).len(), 1, "written differently");
}

/// The manifest of a member that runs another is anybody's text, and comes before anything of it is verified.
#[test]
fn the_list_of_differences_is_short_whatever_the_other_manifest_holds() {
    let ours = manifest();
    let key = "k".repeat(500_000);
    let lines: String = (0..60_000).map(|k| format!("a{k} = 1\n")).collect();
    let other = Manifest { experiment: format!("[{key}]\n{lines}"), ..manifest() };
    let long = Manifest { name: "n".repeat(500_000), ..manifest() };
    let longer = Manifest { name: "n".repeat(500_001), ..manifest() };
    for (ours, theirs) in [(&ours, &other), (&ours, &long), (&long, &longer)] {
        let lines = differences(ours, theirs);
        assert!((1..=65).contains(&lines.len()), "{} lines", lines.len());
        assert!(lines.iter().all(|line| line.len() < 1000), "{lines:?}");
    }
    assert!(differences(&long, &longer)[0].contains("500003 bytes"));
}
