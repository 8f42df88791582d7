//! Laws that every set of the table keeps, with every psi, alone and in products.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod proximal;
mod wrong;

use std::sync::Arc;

use dpsda::keys::Table;
use dpsda::rng::{Purpose, Seed, Stream};
use dpsda::set::{self, Ball, ConvexSet, Cuboid, Free, Product, Psi, SETS, Simplex, Simplices};
use dpsda::{Blocks, Error, Keys};
use rand::RngExt;

const DIM: usize = 6;

/// Besides every kind without any key, where it can be built so.
const SAMPLES: [&str; 12] = [
    "kind = 'box'\nlower = -5\nupper = 5.0",
    "kind = 'box'\nlower = [-1, 0, 0.5, -inf, -3, 2]\nupper = [1, inf, 0.5, 2, -2, 7]",
    "kind = 'ball'\nradius = 5",
    "kind = 'ball'\nradius = 0.1\npsi = 'euclidean'",
    "kind = 'simplex'\npsi = 'euclidean'",
    "kind = 'simplex'\npsi = 'entropic'",
    "kind = 'simplices'\nsizes = [2, 1, 2, 1]",
    "kind = 'simplices'\nsizes = [2, 3, 1]\npsi = 'entropic'",
    "kind = 'free'\npsi = 'euclidean'",
    "each = [{ kind = 'ball', radius = 1 }, { kind = 'simplex', psi = 'entropic' }, { kind = 'box', lower = 1, upper = 2 }]",
    "each = [{ kind = 'ball', radius = 2 }, { kind = 'free' }, { kind = 'box', lower = 1, upper = 2 }]",
    "each = [{ kind = 'free' }, { kind = 'simplex' }, { kind = 'box', lower = [-3], upper = [inf] }]",
];

fn read(text: &str) -> Result<Box<dyn ConvexSet>, Error> {
    let table = dpsda_config::table(text).unwrap();
    let keys = Keys::new("set", &table);
    let set = set::from_keys(&keys, &Blocks::of(&[2, 3, 1], DIM)?)?;
    keys.finish()?;
    Ok(set)
}

fn each(mut law: impl FnMut(&str, &dyn ConvexSet, &mut Stream)) {
    let plain = SETS.iter().map(|e| format!("kind = '{}'", e.name));
    let covered = |kind: &str| SAMPLES.iter().any(|s| s.starts_with(&format!("kind = '{kind}'")));
    for entry in SETS {
        let alone = read(&format!("kind = '{}'", entry.name)).is_ok();
        assert!(alone || covered(entry.name), "`{}` needs keys: give it a line in SAMPLES", entry.name);
    }
    for (index, text) in SAMPLES.iter().map(|s| (*s).to_owned()).chain(plain).enumerate() {
        if let Ok(set) = read(&text) {
            law(&text, set.as_ref(), &mut Seed::new(3).stream(Purpose::Data, index as u64, 0));
        }
    }
}

fn random(rng: &mut Stream) -> Vec<f64> {
    let scale = [0.1, 1.0, 10.0, 1000.0][rng.random_range(0..4)];
    (0..DIM).map(|_| rng.random_range(-scale..scale)).collect()
}

