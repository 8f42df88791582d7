//! Laws over the table of mechanisms.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use dpsda::learner::Style;
use dpsda::objective::Objective;
use dpsda::privacy::mechanism::{MECHANISMS, Noise, Order};
use dpsda::privacy::plan::{Adjacency, Extent};
use dpsda::privacy::{Guard, Mechanism, Plan, Price, Privacy};
use dpsda::rng::{Generator, Purpose, Seed};
use dpsda::{Blocks, Error, Keys};

const UNITS: u64 = 1500;

/// Every mechanism of the table.
fn all() -> impl Iterator<Item = Mechanism> {
    MECHANISMS.iter().map(|entry| {
        let mechanism = (entry.build)(&Keys::none()).unwrap();
        assert_eq!(mechanism.name(), entry.name);
        mechanism
    })
}

fn order(rounds: u64) -> Order<u64> {
    Order { node: 0, size: 100, rounds, scale: UNITS }
}

/// What 100 values turn into, release after release, in units of the noise's scale over 1500.
fn noised(mechanism: &Mechanism, value: i64, rounds: u64, seed: u64) -> Vec<Vec<f64>> {
    let streams = (0..rounds).map(|t| Seed::new(seed).stream(Purpose::Noise, 0, t));
    match mechanism.in_units(order(rounds)) {
        Noise::Nothing => vec![vec![value as f64; 100]; rounds as usize],
        Noise::Ideal(mut noise) => {
            let release = |mut stream| {
                let mut v = vec![value as f64; 100];
                noise.perturb(&mut v, &mut stream);
                v
            };
            streams.map(release).collect()
        }
        Noise::Exact(mut noise) => {
            let release = |mut stream| {
                let mut v = vec![value; 100];
                noise.perturb(&mut v, &mut stream);
                v.into_iter().map(|k| k as f64).collect()
            };
            streams.map(release).collect()
        }
    }
}

/// The price of moving `times` releases by `moved` units each.
fn price(mechanism: &Mechanism, moved: u64, times: u64, rounds: u64) -> Price {
    match mechanism.in_units(order(rounds)) {
        Noise::Nothing => Price::Unbounded,
        Noise::Ideal(noise) => noise.cost(moved as f64, times),
        Noise::Exact(noise) => noise.cost(moved, times),
    }
}

fn size_of(cost: Price) -> f64 {
    cost.as_rho().unwrap_or(f64::INFINITY)
}

fn plan(asked: Privacy, averages: bool) -> Result<(Plan, Blocks), Error> {
    let blocks = Blocks::of(&[1, 3], 4).unwrap();
    let averages = averages && !asked.mechanism.is_correlated();
    let style = if averages { Style::Average } else { Style::Relay };
    Ok((Plan::new(asked, &Extent { style, blocks: &blocks, rounds: 20, batch: 5 })?, blocks))
}

#[test]
fn noise_depends_on_its_name_and_on_nothing_else() {
    for mechanism in all() {
        assert_eq!(
            noised(&mechanism, 1, 9, 1),
            noised(&mechanism, 1, 9, 1),
            "{mechanism:?}: same streams, same noise"
        );
        // Moving the values moves what is released by as much: the noise does not look at them.
        for (a, b) in
            noised(&mechanism, 0, 9, 1).concat().iter().zip(noised(&mechanism, 1 << 20, 9, 1).concat())
        {
            assert!((b - a - f64::from(1 << 20)).abs() < 1e-6, "{mechanism:?}: {a} {b}");
        }
    }
}

#[test]
fn noise_has_no_bias() {
    for mechanism in all() {
        // The first release only: later ones of correlated mechanisms depend on it.
        let draws: Vec<f64> = (0..300).flat_map(|seed| noised(&mechanism, 0, 1, seed).concat()).collect();
        let n = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / n;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        // Six standard errors: wrong once in 5e8.
        assert!(mean.abs() <= 6.0 * (variance / n).sqrt(), "{mechanism:?}: mean {mean}, variance {variance}");
        if !mechanism.is_silent() {
            assert!(
                variance.sqrt() > 0.3 * UNITS as f64,
                "{mechanism:?}: the scale says how much noise there is: {variance}"
            );
        }
    }
}

