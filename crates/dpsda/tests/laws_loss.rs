//! Laws that every loss of the table keeps.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::sync::Arc;

use dpsda::Keys;
use dpsda::keys::Table;
use dpsda::loss::{Hinge, Huber, LOSSES, Loss, OwnLoss, Squared, check, proximal};
use dpsda::rng::{Purpose, Seed, Stream};
use rand::RngExt;

fn build(index: usize) -> Box<dyn Loss> {
    (LOSSES[index].build)(&Keys::new("problem", &Table::new())).unwrap()
}

/// Losses from closures: one with a kink, whose proximal point is searched for, one that is smooth, one that bends without a
/// bound.
fn own() -> [(&'static str, OwnLoss); 3] {
    let pinball = OwnLoss::new(
        |s, b| if s < b { 0.9 * (b - s) } else { 0.1 * (s - b) },
        |s, b| if s < b { -0.9 } else { 0.1 },
    );
    let classes = OwnLoss::new(|s, b| Squared.value(s, b) / 4.0, |s, b| Squared.slope(s, b) / 4.0);
    let steep = |r: f64| r.abs().min(1e5).powi(2) * r.signum();
    let cubic = OwnLoss::new(
        |s, b| (s - b).abs().min(1e5).powi(3) / 3.0 + 1e10 * ((s - b).abs() - 1e5).max(0.0),
        move |s, b| steep(s - b),
    );
    [
        ("own with a kink", pinball.at_least(0.0)),
        ("own of classes", classes.smooth(0.5).unwrap().of_classes()),
        ("own without a constant", cubic.at_least(0.0)),
    ]
}

/// Every loss of the table with its defaults, and those from closures.
fn losses() -> impl Iterator<Item = (&'static str, Box<dyn Loss>)> {
    let table = LOSSES.iter().enumerate().map(|(index, entry)| (entry.name, build(index)));
    table.chain(own().map(|(name, loss)| (name, Box::new(loss) as Box<dyn Loss>)))
}

/// Each of them, and a source of numbers of its own.
fn each(mut law: impl FnMut(&str, &dyn Loss, &mut Stream)) {
    for (index, (name, loss)) in losses().enumerate() {
        law(name, loss.as_ref(), &mut Seed::new(2).stream(Purpose::Data, index as u64, 0));
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
fn a_pointer_to_a_loss_is_that_loss() {
    for ((name, boxed), (_, other)) in losses().zip(losses()) {
        let shared: Arc<dyn Loss> = other.into();
        let facts = |loss: &dyn Loss| {
            let at = [-1.0, 1.0].map(|b| (loss.value(0.7, b), loss.slope(0.7, b), loss.tangent(0.7, b, 0.5)));
            (at, loss.smoothness(), loss.least(), loss.classifies())
        };
        assert_eq!(facts(&*boxed), facts(&boxed), "{name}");
        assert_eq!(facts(&*boxed), facts(&shared), "{name}");
    }
}

#[test]
fn the_proximal_point_that_is_searched_for_is_the_one_of_the_formula() {
    let mut rng = Seed::new(6).stream(Purpose::Data, 0, 0);
    for k in 0..2000 {
        let (s, b) = sample(&Hinge, &mut rng, 3.0);
        let mu = [1.0, 0.1, 1e-3][k % 3];
        let ((p, u), (q, v)) = (Hinge.tangent(s, b, mu), proximal(|s| Hinge.slope(s, b), s, mu));
        assert!((p - q).abs() < 1e-14 && (u - v).abs() < 1e-12, "{s}, {b}, {mu}: {p} {u}, {q} {v}");
    }
}

#[test]
fn a_check_passes_what_is_right_and_names_what_is_wrong() {
    let (s, b) = ([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0], [-1.0, 1.0]);
    each(|name, loss, _| assert_eq!(check(loss, &s, &b), Ok(()), "{name}"));
    let squared = |sign: f64| {
        OwnLoss::new(move |s, b| sign * Squared.value(s, b), move |s, b| sign * Squared.slope(s, b))
    };
    for (loss, words) in [
        (squared(-1.0), "slope(-2, -1) = 2: the value at -1 is -0, below the tangent's 1"),
        (
            squared(1.0).smooth(1.0).unwrap(),
            "slope(-2, -1) = -2: it changes by 2 towards -1, faster than the smoothness 1",
        ),
        (squared(1.0).at_least(2.0), "value(-2, -1) = 1: it is below the least value, 2"),
        (OwnLoss::new(|_, _| f64::NAN, |_, _| 0.0), "value(-2, -1) = NaN: expected a number"),
        (OwnLoss::new(|_, _| 0.0, |_, _| f64::INFINITY), "slope(-2, -1) = inf: expected a finite number"),
    ] {
        let error = check(&loss, &s, &b).unwrap_err().to_string();
        assert!(error.starts_with(words), "{error}");
    }
    assert!(Huber::new(f64::NAN).unwrap_err().to_string().starts_with("delta = NaN: expected a positive"));
    assert!(squared(1.0).smooth(f64::NAN).unwrap_err().to_string().starts_with("smoothness = NaN"));
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
