//! Power is lost at every operation of a release, and again while the store is opened.

use dpsda_node::machine::{Happened, Machine as _, Record};
use dpsda_node::store::disk::Disk;
use dpsda_node::store::{Store, StoreError};

use crate::drive::Drive;
use crate::node::Setting;

/// After a crash the store has the last durable record, or the one that was being stored, and its ledger agrees.
fn is_one_of(disk: &mut Disk, durable: &Record, storing: &Record) -> bool {
    let last = disk.last().unwrap().unwrap();
    let book = disk.book().unwrap();
    assert_eq!(book.verify(), Ok(()));
    assert_eq!(book.last().unwrap().releases, last.saved.ledger.releases());
    assert!(last == *durable || last == *storing, "round {}", last.round);
    last == *storing
}

#[test]
fn wherever_power_is_lost_the_store_opens_at_the_last_release_or_the_one_under_way() {
    for mechanism in ["discrete-gaussian", "toeplitz"] {
        let setting = Setting::new(mechanism, 64);
        let drive = Drive::with(Vec::new());
        let mut machine = setting.start(0, None);
        // Lines are folded with every release.
        let mut disk = Disk::on(drive.clone(), setting.keeping(0, 2)).unwrap();
        let durable = setting.run(&mut machine, &mut disk, 14).unwrap();
        drop(disk);
        let (before, mut both) = (drive.bytes(), [0, 0]);
        for seed in 0..8 {
            let mut at = 1;
            loop {
                let drive = Drive::with(before.clone());
                let mut disk = Disk::on(drive.clone(), setting.keeping(0, 2)).unwrap();
                let mut machine = setting.start(1, disk.last().unwrap());
                let storing = setting.learn(&mut machine);
                drive.fails_after(at);
                let stored = disk.commit(&storing);
                let image = drive.after_power_loss(1000 * seed + at);
                let mut disk = Disk::on(Drive::with(image.clone()), setting.keeping(0, 2)).unwrap();
                let there = is_one_of(&mut disk, &durable, &storing);
                both[usize::from(there)] += 1;
                assert!(there || stored.is_err(), "said to be durable at {at}, and it is not there");
                drop(disk);
                recovery(&setting, &image, &durable, &storing);
                if stored.is_ok() {
                    break;
                }
                at += 1;
            }
            assert!(at > 3, "a release takes more operations than that");
        }
        assert!(both.iter().all(|times| *times > 8), "{both:?}");
    }
}

#[test]
fn a_file_with_much_free_space_is_compacted_when_opened_and_a_crash_loses_nothing() {
    let setting = Setting::new("toeplitz", 8000);
    let drive = Drive::memory();
    let mut machine = setting.start(0, None);
    let mut disk = Disk::on(drive.clone(), setting.keeping(0, 8000)).unwrap();
    setting.run(&mut machine, &mut disk, 6000);
    drop(disk);
    let mut disk = Disk::on(drive.clone(), setting.keeping(0, 10)).unwrap();
    let last = setting.run(&mut machine, &mut disk, 1).unwrap();
    drop(disk);
    let loose = drive.bytes();
    let tidied = Drive::with(loose.clone());
    drop(Disk::on(tidied.clone(), setting.keeping(0, 10)).unwrap());
    assert!(tidied.len() * 4 < loose.len() as u64, "{} bytes were {}", tidied.len(), loose.len());
    recovery(&setting, &loose, &last, &last);
}

/// Power is lost again, at every operation of opening the store.
fn recovery(setting: &Setting, image: &[u8], durable: &Record, storing: &Record) {
    for at in 1.. {
        let drive = Drive::with(image.to_vec());
        drive.fails_after(at);
        let opened = Disk::on(drive.clone(), setting.keeping(0, 2)).map(drop);
        let again = Drive::with(drive.after_power_loss(at));
        let mut disk = Disk::on(again, setting.keeping(0, 2)).unwrap();
        is_one_of(&mut disk, durable, storing);
        if opened.is_ok() {
            return;
        }
    }
}

#[test]
fn after_one_error_the_store_fails_even_if_the_disk_works_again() {
    let setting = Setting::new("toeplitz", 8);
    for at in 1..6 {
        let drive = Drive::with(Vec::new());
        let mut disk = Disk::on(drive.clone(), setting.keeping(0, 100)).unwrap();
        let mut machine = setting.start(0, None);
        setting.run(&mut machine, &mut disk, 2);
        let record = setting.learn(&mut machine);
        drive.fails_once_after(at);
        let error = disk.commit(&record).unwrap_err();
        assert!(matches!(error, StoreError::Failed(_)), "{error}");
        assert!(error.to_string().contains("must stop"), "{error}");
        assert!(matches!(disk.commit(&record), Err(StoreError::Failed(_))), "operation {at}");
        assert!(matches!(disk.last(), Err(StoreError::Failed(_))));
    }
}

#[test]
fn a_copy_taken_between_two_releases_opens_at_the_last_one() {
    let setting = Setting::new("toeplitz", 8);
    let drive = Drive::with(Vec::new());
    let mut disk = Disk::on(drive.clone(), setting.keeping(0, 100)).unwrap();
    let mut machine = setting.start(0, None);
    for _ in 0..6 {
        let record = setting.learn(&mut machine);
        disk.commit(&record).unwrap();
        machine.on(Happened::Durable);
        let mut copy = Disk::on(Drive::with(drive.bytes()), setting.keeping(0, 100)).unwrap();
        assert!(copy.last().unwrap() == Some(record));
    }
}
