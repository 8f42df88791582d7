//! Claims about `adjacency = "agent"`: an event is one node's own part of one round, and the rest of the cost is public.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

use std::ops::Range;

use dpsda::learner::Algorithm;
use dpsda::objective::two_point::Feedback;
use dpsda::prelude::*;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::privacy::plan::{Adjacency, Arithmetic, Budget, Decide};
use dpsda::privacy::{Mechanism, Price};
use dpsda::spec::Checked;

/// Three agents with blocks of 1, 2 and 3 coordinates.
const SIZES: [usize; 3] = [1, 2, 3];
const DIM: usize = 6;

/// A cost whose gradient is `own + public + sum(x)` in every coordinate. Only `own` is private.
#[derive(Clone)]
struct Divided {
    own: [f64; DIM],
    public: [f64; DIM],
}

impl Objective for Divided {
    fn dim(&self) -> usize {
        DIM
    }

    fn value(&self, x: &[f64]) -> f64 {
        let slopes = self.own.iter().zip(&self.public).map(|(own, public)| own + public);
        x.iter().zip(slopes).map(|(x, slope)| x * slope).sum::<f64>() + x.iter().sum::<f64>().powi(2) / 2.0
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let mut public = vec![0.0; g.len()];
        self.agent(x, block, g, &mut public);
        g.iter_mut().zip(public).for_each(|(g, public)| *g += public);
    }

    fn agent(&self, x: &[f64], block: Range<usize>, own: &mut [f64], public: &mut [f64]) -> bool {
        let sum: f64 = x.iter().sum();
        own.copy_from_slice(&self.own[block.clone()]);
        public.iter_mut().zip(&self.public[block]).for_each(|(g, public)| *g = public + sum);
        true
    }
}

/// A cost that knows no agents.
fn whole() -> impl Objective {
    OwnCost::new(DIM, |x| x[0], |_, g| g[0] = 1.0)
}

fn spec(algorithm: &str, asked: Privacy) -> Spec {
    let spec = Spec::new(Blocks::of(&SIZES, DIM).unwrap()).set(Ball::new(50.0).unwrap()).rounds(12).privacy(asked);
    let spec = spec.algorithm(Algorithm::named(algorithm).unwrap());
    if algorithm == "dpcda" { spec } else { spec.graph(Complete::new(3).unwrap()) }
}

fn asked(mechanism: &str) -> Privacy {
    let asked = match mechanism {
        "none" => Privacy::none(),
        _ => Privacy::epsilon(1.0).delta(1e-5).mechanism(Mechanism::named(mechanism).unwrap()),
    };
    asked.clip(0.8).agents()
}

/// Every mechanism with every algorithm that promises something.
fn all() -> impl Iterator<Item = (&'static str, &'static str, Checked)> {
    let pairs = MECHANISMS
        .iter()
        .flat_map(|m| ["dpsda-r", "dpsda-c", "dpsda-ps", "dpcda"].map(|algorithm| (m.name, algorithm)));
    pairs.filter_map(|(mechanism, algorithm)| {
        let averages = algorithm == "dpsda-c" || algorithm == "dpsda-ps";
        let correlated = Mechanism::named(mechanism).unwrap().is_correlated();
        let plays = !(averages && correlated);
        plays.then(|| (mechanism, algorithm, spec(algorithm, asked(mechanism)).check().unwrap()))
    })
}

/// What every node has released after one round: its own block of its own dual.
fn released(spec: &Checked, cost: &dyn Objective) -> Vec<Vec<f64>> {
    let mut fleet = spec.fleet(Seed::new(3));
    fleet.round(0, cost).unwrap();
    let learner = |i: usize| if fleet.learners() == 1 { 0 } else { i };
    let own = |(i, block): (usize, Range<usize>)| fleet.dual(learner(i)).unwrap().0[block].to_vec();
    spec.blocks().iter().enumerate().map(own).collect()
}

fn norm(norm: Norm, v: &[f64]) -> f64 {
    match norm {
        Norm::L1 => v.iter().map(|x| x.abs()).sum(),
        Norm::L2 => v.iter().map(|x| x * x).sum::<f64>().sqrt(),
    }
}

