//! Claims about fast fleets: they compute what `Each` computes, to the bit.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

use dpsda::features::{Bytes, Dense, Samples, Single, Sparse};
use dpsda::fleet::{DenseFleet, HistoryFleet};
use dpsda::learner::{Links, Rule};
use dpsda::loss::{Hinge, Logistic, Loss, Squared};
use dpsda::network::delay::FixedDelay;
use dpsda::network::outage::{Bernoulli, OwnOutage};
use dpsda::network::{Exponential, PaperFig2, Star};
use dpsda::objective::Batch;
use dpsda::objective::two_point::Feedback;
use dpsda::prelude::*;
use dpsda::privacy::plan::{Adjacency, Arithmetic, Coverage, Decide};
use dpsda::set::{Product, Simplices};
use dpsda::spec::Checked;

const NODES: usize = 7;
const DIM: usize = 25; // blocks of four and of three
const ROUNDS: u64 = 12;

/// Samples that look random and are the same every time.
fn samples(kind: usize) -> Samples {
    let rows = 9 * ROUNDS as usize;
    let values: Vec<f64> = (0..rows * DIM).map(|k| (k as f64 * 0.37).sin() * f64::from(k % 4 != 1)).collect();
    let labels = (0..rows).map(|k| if k % 3 == 0 { 1.0 } else { -1.0 }).collect();
    match kind {
        0 => Samples::new(Dense::new(values, DIM).unwrap(), labels).unwrap(),
        1 => {
            let kept: Vec<usize> = (0..values.len()).filter(|k| values[*k] != 0.0).collect();
            let starts = (0..=rows).map(|r| kept.partition_point(|k| *k < r * DIM)).collect();
            let columns = kept.iter().map(|k| (k % DIM) as u32).collect();
            let numbers = kept.iter().map(|k| values[*k]).collect();
            Samples::new(Sparse::new(starts, columns, numbers, DIM).unwrap(), labels).unwrap()
        }
        _ => {
            let bytes = (0..values.len()).map(|k| (k * 31 % 251) as u8).collect();
            Samples::new(Bytes::new(bytes, DIM, 255.0).unwrap(), labels).unwrap()
        }
    }
}

/// Plays all rounds on both fleets and compares what observers can see: in two halves, and as whole rounds.
fn same<F: Fleet>(spec: &Checked, make: impl Fn() -> Option<F>, what: &str) {
    let (mut each, mut fast, mut whole) = (Each::new(spec, Seed::new(3)), make().unwrap(), make().unwrap());
    let losses: [&dyn Loss; 3] = [&Squared, &Logistic, &Hinge];
    let own = OwnCost::new(
        DIM,
        |x| x.iter().map(|x| (x - 0.3).abs()).sum(),
        |x, g| g.iter_mut().zip(x).for_each(|(g, x)| *g = (x - 0.3).signum()),
    );
    let compare = |each: &Each, fast: &dyn Fleet, t: u64| {
        assert_eq!(fast.models(), each.models(), "{what}, round {t}");
        for i in 0..each.learners() {
            assert_eq!(fast.estimate(i), each.estimate(i), "{what}, round {t}, node {i}");
            assert_eq!(fast.dual(i), each.dual(i), "{what}, round {t}, node {i}");
            assert_eq!(fast.staleness(i, t), each.staleness(i, t), "{what}, round {t}, node {i}");
            assert_eq!(fast.ledger(i), each.ledger(i), "{what}, round {t}, node {i}");
        }
        let (near, exact) = (fast.disagreement(), each.disagreement());
        assert!((near - exact).abs() <= 1e-12 * (1.0 + exact), "{what}, round {t}: {near} and {exact}");
        assert_eq!(format!("{}", fast.spent()), format!("{}", each.spent()));
    };
    for t in 0..ROUNDS {
        compare(&each, &fast, t);
        let data = samples(t as usize % 3);
        let rows: Vec<usize> =
            (9 * t as usize..9 * (t as usize + 1)).take(1 + (t as usize * 5) % 9).collect();
        let batch = Batch::new(&data, &rows, losses[t as usize / 3 % 3]).unwrap();
        let cost: &dyn Objective = if t % 5 == 4 { &own } else { &batch };
        each.learn(t, cost).unwrap();
        fast.learn(t, cost).unwrap();
        compare(&each, &fast, t);
        each.exchange(t);
        fast.exchange(t);
        whole.round(t, cost).unwrap();
        compare(&each, &whole, t + 1);
    }
    compare(&each, &fast, ROUNDS);
    assert!(fast.learn(ROUNDS, &OwnCost::new(DIM + 1, |_| 0.0, |_, g| g.fill(0.0))).is_err(), "{what}");
}

