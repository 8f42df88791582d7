//! The auditor is audited.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod field;

use std::ops::ControlFlow;
use dpsda_audit::{canary::Canary, *};
use field::*;

#[test]
fn speed() {
    for algorithm in ["dpsda-r", "dpsda-c", "dpsda-ps", "dpcda"] {
        let arena = Field { algorithm, ..FIELD }.arena();
        let game = Game { arena: &arena, host: &Honest, canary: Canary::AtTheClip, event: 1, seed: 1 };
        let start = std::time::Instant::now();
        let scores = game.nodes(20000, &|_| ControlFlow::Continue(())).unwrap();
        println!("{algorithm} {:?}", start.elapsed());
        for s in &scores { let m = s.measure(arena.delta()); println!("{:?} {:?} {} {}", arena.claim_of(0), m, m.statistic(), m.epsilon(0.99)); }
        let s = game.all(20000, &|_| ControlFlow::Continue(())).unwrap();
        let m = s.measure(arena.delta()); println!("{:?} {:?} {} {}", arena.claim(), m, m.statistic(), m.epsilon(0.99));
    }
}
