//! A manifest from anyone: no node runs it unsigned, and a manifest that is read, written and read again stays the same.

#![no_main]

use std::sync::LazyLock;

use dpsda_fuzz::{SAMPLES, identity, plant};
use dpsda_node::manifest::{Signed, differences};
use libfuzzer_sys::fuzz_target;

static SIGNED: LazyLock<Signed> = LazyLock::new(|| SAMPLES[0].signed());

fuzz_target!(init: plant("manifest"), |text: &str| {
    let Ok(found) = Signed::read(text) else { return };
    let _ = differences(&SIGNED.manifest, &found.manifest);
    if let Ok(again) = found.write() {
        let again = Signed::read(&again).expect("what was written is read");
        assert_eq!(again.manifest.digest(), found.manifest.digest());
    }
    let admitted = found.admit(&identity(0).public(), SAMPLES[0].config()).is_ok();
    assert!(!admitted || found.manifest == SIGNED.manifest, "a node runs what nobody signed");
});
