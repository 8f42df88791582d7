//! Whatever has become of the bytes of a store: it is refused and left as it is, or it says what it said.

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
/// The engine's header: what is the newest is decided there.
const HEADER: usize = 320;
/// Its byte of marks.
const MARKS: usize = 9;

/// Bits turned, bytes and pages overwritten, moved, cut off or put in.
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

/// Where header or length are damaged, the engine takes the file for one that was not closed in order; if the newest transaction is
/// damaged, too, see below. That takes two things at least: what one does, others of these tests show.
#[test]
fn no_bytes_make_a_store_panic_or_forget_more_than_its_last_release() {
    for mechanism in ["toeplitz", "discrete-gaussian"] {
        let setting = Setting::new(mechanism, 8);
        let (bytes, truth) = whole(&setting);
        let refused = seeds(400).into_par_iter().filter(|seed| {
            let mut rng = Seed { seed: *seed, trial: 4 }.stream(Purpose::Outage, 0, 0);
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

/// Whether the file was closed in order and which of its two states is the newest are bits of one byte. Where that is wrong the
/// engine looks for a state that is whole: with a page that is damaged too, that would be an older one.
#[test]
fn marks_of_the_header_and_a_page_bring_back_no_older_ledger() {
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

/// What the disk holds when power is lost after the last release, and the last two records.
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

/// After a loss of power the engine goes back to the last transaction that is whole. If the newest was damaged later, that is the
/// one before: here nothing tells it from a write that never ended. Peers tell (docs/privacy.md, old stores). Nothing else is taken
/// for a store, and nothing older.
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
            let mut rng = Seed { seed, trial: 5 }.stream(Purpose::Outage, 0, 0);
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