/// What is asked for, with every kind of noise.
fn privacy() -> Vec<(&'static str, Privacy)> {
    let exact = |asked: Privacy| asked.delta(1e-5).clip(1.0);
    vec![
        ("none", Privacy::none()),
        ("laplace", Privacy::level(0.5).mechanism(Laplace)),
        ("laplace, clipped", Privacy::level(0.5).mechanism(Laplace).clip(2.0)),
        ("gaussian", exact(Privacy::level(0.5)).mechanism(Gaussian)),
        ("discrete laplace", exact(Privacy::level(0.5)).mechanism(DiscreteLaplace)),
        ("discrete gaussian, examples", exact(Privacy::level(0.5)).mechanism(DiscreteGaussian).examples()),
    ]
}

fn spec(privacy: Privacy) -> Spec {
    Spec::new(Blocks::even(DIM, NODES).unwrap())
        .set(Cuboid::new(-0.5, 0.75).unwrap())
        .graph(PaperFig2)
        .privacy(privacy)
        .rounds(ROUNDS)
        .batch(9)
}

#[test]
fn nodes_that_average_do_so_side_by_side() {
    for (name, asked) in privacy() {
        for (coverage, decide) in [
            (Coverage::Own, Decide::Published),
            (Coverage::All, Decide::Published),
            (Coverage::Own, Decide::Private),
            (Coverage::All, Decide::Private),
        ] {
            if decide == Decide::Private && asked.adjacency == Adjacency::Example {
                continue; // refused: an example then disturbs all later gradients
            }
            let asked = asked.clone().coverage(coverage).decide(decide);
            for (algorithm, set) in [("dpsda-c", 0), ("dpsda-ps", 0), ("dpsda-c", 1), ("dpsda-ps", 2)] {
                let spec = spec(asked.clone()).algorithm(Algorithm::named(algorithm).unwrap());
                let spec = match set {
                    0 => spec,
                    1 => spec.set(Ball::new(0.7).unwrap()).gradient_error(0.1),
                    _ => spec.set(Free).outage(Bernoulli::new(0.4, Seed::new(5)).unwrap()),
                };
                let spec = spec.check().unwrap();
                let make = || DenseFleet::new(&spec, Seed::new(3));
                same(&spec, make, &format!("{algorithm}, {name}, {coverage:?}, {decide:?}, set {set}"));
            }
        }
    }
}

/// More coordinates than are noised and mixed at a time, and blocks of one coordinate among them.
#[test]
fn many_coordinates_are_noised_and_mixed_a_few_at_a_time() {
    const MANY: usize = 41_000;
    let sizes = [MANY - 20_002, 1, 20_001 - 4, 1, 1, 1, 1];
    let bounds = |by: f64| (0..MANY).map(|k| by * (1.0 + (k % 3) as f64)).collect::<Vec<f64>>();
    for (what, privacy) in privacy().into_iter().filter(|(_, asked)| asked.adjacency != Adjacency::Example) {
        for order in [Decide::Private, Decide::Published] {
            let privacy = privacy.clone().coverage(Coverage::All).decide(order);
            let set = Cuboid::sides(bounds(-0.3), bounds(0.2)).unwrap();
            let spec =
                Spec::new(Blocks::of(&sizes, MANY).unwrap()).set(set).graph(PaperFig2).algorithm(PushSum);
            let spec = spec.privacy(privacy).rounds(4).check().unwrap();
            let (mut each, mut fast) =
                (Each::new(&spec, Seed::new(3)), DenseFleet::new(&spec, Seed::new(3)).unwrap());
            let values = (0..3 * MANY).map(|k| (k as f32 * 0.37).sin() / 100.0).collect();
            let samples = Samples::new(Single::new(values, MANY).unwrap(), vec![1.0, -1.0, 0.5]).unwrap();
            for t in 0..4 {
                let batch = Batch::new(&samples, &[0, 1, 2], &Squared).unwrap();
                each.round(t, &batch).unwrap();
                fast.round(t, &batch).unwrap();
                assert_eq!(fast.models(), each.models(), "{what}, round {t}");
                for i in 0..7 {
                    assert_eq!(fast.estimate(i), each.estimate(i), "{what}, round {t}, node {i}");
                    assert_eq!(fast.dual(i), each.dual(i), "{what}, round {t}, node {i}");
                }
            }
        }
    }
}