fn less(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// With the same noise in both worlds, a difference of releases is what the event moved.
#[test]
fn an_agents_own_data_move_its_own_release_by_at_most_twice_the_clip_and_no_other() {
    for (mechanism, algorithm, spec) in all() {
        let plan = spec.plan();
        for (i, block) in spec.blocks().iter().enumerate() {
            let cost = |slope: f64| {
                let mut own = [0.3, -0.2, 7.0, 0.0, 1e9, -0.1];
                own[block.clone()].fill(0.0);
                own[block.start] = slope;
                Divided { own, public: [40.0, -30.0, 20.0, 0.1, 5.0, -6.0] }
            };
            let mut worst = 0.0_f64;
            for (a, b) in [(0.8, -0.8), (1e12, -1e12), (0.1, -5.0), (f64::NAN, 3.0), (f64::INFINITY, -3.0)] {
                let (a, b) = (released(&spec, &cost(a)), released(&spec, &cost(b)));
                for j in 0..3 {
                    let moved = norm(plan.mechanism().norm(), &less(&a[j], &b[j]));
                    let bound = if i == j { plan.sensitivity(i).unwrap() } else { 0.0 };
                    let case = format!("{mechanism} {algorithm}: event at {i}, release of {j}");
                    assert!(moved <= bound * (1.0 + 1e-9), "{case}: {moved} above {bound}");
                    worst = worst.max(moved);
                }
            }
            let gain = if spec.style().averages() { 3.0 } else { 1.0 };
            assert!((plan.sensitivity(i).unwrap() / (2.0 * 0.8 * gain) - 1.0).abs() < 1e-6, "the whole clip");
            assert!(worst > 0.999 * plan.sensitivity(i).unwrap(), "{mechanism} {algorithm}: only {worst}");
        }
    }
}

/// The units that node `i` releases in round 0, at the point zero.
fn units(spec: &Checked, i: usize, cost: &Divided) -> Vec<i64> {
    let (plan, y) = (spec.plan(), [0.0; DIM]);
    let mut guard = plan.guard(i, Seed::new(5));
    let secret = guard.observe(0, &plan.seal(cost), &y, spec.blocks().range(i), &[]);
    guard.release(secret, 0, &mut plan.ledger()).units().unwrap().0.to_vec()
}

#[test]
fn the_public_part_passes_as_it_is_to_the_unit() {
    for (mechanism, algorithm, spec) in all().filter(|(_, _, spec)| spec.plan().mechanism().is_exact()) {
        let public = [1234.5, -0.75, 800.125, 1e-4, -99.0, 0.0];
        for (i, block) in spec.blocks().iter().enumerate() {
            let own = [0.5, 3.0, -2.0, 0.1, f64::NAN, 100.0];
            let [without, with] =
                [[0.0; DIM], public].map(|public| units(&spec, i, &Divided { own, public }));
            let per_unit = f64::from(spec.plan().clip(i).unwrap().bits).exp2();
            let due: Vec<i64> = public[block].iter().map(|g| (g * per_unit) as i64).collect();
            let found: Vec<i64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
            assert_eq!(found, due, "{mechanism} {algorithm} node {i}");
        }
    }
}

#[test]
fn a_public_coordinate_that_is_not_finite_is_zero_and_one_out_of_range_is_held() {
    let spec = spec("dpsda-r", asked("discrete-gaussian")).check().unwrap();
    let most = spec.plan().public_bound().unwrap();
    let of = |public: f64| units(&spec, 0, &Divided { own: [0.0; DIM], public: [public; DIM] })[0];
    let nothing = of(0.0);
    for (public, due) in
        [(f64::NAN, 0), (f64::INFINITY, 0), (f64::NEG_INFINITY, 0), (1e300, most), (-1e30, -most)]
    {
        assert_eq!(of(public) - nothing, due, "{public}");
    }
    // Twelve rounds of three nodes, at the bound each, and noise beside them stay below 63 bits.
    assert!((most as f64) * 36.0 <= 62_f64.exp2());
    assert!(most as f64 > 1e6 * spec.plan().clip(0).unwrap().bound as f64, "room for a million clips");
}

#[test]
fn a_grid_without_room_for_public_parts_is_refused() {
    let on = |grid| spec("dpsda-r", asked("discrete-laplace").grid(grid)).rounds(1 << 20).check();
    let last = (0..48).rev().find(|grid| on(*grid).is_ok()).unwrap();
    let plan = on(last).unwrap();
    let release = plan.plan().clip(0).unwrap().bound as f64;
    assert!(plan.plan().public_bound().unwrap() as f64 > release, "room for more than a clip");
    let error = on(last + 1).map(|_| ()).unwrap_err().to_string();
    let words = format!("grid = {}: sums over the run could leave 63 bits (use a grid of at most {last})", last + 1);
    assert_eq!(error, words);
}

/// The scale and the epsilon are those of one node alone, however many there are.
#[test]
fn the_price_of_an_event_is_that_of_one_node() {
    for mechanism in ["discrete-laplace", "discrete-gaussian", "laplace", "gaussian"] {
        let alone = Spec::new(Blocks::even(3, 1).unwrap()).set(Free).algorithm(Central).rounds(12);
        let alone = alone.privacy(asked(mechanism).adjacency(Adjacency::Round)).check().unwrap();
        let three = spec("dpsda-r", asked(mechanism)).check().unwrap();
        let (alone, three) = (alone.plan(), three.plan());
        assert_eq!((alone.scale(), alone.epsilon()), (three.scale(), three.epsilon()), "{mechanism}");
        assert_eq!((alone.joint_cost(), alone.lifetime_cost()), (three.cost(1), three.lifetime_cost()));
        let round = spec("dpsda-r", asked(mechanism).adjacency(Adjacency::Round)).check().unwrap();
        let sum = (0..3).fold(Price::default(), |sum, i| sum.and(round.plan().cost(i)));
        assert_eq!(round.plan().joint_cost(), sum, "a round is the sum");
    }
    // Rounding costs more in larger blocks. The plan is for the dearest node, and no other exceeds it.
    let coarse = spec("dpsda-r", asked("toeplitz").grid(14)).check().unwrap();
    let prices: Vec<f64> = (0..3).map(|i| coarse.plan().cost(i).as_rho().unwrap()).collect();
    assert!(prices[0] < prices[2] && coarse.plan().joint_cost() == coarse.plan().cost(2), "{prices:?}");
}

#[test]
fn ledgers_hold_what_the_plan_says_and_all_nodes_together_the_most_of_them() {
    let budget = Budget { events_per_person: Some(4), ..Budget::default() };
    for (mechanism, algorithm, _) in all().filter(|(mechanism, ..)| *mechanism != "none") {
        let checked = spec(algorithm, asked(mechanism).budget(budget)).check().unwrap();
        let (plan, mut fleet) = (checked.plan(), checked.fleet(Seed::new(1)));
        let cost = Divided { own: [1.0; DIM], public: [1.0; DIM] };
        (0..12).for_each(|t| fleet.round(t, &cost).unwrap());
        let spent = fleet.spent().spent.unwrap();
        let case = format!("{mechanism} {algorithm}");
        assert_eq!(spent.event, plan.joint_cost(), "{case}");
        assert_eq!(spent.lifetime, plan.lifetime_cost(), "{case}");
        assert_eq!(spent.person, plan.person_cost(), "{case}");
        assert!(fleet.spent().epsilon().unwrap() <= 1.0 + 1e-9, "{case}");
    }
    let mut fleet = spec("dpsda-r", asked("discrete-laplace")).fleet(Seed::new(1)).unwrap();
    (0..2).for_each(|t| fleet.round(t, &Divided { own: [1.0; DIM], public: [1.0; DIM] }).unwrap());
    let said = "eps 1 per agent and round, all links and decisions so far; eps 2 for someone behind one agent in every round";
    assert_eq!(fleet.spent().to_string(), said);
}

#[test]
fn every_node_has_the_whole_budget() {
    let budget = Budget { event: Some(1.0), lifetime: Some(5.0), person: Some(4.0), events_per_person: Some(4) };
    let asked = asked("discrete-laplace").budget(budget);
    let checked = spec("dpsda-r", asked).metered().check().unwrap();
    (0..3).for_each(|i| assert_eq!(checked.plan().share(i), budget));
    assert_eq!(checked.plan().lasts(), Some(5));
}

#[test]
fn a_cost_without_agents_is_refused_before_anybody_learns() {
    for (mechanism, algorithm, spec) in all() {
        let mut fleet = spec.fleet(Seed::new(1));
        let before: Vec<u64> = (0..fleet.learners()).map(|i| fleet.ledger(i).releases()).collect();
        let error = fleet.round(0, &whole()).unwrap_err();
        let case = format!("{mechanism} {algorithm}: {error}");
        assert!(error.key() == Some("adjacency") && error.to_string().contains("(use adjacency = \"round\""), "{case}");
        let after: Vec<u64> = (0..fleet.learners()).map(|i| fleet.ledger(i).releases()).collect();
        assert_eq!(before, after, "{case}");
        // A guard that is given such a cost all the same reads zero.
        let (plan, block) = (spec.plan(), spec.blocks().range(1));
        let mut guard = plan.guard(1, Seed::new(5));
        let secret = guard.observe(0, &plan.seal(&whole()), &[0.0; DIM], block.clone(), &[]);
        let mut again = plan.guard(1, Seed::new(5));
        let nothing = again.release(again.nothing(block.len()), 0, &mut plan.ledger());
        assert_eq!(guard.release(secret, 0, &mut plan.ledger()), nothing, "{case}");
    }
    // Without a clip there is nothing to divide.
    let level = Privacy::level(1.0).mechanism(Laplace).agents();
    spec("dpsda-r", level).fleet(Seed::new(1)).unwrap().round(0, &whole()).unwrap();
}

#[test]
fn without_a_clip_an_agents_run_is_a_rounds_run() {
    let level = Privacy::level(1.0).mechanism(Laplace);
    let cost = Divided { own: [0.5; DIM], public: [9.0; DIM] };
    for algorithm in ["dpsda-r", "dpsda-c", "dpsda-ps", "dpcda"] {
        let [agent, round] = [level.clone().agents(), level.clone()]
            .map(|asked| released(&spec(algorithm, asked).check().unwrap(), &cost));
        assert_eq!(agent, round, "{algorithm}");
    }
}

#[test]
fn the_gradient_error_is_clipped_with_the_own_part() {
    let cost = Divided { own: [0.0; DIM], public: [64.0; DIM] };
    let spec = spec("dpsda-r", asked("none")).gradient_error(1e8).check().unwrap();
    for (i, own) in released(&spec, &cost).iter().enumerate() {
        let errors: Vec<f64> = own.iter().map(|v| v - 64.0).collect();
        let length = norm(spec.plan().clip(i).unwrap().norm, &errors);
        assert!((0.79..=0.8).contains(&length), "node {i}: {length}");
    }
}

#[test]
fn what_cannot_keep_an_agents_promise_is_refused() {
    let refused = |spec: Spec, key: &str, words: &str| {
        let error = spec.check().map(|_| ()).unwrap_err();
        assert!(error.key() == Some(key) && error.to_string().contains(words), "{error}");
    };
    let laplace = || asked("discrete-laplace");
    let probes = spec("dpsda-r", laplace()).feedback(Feedback::TwoPoint { probe: 0.1 });
    refused(probes, "feedback", "only a gradient tells an agent's own part from the public one");
    let private = Privacy::level(1.0).clip(1.0).mechanism(Laplace).agents().decide(Decide::Private);
    refused(spec("dpsda-c", private), "adjacency", "disturbs all later gradients of all nodes");
    let baseline = Privacy::level(1.0).mechanism(Laplace).agents();
    refused(spec("dpdola", baseline), "adjacency", "a baseline noises what it sends");
    // In integers as well as in reals.
    spec("dpsda-c", laplace().arithmetic(Arithmetic::Grid)).check().unwrap();
}

#[test]
fn the_statement_says_what_is_private_what_is_public_and_who_sees_what() {
    let said = spec("dpsda-r", asked("discrete-laplace")).check().unwrap().plan().statement().join("\n");
    for words in [
        "on the agent's own part of the gradient (the least for eps 1 at delta 0.00001 per agent and round, whole run)",
        "Every node has the whole clip",
        "added after the noise, neither clipped nor noised",
        "replacing one agent's round moves what its node releases by at most 2 C in L1: 1.6",
        "one agent's round replaced: eps 1 (basic composition), ",
        "for someone behind one agent's part of every round of 12",
        "They see what an eavesdropper sees, and the claim holds against them too.",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    for words in ["its share", "sees the same costs", "all nodes,"] {
        assert!(!said.contains(words), "{words}\n{said}");
    }
}
