//! Released values that come back: from what a host has saved, and from the wire.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

use std::sync::Arc;

use dpsda::learner::{Links, Replica, Rule, Saved};
use dpsda::network::weights;
use dpsda::prelude::*;
use dpsda::privacy::plan::{Arithmetic, Extent};
use dpsda::privacy::{Mechanism, Verified};
use dpsda::rng::Generator;

/// An algorithm, its mechanism, how it steps and keeps its links, for how many rounds, and the bytes of node 0 after them.
struct Case {
    name: &'static str,
    mechanism: &'static str,
    rule: Rule,
    links: Links,
    rounds: u64,
    bytes: &'static str,
}

/// Written before costs were sealed: stores of that time must open.
const CASES: [Case; 5] = [
    Case {
        name: "dpsda-r",
        mechanism: "discrete-laplace",
        rule: Rule::Decaying,
        links: Links::Naive,
        rounds: 1,
        bytes: "01010000a0cb980100a0cb980100a0cb9801000001000100010100a0cb980100000101022d24000000000000b03f0003\
                000000000000f73f000000000000f2bf000000000000d8bf0000",
    },
    Case {
        name: "dpsda-r",
        mechanism: "tree",
        rule: Rule::Coordinate,
        links: Links::Naive,
        rounds: 3,
        bytes: "03010201f0e0f1823b01f0e0f1823b01b0e4b88ea702000001020102010301b0e4b88ea70200000301021e5d00000000\
                0000b03f0100020000000000a0e53f0000000000080d4003501af35a323ff2bf3e1783241dacf83f2eb7d9dd8125efbf\
                030202faffffffffffffffffffffffffffffffedffffffffffffffffffffffffffffff02090000000000000000000000\
                00000000fcffffffffffffffffffffffffffffff",
    },
    Case {
        name: "dpsda-c",
        mechanism: "laplace",
        rule: Rule::Decaying,
        links: Links::Naive,
        rounds: 1,
        bytes: "02010000a0cb980100a0cb980100a0cb9801000001010100010100a0cb980100010003457c6856c11fe8bf7fd7976955\
                78e73f48aca865a139dabf0003c6bdf852b0faf03f9955b46d45ffe6bf48aca865a139dabf000000000000f03f03c6bd\
                f852b0faf0bf9955b46d45ffe63f48aca865a139da3f000000",
    },
    Case {
        name: "dpsda-ps",
        mechanism: "discrete-gaussian",
        rule: Rule::Decaying,
        links: Links::RunningSums,
        rounds: 1,
        bytes: "02010001d0f5a5d61301d0f5a5d61301d0f5a5d613000001010100010101d0f5a5d61300010103080104000000000000\
                c03f0103221904000000000000c03f000000000000f03f0300000000000001c0000000000000fa3f000000000000d0bf\
                018080808080400103080100000000000000c03f01010103080100000000000000c03f80808080802001010001030000\
                04000000000000c03f8080808080200000",
    },
    // Written with the first automatic steps.
    Case {
        name: "dpsda-r",
        mechanism: "toeplitz",
        rule: Rule::Auto,
        links: Links::Naive,
        rounds: 3,
        bytes: "03010201f4abe1932801f4abe1932801fc9bb8cdfd01000001020102010301fc9bb8cdfd0100020301021a5b00000000\
                0000b03f0100010000000000bc1140038e0947ff5f00b4bf11615cff8fb1d13fe54355ff7f76a2bf001865f79eaa7505\
                40ffffffffffff1b40567a6768f79df73f8b3ec6af03541f4091f0a7aab849e33f030204403f2c520800000000000000\
                00000000df388ee3fdffffffffffffffffffffffa10c3cdde7ffffffffffffffffffffff741cc771ebffffffffffffff\
                ffffffff0201000000000000000000000000000000eaffffffffffffffffffffffffffffff",
    },
];

