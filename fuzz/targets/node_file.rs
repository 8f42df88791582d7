//! The file of a node: it is read, or refused with a reason.

#![no_main]

use std::path::Path;

use dpsda_fuzz::plant;
use dpsda_node::config::Config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: plant("node_file"), |text: &str| {
    if let Err(wrong) = Config::read(text, Path::new("")) {
        assert!(!wrong.to_string().is_empty());
    }
});
