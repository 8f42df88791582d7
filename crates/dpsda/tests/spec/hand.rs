//! The fleet of a specification gives the same bits as learners that are made and driven by hand.

use std::sync::Arc;

use dpsda::learner::{ALGORITHMS, Graphs, Noises, Style};
use dpsda::network::weights;
use dpsda::objective::two_point::Feedback;
use dpsda::prelude::*;
use dpsda::privacy::plan::{Arithmetic, Coverage, Decide, Extent};

use crate::{BATCH, DIM, Data, ROUNDS};

const NODES: usize = 7;
const SEED: Seed = Seed::new(3);

/// What a user sets.
#[derive(Clone)]
struct Given {
    asked: Privacy,
    step: Step,
    feedback: Feedback,
    gradient_error: f64,
}

fn quiet() -> Given {
    Given {
        asked: Privacy::none(),
        step: Step::decaying(1.0),
        feedback: Feedback::Gradient,
        gradient_error: 0.0,
    }
}

fn blocks() -> Blocks {
    Blocks::even(DIM, NODES).unwrap()
}

fn set() -> Ball {
    Ball::new(2.0).unwrap()
}

fn fleet(algorithm: &Algorithm, given: &Given) -> Box<dyn Fleet> {
    let spec = Spec::new(blocks()).set(set()).graph(PaperFig2).algorithm(algorithm.clone());
    let spec = spec.privacy(given.asked.clone()).step(given.step).feedback(given.feedback);
    spec.gradient_error(given.gradient_error).rounds(ROUNDS).batch(BATCH as u64).fleet(SEED).unwrap()
}

/// The privacy that was asked for, as the algorithm uses it.
fn adapted(algorithm: &Algorithm, asked: Privacy) -> Privacy {
    match (algorithm.facts().noises, algorithm.style()) {
        (Noises::Gradients, Style::Average) => asked,
        (Noises::Gradients, _) => {
            asked.coverage(Coverage::Own).decide(Decide::Published).arithmetic(Arithmetic::Real)
        }
        (Noises::Messages, _) => asked.coverage(Coverage::Sent).decide(Decide::Private),
        (Noises::Nothing, Style::Model) => Privacy::none().coverage(Coverage::Sent).decide(asked.decide),
        (Noises::Nothing, _) => Privacy::none().coverage(asked.coverage).decide(asked.decide),
    }
}

/// Learners, the plan that costs are sealed for, and the graphs of a period.
struct Hand {
    learners: Vec<Box<dyn Learner>>,
    plan: Arc<Plan>,
    graphs: Vec<Graph>,
    style: Style,
}

impl Hand {
    fn new(algorithm: &Algorithm, given: &Given) -> Self {
        let (facts, blocks) = (algorithm.facts(), Arc::new(blocks()));
        let extent = Extent { style: facts.style, blocks: &blocks, rounds: ROUNDS, batch: BATCH as u64 };
        let plan = Arc::new(Plan::new(adapted(algorithm, given.asked.clone()), &extent).unwrap());
        let learner = |node| {
            let (blocks, plan) = (Arc::clone(&blocks), Arc::clone(&plan));
            let mut setup = Setup::new(node, blocks, Arc::new(set()), plan, SEED).unwrap();
            setup.step = given.step;
            setup.weights = facts.mixes.map(|mixes| weights::named(mixes.default_rule()).unwrap().into());
            (setup.feedback, setup.gradient_error) = (given.feedback, given.gradient_error);
            algorithm.learner(setup)
        };
        let central = facts.style == Style::Central;
        let learners = (0..if central { 1 } else { NODES }).map(learner).collect();
        let period = (0..4).map(|t| PaperFig2.graph(t));
        let graphs = match facts.graphs {
            _ if central => vec![Graph::empty(1)],
            Graphs::AsGiven => period.collect(),
            Graphs::Undirected => period.map(|graph| graph.undirected()).collect(),
            Graphs::Union => {
                let links = period.flat_map(|graph| graph.links().collect::<Vec<_>>());
                vec![Graph::of(NODES, links.collect::<Vec<_>>())]
            }
        };
        Self { learners, plan, graphs, style: facts.style }
    }