impl Case {
    /// Both nodes, and the plan that costs are sealed for.
    fn hosts(&self) -> (Vec<Box<dyn Durable>>, Arc<Plan>) {
        let (algorithm, blocks) =
            (Algorithm::named(self.name).unwrap(), Arc::new(Blocks::even(3, 2).unwrap()));
        let grid = self.links == Links::RunningSums;
        let asked =
            Privacy::level(1.0).clip(1.0).grid(4).mechanism(Mechanism::named(self.mechanism).unwrap());
        let asked = asked.arithmetic(if grid { Arithmetic::Grid } else { Arithmetic::Real });
        let extent = Extent { style: algorithm.style(), blocks: &blocks, rounds: 4, batch: 1 };
        let plan = Arc::new(Plan::new(asked, &extent).unwrap());
        let set: Arc<dyn ConvexSet> =
            if self.rule == Rule::Auto { Arc::new(Ball::new(2.0).unwrap()) } else { Arc::new(Free) };
        let host = |node| {
            let mut setup = Setup::new(
                node,
                Arc::clone(&blocks),
                set.clone(),
                Arc::clone(&plan),
                Seed::new(5).with(Generator::First),
            )
            .unwrap();
            setup.step = Step { c: 1.0, rule: self.rule };
            let mixes = algorithm.facts().mixes;
            setup.weights = mixes.map(|mixes| weights::named(mixes.default_rule()).unwrap().into());
            setup.links = self.links;
            algorithm.durable_learner(setup).unwrap()
        };
        ((0..2).map(host).collect(), plan)
    }

    fn bytes(&self) -> Vec<u8> {
        let digits: Vec<u8> =
            self.bytes.bytes().filter_map(|c| char::from(c).to_digit(16)).map(|d| d as u8).collect();
        digits.chunks(2).map(|pair| 16 * pair[0] + pair[1]).collect()
    }
}

#[test]
fn what_is_saved_has_the_bytes_it_always_had() {
    let cost = OwnCost::new(
        3,
        |x| 0.25 * x[0] - 0.5 * x[1] + 0.125 * x[2],
        |_, g| g.copy_from_slice(&[0.25, -0.5, 0.125]),
    );
    let graph = Graph::new(2, [(0, 1), (1, 0)]).unwrap();
    for case in CASES {
        let ((mut hosts, plan), degrees) = (case.hosts(), graph.degrees());
        for t in 0..case.rounds {
            hosts.iter_mut().for_each(|host| host.learn(t, &plan.seal(&cost)));
            let mut said = Vec::new();
            for (i, host) in hosts.iter_mut().enumerate() {
                said.push(host.speak(t, degrees[i], &[degrees[1 - i]]));
            }
            hosts.iter_mut().enumerate().for_each(|(i, host)| host.listen(t, &[&said[1 - i]]));
        }
        let written = postcard::to_stdvec(&hosts[0].save().unwrap()).unwrap();
        assert_eq!(written, case.bytes(), "{} with {}", case.name, case.mechanism);
        let read: Saved = postcard::from_bytes(&written).unwrap();
        assert_eq!(postcard::to_stdvec(&read).unwrap(), written, "{}: read and written again", case.name);
        let mut next = case.hosts().0.swap_remove(0);
        assert!(next.restore(read), "{}", case.name);
        assert_eq!(next.estimate(), hosts[0].estimate());
        assert_eq!(postcard::to_stdvec(&next.save().unwrap()).unwrap(), written, "{}: restored", case.name);
    }
}

/// A message that a transport has verified.
struct Genuine {
    units: Vec<i64>,
    squares: Option<Vec<f64>>,
}

impl Verified for Genuine {
    fn units(&self) -> &[i64] {
        &self.units
    }

    fn squares(&self) -> Option<&[f64]> {
        self.squares.as_deref()
    }
}

#[test]
fn what_arrived_and_was_verified_is_what_was_sent() {
    let sent = Genuine { units: vec![3, -4], squares: Some(vec![0.5, 2.0]) };
    let released = Released::from_wire(&sent, 0.25);
    assert_eq!((released.to_reals(), released.units()), (vec![0.75, -1.0], Some((&[3, -4][..], 0.25))));
    let replica = Replica::from_wire(&sent, 9, 0.25);
    assert_eq!((replica.version, &*replica.sum), (9, &released));
    assert_eq!(replica.squares.unwrap().to_reals(), [0.5, 2.0]);
    // The layout of released values: which kind, how many, each; on a grid the unit too.
    let real = postcard::to_stdvec(&Released::zeros(2)).unwrap();
    assert_eq!(real, [&[0, 2][..], &0_f64.to_le_bytes(), &0_f64.to_le_bytes()].concat());
    let grid = postcard::to_stdvec(&released).unwrap();
    assert_eq!(grid, [&[1, 2, 6, 7][..], &0.25_f64.to_le_bytes()].concat());
}
