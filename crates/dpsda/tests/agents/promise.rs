//! Prices, budgets, ledgers and words.

use dpsda::objective::two_point::Feedback;
use dpsda::prelude::*;
use dpsda::privacy::Price;
use dpsda::privacy::plan::{Adjacency, Arithmetic, Budget, Decide};

use crate::world::{DIM, Divided, all, asked, spec};

#[test]
fn a_grid_without_room_for_public_parts_is_refused() {
    let on = |grid| spec("dpsda-r", asked("discrete-laplace").grid(grid)).rounds(1 << 20).check();
    let last = (0..48).rev().find(|grid| on(*grid).is_ok()).unwrap();
    let plan = on(last).unwrap();
    let release = plan.plan().clip(0).unwrap().bound as f64;
    assert!(plan.plan().public_bound().unwrap() as f64 > release, "room for more than a clip");
    let error = on(last + 1).map(|_| ()).unwrap_err().to_string();
    let words =
        format!("grid = {}: sums over the run could leave 63 bits (use a grid of at most {last})", last + 1);
    assert_eq!(error, words);
}

/// The scale and the epsilon are those of one node alone, however many there are.
#[test]
fn the_price_of_an_event_is_that_of_one_node() {
    for mechanism in ["discrete-laplace", "discrete-gaussian", "laplace", "gaussian"] {
        let alone = Spec::new(Blocks::even(1, 1).unwrap()).set(Free).algorithm(Central).rounds(12);
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
    let budget =
        Budget { event: Some(1.0), lifetime: Some(5.0), person: Some(4.0), events_per_person: Some(4) };
    let asked = asked("discrete-laplace").budget(budget);
    let checked = spec("dpsda-r", asked).metered().check().unwrap();
    (0..3).for_each(|i| assert_eq!(checked.plan().share(i), budget));
    assert_eq!(checked.plan().lasts(), Some(5));
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
        "on the agent's own part of the gradient (the least for eps 1 at delta 1e-5 per agent and round, whole run)",
        "Every node has the whole clip",
        "added after the noise, neither clipped nor noised",
        "replacing one agent's round moves what its node releases by at most 2 C in L1: 1.6",
        "one agent's round replaced: eps 1 (basic composition), ",
        "for someone behind one agent's part of every round of 12",
        "see what an eavesdropper sees, and the claim holds against them too.",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    for words in ["its share", "sees the same costs", "all nodes,"] {
        assert!(!said.contains(words), "{words}\n{said}");
    }
}
