//! Stores with random damage: each is refused and left unchanged, or it still gives the same record.

use std::fs;

use dpsda::rng::{Purpose, Seed, Stream};
use dpsda_node::store::Store as _;
use dpsda_node::store::disk::{self, Disk};
use rand::RngExt;
use rayon::prelude::*;

use crate::damage::{is_refused, whole};
use crate::node::Setting;
use crate::seeds::seeds;

/// The engine's pages.
const PAGE: usize = 4096;
/// The engine's header, which says which state is the newest.
const HEADER: usize = 320;
/// Its byte of flags.
const MARKS: usize = 9;

/// Bits flipped; bytes and pages overwritten, moved, cut off or inserted.
fn scratched(bytes: &[u8], rng: &mut Stream) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..4) {
        let used: Vec<usize> = (0..bytes.len()).filter(|k| bytes[*k] != 0).collect();
        let Some(at) = used.get(rng.random_range(0..used.len().max(1))).copied() else { break };
        let length = rng.random_range(1..200).min(bytes.len() - at);
        let pages = (bytes.len() / PAGE).max(1);
        let (one, other) = (PAGE * rng.random_range(0..pages), PAGE * rng.random_range(0..pages));
        match rng.random_range(0..9) {
            0 => bytes.truncate(at),
            1 => bytes.resize(bytes.len() + length * PAGE / 64, rng.random()),
            2 => bytes[at..at + length].fill(rng.random()),
            3 => bytes[at..at + length].iter_mut().for_each(|byte| *byte = rng.random()),
            4 if bytes.len() >= 2 * PAGE => bytes.copy_within(one..one + PAGE, other),
            5 => bytes[rng.random_range(0..HEADER)] = rng.random(),
            _ => bytes[at] ^= 1 << rng.random_range(0..8),
        }
        if bytes.len() < HEADER {
            break;
        }
    }
    bytes
}

/// If the header or the length is damaged, the engine assumes that the file was not closed properly. If the newest transaction
/// is damaged too, see below. That needs at least two faults; other tests here cover single faults.
#[test]
fn no_bytes_make_a_store_panic_or_forget_more_than_its_last_release() {
    for mechanism in ["toeplitz", "discrete-gaussian"] {
        let setting = Setting::new(mechanism, 8);
        let (bytes, truth) = whole(&setting);
        let refused = seeds(400).into_par_iter().filter(|seed| {
            let mut rng = Seed::new(*seed).trial(4).stream(Purpose::Outage, 0, 0);
            is_refused(&setting, &scratched(&bytes, &mut rng), &truth)
        });
        let refused = refused.count() as u64;
        let all = seeds(400).end;
        assert!(refused > all / 2, "only {refused} of {all} were noticed");
    }
}

#[test]
fn no_bit_of_the_header_brings_back_an_older_ledger() {
    let setting = Setting::new("discrete-gaussian", 8);
    let (bytes, truth) = whole(&setting);
    (0..8 * HEADER).into_par_iter().for_each(|bit| {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        is_refused(&setting, &damaged, &truth[1..]);
    });
}

/// Bits of one byte say whether the file was closed properly, and which of its two states is the newest. If this byte is wrong,
/// the engine looks for an intact state. If a page is damaged too, that could be an older state.
#[test]
fn damaged_flags_and_a_damaged_page_bring_back_no_older_ledger() {
    let setting = Setting::new("toeplitz", 8);
    let (bytes, truth) = whole(&setting);
    let both: Vec<(u8, usize)> =
        (0..16).flat_map(|marks| (1..bytes.len() / PAGE).map(move |page| (marks, page))).collect();
    let refused = both.par_iter().filter(|(marks, page)| {
        let mut damaged = bytes.clone();
        damaged[MARKS] ^= marks;
        damaged[page * PAGE..(page + 1) * PAGE].iter_mut().for_each(|byte| *byte ^= 1);
        is_refused(&setting, &damaged, &truth[1..])
    });
    assert!(refused.count() > both.len() / 4);
}

/// The disk after a loss of power following the last release, and the last two records.
fn interrupted(setting: &Setting) -> (Vec<u8>, [Vec<u8>; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Disk::open(folder.path(), setting.keeping(0, 100)).unwrap();
    let mut machine = setting.start(0, None);
    let mut run = |rounds| {
        let last = setting.run(&mut machine, &mut store, rounds).unwrap();
        postcard::to_stdvec(&last).unwrap()
    };
    let records = [run(4), run(1)];
    let file = folder.path().join("releases.redb");
    (fs::read(file).unwrap(), records) // while it is open
}

/// After a loss of power the engine goes back to the last intact transaction. If the newest one was damaged later, that is the
/// one before it, because it looks like a write that never ended. Peers reveal it (docs/privacy.md, old stores). No older state
/// is accepted, and nothing else.
#[test]
fn a_store_that_was_interrupted_and_damaged_goes_back_by_one_release_at_most() {
    let setting = Setting::new("discrete-gaussian", 8);
    let (bytes, records) = interrupted(&setting);
    let open = |bytes: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("releases.redb"), bytes).unwrap();
        let _ = disk::ledger(folder.path()).map(|book| book.verify());
        let last =
            Disk::open(folder.path(), setting.keeping(0, 100)).and_then(|mut disk| disk.last()).ok()?;
        let last = postcard::to_stdvec(&last.expect("a record")).unwrap();
        Some(records.iter().position(|record| *record == last).expect("one of the last two"))
    };
    assert_eq!(open(&bytes), Some(1), "undamaged");
    let found: Vec<Option<usize>> = seeds(600)
        .into_par_iter()
        .map(|seed| {
            let mut rng = Seed::new(seed).trial(5).stream(Purpose::Outage, 0, 0);
            let mut damaged = scratched(&bytes, &mut rng);
            if seed % 3 == 0 {
                damaged = bytes.clone();
                damaged[rng.random_range(0..HEADER)] ^= 1 << rng.random_range(0..8);
            }
            open(&damaged)
        })
        .collect();
    let count = |what| found.iter().filter(|found| **found == what).count();
    println!("{} refused, {} as they were, {} one back", count(None), count(Some(1)), count(Some(0)));
    assert!(count(None) > 0 && count(Some(1)) > 0);
}
