//! A store gives back exactly what was stored.

use dpsda_node::machine::{Happened, Machine as _, Record};
use dpsda_node::store::disk::{self, Disk};
use dpsda_node::store::memory::InMemory;
use dpsda_node::store::{Store, StoreError};

use crate::drive::Drive;
use crate::node::{SENTINEL, Setting};

/// A round's release, ledger and kept noise, as bytes. The blocks of other nodes are left out: their owners send them again.
fn released(record: &Record) -> Vec<u8> {
    let (entry, saved) = (&record.entry, &record.saved);
    postcard::to_stdvec(&(record.round, entry, &saved.ledger, saved.past, &saved.secret)).unwrap()
}

#[test]
fn a_machine_goes_on_from_a_store_as_if_it_had_never_stopped() {
    for mechanism in ["discrete-gaussian", "discrete-laplace", "tree", "toeplitz"] {
        let setting = Setting::new(mechanism, 12);
        let folder = tempfile::tempdir().unwrap();
        let mut never_stopped = setting.start(0, None);
        let mut memory = InMemory::default();
        let mut store = Disk::open(folder.path(), setting.keeping(0, disk::LINES)).unwrap();
        assert!(store.last().unwrap().is_none());
        let mut machine = setting.start(0, None);
        for round in 0..12 {
            let expected = setting.run(&mut never_stopped, &mut memory, 1).unwrap();
            let found = setting.run(&mut machine, &mut store, 1).unwrap();
            assert!(released(&found) == released(&expected), "{mechanism}, round {round}");
            assert!(store.last().unwrap() == Some(found), "{mechanism}, round {round}");
            drop(store); // its lock, too
            store = Disk::open(folder.path(), setting.keeping(0, disk::LINES)).unwrap();
            machine = setting.start(0, store.last().unwrap());
        }
        let book = store.book().unwrap();
        assert_eq!(book.verify(), Ok(()));
        assert_eq!(book.links.len(), 12);
        assert_eq!(book.last().unwrap().totals.lifetime, machine.learner().ledger().lifetime());
        assert_eq!(book.last().unwrap().totals.event, machine.learner().ledger().per_event());
    }
}

#[test]
fn a_ledger_line_has_time_event_and_price() {
    let setting = Setting::new("discrete-gaussian", 5);
    let mut store = Disk::on(Drive::memory(), setting.keeping(0, 100)).unwrap();
    let mut machine = setting.start(0, None);
    let record = setting.run(&mut machine, &mut store, 5).unwrap();
    let book = store.book().unwrap();
    let lines: Vec<_> = book.links.iter().map(|(_, link)| &link.as_ref().unwrap().line).collect();
    for (k, line) in lines.iter().enumerate() {
        assert_eq!((line.round, line.event, line.when), (k as u64, Some(k as u64), 1_700_000_000 + k as u64));
        assert_eq!(line.price, lines[0].price);
        assert_eq!(line.totals.event, lines[0].price);
        assert_eq!(line.totals.lifetime, lines[0].price.times(k as u64 + 1));
    }
    assert_eq!(lines[4].entry, record.entry.digest());
}

#[test]
fn nothing_is_stored_that_would_be_a_second_release_or_a_smaller_ledger() {
    let setting = Setting::new("discrete-gaussian", 9);
    let stores: [Box<dyn Store>; 2] = [
        Box::new(InMemory::default()),
        Box::new(Disk::on(Drive::memory(), setting.keeping(0, 100)).unwrap()),
    ];
    for mut store in stores {
        let mut machine = setting.start(0, None);
        let first = setting.run(&mut machine, &mut *store, 1).unwrap();
        let second = setting.run(&mut machine, &mut *store, 1).unwrap();
        for old in [&first, &second] {
            assert!(matches!(store.commit(old), Err(StoreError::Order { .. })));
        }
        let other = setting.learn(&mut setting.start(1, Some(first.clone())));
        assert!(other != second, "another life draws other noise");
        assert!(matches!(store.commit(&other), Err(StoreError::Order { .. })));
        let forgetful = Record { epoch: 1, ..first };
        assert!(matches!(store.commit(&forgetful), Err(StoreError::Forgotten { .. })));
        assert!(store.last().unwrap().unwrap() == second);
        setting.run(&mut machine, &mut *store, 1).unwrap();
    }
}

