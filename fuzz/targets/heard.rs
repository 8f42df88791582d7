//! A node may hear anything from anyone. It keeps only what its owner has signed, and pays only for its own releases.

#![no_main]

use dpsda_fuzz::{SAMPLES, apart, plant};
use dpsda_node::machine::Happened;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: plant("heard"), |data: &[u8]| {
    let Some((kind, messages)) = apart(data) else { return };
    let sample = &SAMPLES[kind % SAMPLES.len()];
    let Some((mut node, _)) = sample.node(0, None) else { return };
    node.on(Happened::Durable);
    let before = node.learner().ledger().clone();
    for (from, bytes) in messages.into_iter().take(24) {
        node.on(Happened::Heard { from, bytes });
        for happened in [Happened::Durable, Happened::Tick, Happened::Late, Happened::Connected(1)] {
            node.on(happened);
        }
    }
    assert!(*node.learner().ledger() == before || node.epoch() > 0);
    assert!(node.known().iter().flatten().all(|entry| sample.is_signed(entry)));
});
