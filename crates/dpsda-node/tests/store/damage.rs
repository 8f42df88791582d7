//! What is not as it was written is refused, and left as it is.

use std::fs;

use dpsda::rng::{Purpose, Seed};
use dpsda_node::store::disk::{self, Disk};
use dpsda_node::store::{Store, StoreError};
use rand::RngExt;

use crate::node::Setting;

/// Of the store that is damaged.
const RELEASES: u64 = 5;

/// Opens a file of these bytes: it is refused and stays as it is, or what it says is the truth.
pub(crate) fn is_refused(setting: &Setting, bytes: &[u8], truth: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("releases.redb");
    fs::write(&file, bytes).unwrap();
    if let Ok(book) = disk::ledger(folder.path())
        && book.verify().is_ok()
    {
        assert_eq!(book.last().map(|last| last.releases), Some(RELEASES), "a whole ledger of something else");
    }
    let opened = Disk::open(folder.path(), setting.keeping(0, 100)).and_then(|mut disk| disk.last());
    match opened {
        Ok(last) => {
            assert!(postcard::to_stdvec(&last.unwrap()).unwrap() == truth, "it says something else");
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

pub(crate) fn whole(setting: &Setting) -> (Vec<u8>, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Disk::open(folder.path(), setting.keeping(0, 100)).unwrap();
    let last = setting.run(&mut setting.start(0, None), &mut store, RELEASES).unwrap();
    drop(store);
    (fs::read(folder.path().join("releases.redb")).unwrap(), postcard::to_stdvec(&last).unwrap())
}

#[test]
fn a_file_that_was_cut_short_is_refused() {
    let setting = Setting::new("toeplitz", 8);
    let (bytes, truth) = whole(&setting);
    assert!(!is_refused(&setting, &bytes, &truth));
    let cuts = (0..40).map(|k| k * bytes.len() / 40).chain([1, 9, 100, 511, 4096, bytes.len() - 1]);
    for cut in cuts {
        assert!(is_refused(&setting, &bytes[..cut], &truth), "{cut} of {} bytes", bytes.len());
    }
    for other in [&b"no store"[..], &[0; 8192]] {
        assert!(is_refused(&setting, other, &truth));
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
        refused += u32::from(is_refused(&setting, &damaged, &truth));
    }
    assert!(refused > 30, "only {refused} of 300 flips were noticed");
}
