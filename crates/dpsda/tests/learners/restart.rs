//! A learner that is stopped between rounds, saved and restored continues as if it had never stopped.

use std::sync::Arc;

use dpsda::catalog::find;
use dpsda::fleet::Each;
use dpsda::keys::Table;
use dpsda::learner::{Algorithm, Durable, Learner, Links, Message, Probe, Saved, Standing, Step};
use dpsda::loss::{LOSSES, Loss};
use dpsda::network::{Degree, Graph, Varying};
use dpsda::objective::Batch;
use dpsda::privacy::plan::Arithmetic;
use dpsda::privacy::{Ledger, Mechanism, Privacy, Sealed};
use dpsda::rng::{NoiseKey, Purpose, Seed};
use dpsda::set::Ball;
use dpsda::spec::Checked;
use dpsda::{Blocks, Fleet, Keys, Spec};
use rand::RngExt;

use crate::world::World;

const N: usize = 4;
const D: usize = 9;
const ROUNDS: u64 = 40;

#[derive(Clone)]
struct Case {
    name: &'static str,
    mechanism: &'static str,
    links: Links,
    key: Option<NoiseKey>,
    step: Step,
}

fn logistic() -> Box<dyn Loss> {
    (find(LOSSES, "loss", "logistic").unwrap().build)(&Keys::new("problem", &Table::new())).unwrap()
}

impl Case {
    fn spec(&self) -> Checked {
        let graph = |t: u64| {
            let links = (0..N).flat_map(|i| [(i, (i + 1) % N), (i, (i + t as usize) % N)]);
            Graph::of(N, links.filter(|(a, b)| a != b).collect::<Vec<_>>())
        };
        let algorithm = Algorithm::named(self.name).unwrap();
        let arithmetic = if algorithm.style().averages() { Arithmetic::Grid } else { Arithmetic::Real };
        let asked = Privacy::epsilon(1.0).delta(1e-5).clip(1.0).arithmetic(arithmetic);
        let spec = Spec::new(Blocks::even(D, N).unwrap())
            .set(Ball::new(3.0).unwrap())
            .graph(Varying::new(N, graph).unwrap());
        let spec = spec.algorithm(algorithm).step(self.step).links(self.links).rounds(ROUNDS).batch(2);
        spec.privacy(asked.mechanism(Mechanism::named(self.mechanism).unwrap())).check().unwrap()
    }

    /// A new life of a node.
    fn learner(&self, node: usize, spec: &Checked) -> Box<dyn Durable> {
        spec.durable(node, Seed::new(3), self.key.clone()).expect("a host can run it")
    }