fn inside(set: &dyn ConvexSet, rng: &mut Stream) -> Vec<f64> {
    let mut x = random(rng);
    set.project(&mut x);
    x
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn prox(set: &dyn ConvexSet, z: &[f64], alpha: f64) -> Vec<f64> {
    let mut y = vec![f64::NAN; z.len()]; // the old content must not matter
    set.prox(z, alpha, &mut y);
    y
}

#[test]
fn a_set_asks_for_the_keys_its_entry_lists() {
    for entry in SETS {
        let table = Table::new();
        let keys = Keys::new("set", &table);
        let _ = (entry.build)(&keys, DIM);
        assert_eq!(keys.asked(), entry.keys.iter().map(|k| k.name).collect::<Vec<_>>(), "{}", entry.name);
    }
}

#[test]
fn projection_is_idempotent() {
    each(|name, set, rng| {
        for _ in 0..500 {
            let x = inside(set, rng);
            let mut again = x.clone();
            set.project(&mut again);
            assert!(norm(&minus(&x, &again)) <= 1e-14 * (1.0 + norm(&x)), "{name}: {x:?} -> {again:?}");
        }
    });
}

#[test]
fn projection_is_the_nearest_point() {
    each(|name, set, rng| {
        for _ in 0..500 {
            let x = random(rng);
            let mut p = x.clone();
            set.project(&mut p);
            for _ in 0..20 {
                let q = inside(set, rng);
                // <x - p, q - p> <= 0 for every q of the set.
                let angle = dot(&minus(&x, &p), &minus(&q, &p));
                assert!(
                    angle <= 1e-11 * (1.0 + norm(&x)) * (1.0 + norm(&q)),
                    "{name}: {x:?} -> {p:?}, but {q:?}"
                );
            }
        }
    });
}

/// C and D of Assumption 1.
#[test]
fn no_two_points_are_farther_apart_than_its_size_and_psi_varies_no_more() {
    each(|name, set, rng| {
        let size = set.size(DIM);
        let least = set.psi(&prox(set, &[0.0; DIM], 1.0));
        let (mut widest, mut deepest) = (0.0_f64, 0.0_f64);
        for _ in 0..2000 {
            let (a, b) = (inside(set, rng), inside(set, rng));
            widest = widest.max(norm(&minus(&a, &b)));
            deepest = deepest.max(set.psi(&a) - least);
        }
        assert!(widest <= size.diameter * (1.0 + 1e-12), "{name}: {widest} {size:?}");
        assert!(deepest <= size.psi * (1.0 + 1e-12) + 1e-12, "{name}: {deepest} {size:?}");
        assert_eq!(size.diameter.is_finite(), size.psi.is_finite(), "{name}");
        // The sets here know their size; others may be content with that of a box around them.
        if SAMPLES.contains(&name) && size.diameter.is_finite() {
            assert!(1.6 * widest > size.diameter, "{name}: {widest} {size:?} is wasteful");
            assert!(1.6 * deepest > size.psi, "{name}: {deepest} {size:?} is wasteful");
        }
    });
}

#[test]
fn psi_is_not_negative_on_the_set() {
    each(|name, set, rng| (0..500).for_each(|_| assert!(set.psi(&inside(set, rng)) >= 0.0, "{name}")));
}

#[test]
fn floor_is_below_every_point_and_attained() {
    each(|name, set, rng| {
        for _ in 0..300 {
            let mut c = random(rng);
            if rng.random::<bool>() {
                c[rng.random_range(0..DIM)] = 0.0;
            }
            let floor = set.floor(&c);
            for _ in 0..20 {
                let x = inside(set, rng);
                assert!(
                    dot(&c, &x) >= floor - 1e-11 * (1.0 + norm(&c)) * (1.0 + norm(&x)),
                    "{name}: {c:?} at {x:?}"
                );
            }
            // Projections of points ever farther along -c come as low as one can.
            let along = |far: f64| {
                let mut x: Vec<f64> = c.iter().map(|c| -far * c).collect();
                set.project(&mut x);
                dot(&c, &x)
            };
            if floor.is_finite() {
                assert!(
                    along(1e9) <= floor + 1e-5 * (1.0 + norm(&c)),
                    "{name}: {c:?}: {} {floor}",
                    along(1e9)
                );
            } else {
                assert!(floor < 0.0 && along(1e12) < along(1e9) - 1.0, "{name}: {c:?} is bounded below");
            }
        }
        assert_eq!(set.floor(&[0.0; DIM]), 0.0, "{name}");
    });
}

#[test]
fn huge_inputs_stay_inside() {
    each(|name, set, rng| {
        for size in [1e150, 1e300, f64::MAX] {
            let z: Vec<f64> = (0..DIM).map(|_| size * rng.random_range(-1.0..1.0)).collect();
            for mut y in [prox(set, &z, 1.0), prox(set, &z, 1e10), prox(set, &z, 1e-310)] {
                let x = y.clone();
                assert!(y.iter().all(|y| !y.is_nan()), "{name}: {z:?} -> {y:?}");
                set.project(&mut y);
                assert!(
                    x.iter().zip(&y).all(|(x, y)| x == y || (x - y).abs() <= 1e-12 * x.abs()),
                    "{name}: {x:?} {y:?}"
                );
            }
            assert!(!set.floor(&z).is_nan(), "{name}");
        }
    });
}

#[test]
fn blocks_of_a_separable_set_fit_together() {
    each(|name, set, rng| {
        let mut fits = true;
        for _ in 0..200 {
            // Each node decides on its own block from its own estimate.
            let nodes = [inside(set, rng), inside(set, rng), inside(set, rng)];
            let x: Vec<f64> = (0..DIM).map(|j| nodes[[0, 0, 1, 1, 1, 2][j]][j]).collect();
            let mut p = x.clone();
            set.project(&mut p);
            fits &= norm(&minus(&x, &p)) <= 1e-12 * (1.0 + norm(&x));
        }
        assert_eq!(fits, set.is_separable(), "{name}");
    });
}

#[test]
fn a_pointer_to_a_set_is_that_set() {
    let blocks = Blocks::of(&[2, 3, 1], DIM).unwrap();
    each(|name, set, rng| {
        let (boxed, shared) = (read(name).unwrap(), Arc::<dyn ConvexSet>::from(read(name).unwrap()));
        for pointer in [&boxed as &dyn ConvexSet, &shared as &dyn ConvexSet] {
            for _ in 0..20 {
                let (x, steps) = (random(rng), [0.1, 0.2, 0.3, 1.0, 2.0, 3.0]);
                let (mut a, mut b) = (x.clone(), x.clone());
                set.project(&mut a);
                pointer.project(&mut b);
                assert_eq!((&a, prox(set, &x, 0.7)), (&b, prox(pointer, &x, 0.7)), "{name}");
                assert_eq!((set.psi(&a), set.floor(&x)), (pointer.psi(&a), pointer.floor(&x)), "{name}");
                assert_eq!(set.each().is_some(), pointer.each().is_some(), "{name}");
                if let (Some(one), Some(other)) = (set.each(), pointer.each()) {
                    one.prox_each(&x, &steps, &mut a);
                    other.prox_each(&x, &steps, &mut b);
                    assert_eq!(a, b, "{name}");
                }
            }
            let facts = |set: &dyn ConvexSet| (set.size(DIM), set.ball(), set.is_separable());
            assert_eq!(facts(set), facts(pointer), "{name}");
            for other in [blocks.clone(), Blocks::even(DIM + 1, 2).unwrap()] {
                assert_eq!(set.fits(&other), pointer.fits(&other), "{name}");
            }
            assert_eq!(set.fits(&blocks), Ok(()), "{name}");
        }
    });
}
