//! A message between nodes: it is refused, or it is of the right shape and means the same when it is written again.

#![no_main]

use dpsda_fuzz::{SAMPLES, plant};
use dpsda_node::frame::Squares;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: plant("frame"), |data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else { return };
    let mut grammar = SAMPLES[usize::from(*kind) % SAMPLES.len()].grammar();
    grammar.squares = match kind >> 6 {
        0 => Squares::None,
        1 => Squares::One,
        _ => Squares::Each,
    };
    if let Ok(frame) = grammar.read(bytes) {
        assert_eq!(grammar.read(&frame.bytes()), Ok(frame));
    }
});
