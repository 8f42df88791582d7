//! Laws over the table of algorithms.

use std::sync::Arc;

use dpsda::catalog::{Listing, find};
use dpsda::keys::Table;
use dpsda::learner::{ALGORITHMS, Body, Build, Mixes, Replica, Step};
use dpsda::loss::LOSSES;
use dpsda::network::certificate::certify;
use dpsda::network::{Graph, Varying};
use dpsda::privacy::Released;
use dpsda::privacy::plan::{Coverage, Decide};
use dpsda::rng::{Purpose, Seed};
use dpsda::{Blocks, Fleet, Keys, set};
use rand::RngExt;

use crate::world::{World, distance};

fn world(sizes: &[usize], graphs: Vec<Vec<(usize, usize)>>, noise: f64) -> World {
    let d = sizes.iter().sum();
    let blocks = Blocks::of(sizes, d).unwrap();
    let table = dpsda_config::table("kind = 'ball'\nradius = 1").unwrap();
    let mut rng = Seed::new(5).stream(Purpose::Data, 0, 0);
    let mut vector = |size: f64| (0..d).map(|_| size * (rng.random::<f64>() - 0.5)).collect::<Vec<_>>();
    World {
        set: Arc::from(set::from_keys(&Keys::new("set", &table), &blocks).unwrap()),
        blocks,
        loss: (find(LOSSES, "loss", "logistic").unwrap().build)(&Keys::new("problem", &Table::new()))
            .unwrap(),
        graphs,
        eta: (0..30).map(|_| (0..sizes.len()).map(|_| vector(noise)).collect()).collect(),
        samples: World::samples(&(0..30).map(|_| vector(2.0)).collect::<Vec<_>>(), vec![1.0; 30]),
        batch: 1,
        rounds: 30,
        weights: "metropolis",
        decide: Decide::Published,
        coverage: Coverage::Own,
    }
}

/// Baselines with samples of their own have laws of their own: `tests/baselines`.
fn shared() -> impl Iterator<Item = &'static Listing<Build>> {
    ALGORITHMS.iter().filter(|a| !a.build.facts.style.splits_costs())
}

fn weights_of(name: &str) -> &'static str {
    let algorithm = find(ALGORITHMS, "algorithm.name", name).unwrap();
    algorithm.build.facts.mixes.map_or("metropolis", Mixes::default_rule)
}

#[test]
fn every_estimate_lies_in_the_set_however_loud_the_noise() {
    for algorithm in shared() {
        let mut world = world(&[2, 1, 3], vec![vec![(0, 1), (1, 2), (2, 0)]], 1e9);
        world.weights = weights_of(algorithm.name);
        for y in world.run(algorithm.name).y.concat() {
            let norm = y.iter().map(|y| y * y).sum::<f64>().sqrt();
            assert!(norm <= 1.0 + 1e-12, "{}: |y| = {norm}", algorithm.name);
        }
    }
}

#[test]
fn alone_every_algorithm_is_the_centralised_one() {
    let reference = world(&[4], vec![vec![]], 0.0).run("dpcda").x;
    for algorithm in shared() {
        let mut world = world(&[4], vec![vec![]], 0.0);
        world.weights = weights_of(algorithm.name);
        let away = distance(&world.run(algorithm.name).x, &reference);
        assert!(away < 1e-12, "{}: off by {away:e}", algorithm.name);
    }
}

#[test]
fn decisions_are_committed_before_the_cost_is_seen() {
    // The cost of the last round cannot have touched its decision.
    for algorithm in shared() {
        let run = |label: f64| {
            let mut world = world(&[2, 1, 3], vec![vec![(0, 1), (1, 2), (2, 0)]], 0.1);
            world.weights = weights_of(algorithm.name);
            world.samples.labels[29] = label;
            world.run(algorithm.name).x
        };
        assert_eq!(run(1.0), run(-1.0), "{}", algorithm.name);
    }
}

#[test]
fn without_noise_it_is_all_one_what_decisions_are_computed_from() {
    for name in ["dpsda-c", "dpsda-ps"] {
        let run = |decide, coverage| {
            let mut world = world(&[2, 1, 3], vec![vec![(0, 1)], vec![(1, 2), (2, 0)]], 0.0);
            (world.weights, world.decide, world.coverage) = (weights_of(name), decide, coverage);
            world.run(name).x
        };
        let (paper, ours) = (run(Decide::Private, Coverage::All), run(Decide::Published, Coverage::Own));
        assert!(distance(&paper, &ours) < 1e-12);
    }
}