    /// What all say and decide, where node `r mod N` is restarted after every round `r` that `restarts` names.
    fn run(&self, restarts: &[u64]) -> (Vec<Vec<Arc<Message>>>, Vec<Vec<f64>>) {
        let mut rng = Seed::default().stream(Purpose::Data, 0, 0);
        let rows = 2 * ROUNDS as usize;
        let features: Vec<Vec<f64>> =
            (0..rows).map(|_| (0..D).map(|_| rng.random::<f64>() - 0.5).collect()).collect();
        let labels = (0..rows).map(|k| if k % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let (samples, loss, spec) = (World::samples(&features, labels), logistic(), self.spec());
        let host = |node| -> Box<dyn Learner> {
            let restarts = restarts.iter().copied().filter(|t| *t as usize % N == node).collect();
            let degree = Degree { node, heard: 1, told: 1 };
            let (case, spec) = (self.clone(), spec.clone());
            Box::new(Host { learner: self.learner(node, &spec), case, spec, restarts, degree })
        };
        let network = spec.network().map(|network| (Arc::clone(&network.topology), network.transit.clone()));
        let hosts = (0..N).map(host).collect();
        let mut fleet =
            Each::of(hosts, spec.style(), spec.shared_blocks(), spec.shared_plan(), network).unwrap();
        let (mut all_said, mut estimates) = (Vec::new(), Vec::new());
        for t in 0..ROUNDS {
            let rows = [2 * t as usize, 2 * t as usize + 1];
            fleet.learn(t, &Batch { samples: &samples, rows: &rows, loss: &*loss }).unwrap();
            let said = fleet.speak(t);
            fleet.deliver(&said);
            all_said.push(said.messages);
            estimates.extend((0..N).map(|i| fleet.estimate(i).to_vec()));
        }
        (all_said, estimates)
    }
}

/// A learner on a host that stops after some rounds: what is written down is all that the next life has.
struct Host {
    learner: Box<dyn Durable>,
    case: Case,
    spec: Checked,
    restarts: Vec<u64>,
    degree: Degree,
}

impl Host {
    fn restart(&mut self, t: u64) {
        let (old, node) = (&mut self.learner, self.degree.node);
        let written = postcard::to_stdvec(&old.save().expect("between rounds")).unwrap();
        let mut next = self.case.learner(node, &self.spec);
        assert!(next.restore(postcard::from_bytes(&written).unwrap()), "{}", self.case.name);
        assert_eq!(next.estimate(), old.estimate());
        assert_eq!(next.ledger(), old.ledger());
        if self.case.name == "dpsda-r" {
            // The other nodes send their blocks again.
            let told = old.speak(t, self.degree, &[]);
            next.listen(t, &[&told]);
        }
        self.learner = next;
    }
}

impl Probe for Host {}

impl Learner for Host {
    fn estimate(&self) -> &[f64] {
        self.learner.estimate()
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        self.learner.learn(t, cost);
    }

    fn speak(&mut self, t: u64, me: Degree, receivers: &[Degree]) -> Message {
        self.degree = me;
        self.learner.speak(t, me, receivers)
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        self.learner.listen(t, inbox);
        if self.restarts.contains(&t) {
            self.restart(t);
        }
    }

