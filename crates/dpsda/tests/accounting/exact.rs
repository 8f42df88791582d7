//! Against exact values: never below, and not far above.

use dpsda::privacy::accounting::{Pld, gaussian, pure_composition};

use crate::rows::{near, rows};

const FILE: &str = "dp-accounting.json"; // its `exact` rows have 60 digits behind them

#[test]
fn the_gaussian_curve_is_exact_and_on_the_safe_side_as_deep_as_it_goes() {
    for row in rows(FILE, "exact-gaussian") {
        let (mu, epsilon, exact) = (row.get("mu"), row.get("epsilon"), row.get("delta"));
        let delta = gaussian::delta(mu, epsilon);
        assert!(delta >= exact * (1.0 - f64::EPSILON), "{delta} is below: {row}");
        assert!(near(delta, exact, 1e-10), "{delta}: {row}");
        let back = gaussian::epsilon(mu, exact);
        assert!(back >= epsilon * (1.0 - 1e-15) && back <= epsilon + 1e-10 * (mu + epsilon), "{back}: {row}");
    }
}

#[test]
fn pure_releases_compose_to_the_exact_epsilon_and_never_below() {
    for row in rows(FILE, "exact-pure") {
        let (one, times, epsilon) = (row.get("one"), row.get("times") as u64, row.get("epsilon"));
        let found = pure_composition(one, times, row.get("delta"));
        assert!(found >= epsilon * (1.0 - 1e-15), "{found} is below: {row}");
        assert!(found <= epsilon + 1e-9 * one * times as f64, "{found}: {row}");
    }
}

#[test]
fn pure_distributions_match_the_closed_form_and_are_never_below() {
    for row in rows(FILE, "exact-pure") {
        let (one, times, exact) = (row.get("one"), row.get("times") as u64, row.get("delta"));
        for parts in [1.0, 3.0] {
            let law = Pld::pure(one, one / parts).compose(times);
            let (epsilon, delta) = (law.epsilon(exact), law.delta(row.get("epsilon")));
            assert!(epsilon >= row.get("epsilon") * (1.0 - 1e-15), "{epsilon} is below: {row}");
            let above = epsilon - row.get("epsilon");
            assert!(above <= 1e-8 * one * times as f64, "{epsilon}: {row}");
            assert!(delta >= exact * (1.0 - f64::EPSILON) && near(delta, exact, 1e-6), "{delta}: {row}");
        }
    }
}

#[test]
fn gaussian_distributions_are_above_the_exact_curve_by_the_price_of_the_step() {
    // k releases of mu are one of sqrt(k) mu. A hundredth of mu costs some 1e-5 of epsilon.
    for (mu, times) in [(3.0, 1u64), (0.5, 1), (0.5, 10), (0.05, 1000), (1e-3, 1_000_000)] {
        let law = Pld::gaussian(mu, mu / 100.0).compose(times);
        for delta in [0.1, 1e-5, 1e-12, 1e-30] {
            let exact = gaussian::epsilon(mu * (times as f64).sqrt(), delta);
            let found = law.epsilon(delta);
            assert!(found >= exact, "{mu} {times} {delta}: {found} is below {exact}");
            assert!(found <= exact * (1.0 + 1e-4), "{mu} {times} {delta}: {found} {exact}");
        }
    }
}

#[test]
fn one_laplace_release_has_its_closed_curve() {
    for ratio in [1e-3, 0.3, 1.0, 6.0f64] {
        let law = Pld::laplace(ratio, ratio / 1000.0);
        for share in [0.0, 0.2, 0.7, 0.999] {
            let exact = -((share - 1.0) * ratio / 2.0).exp_m1(); // 1 - exp((eps - ratio)/2)
            let delta = law.delta(share * ratio);
            assert!(
                delta >= exact * (1.0 - 1e-12) && near(delta, exact, 1e-5),
                "{ratio} {share}: {delta} {exact}"
            );
        }
        assert!(near(law.epsilon(0.0), ratio, 1e-12) && law.epsilon(0.0) >= ratio);
    }
}

#[test]
fn coarse_steps_cost_but_never_lie() {
    let exact = gaussian::epsilon(1.0, 1e-6);
    let mut last = exact;
    for step in [0.001, 0.01, 0.1, 0.5, 2.0, 10.0, 1e3] {
        let found = Pld::gaussian(0.1, step).compose(100).epsilon(1e-6);
        assert!(found >= last * (1.0 - 1e-6), "{step}: {found} after {last}");
        last = found;
    }
}

#[test]
fn what_is_cut_off_is_stated_and_charged() {
    let law = Pld::gaussian(1.0, 0.01).compose(1000);
    let cut = law.truncated();
    assert!(cut > 0.0 && cut < 1e-85);
    assert_eq!(law.epsilon(cut / 2.0), f64::INFINITY);
    assert!(law.delta(1e9) >= cut);
    assert_eq!(Pld::pure(1.0, 0.1).compose(1000).truncated(), 0.0);
}
