//! Whatever a node hears, from whomever: it keeps nothing that its owner has not signed, and pays for nothing but releases of its own.

#![no_main]

use dpsda_fuzz::{MANIFEST, SAMPLES, apart, keys, plant};
use dpsda_node::machine::Happened;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: plant("heard"), |data: &[u8]| {
    let Some((kind, messages)) = apart(data) else { return };
    let Some((mut node, _)) = SAMPLES[kind % SAMPLES.len()].node(0, None) else { return };
    node.on(Happened::Durable);
    let before = node.learner().ledger().clone();
    for (from, bytes) in messages.into_iter().take(24) {
        node.on(Happened::Heard { from, bytes });
        for happened in [Happened::Durable, Happened::Tick, Happened::Late, Happened::Connected(1)] {
            node.on(happened);
        }
    }
    assert!(*node.learner().ledger() == before || node.epoch() > 0);
    for entry in node.known().iter().flatten() {
        assert!(entry.is_by(&keys()[entry.claim.owner as usize], &MANIFEST));
    }
});
