//! Learners that keep something un-noised where it shows.

use dpsda::learner::{ALGORITHMS, Body, Learner, Message, Setup};
use dpsda::network::Degree;
use dpsda::network::weights::Weights;
use dpsda::objective::Objective;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::privacy::plan::{Shape, Wish};
use dpsda::privacy::{Ledger, Mechanism, Plan, Released};
use dpsda::rng::Purpose;

/// The noise that the honest learner draws for round `t`, in the dual's unit: randomness has names, so anybody with the
/// seed can draw it again.
fn noise(setup: &Setup, t: u64) -> Vec<f64> {
    let mut units = vec![0; setup.blocks.range(setup.node).len()];
    let mut stream = setup.seed.stream(Purpose::Noise, setup.node as u64, t);
    if let Mechanism::Exact(mut law) = setup.plan.mechanism(setup.node) {
        law.perturb(&mut units, &mut stream);
    }
    units.into_iter().map(|k| k as f64 * setup.plan.unit().unwrap_or(1.0)).collect()
}

/// DPSDA-R that decides from the sum of its own un-noised gradients. On a free set that is the honest decision, moved by the
/// step times the noise in its sum.
pub(crate) fn unnoised_decisions(setup: Setup) -> Box<dyn Learner> {
    let relay = ALGORITHMS.iter().find(|a| a.name == "dpsda-r").unwrap();
    let honest = (relay.build.build)(setup.clone());
    let y = honest.estimate().to_vec();
    Box::new(UnNoised { honest, sum: vec![0.0; setup.blocks.range(setup.node).len()], y, setup })
}

struct UnNoised {
    setup: Setup,
    honest: Box<dyn Learner>,
    sum: Vec<f64>,
    y: Vec<f64>,
}

impl Learner for UnNoised {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, f: &dyn Objective) {
        self.honest.learn(t, f);
        self.sum.iter_mut().zip(noise(&self.setup, t)).for_each(|(s, n)| *s += n);
    }

    fn speak(&mut self, degree: Degree) -> Message {
        self.honest.speak(degree)
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        self.honest.listen(t, inbox);
        self.y.copy_from_slice(self.honest.estimate());
        let alpha = self.setup.step.after(t);
        let own = self.setup.blocks.range(self.setup.node);
        self.y[own].iter_mut().zip(&self.sum).for_each(|(y, noise)| *y += alpha * noise);
    }

    fn ledger(&self) -> &Ledger {
        self.honest.ledger()
    }
}

/// DPSDA-R that holds every coordinate within the node's share of a clip of 1, which bounds none of the norms.
pub(crate) fn clips_by_coordinate(setup: Setup) -> Box<dyn Learner> {
    let relay = ALGORITHMS.iter().find(|a| a.name == "dpsda-r").unwrap();
    let share = 1.0 / setup.blocks.nodes() as f64;
    Box::new(ByCoordinate { honest: (relay.build.build)(setup), share })
}

struct ByCoordinate {
    honest: Box<dyn Learner>,
    share: f64,
}

/// A cost whose gradient is clipped so.
struct Held<'a> {
    cost: &'a dyn Objective,
    share: f64,
}

impl Objective for Held<'_> {
    fn dim(&self) -> usize {
        self.cost.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.cost.value(x)
    }

    fn partial(&self, x: &[f64], block: std::ops::Range<usize>, g: &mut [f64]) {
        self.cost.partial(x, block, g);
        g.iter_mut().for_each(|g| *g = g.clamp(-self.share, self.share));
    }
}

impl Learner for ByCoordinate {
    fn estimate(&self) -> &[f64] {
        self.honest.estimate()
    }

    fn learn(&mut self, t: u64, f: &dyn Objective) {
        self.honest.learn(t, &Held { cost: f, share: self.share });
    }

    fn speak(&mut self, degree: Degree) -> Message {
        self.honest.speak(degree)
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        self.honest.listen(t, inbox);
    }

    fn ledger(&self) -> &Ledger {
        self.honest.ledger()
    }
}

