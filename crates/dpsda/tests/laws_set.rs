//! Laws that every set of the table keeps, with every psi, alone and in products.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::sync::Arc;

use dpsda::keys::Table;
use dpsda::rng::{Purpose, Seed, Stream};
use dpsda::set::{self, Ball, ConvexSet, Cuboid, Free, Product, SETS};
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
    let mut y = vec![f64::NAN; z.len()]; // whatever stood there must not matter
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

/// <z + y/steps, q - y> >= 0 for every q of the set; and equal steps give (7).
#[test]
fn a_step_for_every_coordinate_solves_its_problem() {
    let mut able = 0;
    each(|name, set, rng| {
        let Some(own) = set.each() else { return };
        able += 1;
        for _ in 0..300 {
            let z = random(rng);
            let steps: Vec<f64> = (0..DIM).map(|_| 10f64.powf(rng.random_range(-3.0..2.0))).collect();
            let mut y = vec![f64::NAN; DIM];
            own.prox_each(&z, &steps, &mut y);
            let mut nearest = y.clone();
            set.project(&mut nearest);
            assert!(norm(&minus(&y, &nearest)) <= 1e-12 * (1.0 + norm(&y)), "{name}: {y:?} is outside");
            let slope: Vec<f64> = (0..DIM).map(|k| z[k] + y[k] / steps[k]).collect();
            for _ in 0..20 {
                let q = inside(set, rng);
                let angle = dot(&slope, &minus(&q, &y));
                let size = (1.0 + norm(&z)) * (1.0 + norm(&q) + norm(&y));
                assert!(
                    angle >= -1e-9 * size,
                    "{name}: {z:?} {steps:?} -> {y:?}, better towards {q:?}: {angle:e}"
                );
            }
            own.prox_each(&z, &[0.3; DIM], &mut y);
            assert!(norm(&minus(&y, &prox(set, &z, 0.3))) <= 1e-12 * (1.0 + norm(&y)), "{name}: {z:?}");
        }
    });
    assert!(able >= 6, "boxes, balls, the whole space and products of them");
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

#[test]
fn prox_solves_its_problem() {
    each(|name, set, rng| {
        for _ in 0..300 {
            let (z, alpha) = (random(rng), rng.random_range(0.01..2.0));
            let y = prox(set, &z, alpha);
            let cost = |x: &[f64]| dot(&z, x) + set.psi(x) / alpha; // (7)
            for k in 0..40 {
                // Far points, and near ones on the way to them.
                let mut q = inside(set, rng);
                let way = [1.0, 0.1, 1e-3, 1e-5][k % 4];
                q.iter_mut().zip(&y).for_each(|(q, y)| *q = y + way * (*q - y));
                // Strongly convex with constant 1/alpha, so worse by at least that much away from the best.
                let least = cost(&y) + norm(&minus(&q, &y)).powi(2) / (2.0 * alpha);
                let rounding =
                    1e-12 * (1.0 + norm(&z)) * (1.0 + norm(&q) + norm(&y)) + 1e-13 * set.psi(&q) / alpha;
                assert!(cost(&q) >= least - rounding, "{name}: z {z:?}, alpha {alpha}: {q:?} against {y:?}");
            }
        }
    });
}

#[test]
fn prox_is_alpha_lipschitz() {
    each(|name, set, rng| {
        for k in 0..2000 {
            let (z, mut w, alpha) = (random(rng), random(rng), rng.random_range(0.01..2.0));
            if k % 2 == 0 {
                w.iter_mut().zip(&z).for_each(|(w, z)| *w = z + 1e-4 * *w);
            }
            let moved = norm(&minus(&prox(set, &z, alpha), &prox(set, &w, alpha)));
            let bound = alpha * norm(&minus(&z, &w)); // (10)
            assert!(moved <= bound * (1.0 + 1e-9) + 1e-13 * alpha * norm(&z), "{name}: {moved} > {bound}");
        }
    });
}

#[test]
fn dual_averaging_has_the_regret_of_proposition_1() {
    each(|name, set, rng| {
        for _ in 0..100 {
            let alpha = |t: u32| 0.5 / f64::from(t + 1).sqrt();
            let (mut sum, mut spent, mut steps) = (vec![0.0; DIM], 0.0, 0.0);
            let y = inside(set, rng);
            for t in 1..=30 {
                let x = prox(set, &sum, alpha(t - 1)); // (8)
                let phi = random(rng);
                spent += dot(&phi, &minus(&x, &y));
                steps += alpha(t - 1) * dot(&phi, &phi) / 2.0;
                sum.iter_mut().zip(&phi).for_each(|(s, p)| *s += p);
            }
            let bound = steps + set.psi(&y) / alpha(30); // (9)
            assert!(spent <= bound * (1.0 + 1e-9), "{name}: {spent} > {bound}");
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
fn entropic_prox_is_a_softmax() {
    let set = read("kind = 'simplex'\npsi = 'entropic'").unwrap();
    let y = prox(set.as_ref(), &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 2.0);
    for j in 1..DIM {
        assert!((y[j] / y[j - 1] - (-2.0_f64).exp()).abs() < 1e-14);
    }
    assert!((y.iter().sum::<f64>() - 1.0).abs() < 1e-15);
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

#[test]
fn wrong_arguments_are_refused_by_name() {
    let product = |radius: f64, nodes| {
        Product::of(Blocks::even(4, nodes)?, |_| Cuboid::sides(vec![0.0; 2], vec![radius; 2]))
    };
    let free = || vec![Box::new(Free) as Box<dyn ConvexSet>];
    for (error, words) in [
        (Ball::new(f64::NAN).err(), "radius = NaN: a ball needs a positive finite radius"),
        (Ball::new(f64::INFINITY).err(), "radius = inf: a ball needs"),
        (Cuboid::new(f64::NAN, 1.0).err(), "lower = NaN: "),
        (Cuboid::new(0.0, f64::NEG_INFINITY).err(), "upper = -inf: expected a number above -infinity"),
        (Cuboid::sides(vec![0.0], vec![]).err(), "upper = 0 numbers: there are 1 lower bounds"),
        (
            Cuboid::sides(vec![0.0, 3.0], vec![1.0, 2.0]).err(),
            "lower[1] = 3: the box is empty: upper[1] is 2",
        ),
        (product(-1.0, 2).err(), "lower[0] = 0: the box is empty"),
        (product(1.0, 1).err(), "sets[0].lower = 2 numbers: there are 4 coordinates"),
        (Product::new(free(), Blocks::even(4, 2).unwrap()).err(), "sets = a list of 1: one set per node"),
        (
            product(1.0, 2).unwrap().fits(&Blocks::even(4, 4).unwrap()).err(),
            "set = a product over blocks of [2, 2]: the nodes' blocks are [1, 1, 1, 1]",
        ),
    ] {
        let error = error.expect(words).to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn wrong_tables_are_refused_with_a_remedy() {
    for (text, key, remedy) in [
        ("radius = 3", "`set.kind` is missing", "\"ball\""),
        ("kind = 'bal'\nradius = 3", "set.kind", "did you mean `ball`?"),
        ("kind = 'ball'", "`set.radius` is missing", "positive"),
        ("kind = 'ball'\nradius = -1", "set.radius = -1", "positive"),
        ("kind = 'ball'\nradius = inf", "set.radius = inf", "free"),
        ("kind = 'ball'\nradios = 1", "`set.radius` is missing", "positive"),
        ("kind = 'ball'\nradius = 1\nlower = 2", "set.lower", "Known here: kind, each, psi, radius"),
        ("kind = 'ball'\nradius = 1\npsi = 'entropic'", "set.psi", "simplex"),
        ("kind = 'simplex'\npsi = 'entropy'", "set.psi", "did you mean `entropic`?"),
        ("kind = 'box'\nupper = 1", "`set.lower` is missing", "6 numbers"),
        ("kind = 'box'\nlower = 2\nupper = 1", "set.lower = 2", "lower must not be above upper"),
        ("kind = 'box'\nlower = 0\nupper = [1, 1, 1, -1, 1, 1]", "set.lower[3] = 0", "upper[3] is -1"),
        ("kind = 'box'\nlower = 0\nupper = [1, 2]", "set.upper", "2 numbers for 6 coordinates"),
        ("kind = 'box'\nlower = 'x'\nupper = 1", "set.lower", "a number"),
        ("kind = 'box'\nlower = nan\nupper = 1", "set.lower", "a number"),
        ("kind = 'box'\nlower = inf\nupper = inf", "set.lower", "-inf"),
        ("kind = 'free'\neach = []", "set.kind", "keep one"),
        ("each = [{ kind = 'free' }]", "set.each", "3 nodes"),
        ("each = [{ kind = 'free' }, { radius = 1 }, { kind = 'free' }]", "set.each[1].kind", "\"ball\""),
        (
            "each = [{ kind = 'free' }, { kind = 'free', r = 1 }, { kind = 'free' }]",
            "set.each[1].r",
            "Known here",
        ),
        (
            "psi = 'entropic'\neach = [{ kind = 'free' }, { kind = 'free' }, { kind = 'free' }]",
            "set.psi",
            "inside each",
        ),
        ("each = [1, 2, 3]", "set.each", "tables"),
    ] {
        let error = read(text).err().expect(text).to_string();
        assert!(error.contains(key) && error.contains(remedy), "{text}\n{error}");
    }
}
