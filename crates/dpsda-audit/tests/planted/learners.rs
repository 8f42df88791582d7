//! Learners that keep un-noised values where an adversary can see them.
//!
//! A learner cannot read the costs that it is given, and its [`Setup`] does not tell it the seed of its noise. So these are
//! told the seed by the test that runs them. Randomness has names: with the seed they draw the noise of their guard again and
//! take it off.

use dpsda::learner::{Algorithm, Body, Circulation, Learner, Message, Probe, Relay, Setup, Style};
use dpsda::network::Degree;
use dpsda::network::weights::Weights;
use dpsda::objective::OwnCost;
use dpsda::privacy::mechanism::Noise;
use dpsda::privacy::plan::Extent;
use dpsda::privacy::{Guard, Ledger, Plan, Privacy, Released, Sealed};
use dpsda::rng::{Purpose, Seed};

/// The noise that the guard of a learner adds in round `t`, in units of the grid.
fn noise(setup: &Setup, seed: Seed, t: u64) -> Vec<i64> {
    let mut units = vec![0; setup.blocks.range(setup.node()).len()];
    let mut stream = seed.stream(Purpose::Noise, setup.node() as u64, t);
    if let Noise::Exact(mut law) = setup.plan().noise(setup.node()) {
        law.perturb(&mut units, &mut stream);
    }
    units
}

/// These units in the dual.
fn reals(setup: &Setup, units: Vec<i64>) -> Vec<f64> {
    units.into_iter().map(|k| k as f64 * setup.plan().unit().unwrap_or(1.0)).collect()
}

/// DPSDA-R that decides from the sum of its own un-noised gradients. On a free set that is the honest decision, moved by the
/// step times the noise in its sum.
pub(crate) fn unnoised_decisions(seed: Seed) -> Algorithm {
    let relay = Algorithm::from(Relay);
    Algorithm::new("un-noised decisions", relay.facts(), move |setup| {
        let honest = relay.learner(setup.clone());
        let y = honest.estimate().to_vec();
        UnNoised { honest, sum: vec![0.0; setup.blocks.range(setup.node()).len()], y, setup, seed }
    })
}

struct UnNoised {
    setup: Setup,
    seed: Seed,
    honest: Box<dyn Learner>,
    /// Of all noise so far.
    sum: Vec<f64>,
    y: Vec<f64>,
}

impl Probe for UnNoised {}

impl Learner for UnNoised {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        self.honest.learn(t, cost);
        let noise = reals(&self.setup, noise(&self.setup, self.seed, t));
        self.sum.iter_mut().zip(noise).for_each(|(s, n)| *s += n);
    }

    fn speak(&mut self, t: u64, me: Degree, receivers: &[Degree]) -> Message {
        self.honest.speak(t, me, receivers)
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        self.honest.listen(t, inbox);
        self.y.copy_from_slice(self.honest.estimate());
        let alpha = self.setup.step.after(t);
        let own = self.setup.blocks.range(self.setup.node());
        self.y[own].iter_mut().zip(&self.sum).for_each(|(y, noise)| *y += alpha * noise);
    }

    fn ledger(&self) -> &Ledger {
        self.honest.ledger()
    }
}

/// DPSDA-C that mixes its own share as it was before the noise: "it never left the node". It comes back in every later
/// message, under new noise each time.
pub(crate) fn own_share(seed: Seed) -> Algorithm {
    let facts = Algorithm::from(Circulation).facts();
    Algorithm::new("own share", facts, move |setup| OwnShare::new(setup, seed))
}

struct OwnShare {
    setup: Setup,
    seed: Seed,
    guard: Guard,
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
    fn new(setup: Setup, seed: Seed) -> Self {
        let d = setup.blocks.dim();
        let mut learner = Self {
            guard: setup.guard(),
            ledger: setup.plan().ledger(),
            weights: setup.weights.clone().unwrap(),
            degree: Degree { node: setup.node(), heard: 1, told: 1 },
            kept: vec![0.0; d],
            gradient: Vec::new(),
            said: vec![0.0; d],
            y: vec![0.0; d],
            setup,
            seed,
        };
        learner.publish(0);
        learner
    }

    fn publish(&mut self, t: u64) {
        let own = self.setup.blocks.range(self.setup.node());
        self.said.copy_from_slice(&self.kept);
        let noise = reals(&self.setup, noise(&self.setup, self.seed, t));
        self.said[own].iter_mut().zip(noise).for_each(|(h, n)| *h += n);
    }
}

impl Probe for OwnShare {}

impl Learner for OwnShare {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        let secret = self.setup.observe(&self.guard, self.setup.node(), t, cost, &self.y);
        let released = self.guard.release(secret, t, &mut self.ledger);
        let noise = noise(&self.setup, self.seed, t);
        let (units, _) = released.units().unwrap();
        self.gradient = reals(&self.setup, units.iter().zip(noise).map(|(v, n)| v - n).collect());
    }

    fn speak(&mut self, _: u64, me: Degree, _: &[Degree]) -> Message {
        self.degree = me;
        Message { from: me, body: Body::Dual { dual: declared_public(&self.said), weight: 1.0 } }
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
        let own = self.setup.blocks.range(self.setup.node());
        self.kept[own].iter_mut().zip(&self.gradient).for_each(|(z, u)| *z += u);
        self.publish(t + 1);
        self.setup.set.prox(&self.said, self.setup.step.after(t), &mut self.y);
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Numbers as a released value, the only way there is: through a guard of a plan that promises nothing, as the gradient of a
/// linear cost.
fn declared_public(numbers: &[f64]) -> Released {
    let all = 0..numbers.len();
    let blocks = dpsda::Blocks::even(all.end, 1).unwrap();
    let extent = Extent { style: Style::Central, blocks: &blocks, rounds: 1, batch: 1 };
    let plan = Plan::new(Privacy::none(), &extent).unwrap();
    let linear = OwnCost::new(all.end, |_| 0.0, |_, g| g.copy_from_slice(numbers));
    let mut guard = plan.guard(0, Seed::default());
    let secret = guard.observe(0, &plan.seal(&linear), numbers, all, &[]);
    guard.release(secret, 0, &mut plan.ledger())
}
