//! The bytes that a round sends over the network.

use std::ops::Range;

use dpsda::objective::Objective;
use dpsda_node::frame::Frame;
use dpsda_node::machine::{Happened, Todo};

use crate::setting::Setting;

const EXPERIMENT: &str = r#"
rounds = 1000
[problem]
loss = "squared"
data = "synthetic-regression"
features = 3072
batch = 10
[set]
kind = "ball"
radius = 5.0
[network]
nodes = 3
graph = "complete"
[algorithm]
name = "dpsda-r"
[privacy]
mechanism = "discrete-gaussian"
adjacency = "example"
epsilon = 1.0
delta = 1e-5
clip = 1.0
"#;

/// A cost of zero: only noise is released, and messages are as long as with data.
struct Flat;

impl Objective for Flat {
    fn dim(&self) -> usize {
        3072
    }

    fn value(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn partial(&self, _: &[f64], _: Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
    }
}

#[test]
fn a_round_takes_at_most_half_of_dense_numbers() {
    let setting = Setting::new(EXPERIMENT);
    let mut nodes: Vec<_> = (0..3).map(|i| setting.node(i)).collect();
    let (mut wire, mut messages, mut widest) = (0, 0, 0.0_f64);
    for _ in 0..1000 {
        let mut flying = Vec::new();
        for (i, node) in nodes.iter_mut().enumerate() {
            assert_eq!(node.on(Happened::Cost(&Flat)).len(), 1, "a record");
            flying.extend(node.on(Happened::Durable).into_iter().map(|one| (i, one)));
        }
        for (from, one) in flying {
            let Todo::Send { to, bytes } = one else { continue };
            wire += bytes.len();
            messages += 1;
            nodes[to].on(Happened::Heard { from, bytes: &bytes });
        }
    }
    for entry in nodes[0].known().iter().flatten() {
        let frame = Frame::Know { round: 0, versions: vec![], mark: 0, entries: vec![entry.clone()] };
        widest = widest.max(frame.bytes().len() as f64 / entry.content.sum.len() as f64);
    }
    let dense = messages * 3072 * 8;
    println!("{wire} bytes in {messages} messages, dense {dense}; {widest:.3} bytes a coordinate at the end");
    assert_eq!(messages, 6000);
    assert!(2 * wire <= dense, "{wire} bytes, dense {dense}");
    // A sum of 1000 releases has 34 bits on this grid, and an entry 140 bytes besides.
    assert!(widest < 4.6, "{widest} bytes a coordinate after 1000 rounds");
}
