//! No privacy, said aloud.

use super::{Build, Mechanism};
use crate::catalog::Entry;
use crate::privacy::Cost;
use crate::rng::Stream;

/// `none`
pub const ENTRY: Entry<Build> = Entry {
    name: "none",
    about: "no noise: gradients are published as they are, and the ledger says so",
    keys: &[],
    build: |_| Box::new(Nothing),
};

struct Nothing;

impl Mechanism for Nothing {
    fn perturb(&mut self, _value: &mut [f64], _stream: &mut Stream) {}

    fn cost(&self, _sensitivity: Option<f64>) -> Cost {
        Cost::Unbounded
    }

    fn is_silent(&self) -> bool {
        true
    }
}
