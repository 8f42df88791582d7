//! A user's own algorithm, mechanism, weights, graph, set, outage and delay, all in one specification.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dpsda::learner::{Body, Mixes};
use dpsda::network::weights::{Columns, Weights};
use dpsda::network::{delay, outage};
use dpsda::prelude::*;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::{Exact, Noise, Order};
use dpsda::privacy::{Mechanism, Price};
use dpsda::rng::Stream;

const NODES: usize = 5;

/// A node that averages what it hears of everybody's sums with weights that were set.
struct Averager {
    setup: Setup,
    guard: Guard,
    ledger: Ledger,
    degree: Degree,
    dual: Released,
    y: Vec<f64>,
}

impl Averager {
    fn new(setup: Setup) -> Self {
        Self {
            guard: setup.guard(),
            ledger: setup.plan().ledger(),
            degree: Degree { node: setup.node(), heard: 1, told: 1 },
            dual: Released::zeros(setup.blocks.dim()),
            y: setup.start(),
            setup,
        }
    }
}

impl Probe for Averager {
    fn dual(&self) -> Option<(Vec<f64>, f64)> {
        Some((self.dual.to_reals(), 1.0))
    }
}

impl Learner for Averager {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        let secret = self.setup.observe(&self.guard, self.setup.node(), t, cost, &self.y);
        let noised = self.guard.release(secret, t, &mut self.ledger);
        self.dual.add_block(self.setup.blocks.range(self.setup.node()), &noised);
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        self.degree = me;
        Message { from: me, body: Body::Dual { dual: self.dual.clone(), weight: 1.0 } }
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        let Some(weights) = &self.setup.weights else { return };
        let mut mixed = Released::zeros(self.y.len());
        let mut rest = 1.0;
        for message in inbox {
            let Body::Dual { dual, .. } = &message.body else { continue };
            let share = weights.share(self.degree, message.from);
            mixed.add(share, dual);
            rest -= share;
        }
        mixed.add(rest, &self.dual);
        self.dual = mixed;
        self.setup.decide(t, &self.dual.to_reals(), None, &mut self.y);
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Discrete Laplace noise, drawn twice: it hides more and charges for one draw.
struct Twice(Box<dyn Exact>);

impl Exact for Twice {
    fn perturb(&mut self, value: &mut [i64], stream: &mut Stream) {
        self.0.perturb(value, stream);
        self.0.perturb(value, stream);
    }

    fn cost(&self, moved: u64, times: u64) -> Price {
        self.0.cost(moved, times)
    }

    fn log_likelihood(&self, _noise: &[Vec<i64>]) -> f64 {
        f64::NAN // nobody asks here
    }

    fn prefix_deviation(&self, rounds: u64) -> f64 {
        2_f64.sqrt() * self.0.prefix_deviation(rounds)
    }
}

fn twice() -> Mechanism {
    Mechanism::exact("twice", Norm::L1, |order: Order<u64>| {
        let Noise::Exact(once) = Mechanism::from(DiscreteLaplace).in_units(order) else {
            panic!("exact noise")
        };
        Twice(once)
    })
}

/// A tenth for every node that is heard; the node keeps the rest. It counts how often it is asked.
struct Tenth(Arc<AtomicU64>);

impl Weights for Tenth {
    fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]) {
        self.0.fetch_add(1, Ordering::Relaxed);
        for (other, weight) in heard.iter().zip(row) {
            *weight = if other.node == me.node { 1.0 - (me.heard - 1) as f64 / 10.0 } else { 0.1 };
        }
    }

    fn row_stochastic(&self) -> bool {
        true
    }

    fn column_stochastic(&self) -> Columns {
        Columns::Undirected
    }
}

/// `{ x: every coordinate at least -1/2 }`
struct Above;

impl ConvexSet for Above {
    fn project(&self, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x = x.max(-0.5));
    }

    fn floor(&self, c: &[f64]) -> f64 {
        if c.iter().all(|c| *c >= 0.0) { -0.5 * c.iter().sum::<f64>() } else { f64::NEG_INFINITY }
    }

    fn is_separable(&self) -> bool {
        true
    }
}

#[test]
fn parts_of_ones_own_run_in_one_specification() {
    let asked = Arc::new(AtomicU64::new(0));
    // In round t everybody tells the one t mod 4 places further.
    let hop = |t: u64| Graph::of(NODES, (0..NODES).map(move |i| (i, (i + 1 + t as usize % 4) % NODES)));
    let facts = Facts::average(Mixes::Rows("uniform"));
    let privacy = Privacy::epsilon(2.0).clip(4.0).mechanism(twice());
    let spec = Spec::new(Blocks::even(2 * NODES, NODES).unwrap())
        .set(Above)
        .graph(Varying::new(NODES, hop).unwrap())
        .outage(outage::OwnOutage::new(|t, from, _| t % 10 != from as u64))
        .delay(delay::OwnDelay::new(2, |t, _, to| (t + to as u64) % 3).unwrap())
        .weights(Tenth(Arc::clone(&asked)))
        .algorithm(Algorithm::new("averager", facts, Averager::new))
        .privacy(privacy.clone())
        .rounds(200);
    let cost = OwnCost::new(
        2 * NODES,
        |x| x.iter().map(|x| (x + 2.0).abs()).sum(),
        |x, g| {
            g.iter_mut().zip(x).for_each(|(g, x)| *g = (x + 2.0).signum());
        },
    );
    let run = |spec: &Spec| {
        let mut fleet = spec.fleet(Seed::new(1)).unwrap();
        (0..200).for_each(|t| fleet.round(t, &cost).unwrap());
        fleet
    };
    let fleet = run(&spec);
    let checked = spec.check().unwrap();
    assert_eq!((checked.algorithm().name(), checked.plan().mechanism().name()), ("averager", "twice"));
    assert_eq!((checked.algorithm().is_durable(), fleet.learners()), (false, NODES));
    assert!(asked.load(Ordering::Relaxed) > 500, "its weights were asked for");
    let x = fleet.decision();
    assert!(x.iter().all(|x| *x >= -0.5), "it keeps to its set: {x:?}");
    assert!(x.iter().filter(|x| **x == -0.5).count() > NODES, "the best decision is on the edge: {x:?}");
    // The promise is that of the plan, also with a user's own noise; the ledgers hold one release per node and round.
    let epsilon = fleet.spent().epsilon().unwrap();
    assert!(epsilon <= 2.0 * (1.0 + 1e-9) && epsilon > 1.9, "{epsilon}");
    assert!((0..NODES).all(|i| fleet.ledger(i).releases() == 200));
    // With noise of the table it is another run; with the same noise the same.
    let other = run(&spec.clone().privacy(privacy.mechanism(DiscreteLaplace)));
    assert_ne!(other.dual(0), fleet.dual(0));
    assert_eq!(run(&spec).dual(0), fleet.dual(0));
}