/// More nodes than are read at a time: rows are mixed while others were not read yet.
#[test]
fn duals_are_read_and_mixed_a_few_nodes_at_a_time() {
    const MANY: usize = 21;
    const WIDE: usize = 5000;
    let values = (0..6 * WIDE).map(|k| (k as f64 * 0.37).sin() / 40.0).collect();
    let labels = (0..6).map(|k| (k as f64 * 0.7).cos()).collect();
    let samples = Samples::new(Dense::new(values, WIDE).unwrap(), labels).unwrap();
    for (algorithm, coverage, order) in [
        ("dpsda-c", Coverage::All, Decide::Private),
        ("dpsda-c", Coverage::Own, Decide::Published),
        ("dpsda-ps", Coverage::Own, Decide::Private),
        ("dpsda-ps", Coverage::All, Decide::Published),
    ] {
        let privacy = Privacy::level(0.5).mechanism(Laplace).coverage(coverage).decide(order);
        let spec = Spec::new(Blocks::even(WIDE, MANY).unwrap())
            .set(Cuboid::new(-0.5, 0.75).unwrap())
            .privacy(privacy)
            .graph(Exponential::new(MANY).unwrap())
            .algorithm(Algorithm::named(algorithm).unwrap())
            .rounds(6);
        let spec = if algorithm == "dpsda-c" { spec.undirected() } else { spec };
        let spec = spec.outage(Bernoulli::new(0.2, Seed::new(5)).unwrap()).check().unwrap();
        let (mut each, mut fast) =
            (Each::new(&spec, Seed::new(3)), DenseFleet::new(&spec, Seed::new(3)).unwrap());
        for t in 0..6 {
            let rows: Vec<usize> = (0..1 + t as usize).collect();
            let batch = Batch::new(&samples, &rows, &Squared).unwrap();
            each.round(t, &batch).unwrap();
            fast.round(t, &batch).unwrap();
            assert_eq!(fast.models(), each.models(), "{algorithm}, {coverage:?}, {order:?}, round {t}");
            for i in 0..MANY {
                assert!(
                    fast.dual(i) == each.dual(i),
                    "{algorithm}, {coverage:?}, {order:?}, round {t}, node {i}"
                );
                assert_eq!(fast.ledger(i), each.ledger(i));
            }
        }
    }
}

/// More rows than are read at a time, and one row more.
#[test]
fn a_large_batch_is_read_some_rows_at_a_time() {
    const ROWS: usize = 2193;
    let spec = Spec::new(Blocks::even(30, 10).unwrap())
        .set(Cuboid::new(-1.0, 1.0).unwrap())
        .graph(Ring::new(10).unwrap());
    let values = (0..30 * ROWS).map(|k| (k as f64 * 0.37).sin()).collect();
    let labels = (0..ROWS).map(|k| (k as f64 * 0.7).cos()).collect();
    let samples = Samples::new(Dense::new(values, 30).unwrap(), labels).unwrap();
    for rows in [2185, ROWS] {
        let rows: Vec<usize> = (0..rows).collect();
        let batch = Batch::new(&samples, &rows, &Squared).unwrap();
        for algorithm in ["dpsda-r", "dpsda-c"] {
            let spec =
                spec.clone().algorithm(Algorithm::named(algorithm).unwrap()).rounds(5).check().unwrap();
            let (mut each, mut fast) = (Each::new(&spec, Seed::new(3)), spec.fleet(Seed::new(3)));
            for t in 0..5 {
                each.round(t, &batch).unwrap();
                fast.round(t, &batch).unwrap();
                assert_eq!(fast.models(), each.models(), "{algorithm}, round {t}");
            }
        }
    }
}

