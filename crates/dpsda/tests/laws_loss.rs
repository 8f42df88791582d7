//! Laws that every loss of the table keeps.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use dpsda::Keys;
use dpsda::keys::Table;
use dpsda::loss::{LOSSES, Loss};
use dpsda::rng::{Purpose, Seed, Stream};
use rand::RngExt;

fn build(index: usize) -> Box<dyn Loss> {
    (LOSSES[index].build)(&Keys::new("problem", &Table::new())).unwrap()
}

/// Every loss with its defaults, and a source of numbers of its own.
fn each(mut law: impl FnMut(&str, &dyn Loss, &mut Stream)) {
    for (index, entry) in LOSSES.iter().enumerate() {
        let mut rng = Seed { seed: 2, trial: 0 }.stream(Purpose::Data, index as u64, 0);
        law(entry.name, build(index).as_ref(), &mut rng);
    }
}

/// A prediction within `range` of zero, and a label the loss is meant for.
fn sample(loss: &dyn Loss, rng: &mut Stream, range: f64) -> (f64, f64) {
    let s = rng.random_range(-range..range);
    let b = if loss.classifies() { [-1.0, 1.0][rng.random_range(0..2)] } else { rng.random_range(-3.0..3.0) };
    (s, b)
}

const EXTREMES: [f64; 14] =
    [0.0, -0.0, 1.0, -1.0, 1e-300, 5e-324, 709.0, -745.2, 1e4, -1e4, 1e100, -1e200, f64::MAX, f64::MIN];

#[test]
fn a_loss_asks_for_the_keys_its_entry_lists() {
    for entry in LOSSES {
        let table = Table::new();
        let keys = Keys::new("problem", &table);
        assert!((entry.build)(&keys).is_ok(), "{} has defaults", entry.name);
        assert_eq!(keys.asked(), entry.keys.iter().map(|k| k.name).collect::<Vec<_>>(), "{}", entry.name);
    }
}

#[test]
fn slope_is_the_derivative_away_from_kinks() {
    each(|name, loss, rng| {
        for _ in 0..2000 {
            let (s, b) = sample(loss, rng, 5.0);
            let h = 1e-5;
            // Slopes on both sides tell a kink, or a bend, from a smooth stretch.
            if (loss.slope(s + h, b) - loss.slope(s - h, b)).abs() > 10.0 * h {
                continue;
            }
            let difference = (loss.value(s + h, b) - loss.value(s - h, b)) / (2.0 * h);
            assert!((loss.slope(s, b) - difference).abs() < 1e-4, "{name} at {s}, label {b}: {difference}");
        }
    });
}

#[test]
fn values_lie_above_every_tangent() {
    each(|name, loss, rng| {
        for _ in 0..5000 {
            let ((s, b), (r, _)) = (sample(loss, rng, 20.0), sample(loss, rng, 20.0));
            let below = loss.value(s, b) + loss.slope(s, b) * (r - s);
            assert!(
                loss.value(r, b) >= below - 1e-10,
                "{name}: tangent at {s} is above the value at {r}, label {b}"
            );
        }
        for s in EXTREMES {
            for r in EXTREMES {
                let below = loss.value(s, 1.0) + loss.slope(s, 1.0) * (r - s);
                let rounding =
                    1e-12 * (1.0 + loss.value(s, 1.0).abs() + (loss.slope(s, 1.0) * (r - s)).abs());
                let holds = loss.value(r, 1.0) >= below - rounding;
                assert!(holds || !below.is_finite() || !rounding.is_finite(), "{name}: {s} -> {r}");
            }
        }
    });
}

#[test]
fn no_finite_input_gives_nan() {
    each(|name, loss, _| {
        for s in EXTREMES {
            for b in EXTREMES {
                assert!(!loss.value(s, b).is_nan(), "{name} at {s}, label {b}");
                assert!(!loss.slope(s, b).is_nan(), "{name} at {s}, label {b}");
                let (p, u) = loss.tangent(s, b, 0.1);
                assert!(!p.is_nan() && !u.is_nan(), "{name} at {s}, label {b}");
                assert!(loss.value(s, b) >= loss.least(), "{name} at {s}, label {b}");
            }
        }
    });
}

#[test]
fn tangent_is_a_subgradient_at_the_point_it_returns() {
    each(|name, loss, rng| {
        for k in 0..5000 {
            let mu = [1.0, 0.1, 1e-3, 1e-6][k % 4];
            let ((s, b), (r, _)) = (sample(loss, rng, 3.0), sample(loss, rng, 3.0));
            let (p, u) = loss.tangent(s, b, mu);
            for r in [r, p + 1e-3, p - 1e-3, p + mu, p - mu] {
                let below = loss.value(p, b) + u * (r - p);
                assert!(
                    loss.value(r, b) >= below - 1e-12,
                    "{name}: at {p} (from {s}, mu {mu}), seen from {r}"
                );
            }
        }
    });
}

#[test]
fn tangent_changes_no_faster_than_it_says() {
    each(|name, loss, rng| {
        for k in 0..5000 {
            let mu = [1.0, 0.1, 1e-3][k % 3];
            let (s, b) = sample(loss, rng, 3.0);
            let r = s + rng.random_range(-2.0..2.0) * mu;
            let rate = if loss.smoothness().is_finite() { loss.smoothness().max(1.0 / mu) } else { 1.0 / mu };
            let change = (loss.tangent(s, b, mu).1 - loss.tangent(r, b, mu).1).abs();
            assert!(change <= rate * (s - r).abs() * (1.0 + 1e-9) + 1e-12, "{name}: {s} and {r}, mu {mu}");
            if loss.smoothness().is_finite() {
                let change = (loss.slope(s, b) - loss.slope(r, b)).abs();
                assert!(
                    change <= loss.smoothness() * (s - r).abs() * (1.0 + 1e-9) + 1e-12,
                    "{name}: {s} and {r}"
                );
            }
        }
    });
}

#[test]
fn logistic_is_exact_far_out() {
    let index = LOSSES.iter().position(|e| e.name == "logistic").unwrap();
    let loss = build(index);
    assert_eq!(loss.value(-1e4, 1.0), 1e4);
    assert_eq!(loss.value(1e4, 1.0), 0.0);
    assert_eq!((loss.slope(-1e4, 1.0), loss.slope(1e4, 1.0)), (-1.0, -0.0));
    assert!(
        (loss.value(40.0, 1.0) / (-40.0_f64).exp() - 1.0).abs() < 1e-12,
        "small losses keep their digits"
    );
}

#[test]
fn huber_turns_linear_where_its_key_says() {
    let entry = LOSSES.iter().find(|e| e.name == "huber").unwrap();
    let with = |text: &str| {
        let table = dpsda_config::table(text).unwrap();
        (entry.build)(&Keys::new("problem", &table))
    };
    let loss = with("huber_delta = 2").unwrap();
    assert_eq!((loss.value(2.0, 0.0), loss.value(5.0, 0.0), loss.slope(-5.0, 0.0)), (2.0, 8.0, -2.0));
    for wrong in ["huber_delta = 0", "huber_delta = -1.0", "huber_delta = inf", "huber_delta = 'one'"] {
        let error = with(wrong).err().unwrap().to_string();
        assert!(error.contains("problem.huber_delta") && error.contains("number"), "{error}");
    }
}