    fn round(&mut self, t: u64, f: &dyn Objective) {
        for (i, learner) in self.learners.iter_mut().enumerate() {
            match self.style {
                Style::Model => learner.learn(t, &self.plan.seal(&*f.part(i, NODES).unwrap())),
                _ => learner.learn(t, &self.plan.seal(f)),
            }
        }
        let graph = &self.graphs[t as usize % self.graphs.len()];
        let (degrees, mut said) = (graph.degrees(), Vec::new());
        for (i, learner) in self.learners.iter_mut().enumerate() {
            let receivers: Vec<_> = graph.out(i).iter().map(|to| degrees[*to]).collect();
            said.push(learner.speak(t, degrees[i], &receivers));
        }
        for (i, learner) in self.learners.iter_mut().enumerate() {
            let links = graph.links().filter(|(_, to)| *to == i); // in order of senders
            let inbox: Vec<&Message> = links.map(|(from, _)| &said[from]).collect();
            learner.listen(t, &inbox);
        }
    }
}

fn compare(algorithm: &Algorithm, given: &Given) {
    let (mut fleet, mut hand, data) = (fleet(algorithm, given), Hand::new(algorithm, given), Data::new());
    let name = algorithm.name();
    assert_eq!((fleet.learners(), fleet.style()), (hand.learners.len(), hand.style), "{name}");
    for t in 0..ROUNDS {
        for (i, learner) in hand.learners.iter().enumerate() {
            let place = format!("{name}, round {t}, node {i}");
            assert_eq!(fleet.estimate(i), learner.estimate(), "{place}");
            assert_eq!(fleet.dual(i), learner.dual(), "{place}");
            assert_eq!(fleet.staleness(i, t), learner.staleness(t), "{place}");
            assert_eq!(fleet.ledger(i), learner.ledger(), "{place}");
        }
        let rows = Data::rows(t);
        fleet.round(t, &data.cost(&rows)).unwrap();
        hand.round(t, &data.cost(&rows));
    }
    assert!(fleet.decision().iter().any(|x| *x != 0.0), "{name} has learned something");
}

fn algorithms() -> impl Iterator<Item = Algorithm> {
    ALGORITHMS.iter().map(|entry| Algorithm::named(entry.name).unwrap())
}

#[test]
fn without_noise() {
    algorithms().for_each(|algorithm| compare(&algorithm, &quiet()));
}

#[test]
fn with_the_noise_of_the_paper() {
    let asked = Privacy::level(2.0).mechanism(Laplace);
    algorithms().for_each(|algorithm| compare(&algorithm, &Given { asked: asked.clone(), ..quiet() }));
}

/// Exact noise on all coordinates, examples one by one, duals on a grid, costs probed at two points, gradients with errors.
#[test]
fn with_everything_that_can_be_set() {
    let exact = Privacy::epsilon(1.0).delta(1e-5).clip(1.0).mechanism(DiscreteGaussian).examples();
    let given = Given {
        asked: exact.coverage(Coverage::All).arithmetic(Arithmetic::Grid),
        step: Step::decaying(0.4),
        feedback: Feedback::TwoPoint { probe: 0.02 },
        gradient_error: 0.1,
    };
    let shared = || algorithms().filter(|algorithm| !algorithm.style().splits_costs());
    shared().for_each(|algorithm| compare(&algorithm, &given));
    // The paper's order, in which decisions come from un-noised values.
    let asked = Privacy::level(0.5).mechanism(Laplace).coverage(Coverage::All).decide(Decide::Private);
    shared().for_each(|algorithm| compare(&algorithm, &Given { asked: asked.clone(), ..given.clone() }));
}

/// Two calls of `fleet` with one seed are one run; another seed is another.
#[test]
fn a_fleet_depends_on_its_seed_and_on_nothing_else() {
    let spec = Spec::new(blocks()).set(set()).graph(PaperFig2).algorithm(Relay).rounds(ROUNDS);
    let spec = spec.privacy(Privacy::level(2.0).mechanism(Laplace));
    let data = Data::new();
    let run = |seed| {
        let mut fleet = spec.fleet(seed).unwrap();
        (0..ROUNDS).for_each(|t| fleet.round(t, &data.cost(&Data::rows(t))).unwrap());
        fleet.decision()
    };
    assert_eq!(run(SEED), run(SEED));
    assert_ne!(run(SEED), run(SEED.trial(1)));
}
