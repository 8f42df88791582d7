//! What is known about the costs of the family: optimal regrets, best decisions in closed form, a published equilibrium.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::path::Path;

use dpsda::cost::CostModel;
use dpsda::cost::expert::Expert;
use dpsda::cost::portfolio::Portfolio;
use dpsda::cost::routing::{Road, Routing, Trip};
use dpsda::learner::Step;
use dpsda::prelude::*;
use dpsda::regret::{Comparator, TOLERANCE};
use dpsda::set::Psi;

const EXPERTS: usize = 10;

/// Proposition 1 with `psi <= ln N`, gradients of at most 1 in the largest coordinate and the steps `c/sqrt(t)`:
/// `c sqrt(T) + ln N sqrt(T + 1)/c`, least for `c = sqrt(ln N)`.
fn bound(rounds: usize) -> f64 {
    2.0 * ((rounds as f64 + 1.0) * (EXPERTS as f64).ln()).sqrt()
}

/// Regrets after every round of exponentiated gradients that see everything. `losses(t, x)` are revealed when `x` is committed.
fn regrets(rounds: usize, mut losses: impl FnMut(usize, &[f64]) -> Vec<f64>) -> Vec<f64> {
    let step = Step::decaying((EXPERTS as f64).ln().sqrt());
    let spec =
        Spec::new(Blocks::even(EXPERTS, 1).unwrap()).set(Simplex::new(Psi::Entropic)).algorithm(Central);
    let mut fleet = spec.step(step).rounds(rounds as u64).fleet(Seed::new(1)).unwrap();
    let (mut spent, mut total, mut regrets) = (0.0, vec![0.0; EXPERTS], Vec::new());
    for t in 0..rounds {
        let x = fleet.decision();
        let now = losses(t, &x);
        let costs = Expert::new(std::slice::from_ref(&now)).unwrap().draw(Seed::new(1), 1);
        let cost = costs.cost(0).unwrap();
        spent += cost.value(&cost.enacted(&x));
        total.iter_mut().zip(&now).for_each(|(total, loss)| *total += loss);
        regrets.push(spent - total.iter().copied().fold(f64::INFINITY, f64::min));
        fleet.round(t as u64, &*cost).unwrap();
    }
    regrets
}

#[test]
fn the_regret_with_experts_is_at_most_the_known_bound_in_every_round() {
    let mut largest = 0.0_f64;
    for gap in [0.0, 0.1, 0.5] {
        let drawn = Expert::drawn(EXPERTS, gap).unwrap().draw(Seed::new(7), 3000);
        let random = regrets(3000, |t, _| {
            let mut now = vec![0.0; EXPERTS];
            drawn.cost(t as u64).unwrap().partial(&[0.0; EXPERTS], 0..EXPERTS, &mut now);
            now
        });
        // An adversary lets those err that are trusted most.
        let adverse = regrets(3000, |_, x| {
            let most = x.iter().copied().fold(0.0, f64::max);
            x.iter().map(|x| if *x >= (1.0 - gap) * most { 1.0 } else { 0.0 }).collect()
        });
        for (t, (random, adverse)) in random.iter().zip(&adverse).enumerate() {
            assert!(
                random.max(*adverse) <= bound(t + 1),
                "gap {gap}, round {t}: {random} {adverse} {}",
                bound(t + 1)
            );
            largest = largest.max(random.max(*adverse) / bound(t + 1));
        }
    }
    assert!(largest > 0.2, "the bound is not idle: {largest}");
}

#[test]
fn the_best_decision_with_experts_is_the_best_expert() {
    let costs = Expert::drawn(6, 0.1).unwrap().draw(Seed::new(3), 500);
    let (mean, set, mut losses) = (costs.mean(0..500), Simplex::default(), vec![0.0; 6]);
    mean.partial(&[0.0; 6], 0..6, &mut losses);
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let best = Comparator::new(&set).best(&[&*mean], &[1.0 / 6.0; 6], TOLERANCE);
    assert!(best.certified && (best.value - least).abs() <= TOLERANCE * (1.0 + least), "{best:?} {least}");
}

/// Cover's algorithm: every share is multiplied by the mean of its relative growth. Each step is an improvement.
#[test]
fn the_best_portfolio_is_that_of_covers_algorithm() {
    let market = Portfolio::drawn(5, 0.4, 0.05).unwrap().draw(Seed::new(4), 300);
    let (mean, mut x) = (market.mean(0..300), vec![0.2; 5]);
    for _ in 0..20_000 {
        let mut g = vec![0.0; 5];
        mean.partial(&x, 0..5, &mut g);
        x.iter_mut().zip(&g).for_each(|(x, g)| *x *= 1.0 - g);
    }
    assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-9 && x.iter().all(|x| *x < 0.99), "{x:?}");
    let best = Comparator::new(&Simplex::default()).best(&[&*mean], &[0.2; 5], TOLERANCE);
    assert!(
        best.certified && (best.value - mean.value(&x)).abs() < 2.0 * TOLERANCE,
        "{best:?} {}",
        mean.value(&x)
    );
    let corner = |k: usize| mean.value(&(0..5).map(|j| f64::from(u8::from(j == k))).collect::<Vec<_>>());
    assert!((0..5).all(|k| best.value < corner(k) - 0.01), "rebalancing pays");
}

fn rows(name: &str) -> Vec<Vec<f64>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/applications").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}

/// "Transportation Networks for Research" gives 42.31335287107440 as the least Beckmann potential for Sioux Falls, in units of
/// 100,000, over all paths. With the eight shortest paths of every pair it is hardly larger.
#[test]
fn the_equilibrium_of_sioux_falls_is_the_published_one() {
    let roads: Vec<Road> = rows("sioux-falls-links.csv")
        .iter()
        .map(|r| Road { from: r[0] as u64, to: r[1] as u64, capacity: r[2], time: r[3], b: 0.15, power: 4.0 })
        .collect();
    let trips: Vec<Trip> = rows("sioux-falls-trips.csv")
        .iter()
        .map(|r| Trip { from: r[0] as u64, to: r[1] as u64, demand: r[2] })
        .collect();
    let total: f64 = trips.iter().map(|trip| trip.demand).sum();
    assert_eq!((roads.len(), trips.len(), total), (76, 528, 360_600.0));
    let routing = Routing::new(&roads, &trips, 8).unwrap().profile(&[vec![1.0; 24]]).unwrap();
    assert_eq!(routing.origins(), (1..=24).collect::<Vec<u64>>());
    let (costs, set) = (routing.draw(Seed::new(1), 1), routing.set().unwrap());
    let mut start = vec![0.0; routing.dim()];
    set.project(&mut start);
    let best = Comparator::new(&*set).best(&[&*costs.mean(0..1)], &start, 1e-4);
    let potential = best.value * total / 1e5;
    assert!(best.certified, "gap {}", best.gap);
    let published = 42.313_352_871_074_4;
    assert!(potential >= published - 1e-3 && potential < 1.001 * published, "{potential}");
}
