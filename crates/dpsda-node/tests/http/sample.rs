//! A board with made-up values, and one whose every name is hostile.

#![allow(unreachable_pub, reason = "three crates look at it")]

use dpsda::privacy::Price;
use dpsda_node::board::{Board, Decision, Health, PeerView, Refused, StreamCounts, Who};
use dpsda_node::store::ledger::{NodeBudget, Totals};
use dpsda_node::stream::Estimate;
use dpsda_node::transport::{Traffic, Unreached};

/// A name that would run a script if it were read as markup.
pub(crate) const HOSTILE: &str = "</script><img src=x onerror=window.hacked=1>\"\\\n'{{node}}";

/// The board of one node of seven, in the middle of its run.
pub(crate) fn running() -> Board {
    let members = ["amsterdam", "berlin", "copenhagen", "dublin", "edinburgh", "florence", "geneva"];
    let board = Board::new(Who {
        run: "mushroom".into(),
        node: "berlin".into(),
        number: 1,
        key: "7f3a".repeat(16),
        manifest: "c01d".repeat(16),
        algorithm: "dpsda-r".into(),
        rounds: "free".into(),
        horizon: 500_000,
        members: members.map(String::from).to_vec(),
        claim: "(1, 1e-5)-differential privacy for one event, against an eavesdropper on all links and decisions.".into(),
        delta: 1e-5,
        budget: NodeBudget { event: Some(1.0), person: None, lifetime: Some(40.0) },
        listen: vec!["192.0.2.7:4433".into()],
        version: "0.1.0".into(),
    });
    board.change(|now| {
        now.health = Health::Running;
        now.round = 123_456;
        now.epoch = 2;
        now.rate = 1512.25;
        now.staleness = Some(3);
        now.versions = vec![
            (0, 123_455),
            (2, 123_456),
            (0, 123_453),
            (1, 98_000),
            (0, 123_456),
            (0, 123_454),
            (0, 123_456),
        ];
        now.releases = 123_460;
        now.spent = Totals {
            event: Price::rho(0.012),
            person: Some(Price::epsilon(0.5)),
            lifetime: Price::Unbounded,
        };
        now.late = 0;
        now.stream = StreamCounts {
            taken: 123_456,
            unused: 0,
            gaps: 2,
            duplicates: 5,
            early: 0,
            stale: 0,
            over: 0,
            malformed: 1,
            ended: false,
        };
        now.peers = members
            .iter()
            .enumerate()
            .map(|(k, name)| PeerView {
                name: (*name).into(),
                traffic: Traffic {
                    connected: k != 3,
                    connections: 1 + k as u64,
                    tried: if k == 3 { 40 } else { 0 },
                    unreached: (k == 3).then_some(Unreached::Silent),
                    sent: 123_000,
                    sent_bytes: 98_765_432,
                    dropped: 17 * k as u64,
                    heard: 121_000 + k as u64,
                    heard_bytes: 87_654_321,
                    unheard: 0,
                },
                differs: vec![],
            })
            .collect();
        now.refused = vec![
            Refused { from: "dublin".into(), why: "bad signature".into(), times: 3 },
            Refused { from: "strangers".into(), why: "unknown key".into(), times: 1204 },
        ];
        now.store_micros = 812;
        now.memory = Some(48_123_904);
        now.uptime = 4242.5;
    });
    let estimate: Vec<f64> = (0..7).map(|k| f64::from(k) / 3.0).collect();
    board.expect(Estimate { t: 123_456, epoch: 2, rounds: 500_000, block: [3, 5], estimate, points: None });
    board.decide(Decision {
        round: 123_456,
        epoch: 2,
        block: (0..21).map(|k| f64::from(k - 7) / 13.0).collect(),
    });
    board
}

/// The board of a node whose names and texts all come from an attacker.
pub(crate) fn hostile() -> Board {
    let word = || HOSTILE.to_owned();
    let board = Board::new(Who {
        run: word(),
        node: word(),
        key: word(),
        manifest: word(),
        algorithm: word(),
        rounds: word(),
        members: vec![word(), format!("{HOSTILE}2")],
        claim: word(),
        listen: vec![word()],
        version: word(),
        number: 0,
        budget: NodeBudget { event: Some(0.0), person: Some(f64::INFINITY), lifetime: None },
        ..running().who().clone()
    });
    board.change(|now| {
        now.health = Health::Failed;
        now.trouble = Some(word());
        now.caveat = Some(word());
        now.rate = f64::NAN;
        now.uptime = f64::INFINITY;
        now.refused = vec![Refused { from: word(), why: word(), times: 1 }; 2];
        now.peers.iter_mut().for_each(|peer| peer.differs = vec![word()]);
        now.spent =
            Totals { event: Price::Unbounded, person: Some(Price::default()), lifetime: Price::Unbounded };
    });
    board.decide(Decision { round: 1, epoch: 0, block: vec![f64::NAN, f64::INFINITY] });
    board
}
