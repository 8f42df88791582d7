//! The folder: whose it is, who is in it, and that it is not lost in silence.

use std::fs;
use std::path::Path;

use dpsda_node::store::disk::{self, Disk, Keeping};
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

#[test]
fn one_at_a_time() {
    let setting = Setting::new("discrete-gaussian", 8);
    let folder = tempfile::tempdir().unwrap();
    begun(&setting, folder.path());
    let mut held = Disk::open(folder.path(), setting.keeping(0, 100)).unwrap();
    let error = refused(folder.path(), setting.keeping(0, 100));
    assert!(matches!(error, StoreError::Locked(_)), "{error}");
    assert!(error.to_string().contains("another process"), "{error}");
    // Whoever only wants to know what was spent need not stop the node, nor does it notice.
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

/// A slip in a path would look like a store that was lost, and cost an epoch.
#[test]
fn no_store_is_begun_among_files_of_others() {
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
fn a_store_that_is_gone_is_missed() {
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
