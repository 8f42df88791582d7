//! A damaged store is refused and left unchanged.

use std::fs;

use dpsda::rng::{Purpose, Seed};
use dpsda_node::store::disk::{self, Disk};
use dpsda_node::store::{Store, StoreError};
use rand::RngExt;

use crate::node::Setting;

/// The releases in the damaged store.
const RELEASES: u64 = 5;

/// Opens a file with these bytes. Either it is refused and stays unchanged, or its record is one of the given true records
/// (newest last).
pub(crate) fn is_refused(setting: &Setting, bytes: &[u8], truth: &[Vec<u8>]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("releases.redb");
    fs::write(&file, bytes).unwrap();
    if let Ok(book) = disk::ledger(folder.path())
        && book.verify().is_ok()
    {
        let oldest = RELEASES + 1 - truth.len() as u64;
        let said = book.last().map_or(0, |last| last.releases);
        assert!((oldest..=RELEASES).contains(&said), "a whole ledger of {said} releases");
    }
    let opened = Disk::open(folder.path(), setting.keeping(0, 100)).and_then(|mut disk| disk.last());
    match opened {
        Ok(last) => {
            let last = postcard::to_stdvec(&last.unwrap()).unwrap();
            assert!(truth.contains(&last), "it says something else");
            false
        }
        Err(error) => {
            assert!(error.to_string().contains("releases.redb"), "{error}");
            assert!(matches!(error, StoreError::Damaged { .. } | StoreError::File { .. }), "{error}");
            assert!(fs::read(&file).unwrap() == bytes, "a damaged store was changed: {error}");
            true
        }
    }
}

/// A store that was closed properly, and its last two records.
pub(crate) fn whole(setting: &Setting) -> (Vec<u8>, [Vec<u8>; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Disk::open(folder.path(), setting.keeping(0, 100)).unwrap();
    let mut machine = setting.start(0, None);
    let records = [RELEASES - 1, 1].map(|rounds| {
        let last = setting.run(&mut machine, &mut store, rounds).unwrap();
        postcard::to_stdvec(&last).unwrap()
    });
    drop(store);
    (fs::read(folder.path().join("releases.redb")).unwrap(), records)
}

#[test]
fn a_file_that_was_cut_short_is_refused() {
    let setting = Setting::new("toeplitz", 8);
    let (bytes, truth) = whole(&setting);
    assert!(!is_refused(&setting, &bytes, &truth[1..]));
    let cuts = (0..40).map(|k| k * bytes.len() / 40).chain([1, 9, 100, 511, 4096, bytes.len() - 1]);
    for cut in cuts {
        assert!(is_refused(&setting, &bytes[..cut], &truth[1..]), "{cut} of {} bytes", bytes.len());
    }
    for other in [&b"no store"[..], &[0; 8192]] {
        assert!(is_refused(&setting, other, &truth[1..]));
    }
}

#[test]
fn a_flipped_byte_is_refused_or_does_not_matter() {
    let setting = Setting::new("toeplitz", 8);
    let (bytes, truth) = whole(&setting);
    let mut rng = Seed::default().stream(Purpose::Outage, 0, 0);
    let used: Vec<usize> = (0..bytes.len()).filter(|k| bytes[*k] != 0).collect();
    let mut refused = 0;
    for k in 0..300 {
        // The header byte by byte, then anything that is not empty.
        let at = if k < 100 { k } else { used[rng.random_range(0..used.len())] };
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << rng.random_range(0..8);
        refused += u32::from(is_refused(&setting, &damaged, &truth[1..]));
    }
    assert!(refused > 30, "only {refused} of 300 flips were noticed");
}
