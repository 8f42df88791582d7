//! Random messages and records: no node panics, nothing is charged, and no block is kept that its owner has not signed.

use dpsda::rng::{Purpose, Seed, Stream};
use dpsda_node::entry::Entry;
use dpsda_node::frame::Frame;
use dpsda_node::machine::{Happened, Record};
use rand::RngExt;
use rayon::prelude::*;

use crate::crash::EXPERIMENT;
use crate::host::World;
use crate::seeds::seeds;
use crate::setting::{MANIFEST, Setting};
use crate::step::setting;

const STRANGE: [u64; 6] = [0, 1, 5, u64::MAX, u64::MAX - 1, 1 << 40];

fn strange(rng: &mut Stream) -> u64 {
    STRANGE[rng.random_range(0..STRANGE.len())]
}

/// The same bytes with some changed, removed, repeated or inserted.
fn scratched(mut bytes: Vec<u8>, rng: &mut Stream) -> Vec<u8> {
    for _ in 0..rng.random_range(1..5) {
        let at = rng.random_range(0..bytes.len().max(1));
        match rng.random_range(0..5) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at.min(bytes.len()), rng.random()),
            2 => bytes.extend_from_within(at.min(bytes.len())..),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << rng.random_range(0..8);
                }
            }
        }
    }
    bytes
}

/// Other content under the same signature.
fn scratch_entry(entry: &mut Entry, rng: &mut Stream) {
    let mut content = entry.content.clone();
    match rng.random_range(0..5) {
        0 => content.owner = strange(rng) as u32,
        1 => content.epoch = strange(rng),
        2 => content.version = strange(rng),
        3 => content.sum.push(strange(rng) as i64),
        _ => content.sum.iter_mut().for_each(|x| *x = strange(rng) as i64),
    }
    *entry = entry.forged(content);
}

/// A well-formed frame with wrong content.
fn bent(frame: Frame, rng: &mut Stream) -> Vec<u8> {
    let mut frame = frame;
    match &mut frame {
        Frame::Know { round, versions, mark, entries } => match rng.random_range(0..5) {
            0 => *round = strange(rng),
            1 => versions.iter_mut().for_each(|v| *v = (strange(rng), strange(rng))),
            2 => *mark = strange(rng),
            3 => entries.reverse(),
            _ => entries.iter_mut().for_each(|entry| scratch_entry(entry, rng)),
        },
        Frame::Sum { round, degrees, dual, weight, token } => match rng.random_range(0..5) {
            0 => *round = strange(rng),
            1 => degrees.0 = strange(rng) as u32,
            2 => dual.iter_mut().for_each(|x| *x = strange(rng) as i64),
            3 => *weight = strange(rng) as i64,
            _ => scratch_entry(token, rng),
        },
        Frame::Yours(entry) => scratch_entry(entry, rng),
        Frame::Hello { .. } | Frame::Manifest(_) => {}
    }
    frame.bytes()
}

/// Messages of a run, and the records of its hosts.
fn run(setting: &Setting) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (mut messages, mut world) = (Vec::new(), World::new(setting, u64::MAX, 7));
    for _ in 0..400 {
        world.step(0.01);
        messages.extend(world.flying.last().map(|(_, _, bytes)| bytes.clone()));
    }
    let records = world.hosts.iter().flat_map(|host| host.backups.clone()).flatten().collect();
    messages.dedup();
    (messages, records)
}

fn withstands(setting: &Setting, messages: &[Vec<u8>], records: &[Vec<u8>], seed: u64) {
    let mut rng = Seed::new(seed).trial(1).stream(Purpose::Outage, 0, 0);
    let mut node = setting.node(0);
    node.on(Happened::Durable);
    let before = node.learner().ledger().clone();
    for _ in 0..12 {
        let bytes = messages[rng.random_range(0..messages.len())].clone();
        let bytes = match (setting.grammar().read(&bytes), rng.random()) {
            (Ok(frame), true) => bent(frame, &mut rng),
            _ => scratched(bytes, &mut rng),
        };
        let from =
            if rng.random_range(0..20) == 0 { strange(&mut rng) as usize } else { 1 + seed as usize % 2 };
        node.on(Happened::Heard { from, bytes: &bytes });
        for happened in
            [Happened::Durable, Happened::Tick, Happened::Late, Happened::Connected(1), Happened::Skip(2)]
        {
            node.on(happened);
        }
    }
    // Its own releases of another life, which it may be shown as they are, are the one thing it pays for.
    let spent = node.learner().ledger();
    assert!(*spent == before || node.epoch() > 0, "seed {seed}");
    for entry in node.known().iter().flatten() {
        let key = setting.members()[entry.content.owner as usize];
        assert!(entry.is_by(&key, &MANIFEST), "seed {seed}: {:?}", entry.content);
    }
    let record = scratched(records[rng.random_range(0..records.len())].clone(), &mut rng);
    if let Ok(record) = postcard::from_bytes::<Record>(&record) {
        for me in 0..3 {
            if let Some((mut node, _)) = setting.start(me, 1, u64::MAX, Some((record.clone(), Vec::new()))) {
                node.on(Happened::Tick);
            }
        }
    }
}

#[test]
fn no_message_and_no_record_makes_a_node_panic_or_accept_unsigned_blocks() {
    for setting in [Setting::new(EXPERIMENT), setting("dpsda-c"), setting("dpsda-ps"), setting("dpsda-r")] {
        let (messages, records) = run(&setting);
        assert!(messages.len() > 20 && records.len() > 8, "{} {}", messages.len(), records.len());
        seeds(500).into_par_iter().for_each(|seed| withstands(&setting, &messages, &records, seed));
    }
}