/// The bytes of a number that cannot appear by chance, as in memory and as postcard writes it.
fn telling(noise: [u8; 16]) -> Vec<Vec<u8>> {
    let filler = if i128::from_le_bytes(noise) < 0 { 0xff } else { 0 };
    let end = noise.iter().rposition(|byte| *byte != filler).map_or(0, |last| last + 1);
    let start = noise.iter().position(|byte| *byte != 0).unwrap_or(end).min(end);
    if end - start < 7 {
        return Vec::new();
    }
    vec![noise[start..end].to_vec(), postcard::to_stdvec(&i128::from_le_bytes(noise)).unwrap()]
}

#[test]
fn a_file_holds_no_byte_of_the_kept_noise_and_none_of_a_gradient() {
    for mechanism in ["tree", "toeplitz"] {
        let setting = Setting::new(mechanism, 40);
        let drive = Drive::memory();
        let mut store = Disk::on(drive.clone(), setting.keeping(0, 4)).unwrap();
        let mut machine = setting.start(0, None);
        let (mut secrets, mut public) = (Vec::new(), Vec::new());
        for _ in 0..40 {
            let record = setting.learn(&mut machine);
            let kept = postcard::to_stdvec(&record.saved.secret).unwrap();
            let (_, noise): (u64, Vec<Vec<[u8; 16]>>) = postcard::from_bytes(&kept).unwrap();
            let rows = noise.iter().filter(|row| row.len() > 1 && row.iter().any(|one| *one != [0; 16]));
            secrets.extend(rows.map(|row| row.concat()));
            secrets.extend(noise.concat().into_iter().flat_map(telling));
            public = postcard::to_stdvec(&record.entry.content.sum).unwrap();
            store.commit(&record).unwrap();
            machine.on(Happened::Durable);
        }
        assert!(secrets.len() > 40, "{mechanism}: only {} things to look for", secrets.len());
        secrets.push(SENTINEL.to_le_bytes().to_vec());
        // The gradient in units of the grid, and the sums of it that noise was to hide.
        for times in 1..=40 {
            let sum = times * setting.quantised();
            secrets.push([sum.to_le_bytes(), sum.to_le_bytes()].concat());
            secrets.push(postcard::to_stdvec(&(sum, sum)).unwrap());
        }
        for bytes in [drive.bytes(), {
            drop(store);
            drive.bytes()
        }] {
            let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
            assert!(holds(&public), "public values can be found");
            assert!(!secrets.iter().any(|secret| holds(secret)), "{mechanism}");
        }
    }
}

#[test]
fn a_long_run_does_not_grow() {
    let setting = Setting::new("discrete-gaussian", 4000);
    let drive = Drive::memory();
    let mut store = Disk::on(drive.clone(), setting.keeping(0, 100)).unwrap();
    let mut machine = setting.start(0, None);
    setting.run(&mut machine, &mut store, 1000);
    let early = drive.len();
    let mut most = early;
    for _ in 0..30 {
        setting.run(&mut machine, &mut store, 100);
        most = most.max(drive.len());
    }
    assert!(most <= early + early / 2, "{early} bytes after 1000 releases, {most} later");
    let book = store.book().unwrap();
    assert_eq!((book.verify(), book.links.len()), (Ok(()), 100));
    let folded = book.folded.as_ref().unwrap();
    assert_eq!((folded.line.number, folded.line.totals.lifetime), (3900, folded.line.price.times(3900)));
}
