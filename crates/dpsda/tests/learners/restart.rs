//! A learner that is stopped between rounds, written down, and built anew goes on as if nothing had been.

use std::sync::Arc;

use dpsda::catalog::find;
use dpsda::keys::Table;
use dpsda::learner::{ALGORITHMS, Learner, Links, Message, Saved, Setup, Standing, Step};
use dpsda::loss::LOSSES;
use dpsda::network::Graph;
use dpsda::network::weights;
use dpsda::objective::Batch;
use dpsda::objective::two_point::Feedback;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::privacy::plan::{Arithmetic, Plan, Shape, Wish};
use dpsda::rng::{Key, Purpose, Seed};
use dpsda::set::free::Free;
use dpsda::{Blocks, Keys};
use rand::RngExt;

use crate::world::World;

const N: usize = 4;
const D: usize = 9;
const ROUNDS: u64 = 40;

struct Case {
    name: &'static str,
    mechanism: &'static str,
    links: Links,
    key: Option<Key>,
}

impl Case {
    fn learners(&self) -> Vec<Box<dyn Learner>> {
        let algorithm = find(ALGORITHMS, "algorithm.name", self.name).unwrap();
        let blocks = Blocks::even(D, N).unwrap();
        let mechanism = find(MECHANISMS, "mechanism", self.mechanism).unwrap();
        let averages = algorithm.build.averages;
        let arithmetic = if averages { Arithmetic::Grid } else { Arithmetic::Real };
        let wish = Wish { arithmetic, ..Wish::epsilon(mechanism, 1.0, Some(1e-5), 1.0) };
        let plan = Plan::new(wish, &Shape { averages, blocks: &blocks, rounds: ROUNDS, batch: 2 }).unwrap();
        let rule = if self.name == "dpsda-c" { "metropolis" } else { "push-sum" };
        let setup = Setup {
            node: 0,
            blocks: Arc::new(blocks),
            set: Arc::new(Free),
            step: Step::decaying(1.0),
            weights: algorithm.build.mixes.map(|_| weights::named(rule).unwrap().into()),
            plan: Arc::new(plan),
            links: self.links,
            feedback: Feedback::Gradient,
            gradient_error: 0.0,
            seed: Seed { seed: 3, trial: 0 },
            key: self.key.clone(),
        };
        (0..N).map(|node| (algorithm.build.build)(Setup { node, ..setup.clone() })).collect()
    }

