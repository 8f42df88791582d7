//! A damaged record from a store: a node refuses it, or goes on from it without a panic.

#![no_main]

use dpsda_fuzz::{SAMPLES, plant};
use dpsda_node::machine::{Happened, Record};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: plant("record"), |data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else { return };
    let Ok(record) = postcard::from_bytes::<Record>(bytes) else { return };
    let sample = &SAMPLES[usize::from(*kind) % SAMPLES.len()];
    for me in 0..3 {
        if let Some((mut node, _)) = sample.node(me, Some(record.clone())) {
            for happened in [Happened::Durable, Happened::Tick, Happened::Late, Happened::Connected(1)] {
                node.on(happened);
            }
        }
    }
});