#[test]
fn a_release_never_costs_less_for_moving_more_or_more_often() {
    for mechanism in all() {
        let rounds = 50;
        for pair in [0, 1, 150, 1500, 1_000_000].windows(2) {
            assert!(
                size_of(price(&mechanism, pair[0], 1, rounds))
                    <= size_of(price(&mechanism, pair[1], 1, rounds)),
                "{mechanism:?}"
            );
        }
        for times in 1..rounds {
            let (less, more) =
                (price(&mechanism, 1500, times, rounds), price(&mechanism, 1500, times + 1, rounds));
            assert!(
                size_of(less) <= size_of(more),
                "{mechanism:?}: {times} times {less:?}, once more {more:?}"
            );
        }
    }
}

/// Correlated noise charges an event once; what it costs to be in every round is more, and at least that.
#[test]
fn every_release_writes_the_ledger() {
    for mechanism in all() {
        let asked = Privacy::level(0.5).clip(1.0).mechanism(mechanism.clone());
        let (plan, blocks) = plan(asked, false).unwrap();
        let (mut guard, mut ledger) = (plan.guard(1, Seed::default()), plan.ledger());
        for t in 0..20 {
            let zero = Slopes(vec![vec![0.0; 4]; 5]);
            let secret = guard.observe(t, &plan.seal(&zero), &[0.0; 4], blocks.range(1), &[]);
            assert_eq!(guard.release(secret, t, &mut ledger).len(), 3);
        }
        assert_eq!(ledger.releases(), 20, "{mechanism:?}");
        assert_eq!(ledger.per_event(), plan.cost(1), "{mechanism:?}: the ledger and the plan agree");
        assert_eq!(ledger.per_person(), None);
        assert!(size_of(ledger.lifetime()) >= size_of(plan.cost(1)), "{mechanism:?}");
    }
}

/// Misuse is charged in full: an event released again, noise used again, a run past its horizon.
#[test]
fn the_ledger_is_never_talked_down() {
    for mechanism in all().filter(|mechanism| !mechanism.is_silent()) {
        let asked = Privacy::level(0.5).clip(1.0).mechanism(mechanism.clone());
        let (plan, blocks) = plan(asked, false).unwrap();
        let secret = |guard: &Guard, t| {
            let zero = Slopes(vec![vec![0.0; 4]; 5]);
            guard.observe(t, &plan.seal(&zero), &[0.0; 4], blocks.range(1), &[])
        };
        let price = |times| match plan.noise(1) {
            Noise::Exact(noise) => noise.cost(2 * plan.clip(1).unwrap().bound, times),
            Noise::Ideal(noise) => noise.cost(plan.sensitivity(1).unwrap(), times),
            Noise::Nothing => Price::Unbounded,
        };
        let (mut guard, mut ledger) = (plan.guard(1, Seed::default()), plan.ledger());
        for t in 0..2 {
            let again = secret(&guard, 0); // the same event twice, with fresh noise
            guard.release(again, t, &mut ledger);
        }
        assert_eq!(ledger.per_event(), price(2), "{mechanism:?}: two releases of one event");
        guard.release(guard.nothing(3), 1, &mut ledger); // noise that was used
        assert_eq!(
            (ledger.per_event(), ledger.lifetime()),
            (Price::Unbounded, Price::Unbounded),
            "{mechanism:?}"
        );

        let (mut guard, mut ledger) = (plan.guard(1, Seed::default()), plan.ledger());
        for t in 0..45 {
            let next = secret(&guard, t); // 20 were planned
            guard.release(next, t, &mut ledger);
        }
        assert_eq!(ledger.per_event(), plan.cost(1), "{mechanism:?}");
        assert!(size_of(ledger.lifetime()) >= size_of(price(45)), "{mechanism:?}: past the horizon");
    }
}

/// A cost whose gradient is the same everywhere, as often as there are examples.
struct Slopes(Vec<Vec<f64>>);

impl Objective for Slopes {
    fn dim(&self) -> usize {
        self.0[0].len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let all = self.0.iter().map(|g| x.iter().zip(g).map(|(x, g)| x * g).sum::<f64>());
        all.sum::<f64>() / self.0.len() as f64
    }

    fn partial(&self, _x: &[f64], block: std::ops::Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
        for slope in &self.0 {
            g.iter_mut().zip(&slope[block.clone()]).for_each(|(g, s)| *g += s / self.0.len() as f64);
        }
    }