    /// What all say and decide, where node `r mod N` is restarted after every round `r` that `restarts` names.
    fn run(&self, restarts: &[u64]) -> (Vec<Vec<Message>>, Vec<Vec<f64>>) {
        let mut rng = Seed::default().stream(Purpose::Data, 0, 0);
        let rows = 2 * ROUNDS as usize;
        let features: Vec<Vec<f64>> =
            (0..rows).map(|_| (0..D).map(|_| rng.random::<f64>() - 0.5).collect()).collect();
        let labels = (0..rows).map(|k| if k % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let samples = World::samples(&features, labels);
        let empty = Table::new();
        let loss = (find(LOSSES, "loss", "logistic").unwrap().build)(&Keys::new("problem", &empty)).unwrap();
        let mut learners = self.learners();
        let (mut all_said, mut estimates) = (Vec::new(), Vec::new());
        for t in 0..ROUNDS {
            let links = (0..N).flat_map(|i| [(i, (i + 1) % N), (i, (i + t as usize) % N)]);
            let graph = Graph::of(N, links.filter(|(a, b)| a != b));
            let graph = if self.name == "dpsda-c" { graph.undirected() } else { graph };
            let rows = [2 * t as usize, 2 * t as usize + 1];
            let f = Batch { samples: &samples, rows: &rows, loss: &*loss };
            learners.iter_mut().for_each(|l| l.learn(t, &f));
            let degrees = graph.degrees();
            let mut said = Vec::new();
            for (i, learner) in learners.iter_mut().enumerate() {
                let receivers: Vec<_> = graph.out(i).iter().map(|to| degrees[*to]).collect();
                learner.address(t, &receivers);
                said.push(learner.speak(degrees[i]));
            }
            for (i, learner) in learners.iter_mut().enumerate() {
                let inbox: Vec<_> =
                    graph.links().filter(|(_, to)| *to == i).map(|(from, _)| &said[from]).collect();
                learner.listen(t, &inbox);
            }
            all_said.push(said);
            if restarts.contains(&t) {
                let i = t as usize % N;
                let written = postcard::to_stdvec(&learners[i].save().expect("between rounds")).unwrap();
                let mut next = self.learners().swap_remove(i);
                assert!(next.restore(postcard::from_bytes(&written).unwrap()), "{}", self.name);
                assert_eq!(next.estimate(), learners[i].estimate());
                assert_eq!(next.ledger(), learners[i].ledger());
                if self.name == "dpsda-r" {
                    // What it knew of the others they tell it again.
                    let told = learners[i].speak(degrees[i]);
                    next.listen(t, &[&told]);
                }
                learners[i] = next;
            }
            estimates.extend(learners.iter().map(|l| l.estimate().to_vec()));
        }
        (all_said, estimates)
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mechanism in ["discrete-laplace", "discrete-gaussian", "tree", "toeplitz"] {
        cases.push(Case { name: "dpsda-r", mechanism, links: Links::Naive, key: None });
        cases.push(Case { name: "dpsda-r", mechanism, links: Links::Naive, key: Some(Key::new([7; 32])) });
    }
    for name in ["dpsda-c", "dpsda-ps"] {
        for links in [Links::Naive, Links::RunningSums] {
            cases.push(Case { name, mechanism: "discrete-gaussian", links, key: None });
        }
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
        let case = Case { name: "dpsda-r", mechanism, links: Links::Naive, key: None };
        let samples = World::samples(&vec![vec![0.1; D]; 12], vec![1.0; 12]);
        let empty = Table::new();
        let loss = (find(LOSSES, "loss", "logistic").unwrap().build)(&Keys::new("problem", &empty)).unwrap();
        let mut learner = case.learners().swap_remove(0);
        let learn = |learner: &mut Box<dyn Learner>, t: u64| {
            learner.learn(t, &Batch { samples: &samples, rows: &[t as usize], loss: &*loss });
        };
        (0..5).for_each(|t| learn(&mut learner, t));
        let (once, whole) = (learner.ledger().per_event(), learner.ledger().lifetime());
        let Standing::Relay { own, .. } = learner.save().unwrap().standing else { panic!("it relays") };
        assert!(learner.renew(Some(own.clone()), 5, 1), "{mechanism}");
        assert_eq!((learner.begun(), learner.ledger().releases()), (5, 10));
        assert_eq!(learner.ledger().per_event(), once.times(2), "{mechanism}");
        assert_eq!(learner.ledger().lifetime(), whole.times(2), "{mechanism}");
        let foreseen = learner.foresee(5).unwrap();
        learn(&mut learner, 5);
        assert_eq!(*learner.ledger(), foreseen, "{mechanism}");
        assert_eq!(foreseen.lifetime(), whole.times(2).and(once), "{mechanism}: the first of a new run");
        assert_eq!(foreseen.per_event(), once.times(2), "{mechanism}: a new event is not an old one");
        // Nothing of this run is kept but what one that began here would keep.
        let mut fresh = case.learners().swap_remove(0);
        learn(&mut fresh, 5);
        let kept = |learner: &dyn Learner| postcard::to_stdvec(&learner.save().unwrap().secret).unwrap();
        assert_eq!(kept(&*learner).len(), kept(&*fresh).len(), "{mechanism}");
        // Three more lives at once are three more prices, for an event of this epoch.
        assert!(learner.renew(Some(own), 6, 3), "{mechanism}");
        assert_eq!(learner.ledger().per_event(), once.times(4), "{mechanism}");
    }
}

#[test]
fn noise_from_a_key_is_not_that_of_the_seed() {
    let case = |key| Case { name: "dpsda-r", mechanism: "discrete-laplace", links: Links::Naive, key };
    let (seeded, keyed) = (case(None).run(&[]), case(Some(Key::new([7; 32]))).run(&[]));
    assert_ne!(seeded.1, keyed.1);
    assert_eq!(keyed.1, case(Some(Key::new([7; 32]))).run(&[]).1);
    assert_ne!(keyed.1, case(Some(Key::new([8; 32]))).run(&[]).1);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let case = |name, mechanism| Case { name, mechanism, links: Links::Naive, key: None };
    let saved = |name, mechanism| case(name, mechanism).learners()[0].save().unwrap();
    let mut relay = case("dpsda-r", "toeplitz").learners().swap_remove(0);
    let before = relay.estimate().to_vec();
    let mut long = saved("dpsda-r", "toeplitz");
    if let Standing::Relay { estimate, .. } = &mut long.standing {
        estimate.push(0.0);
    }
    let other_block = case("dpsda-r", "toeplitz").learners()[3].save().unwrap();
    let mut told = case("dpsda-r", "toeplitz");
    told.mechanism = "tree";
    let noisy: Saved = {
        let mut learner = told.learners().swap_remove(0);
        let samples = World::samples(&[vec![0.1; D]], vec![1.0]);
        let empty = Table::new();
        let loss = (find(LOSSES, "loss", "logistic").unwrap().build)(&Keys::new("problem", &empty)).unwrap();
        learner.learn(0, &Batch { samples: &samples, rows: &[0], loss: &*loss });
        learner.save().unwrap()
    };
    for wrong in [long, other_block, noisy, saved("dpsda-c", "discrete-gaussian")] {
        assert!(!relay.restore(wrong));
        assert_eq!(relay.estimate(), before);
    }
    assert!(relay.restore(saved("dpsda-r", "toeplitz")));
}