/// DPSDA-C that mixes its own share as it was before the noise: "it never left the node". It comes back in every later
/// message, under new noise each time.
pub(crate) fn own_share(setup: Setup) -> Box<dyn Learner> {
    let d = setup.blocks.dim();
    let mut learner = OwnShare {
        ledger: setup.plan.ledger(),
        weights: setup.weights.clone().unwrap(),
        degree: Degree { node: setup.node, heard: 1, told: 1 },
        kept: vec![0.0; d],
        gradient: Vec::new(),
        said: vec![0.0; d],
        y: vec![0.0; d],
        setup,
    };
    learner.publish(0);
    Box::new(learner)
}

struct OwnShare {
    setup: Setup,
    ledger: Ledger,
    weights: std::sync::Arc<dyn Weights>,
    degree: Degree,
    /// `z_i`, whose own block is never noised.
    kept: Vec<f64>,
    gradient: Vec<f64>,
    /// `h_i`
    said: Vec<f64>,
    y: Vec<f64>,
}

impl OwnShare {
    fn publish(&mut self, t: u64) {
        let own = self.setup.blocks.range(self.setup.node);
        self.said.copy_from_slice(&self.kept);
        self.said[own].iter_mut().zip(noise(&self.setup, t)).for_each(|(h, n)| *h += n);
    }
}

impl Learner for OwnShare {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, _: u64, f: &dyn Objective) {
        let own = self.setup.blocks.range(self.setup.node);
        let mut g = vec![0.0; own.len()];
        f.partial(&self.y, own, &mut g);
        let mut units = vec![0; g.len()];
        self.setup.plan.clip(self.setup.node).unwrap().add(&g, &mut units);
        self.gradient = units.into_iter().map(|k| k as f64 * self.setup.plan.unit().unwrap()).collect();
    }

    fn speak(&mut self, degree: Degree) -> Message {
        self.degree = degree;
        Message { from: degree, body: Body::Dual { dual: declared_public(&self.said), weight: 1.0 } }
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        let mut heard: Vec<(Degree, Vec<f64>)> = vec![(self.degree, self.kept.clone())];
        heard.extend(inbox.iter().filter_map(|m| match &m.body {
            Body::Dual { dual, .. } => Some((m.from, dual.to_reals())),
            _ => None,
        }));
        heard.sort_by_key(|(from, _)| from.node);
        let degrees: Vec<Degree> = heard.iter().map(|(from, _)| *from).collect();
        let mut row = vec![0.0; heard.len()];
        self.weights.row(self.degree, &degrees, &mut row);
        self.kept.fill(0.0);
        for (a, (_, dual)) in row.iter().zip(&heard) {
            self.kept.iter_mut().zip(dual).for_each(|(z, h)| *z += a * h);
        }
        let own = self.setup.blocks.range(self.setup.node);
        self.kept[own].iter_mut().zip(&self.gradient).for_each(|(z, u)| *z += u);
        self.publish(t + 1);
        self.setup.set.prox(&self.said, self.setup.step.after(t), &mut self.y);
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Numbers as a released value, the only way there is: through a guard whose plan promises nothing.
fn declared_public(numbers: &[f64]) -> Released {
    struct Linear<'a>(&'a [f64]);
    impl Objective for Linear<'_> {
        fn dim(&self) -> usize {
            self.0.len()
        }
        fn value(&self, _: &[f64]) -> f64 {
            0.0
        }
        fn partial(&self, _: &[f64], block: std::ops::Range<usize>, g: &mut [f64]) {
            g.copy_from_slice(&self.0[block]);
        }
    }
    let blocks = dpsda::Blocks::even(numbers.len(), 1).unwrap();
    let nothing = MECHANISMS.iter().find(|m| m.name == "none").unwrap();
    let shape = Shape { averages: false, blocks: &blocks, rounds: 1, batch: 1 };
    let plan = Plan::new(Wish::level(nothing, 1.0), &shape).unwrap();
    let mut guard = plan.guard(0, Default::default());
    let secret = guard.observe(0, &Linear(numbers), numbers, 0..numbers.len(), &[]);
    guard.release(secret, 0, &mut plan.ledger())
}