    fn examples(&self) -> usize {
        self.0.len()
    }

    fn example(&self, k: usize, _x: &[f64], block: std::ops::Range<usize>, g: &mut [f64]) {
        g.copy_from_slice(&self.0[k][block]);
    }
}

/// Definition 3 and (15), with the clip in place of an assumed bound. For any two costs of a round, or any two examples in one
/// place, a node's release moves by at most what its plan says, and the worst pair reaches that.
#[test]
fn replacing_an_event_moves_a_release_by_at_most_the_sensitivity() {
    for averages in [false, true] {
        for adjacency in [Adjacency::Round, Adjacency::Example] {
            let (plan, blocks) = plan(Privacy::none().clip(0.8).adjacency(adjacency), averages).unwrap();
            for i in 0..2 {
                let released = |slope: f64| {
                    let (mut guard, mut ledger) = (plan.guard(i, Seed::default()), plan.ledger());
                    let one = |slope: f64| {
                        vec![0.0, slope, -slope, slope / 3.0].into_iter().cycle().skip(i).take(4).collect()
                    };
                    let f = Slopes([slope, 3.0, -1e4, f64::NAN, 0.1].into_iter().map(one).collect());
                    let secret = guard.observe(0, &plan.seal(&f), &[0.0; 4], blocks.range(i), &[]);
                    guard.release(secret, 0, &mut ledger).to_reals()
                };
                let mut worst = 0.0_f64;
                for a in [-1e9, -1.0, -0.01, 0.0, 0.01, 1.0, 1e9, f64::INFINITY, f64::NAN] {
                    for b in [-1e9, -0.3, 0.0, 1e-9, 0.5, 1e9, f64::NEG_INFINITY] {
                        let moved: f64 =
                            released(a).iter().zip(released(b)).map(|(a, b)| (a - b).abs()).sum();
                        worst = worst.max(moved);
                    }
                }
                let bound = plan.sensitivity(i).unwrap();
                let case = format!("node {i}, averages {averages}, {adjacency:?}");
                assert!(worst <= bound * (1.0 + 1e-12), "{case}: {worst} above {bound}");
                let reached = adjacency == Adjacency::Example && i == 1;
                assert!(!reached || worst > 0.99 * bound, "{case}: {worst} never near {bound}");
            }
        }
    }
}

#[test]
fn noise_that_may_come_in_pieces_is_the_same_in_pieces() {
    let mut able = 0;
    for mechanism in all() {
        for seed in [Seed::new(4), Seed::new(4).with(Generator::First)] {
            let noise = || mechanism.in_units(Order { node: 0, size: 700, rounds: 1, scale: 1000 });
            let (Noise::Ideal(mut whole), Noise::Ideal(mut parts)) = (noise(), noise()) else { continue };
            if !whole.in_pieces() {
                continue;
            }
            able += 1;
            let stream = || seed.stream(Purpose::Noise, 0, 0);
            let (mut expected, mut found) = (vec![0.5; 700], vec![0.5; 700]);
            whole.perturb(&mut expected, &mut stream());
            let (mut rest, mut stream) = (&mut found[..], stream());
            for count in [1, 127, 0, 300, 129, 143] {
                let (now, later) = rest.split_at_mut(count);
                parts.perturb(now, &mut stream);
                rest = later;
            }
            assert_eq!(found, expected, "{}", mechanism.name());
        }
    }
    assert_eq!(able, 2, "laplace, with both generators");
}

#[test]
fn exact_noise_stays_on_its_grid_and_ideal_noise_says_so() {
    for mechanism in all() {
        let (plan, _) = plan(Privacy::level(1.0).clip(1.0).mechanism(mechanism.clone()), false).unwrap();
        let mut guard = plan.guard(0, Seed::default());
        let released = guard.release(guard.nothing(1), 0, &mut plan.ledger());
        assert_eq!(released.units().is_some(), mechanism.is_exact(), "{mechanism:?}");
        let said =
            plan.claim().contains("idealised") && plan.statement().iter().any(|s| s.contains("idealised"));
        assert_eq!(said, mechanism.is_ideal(), "{mechanism:?}: {}", plan.claim());
    }
}
