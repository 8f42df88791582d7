//! A cost as a line of JSON: it is refused without a word of its values, or it has as many labels as samples and columns as it should.

#![no_main]

use dpsda_fuzz::{FORM, plant};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: plant("line"), |line: &[u8]| {
    match FORM.read(line) {
        Ok((_, cost)) => {
            assert!(cost.rows.len() <= FORM.batch);
            assert_eq!(cost.samples.labels.len(), cost.rows.len());
        }
        Err(wrong) => assert!(wrong.to_string().len() < 200),
    }
});