/// One node is far behind, so that its versions do not fit into a byte; then it hears again.
#[test]
fn versions_grow_with_ages_not_with_rounds() {
    let apart = OwnOutage::new(|t, _, to| to == 2 && t > 3 && t < 290);
    let spec = Spec::new(Blocks::even(9, 9).unwrap())
        .set(Cuboid::new(-5.0, 5.0).unwrap())
        .graph(Ring::new(9).unwrap());
    let spec = spec
        .outage(apart)
        .algorithm(Relay)
        .privacy(Privacy::level(1.0).mechanism(Laplace))
        .rounds(300)
        .check()
        .unwrap();
    let (mut each, mut fast) =
        (Each::new(&spec, Seed::new(3)), HistoryFleet::new(&spec, Seed::new(3)).unwrap());
    let cost = OwnCost::new(
        9,
        |x| x.iter().map(|x| x * x).sum(),
        |x, g| g.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * x),
    );
    let mut oldest = 0;
    for t in 0..300 {
        each.round(t, &cost).unwrap();
        fast.round(t, &cost).unwrap();
        oldest = oldest.max(fast.staleness(2, t).unwrap());
        for i in 0..9 {
            assert_eq!(fast.dual(i), each.dual(i), "round {t}, node {i}");
            assert_eq!(fast.staleness(i, t), each.staleness(i, t), "round {t}, node {i}");
        }
    }
    assert!(oldest > 0xff, "{oldest}");
}

#[test]
fn nodes_that_relay_share_what_they_know_alike() {
    let mut all = privacy();
    all.push(("toeplitz", Privacy::epsilon(2.0).delta(1e-5).clip(1.0).mechanism(Toeplitz)));
    all.push(("tree", Privacy::epsilon(2.0).delta(1e-5).clip(1.0).mechanism(Tree).examples()));
    for (name, asked) in all {
        for part in 0..6 {
            let spec = spec(asked.clone()).algorithm(Relay);
            let spec = match part {
                0 => spec,
                1 => spec.set(Ball::new(0.7).unwrap()),
                2 => spec.set(Free).gradient_error(0.1),
                3 => spec.outage(Bernoulli::new(0.6, Seed::new(5)).unwrap()),
                4 => spec.graph(Exponential::new(NODES).unwrap()).set(Simplex::default()),
                _ => {
                    let sets = (0..NODES).map(|k| -> Box<dyn ConvexSet> {
                        if k % 2 == 0 { Box::new(Ball::new(0.4).unwrap()) } else { Box::new(Free) }
                    });
                    let blocks = Blocks::even(DIM, NODES).unwrap();
                    spec.graph(Star::new(NODES).unwrap())
                        .undirected()
                        .set(Product::new(sets.collect(), blocks).unwrap())
                }
            };
            let spec = spec.check().unwrap();
            let make = || HistoryFleet::new(&spec, Seed::new(3));
            same(&spec, make, &format!("{name}, part {part}"));
        }
    }
}

/// Nodes that are never heard keep their first version for ever, and old versions that are still used are not forgotten.
#[test]
fn versions_are_kept_as_long_as_somebody_uses_them() {
    let silent = OwnOutage::new(|t, from, _| from != 2 && t % 40 == 39);
    let blocks = Blocks::even(DIM, NODES).unwrap();
    let spec = Spec::new(blocks)
        .set(Cuboid::new(-0.5, 0.75).unwrap())
        .graph(Complete::new(NODES).unwrap())
        .outage(silent)
        .algorithm(Relay)
        .rounds(300) // too many for a byte
        .check()
        .unwrap();
    let (mut each, mut fast) =
        (Each::new(&spec, Seed::new(1)), HistoryFleet::new(&spec, Seed::new(1)).unwrap());
    let data = samples(0);
    for t in 0..320 {
        // Twenty rounds more than were announced, and some round numbers left out.
        let rows = [t as usize % 100];
        let batch = Batch::new(&data, &rows, &Squared).unwrap();
        each.round(2 * t, &batch).unwrap();
        fast.round(2 * t, &batch).unwrap();
        for i in 0..NODES {
            assert_eq!(fast.estimate(i), each.estimate(i), "{t}");
            assert_eq!(fast.staleness(i, 2 * t), each.staleness(i, 2 * t), "{t}");
        }
    }
}