    fn ledger(&self) -> &Ledger {
        self.learner.ledger()
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mechanism in ["discrete-laplace", "discrete-gaussian", "tree", "toeplitz"] {
        cases.push(Case {
            name: "dpsda-r",
            mechanism,
            links: Links::Naive,
            key: None,
            step: Step::decaying(1.0),
        });
        cases.push(Case {
            name: "dpsda-r",
            mechanism,
            links: Links::Naive,
            key: Some(NoiseKey::new([7; 32])),
            step: Step::decaying(1.0),
        });
    }
    for name in ["dpsda-c", "dpsda-ps"] {
        for links in [Links::Naive, Links::RunningSums] {
            cases.push(Case {
                name,
                mechanism: "discrete-gaussian",
                links,
                key: None,
                step: Step::decaying(1.0),
            });
        }
    }
    for mechanism in ["discrete-laplace", "toeplitz"] {
        cases.push(Case { name: "dpsda-r", mechanism, links: Links::Naive, key: None, step: Step::auto() });
    }
    cases
}

#[test]
fn a_restart_between_rounds_changes_nothing() {
    for case in cases() {
        let (said, estimates) = case.run(&[]);
        let (again, same) = case.run(&[0, 1, 6, 15, 16, 31, 38]);
        let place = format!("{} with {}, {:?}", case.name, case.mechanism, case.links);
        assert_eq!(estimates, same, "{place}");
        assert_eq!(format!("{said:?}"), format!("{again:?}"), "{place}");
    }
}

/// Another life released all of this epoch too: an event has cost twice, a lifetime both runs, and the next epoch begins afresh.
#[test]
fn a_new_epoch_charges_the_lost_life_and_begins_with_fresh_noise() {
    for mechanism in ["discrete-laplace", "discrete-gaussian", "tree", "toeplitz"] {
        let case =
            Case { name: "dpsda-r", mechanism, links: Links::Naive, key: None, step: Step::decaying(1.0) };
        let samples = World::samples(&vec![vec![0.1; D]; 12], vec![1.0; 12]);
        let (loss, spec) = (logistic(), case.spec());
        let mut learner = case.learner(0, &spec);
        let learn = |learner: &mut Box<dyn Durable>, t: u64| {
            let f = Batch { samples: &samples, rows: &[t as usize], loss: &*loss };
            learner.learn(t, &spec.plan().seal(&f));
        };
        (0..5).for_each(|t| learn(&mut learner, t));
        let (once, whole) = (learner.ledger().per_event(), learner.ledger().lifetime());
        let Standing::Relay { own, .. } = learner.save().unwrap().standing else { panic!("it relays") };
        assert!(learner.renew(Some(own.clone()), 5, 1), "{mechanism}");
        assert_eq!((learner.begun(), learner.ledger().releases()), (5, 10));
        assert_eq!(learner.ledger().per_event(), once.times(2), "{mechanism}");
        assert_eq!(learner.ledger().lifetime(), whole.times(2), "{mechanism}");
        let foreseen = learner.foresee(5);
        learn(&mut learner, 5);
        assert_eq!(*learner.ledger(), foreseen, "{mechanism}");
        assert_eq!(foreseen.lifetime(), whole.times(2).and(once), "{mechanism}: the first of a new run");
        assert_eq!(foreseen.per_event(), once.times(2), "{mechanism}: a new event is not an old one");
        // It keeps only what a run that began here would keep.
        let mut fresh = case.learner(0, &spec);
        learn(&mut fresh, 5);
        let kept = |learner: &dyn Durable| postcard::to_stdvec(&learner.save().unwrap().secret).unwrap();
        assert_eq!(kept(&*learner).len(), kept(&*fresh).len(), "{mechanism}");
        // Three more lives at once are three more prices, for an event of this epoch.
        assert!(learner.renew(Some(own), 6, 3), "{mechanism}");
        assert_eq!(learner.ledger().per_event(), once.times(4), "{mechanism}");
    }
}

#[test]
fn noise_from_a_key_is_not_that_of_the_seed() {
    let case = |key| Case {
        name: "dpsda-r",
        mechanism: "discrete-laplace",
        links: Links::Naive,
        key,
        step: Step::decaying(1.0),
    };
    let (seeded, keyed) = (case(None).run(&[]), case(Some(NoiseKey::new([7; 32]))).run(&[]));
    assert_ne!(seeded.1, keyed.1);
    assert_eq!(keyed.1, case(Some(NoiseKey::new([7; 32]))).run(&[]).1);
    assert_ne!(keyed.1, case(Some(NoiseKey::new([8; 32]))).run(&[]).1);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let made = |name, mechanism, node| {
        let case = Case { name, mechanism, links: Links::Naive, key: None, step: Step::decaying(1.0) };
        let spec = case.spec();
        (case.learner(node, &spec), spec)
    };
    let saved = |name, mechanism| made(name, mechanism, 0).0.save().unwrap();
    let mut relay = made("dpsda-r", "toeplitz", 0).0;
    let before = relay.estimate().to_vec();
    let mut long = saved("dpsda-r", "toeplitz");
    if let Standing::Relay { estimate, .. } = &mut long.standing {
        estimate.push(0.0);
    }
    let other_block = made("dpsda-r", "toeplitz", 3).0.save().unwrap();
    let noisy: Saved = {
        let (mut learner, spec) = made("dpsda-r", "tree", 0);
        let (samples, loss) = (World::samples(&[vec![0.1; D]], vec![1.0]), logistic());
        learner.learn(0, &spec.plan().seal(&Batch { samples: &samples, rows: &[0], loss: &*loss }));
        learner.save().unwrap()
    };
    for wrong in [long, other_block, noisy, saved("dpsda-c", "discrete-gaussian")] {
        assert!(!relay.restore(wrong));
        assert_eq!(relay.estimate(), before);
    }
    assert!(relay.restore(saved("dpsda-r", "toeplitz")));
}
