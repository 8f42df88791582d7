//! The folder of a store: it belongs to one node, only one process uses it at a time, and its loss is noticed.

use std::fs;
use std::path::Path;

use dpsda_config::Rules;
use dpsda_node::store::disk::{self, Disk, Keeping};
use dpsda_node::store::ledger::About;
use dpsda_node::store::{Store, StoreError};

use crate::node::Setting;

fn begun(setting: &Setting, folder: &Path) {
    let mut store = Disk::open(folder, setting.keeping(0, 100)).unwrap();
    setting.run(&mut setting.start(0, None), &mut store, 3);
}

fn refused(folder: &Path, keeping: Keeping) -> StoreError {
    Disk::open(folder, keeping).err().unwrap()
}

#[test]
fn a_store_of_another_node_or_another_run_is_refused_and_both_are_named() {
    let setting = Setting::new("toeplitz", 8);
    let folder = tempfile::tempdir().unwrap();
    begun(&setting, folder.path());
    let error = refused(folder.path(), setting.keeping(1, 100)).to_string();
    let keys = [0, 1].map(|k| Setting::identity(k).public().to_string());
    assert!(keys.iter().all(|key| error.contains(key)) && error.contains("folder"), "{error}");
    let mut keeping = setting.keeping(0, 100);
    keeping.about.manifest = [6; 32];
    let error = refused(folder.path(), keeping).to_string();
    assert!(error.contains(&"05".repeat(32)) && error.contains(&"06".repeat(32)), "{error}");
    assert_eq!(Disk::open(folder.path(), setting.keeping(0, 100)).unwrap().last().unwrap().unwrap().round, 2);
}

/// The settings of a store, changed.
fn changed(setting: &Setting, change: impl Fn(&mut About)) -> Keeping {
    let mut keeping = setting.keeping(0, 100);
    change(&mut keeping.about);
    keeping
}

#[test]
fn a_promise_in_other_words_is_accepted_and_the_chain_keeps_the_first_words() {
    let setting = Setting::new("toeplitz", 12);
    let folder = tempfile::tempdir().unwrap();
    begun(&setting, folder.path());
    let first = setting.keeping(0, 100).about;
    for round in 3..6 {
        let reworded = changed(&setting, |about| {
            about.promise.claim = format!("the same for the {round}th time");
            about.promise.scale *= 1.0 + 1e-14;
        });
        let mut store = Disk::open(folder.path(), reworded).unwrap();
        let last = store.last().unwrap();
        setting.run(&mut setting.start(0, last), &mut store, 1);
        drop(store);
        let book = disk::ledger(folder.path()).unwrap();
        assert_eq!((book.verify(), book.last().unwrap().round), (Ok(()), round));
        assert_eq!(book.about, first);
    }
}

#[test]
fn a_promise_with_other_numbers_is_refused() {
    let setting = Setting::new("toeplitz", 12);
    let folder = tempfile::tempdir().unwrap();
    begun(&setting, folder.path());
    type Change = fn(&mut About);
    let changes: [(&str, Change); 5] = [
        ("the promise", |about| about.promise.scale *= 2.0),
        ("the promise", |about| about.promise.epsilon = None),
        ("node.noise", |about| about.promise = about.promise.clone().seeded()),
        ("a budget of 9, and this node runs no limit", |about| about.budget.lifetime = None),
        ("rules 2, and this node runs 1", |about| about.rules = Rules::First),
    ];
    for (what, change) in changes {
        let error = refused(folder.path(), changed(&setting, change)).to_string();
        assert!(error.contains(what) && error.contains("its own folder"), "{error}");
    }
}

#[test]
fn a_store_states_its_rules_and_a_store_without_rules_has_rules_1() {
    let setting = Setting::new("discrete-gaussian", 8);
    for rules in [Rules::First, Rules::Second] {
        let folder = tempfile::tempdir().unwrap();
        let keeping = || changed(&setting, |about| about.rules = rules);
        let mut store = Disk::open(folder.path(), keeping()).unwrap();
        setting.run(&mut setting.start(0, None), &mut store, 2);
        drop(store);
        let book = disk::ledger(folder.path()).unwrap();
        assert_eq!((book.verify(), book.about.rules), (Ok(()), rules));
        assert_eq!(Disk::open(folder.path(), keeping()).unwrap().last().unwrap().unwrap().round, 1);
    }
}

#[test]
fn only_one_process_at_a_time_opens_a_store() {
    let setting = Setting::new("discrete-gaussian", 8);
    let folder = tempfile::tempdir().unwrap();
    begun(&setting, folder.path());
    let mut held = Disk::open(folder.path(), setting.keeping(0, 100)).unwrap();
    let error = refused(folder.path(), setting.keeping(0, 100));
    assert!(matches!(error, StoreError::Locked(_)), "{error}");
    assert!(error.to_string().contains("another process"), "{error}");
    // The ledger can be read while the node runs, and the node does not notice.
    let mut machine = setting.start(1, held.last().unwrap());
    for releases in 4..8 {
        setting.run(&mut machine, &mut held, 1);
        let book = disk::ledger(folder.path()).unwrap();
        assert_eq!((book.verify(), book.last().unwrap().releases), (Ok(()), releases));
    }
}

#[cfg(unix)]
#[test]
fn a_folder_is_made_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let setting = Setting::new("discrete-gaussian", 8);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made/for/it");
    begun(&setting, &path);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&path.join("releases.redb"))), (0o700, 0o600));
    let names: Vec<_> = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

/// A mistyped path would look like a lost store, and would cost an epoch.
#[test]
fn no_store_is_begun_among_other_files() {
    let setting = Setting::new("discrete-gaussian", 8);
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("lost+found")).unwrap();
    fs::write(folder.path().join("letters"), "").unwrap();
    let error = refused(folder.path(), setting.keeping(0, 100)).to_string();
    assert!(error.contains("\"letters\"") && error.contains("a folder of its own"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    fs::remove_file(folder.path().join("letters")).unwrap();
    begun(&setting, folder.path());
    fs::write(folder.path().join("letters"), "").unwrap();
    assert!(
        Disk::open(folder.path(), setting.keeping(0, 100)).is_ok(),
        "where a store is, it may have company"
    );
}

#[test]
fn a_lost_store_is_noticed() {
    let setting = Setting::new("discrete-gaussian", 8);
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(disk::ledger(folder.path()), Err(StoreError::Missing(_))));
    begun(&setting, folder.path());
    fs::remove_file(folder.path().join("releases.redb")).unwrap();
    let error = refused(folder.path(), setting.keeping(0, 100));
    assert!(matches!(error, StoreError::Gone(_)), "{error}");
    assert!(!folder.path().join("releases.redb").exists());
    fs::write(folder.path().join("releases.redb"), "").unwrap();
    let error = refused(folder.path(), setting.keeping(0, 100)).to_string();
    assert!(error.contains("empty"), "{error}");
}

#[test]
fn a_beginning_that_was_interrupted_is_begun_again() {
    let setting = Setting::new("discrete-gaussian", 8);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lock"), "").unwrap();
    fs::write(folder.path().join("releases.redb.new"), "half").unwrap();
    begun(&setting, folder.path());
    // Stopped between the move and the note: it is noted now.
    fs::write(folder.path().join("lock"), "").unwrap();
    drop(Disk::open(folder.path(), setting.keeping(0, 100)).unwrap());
    fs::remove_file(folder.path().join("releases.redb")).unwrap();
    assert!(matches!(refused(folder.path(), setting.keeping(0, 100)), StoreError::Gone(_)));
}
