//! A cost as a line of JSON: it is refused without showing a value, or its labels and columns have the right numbers.

#![no_main]

use dpsda_fuzz::{FORM, plant};
use dpsda_node::stream::GivenCost;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: plant("line"), |line: &[u8]| {
    match FORM.read(line) {
        Ok((_, GivenCost::Samples(cost))) => {
            assert!(FORM.samples.is_some_and(|form| cost.rows.len() <= form.batch));
            assert_eq!(cost.samples.labels.len(), cost.rows.len());
        }
        Ok((round, GivenCost::Gradient { own, public, .. })) => {
            assert!(round.is_some() && own.len() == 2 && (public.is_empty() || public.len() == 2));
            assert!(own.iter().chain(&public).all(|g| g.is_finite()));
        }
        Ok((_, GivenCost::Values { .. })) => panic!("nodes learn from gradients here"),
        Err(wrong) => assert!(wrong.to_string().len() < 200),
    }
});