#[test]
fn relay_is_exactly_as_stale_as_the_certificate_says() {
    let graphs = vec![vec![(0, 1), (1, 2)], vec![], vec![(2, 3)], vec![(3, 0)]];
    let world = world(&[1, 1, 2, 1], graphs.clone(), 0.1);
    let (mut learners, plan) = world.learners("dpsda-r");
    let mut oldest = 0;
    for t in 0..30 {
        oldest = oldest.max(learners.iter().filter_map(|l| l.staleness(t)).max().unwrap());
        let rows = world.rows(t as usize);
        learners.iter_mut().for_each(|l| l.learn(t, &plan.seal(&world.cost(&rows))));
        let graph = world.graph(t as usize, false);
        let said: Vec<_> =
            learners.iter_mut().zip(graph.degrees()).map(|(l, d)| l.speak(t, d, &[])).collect();
        for (from, to) in graph.links() {
            // one message at a time, twice: order and repetition do not matter
            learners[to].listen(t, &[&said[from]]);
            learners[to].listen(t, &[&said[from]]);
        }
    }
    let graphs = Varying::new(4, move |t| Graph::of(4, graphs[t as usize % 4].iter().copied())).unwrap();
    let certificate = certify(&graphs, None, true, 30);
    assert_eq!(certificate.staleness, oldest);
    assert!(oldest <= certificate.staleness_bound().unwrap());
}

#[test]
fn one_release_a_round_and_node_is_charged() {
    for algorithm in shared() {
        let mut world = world(&[2, 1, 3], vec![vec![]], 0.1);
        world.weights = weights_of(algorithm.name);
        let mut fleet = world.fleet(algorithm.name, Step::decaying(1.0));
        for t in 0..10 {
            fleet.round(t, &world.cost(&world.rows(t as usize))).unwrap();
        }
        let expected = match algorithm.name {
            _ if fleet.style().is_central() => 30, // a release a block
            "dpsda-r" => 10,                       // at birth
            _ => 11,                               // and h(0), which holds nothing
        };
        for i in 0..fleet.learners() {
            assert_eq!(fleet.ledger(i).releases(), expected, "{}", algorithm.name);
        }
    }
}

/// Section 2.1's network may be hostile: a relay neither believes more of its own block than it has written, nor versions
/// from the future, nor blocks of another size.
#[test]
fn a_forged_copy_changes_nothing() {
    let world = world(&[2, 3], vec![vec![(1, 0)]], 0.1);
    let play = |forge: &dyn Fn(usize, u64, usize) -> Option<Replica>| {
        let (mut learners, plan) = world.learners("dpsda-r");
        for t in 0..4 {
            let rows = world.rows(t as usize);
            let f = world.cost(&rows);
            learners.iter_mut().for_each(|l| l.learn(t, &plan.seal(&f)));
            let degrees = world.graph(t as usize, false).degrees();
            let mut said: Vec<_> =
                learners.iter_mut().zip(degrees).map(|(l, d)| l.speak(t, d, &[])).collect();
            if let Body::Blocks(copies) = &mut said[1].body {
                for (k, copy) in copies.iter_mut().enumerate() {
                    if let Some(forged) = forge(k, t, copy.sum.len()) {
                        *copy = forged;
                    }
                }
            }
            learners[0].listen(t, &[&said[1]]);
            learners[1].listen(t, &[]);
        }
        learners[0].estimate().to_vec()
    };
    let copy = |version, len| Some(Replica { version, sum: Arc::new(Released::zeros(len)), squares: None });
    let honest = play(&|_, _, _| None);
    assert_eq!(honest, play(&|k, _, len| (k == 0).then(|| copy(u64::MAX, len)).flatten()), "my own block");
    let silent = play(&|k, _, len| (k == 1).then(|| copy(0, len)).flatten());
    assert_eq!(silent, play(&|k, t, len| (k == 1).then(|| copy(t + 2, len)).flatten()), "from the future");
    assert_eq!(
        silent,
        play(&|k, t, len| (k == 1).then(|| copy(t + 1, len + 1)).flatten()),
        "of another size"
    );
    assert_ne!(honest, silent);
}
