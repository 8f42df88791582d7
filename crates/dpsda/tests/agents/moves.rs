//! What an event moves, and what it does not.

use dpsda::prelude::*;
use dpsda::spec::Checked;

use crate::world::{DIM, Divided, all, asked, less, norm, released, spec, whole};

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
fn a_cost_without_agents_is_refused_before_anybody_learns() {
    for (mechanism, algorithm, spec) in all() {
        let mut fleet = spec.fleet(Seed::new(1));
        let before: Vec<u64> = (0..fleet.learners()).map(|i| fleet.ledger(i).releases()).collect();
        let error = fleet.round(0, &whole()).unwrap_err();
        let case = format!("{mechanism} {algorithm}: {error}");
        assert!(
            error.key() == Some("adjacency") && error.to_string().contains("(use adjacency = \"round\""),
            "{case}"
        );
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
