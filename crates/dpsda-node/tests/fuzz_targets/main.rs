//! The targets of `fuzz/`, compiled as tests and run on their own seeds. A fuzzer takes long to build, so every test run checks here
//! that the targets fit the program.

#![allow(
    unused_attributes,
    unused_imports,
    unreachable_pub,
    reason = "targets are programs, and what they share is a library"
)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a target that breaks has failed")]

// The names by which targets ask for what they share and for the fuzzer.
extern crate self as dpsda_fuzz;
extern crate self as libfuzzer_sys;

#[path = "../../../../fuzz/src/lib.rs"]
mod shared;

use shared::{FORM, LINES, SAMPLES, apart, identity, of, plant};

/// Makes a target a function of bytes or text, as the fuzzer does. A second function, `init`, can write the first inputs.
macro_rules! fuzz_target {
    (init: $init:expr, |$data:ident: &$kind:ty| $body:block) => {
        pub(crate) fn run($data: &$kind) $body
        pub(crate) fn init() {
            $init;
        }
    };
}
pub(crate) use fuzz_target;

#[path = "../../../../fuzz/targets/frame.rs"]
mod frame;
#[path = "../../../../fuzz/targets/heard.rs"]
mod heard;
#[path = "../../../../fuzz/targets/line.rs"]
mod line;
#[path = "../../../../fuzz/targets/manifest.rs"]
mod manifest;
#[path = "../../../../fuzz/targets/node_file.rs"]
mod node_file;
#[path = "../../../../fuzz/targets/record.rs"]
mod record;

/// Runs a target on its seeds, and on what is left of each if its end is cut off.
fn tried(name: &str, init: fn(), run: impl Fn(&[u8])) {
    init(); // plants nothing: nobody has named a folder
    let seeds = of(name);
    assert!(!seeds.is_empty(), "{name} has no seeds");
    for seed in &seeds {
        run(seed);
        run(&seed[..seed.len() / 2]);
    }
}

#[test]
fn every_target_compiles_and_takes_its_seeds() {
    let text = |run: fn(&str)| move |bytes: &[u8]| _ = std::str::from_utf8(bytes).map(run);
    tried("frame", frame::init, frame::run);
    tried("heard", heard::init, heard::run);
    tried("line", line::init, line::run);
    tried("manifest", manifest::init, text(manifest::run));
    tried("node_file", node_file::init, text(node_file::run));
    tried("record", record::init, record::run);
    let all = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/targets")).unwrap();
    assert_eq!(all.count(), 6, "every target is tried here");
}
