//! Claims about `Each`: one hop per round, late and lost messages as the transit says, inboxes in order.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use dpsda::learner::{Body, Links};
use dpsda::network::delay::{self, FixedDelay, UniformDelay};
use dpsda::network::outage::{self, Bernoulli};
use dpsda::network::{Cycle, Transit};
use dpsda::prelude::*;
use dpsda::privacy::Mechanism;
use dpsda::rng::Purpose;
use dpsda::spec::Checked;
use rand::RngExt;

/// Node, round, and what was in the inbox: senders and the rounds they spoke in.
type Log = Arc<Mutex<Vec<(usize, u64, Vec<(usize, u64)>)>>>;

/// Says the round and all nodes it has heard of, directly or not, and writes down what it hears.
struct Gossiper {
    setup: Setup,
    ledger: Ledger,
    y: Vec<f64>,
    known: BTreeSet<usize>,
    log: Log,
}

impl Probe for Gossiper {
    /// The nodes it has heard of.
    fn dual(&self) -> Option<(Vec<f64>, f64)> {
        Some((self.known.iter().map(|i| *i as f64).collect(), 1.0))
    }
}

impl Learner for Gossiper {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, _t: u64, _cost: &Sealed<'_>) {}

    fn speak(&mut self, t: u64, me: Degree, receivers: &[Degree]) -> Message {
        assert_eq!((me.node, me.told), (self.setup.node(), 1 + receivers.len()));
        let weights = [t as f64].into_iter().chain(self.known.iter().map(|i| *i as f64)).collect();
        Message { from: me, body: Body::State { state: Released::zeros(0), weights } }
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        let mut heard = Vec::new();
        for message in inbox {
            let Body::State { weights, .. } = &message.body else { panic!("a state") };
            heard.push((message.from.node, weights[0] as u64));
            self.known.extend(weights[1..].iter().map(|i| *i as usize));
        }
        self.log.lock().unwrap().push((self.setup.node(), t, heard));
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Gossipers on a network, and what they will write down.
fn gossipers(nodes: usize, graph: impl Topology + 'static, transit: Transit) -> (Each, Log) {
    let log = Log::default();
    let shared = Arc::clone(&log);
    let algorithm = Algorithm::new("gossiper", Facts::relay(), move |setup: Setup| Gossiper {
        ledger: setup.plan().ledger(),
        y: setup.start(),
        known: BTreeSet::from([setup.node()]),
        log: Arc::clone(&shared),
        setup,
    });
    let mut spec = Spec::new(Blocks::even(nodes, nodes).unwrap()).set(Free).graph(graph).algorithm(algorithm);
    if let Some(lost) = transit.lost {
        spec = spec.loss(lost);
    }
    if let Some(delay) = transit.delay {
        spec = spec.delay(delay);
    }
    (Each::new(&spec.rounds(1000).check().unwrap(), Seed::new(1)), log)
}

#[test]
fn news_moves_one_hop_per_round_and_no_more() {
    let n = 6;
    for (transit, rounds_per_hop) in
        [(Transit::prompt(), 1), (Transit::prompt().late(FixedDelay::new(2).unwrap()), 3)]
    {
        let (mut fleet, _) = gossipers(n, Ring::new(n).unwrap(), transit);
        for t in 0..20 {
            fleet.exchange(t);
            let hops = ((t as usize + 1) / rounds_per_hop).min(n - 1);
            for i in 0..n {
                let known: BTreeSet<usize> = (0..=hops).map(|k| (i + n - k) % n).collect();
                let expected = known.iter().map(|i| *i as f64).collect();
                assert_eq!(fleet.dual(i), Some((expected, 1.0)), "round {t}, node {i}");
            }
        }
    }
}

/// By definition: all that was sent over a link of its round and arrives in this one, by sender and then by round.
#[test]
fn an_inbox_holds_what_arrives_in_that_round_in_order_of_senders_and_then_of_rounds() {
    for seed in 0..20 {
        let mut rng = Seed::new(seed).stream(Purpose::Data, 0, 0);
        let n = rng.random_range(1..7);
        let mut graph = |_| {
            let pairs: Vec<_> = (0..n * n).filter(|_| rng.random::<f64>() < 0.5).collect();
            Graph::of(n, pairs.into_iter().map(|p| (p / n, p % n)))
        };
        let graphs: Vec<Graph> = (0..3).map(&mut graph).collect();
        let topology = Cycle::new(graphs).unwrap();
        // In turn: prompt, late, lost, both.
        let late =
            delay::OwnDelay::new(5, move |t, from, to| (t * 7 + from as u64 * 3 + to as u64 + seed) % 6)
                .unwrap();
        let lost = outage::OwnOutage::new(move |t, from, to| {
            !(t * 5 + from as u64 + 2 * to as u64 + seed).is_multiple_of(4)
        });
        let transit = match seed % 4 {
            0 => Transit::prompt(),
            1 => Transit::prompt().late(late),
            2 => Transit::prompt().losing(lost),
            _ => Transit::prompt().late(late).losing(lost),
        };
        let (mut fleet, log) = gossipers(n, topology.clone(), transit.clone());
        let all: Vec<(u64, usize, usize)> = (0..40)
            .flat_map(|s| topology.graph(s).links().map(move |(from, to)| (s, from, to)).collect::<Vec<_>>())
            .collect();
        for t in 0..40 {
            fleet.exchange(t);
            for (i, (node, round, heard)) in log.lock().unwrap().drain(..).enumerate() {
                let arrives = |&(s, from, to): &(u64, usize, usize)| {
                    to == i && s <= t && transit.arrival(s, from, to) == Some(t)
                };
                let mut expected: Vec<_> =
                    all.iter().filter(|m| arrives(m)).map(|(s, from, _)| (*from, *s)).collect();
                expected.sort_unstable();
                assert_eq!((node, round, heard), (i, t, expected), "seed {seed}");
            }
            let flying = |&(s, from, to): &(u64, usize, usize)| {
                s <= t && transit.arrival(s, from, to).is_some_and(|arrival| arrival > t)
            };
            assert_eq!(fleet.under_way(), all.iter().filter(|m| flying(m)).count(), "seed {seed}, round {t}");
        }
    }
}

#[test]
fn memory_holds_the_messages_of_as_many_rounds_as_the_longest_delay() {
    let spec =
        Spec::new(Blocks::even(21, 7).unwrap()).set(Free).graph(PaperFig2).algorithm(Relay).rounds(200);
    let links = (0..4).map(|t| PaperFig2.graph(t).links().count()).max().unwrap();
    let late = spec.clone().delay(UniformDelay::new(4, Seed::new(1)).unwrap()).check().unwrap();
    let mut fleet = Each::new(&late, Seed::new(1));
    for t in 0..200 {
        fleet.exchange(t);
        assert!(fleet.under_way() <= 4 * links);
    }
    assert!(fleet.under_way() > 0);
    let mut prompt = Each::new(&spec.check().unwrap(), Seed::new(1));
    for t in 0..20 {
        prompt.exchange(t);
        assert_eq!(prompt.under_way(), 0);
    }
}

/// What was said may be looked at, and is delivered as it was said.
#[test]
fn an_exchange_is_what_is_said_and_then_delivered() {
    let spec = Spec::new(Blocks::even(14, 7).unwrap()).set(Ball::new(1.0).unwrap()).graph(PaperFig2);
    let spec = spec
        .algorithm(PushSum)
        .delay(UniformDelay::new(3, Seed::new(5)).unwrap())
        .rounds(30)
        .check()
        .unwrap();
    let (mut whole, mut halves) = (Each::new(&spec, Seed::new(1)), Each::new(&spec, Seed::new(1)));
    let cost = OwnCost::new(14, |x| x.iter().sum(), |_, g| g.fill(1.0));
    for t in 0..30 {
        whole.round(t, &cost).unwrap();
        halves.learn(t, &cost).unwrap();
        let said = halves.speak(t);
        assert_eq!((said.round, &said.graph, said.messages.len()), (t, &PaperFig2.graph(t), 7));
        halves.deliver(&said);
        assert_eq!(whole.models(), halves.models());
    }
}

/// What a fleet is made of must fit together; what does not is an error that names it.
#[test]
fn learners_plan_and_network_of_other_sizes_are_refused() {
    let of = |nodes: usize, dim: usize| {
        let spec = Spec::new(Blocks::even(dim, nodes).unwrap()).set(Free).algorithm(Relay).rounds(3);
        spec.graph(Complete::new(nodes).unwrap())
            .privacy(Privacy::level(1.0).mechanism(Laplace))
            .check()
            .unwrap()
    };
    let (two, three, wide) = (of(2, 4), of(3, 4), of(2, 6));
    let learners = |spec: &Checked, count: usize| (0..count).map(|i| spec.learner(i, Seed::new(1))).collect();
    let refused = |learners, spec: &Checked, plan: &Checked, network: &Checked, words: &str| {
        let network = network.network().map(|n| (Arc::clone(&n.topology), n.transit.clone()));
        let made = Each::of(learners, spec.style(), spec.shared_blocks(), plan.shared_plan(), network);
        let error = made.map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with(words), "{error}");
    };
    refused(learners(&two, 2), &two, &two, &three, "network = 3 nodes: there are 2 learners");
    refused(learners(&three, 3), &three, &three, &two, "network = 2 nodes: there are 3 learners");
    refused(learners(&two, 1), &two, &two, &two, "learners = 1: 2 blocks need 2 learners");
    refused(learners(&wide, 2), &two, &two, &two, "learners = an estimate of 6 coordinates: every learner");
    refused(learners(&two, 2), &two, &wide, &two, "plan = for other blocks: the blocks have other sizes");

    let setup = |node, spec: &Checked, plan: &Checked| {
        let made =
            Setup::new(node, spec.shared_blocks(), spec.shared_set(), plan.shared_plan(), Seed::new(1));
        made.map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(setup(2, &two, &two), "node = 2: there are 2 nodes, counted from 0 (use at most 1)");
    assert!(setup(1, &two, &three).starts_with("plan = for other blocks"));
}

/// A topology that says one number of nodes and gives graphs of another.
struct Liar(usize);

impl Topology for Liar {
    fn nodes(&self) -> usize {
        2
    }

    fn graph(&self, _t: u64) -> Graph {
        Graph::of(self.0, (0..self.0).flat_map(|i| (0..self.0).map(move |j| (i, j))))
    }
}

#[test]
fn graphs_of_another_size_than_the_fleet_are_cut_to_it() {
    for nodes in 0..5 {
        let spec =
            Spec::new(Blocks::even(4, 2).unwrap()).set(Free).graph(Liar(nodes)).algorithm(Relay).rounds(3);
        let mut fleet = Each::new(&spec.check().unwrap(), Seed::new(1));
        let cost = OwnCost::new(4, |x| x.iter().sum(), |_, g| g.fill(1.0));
        fleet.round(0, &cost).unwrap();
        let mut said = fleet.speak(1);
        assert_eq!(said.graph.nodes(), 2);
        for graph in [Graph::empty(1), Liar(4).graph(0)] {
            said.graph = graph; // an eavesdropper may hand on what it likes
            fleet.deliver(&said);
        }
    }
}

#[test]
fn without_a_network_nobody_hears_anybody() {
    let spec =
        Spec::new(Blocks::even(4, 2).unwrap()).set(Free).graph(Complete::new(2).unwrap()).algorithm(Relay);
    let spec = spec.rounds(10).check().unwrap();
    let learners = (0..2).map(|node| spec.learner(node, Seed::new(1))).collect();
    let mut alone = Each::of(learners, spec.style(), spec.shared_blocks(), spec.shared_plan(), None).unwrap();
    let cost = OwnCost::new(4, |x| x.iter().sum(), |_, g| g.fill(1.0));
    for t in 0..10 {
        alone.round(t, &cost).unwrap();
        for i in 0..2 {
            assert_eq!(alone.staleness(i, t + 1), Some(t + 1));
            let (dual, _) = alone.dual(i).unwrap();
            assert_eq!(dual[2 - 2 * i..4 - 2 * i], [0.0; 2], "of the other it knows nothing");
        }
    }
}

/// The sum of all push-sum weights that nodes speak of, after 300 rounds that learn nothing.
fn mass(spec: Spec) -> f64 {
    let mut fleet = Each::new(&spec.links(Links::Naive).check().unwrap(), Seed::new(1));
    (0..300).for_each(|t| fleet.exchange(t));
    let weight = |message: &Arc<Message>| match &message.body {
        Body::Dual { weight, .. } => *weight,
        other => panic!("{other:?}"),
    };
    fleet.speak(300).messages.iter().map(weight).sum()
}

#[test]
fn the_weight_of_naive_push_sum_leaks_away_where_losses_go_unnoticed() {
    let spec =
        Spec::new(Blocks::even(21, 7).unwrap()).set(Free).graph(PaperFig2).algorithm(PushSum).rounds(300);
    let tenth = || Bernoulli::new(0.1, Seed::new(1)).unwrap();
    let known = mass(spec.clone().outage(tenth()));
    assert!((known - 7.0).abs() < 1e-9, "known losses change the weights in time: {known}");
    let lost = mass(spec.clone().loss(tenth()));
    assert!(lost < 1e-3, "{lost}");
    // Shares that are late are under way, and arrive.
    let late = mass(spec.delay(FixedDelay::new(3).unwrap()));
    assert!(late > 1.0 && late < 7.0, "{late}");
}

#[test]
fn what_was_spent_with_idealised_noise_says_so() {
    let said = |mechanism: &str| {
        let spec = Spec::new(Blocks::even(2, 2).unwrap()).set(Free).graph(Ring::new(2).unwrap());
        let privacy = Privacy::epsilon(0.5).delta(1e-5).clip(1.0);
        let privacy = privacy.mechanism(Mechanism::named(mechanism).unwrap());
        let mut fleet = spec.algorithm(Relay).rounds(4).privacy(privacy).fleet(Seed::new(1)).unwrap();
        let cost = OwnCost::new(2, |x| x[0] + x[1], |_, g| g.fill(1.0));
        (0..4).try_for_each(|t| fleet.round(t, &cost)).unwrap();
        assert_eq!(fleet.plan().claim().contains("idealised"), fleet.spent().idealised, "{mechanism}");
        fleet.spent().to_string()
    };
    for (mechanism, so_far) in [
        ("laplace", "so far (idealised); "),
        ("gaussian", "so far (delta 1e-5; idealised); "),
        ("discrete-laplace", "so far; "),
        ("discrete-gaussian", "so far (delta 1e-5); "),
    ] {
        let said = said(mechanism);
        assert!(said.contains(so_far), "{mechanism}: {said}");
    }
}