/// Every node has a step of its own, from what it knows: rows in place of shared versions.
#[test]
fn nodes_with_automatic_steps_decide_as_one_by_one() {
    let mut all = privacy();
    all.push(("toeplitz", Privacy::epsilon(2.0).delta(1e-5).clip(1.0).mechanism(Toeplitz).examples()));
    all.push(("tree", Privacy::epsilon(2.0).delta(1e-5).clip(1.0).mechanism(Tree)));
    let sizes = Blocks::even(DIM, NODES).unwrap().sizes();
    for (name, asked) in all {
        for part in 0..5 {
            let spec = spec(asked.clone()).algorithm(Relay).step(Step::auto());
            let spec = match part {
                0 => spec,
                1 => spec.set(Ball::new(0.7).unwrap()).gradient_error(0.1),
                2 => spec.set(Simplices::new(&sizes).unwrap()),
                3 => spec
                    .set(Cuboid::new(1.0, 2.0).unwrap())
                    .outage(Bernoulli::new(0.4, Seed::new(5)).unwrap()),
                _ => spec.set(Simplex::default()),
            };
            let spec = spec.check().unwrap();
            let make = || HistoryFleet::new(&spec, Seed::new(3));
            same(&spec, make, &format!("{name}, part {part}"));
        }
    }
}

#[test]
fn a_fleet_refuses_what_it_cannot_compute_and_the_specification_decides() {
    let plain = || spec(Privacy::none());
    let clipped = || Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace);
    let lost = || OwnOutage::new(|t, _, _| t != 3);
    let late = || FixedDelay::new(1).unwrap();
    let own = Algorithm::new("own", Facts::relay(), |setup: Setup| setup_only(setup));
    for (name, spec, dense, history) in [
        ("relay", plain().algorithm(Relay), false, true),
        ("averages", plain().algorithm(PushSum), true, false),
        ("centralised", plain().algorithm(Central), false, false),
        ("a baseline", plain().algorithm(Algorithm::named("doda").unwrap()), false, false),
        ("a user's own", plain().algorithm(own), false, false),
        ("late", plain().algorithm(Relay).delay(late()), false, false),
        ("lost", plain().algorithm(Relay).loss(lost()), false, false),
        ("books", plain().algorithm(PushSum).links(Links::RunningSums), false, false),
        ("on the grid", spec(clipped().arithmetic(Arithmetic::Grid)).algorithm(PushSum), false, false),
        ("coordinates", plain().algorithm(Relay).step(Step { c: 1.0, rule: Rule::Coordinate }), false, false),
        ("automatic", plain().algorithm(Relay).step(Step::auto()), false, true),
        ("automatic, centralised", plain().algorithm(Central).step(Step::auto()), false, false),
        ("two points", plain().algorithm(Relay).feedback(Feedback::TwoPoint { probe: 0.1 }), false, false),
    ] {
        let spec = spec.check().unwrap();
        assert_eq!(DenseFleet::new(&spec, Seed::new(1)).is_some(), dense, "{name}");
        assert_eq!(HistoryFleet::new(&spec, Seed::new(1)).is_some(), history, "{name}");
        assert_eq!(spec.fleet(Seed::new(1)).learners(), spec.style().learners(NODES), "{name}");
    }
}

/// A learner of one's own: that of the relay algorithm.
fn setup_only(setup: Setup) -> Wrapped {
    Wrapped(Algorithm::from(Relay).learner(setup))
}

struct Wrapped(Box<dyn Learner>);

impl dpsda::learner::Probe for Wrapped {}

impl Learner for Wrapped {
    fn estimate(&self) -> &[f64] {
        self.0.estimate()
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        self.0.learn(t, cost);
    }

    fn speak(&mut self, t: u64, me: Degree, receivers: &[Degree]) -> Message {
        self.0.speak(t, me, receivers)
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        self.0.listen(t, inbox);
    }

    fn ledger(&self) -> &Ledger {
        self.0.ledger()
    }
}
