//! Agreement with the PyPI package opendp 0.16.0.

use dpsda::privacy::accounting::zcdp;

use crate::rows::{near, rows};

const FILE: &str = "opendp.json";

#[test]
fn zcdp_converts_as_theirs_does() {
    for row in rows(FILE, "zcdp") {
        let epsilon = zcdp::epsilon(row.get("rho"), row.get("delta"));
        assert!(near(epsilon, row.get("epsilon"), 1e-9), "{epsilon}: {row}");
        let delta = zcdp::delta(row.get("rho"), row.get("half"));
        assert!(near(delta, row.get("delta_at_half"), 1e-9), "{delta}: {row}");
    }
}

#[test]
fn exact_noise_costs_sensitivity_over_scale_and_half_its_square() {
    // What a release is charged: 2C/b in epsilon, (2C)^2/(2 sigma^2) in rho.
    for row in rows(FILE, "discrete") {
        let ratio = row.get("sensitivity") / row.get("scale");
        assert!(near(ratio, row.get("laplace_epsilon"), 1e-14), "{row}");
        assert!(near(ratio * ratio / 2.0, row.get("gaussian_rho"), 1e-14), "{row}");
    }
}
