//! Agreement with the PyPI package dp-accounting 0.6.0. It uses the same discretisation, without tilt or margins, so what
//! differs is rounding: theirs, of an FFT at delta, and the margins of ours.

use dpsda::privacy::accounting::{Pld, gaussian, zcdp};

use crate::rows::{Row, near, rows};

const FILE: &str = "dp-accounting.json";

fn agrees(kind: &str, one: fn(f64, f64) -> Pld) {
    for row in rows(FILE, kind) {
        let law = one(row.get("parameter"), row.get("step")).compose(row.get("times") as u64);
        let epsilon = law.epsilon(row.get("delta"));
        assert!(near(epsilon, row.get("epsilon"), 1e-6), "{epsilon}: {row}");
        let delta = law.delta(row.get("half"));
        assert!(near(delta, row.get("delta_at_half"), 1e-6), "{delta}: {row}");
    }
}

#[test]
fn laplace_composes_as_theirs_does() {
    agrees("laplace", Pld::laplace);
}

#[test]
fn gaussian_composes_as_theirs_does() {
    agrees("gaussian", Pld::gaussian);
}

#[test]
fn pure_composes_as_theirs_does() {
    agrees("pure", Pld::pure);
}

#[test]
fn different_releases_compose_as_theirs_do() {
    for row in rows(FILE, "mixed") {
        let step = row.get("step");
        let law = Pld::laplace(0.2, step).compose(30).and(&Pld::gaussian(0.25, step).compose(20));
        let epsilon = law.epsilon(row.get("delta"));
        assert!(near(epsilon, row.get("epsilon"), 1e-6), "{epsilon}: {row}");
    }
}

#[test]
fn a_gaussian_costs_what_their_curve_says() {
    for row in rows(FILE, "gaussian-curve") {
        let epsilon = gaussian::epsilon(row.get("mu"), row.get("delta"));
        // Theirs is solved to an absolute distance.
        let away = (epsilon - row.get("epsilon")).abs();
        assert!(away <= 1e-9 + 1e-9 * epsilon, "{epsilon}: {row}");
    }
}

#[test]
fn zcdp_is_never_dearer_than_theirs_and_at_most_five_percent_cheaper() {
    // Theirs takes the best of a fixed list of orders, which ends too early for small rho; ours the best of all.
    let cheaper = |row: &Row| zcdp::epsilon(row.get("rho"), row.get("delta")) / row.get("epsilon");
    for row in rows(FILE, "zcdp") {
        assert!((0.95..=1.0 + 1e-12).contains(&cheaper(&row)), "{}: {row}", cheaper(&row));
    }
}
