//! Laws over all baselines that have samples of their own.

use std::sync::Arc;

use dpsda::catalog::find;
use dpsda::keys::Table;
use dpsda::learner::{Body, Noises};
use dpsda::loss::LOSSES;
use dpsda::privacy::Price;
use dpsda::rng::{Purpose, Seed};
use dpsda::{Blocks, Fleet, Keys, set};
use rand::RngExt;

use crate::world::{World, distance, split};

/// `nodes` nodes on a directed ring with a chord, three features per node, random data, a ball of radius 1.
fn world(nodes: usize, level: f64) -> World {
    let dim = 3 * nodes;
    let mut rng = Seed::new(5).stream(Purpose::Data, 0, 0);
    let table = dpsda_config::table("kind = 'ball'\nradius = 1").unwrap();
    let blocks = Blocks::even(dim, nodes).unwrap();
    World {
        nodes,
        set: Arc::from(set::from_keys(&Keys::new("set", &table), &blocks).unwrap()),
        loss: (find(LOSSES, "loss", "logistic").unwrap().build)(&Keys::new("problem", &Table::new()))
            .unwrap(),
        a: (0..120).map(|_| (0..dim).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect()).collect(),
        b: (0..120).map(|r| if r % 3 == 0 { 1.0 } else { -1.0 }).collect(),
        batch: 4,
        rounds: 30,
        graphs: vec![(0..nodes).map(|i| (i, (i + 1) % nodes)).chain([(0, nodes / 2)]).collect()],
        step: 1.0,
        level,
    }
}

#[test]
fn what_keeps_to_a_set_lies_in_it_however_loud_the_noise() {
    for algorithm in split() {
        let models = world(4, 1e-9).run(algorithm.name).concat();
        let norm = |x: &Vec<f64>| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let largest = models.iter().map(norm).fold(0.0, f64::max);
        assert_eq!(
            largest <= 1.0 + 1e-12,
            algorithm.build.facts.keeps_to_set,
            "{}: {largest}",
            algorithm.name
        );
    }
}

#[test]
fn decisions_are_committed_before_the_cost_is_seen() {
    for algorithm in split() {
        let run = |label: f64| {
            let mut world = world(4, 1.0);
            world.b[116..].fill(label);
            world.run(algorithm.name)
        };
        let (one, other) = (run(1.0), run(-1.0));
        assert_eq!(one[..30], other[..30], "{}", algorithm.name);
        assert_ne!(one[30], other[30], "{}: and then it is learned from", algorithm.name);
    }
}

/// One node hears nobody: dual averagers are the centralised one, the others are online gradient descent.
#[test]
fn alone_every_baseline_is_a_centralised_method() {
    for algorithm in split() {
        let world = world(1, f64::INFINITY);
        let (mut x, mut z, mut expected) = (vec![0.0; 3], vec![0.0; 3], Vec::new());
        for t in 0..=30 {
            expected.push(vec![x.clone()]);
            let alpha = 1.0 / ((t + 1) as f64).sqrt();
            let rows = world.rows(t);
            let slope = |r: &usize| {
                let s: f64 = world.a[*r].iter().zip(&x).map(|(a, x)| a * x).sum();
                -world.b[*r] / (1.0 + (world.b[*r] * s).exp())
            };
            let slopes: Vec<f64> = rows.iter().map(slope).collect();
            let g = |k: usize| rows.iter().zip(&slopes).map(|(r, s)| s * world.a[*r][k]).sum::<f64>() / 4.0;
            let g: Vec<f64> = (0..3).map(g).collect();
            for k in 0..3 {
                z[k] += g[k];
                x[k] = if matches!(algorithm.name, "doda" | "dpps") {
                    -alpha * z[k]
                } else {
                    x[k] - alpha * g[k]
                };
            }
            let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            if algorithm.build.facts.keeps_to_set && norm > 1.0 {
                x.iter_mut().for_each(|x| *x /= norm);
            }
        }
        let away = distance(&world.run(algorithm.name), &expected);
        assert!(away < 1e-9, "{}: off by {away:e}", algorithm.name);
    }
}

#[test]
fn one_message_a_round_is_charged_and_nothing_is_promised() {
    for algorithm in split() {
        let world = world(4, 1.0);
        let fleet = world.drive(algorithm.name, &mut |_, _, _| {});
        for i in 0..4 {
            let ledger = fleet.ledger(i);
            assert_eq!(ledger.releases(), 30, "{}", algorithm.name);
            assert_eq!((ledger.per_event(), ledger.lifetime()), (Price::Unbounded, Price::Unbounded));
            assert!(ledger.unprotected(), "{}: decisions come from un-noised values", algorithm.name);
        }
        assert_eq!(fleet.spent().spent, None);
    }
    let plan = world(4, 1.0).plan();
    assert_eq!(plan.epsilon(), None);
    assert!(plan.claim().starts_with("none: a baseline"), "{}", plan.claim());
    let words = plan.statement().join(" ");
    assert!(
        words.contains("Nothing is promised") && words.contains("Decisions are not protected"),
        "{words}"
    );
}

#[test]
fn the_scale_on_what_is_sent_is_one_over_the_level_exactly() {
    for level in [1.0, 0.5, 0.2, 0.3, 7.0, 1e-3] {
        assert_eq!(world(3, level).plan().scale(), 1.0 / level);
    }
}

/// What is said differs from what is said without noise, in every coordinate, at every node that noises.
#[test]
fn every_coordinate_of_every_message_is_noised() {
    for algorithm in split().filter(|a| a.build.facts.noises == Noises::Messages) {
        let said = |level| {
            let mut first = Vec::new();
            world(4, level).drive(algorithm.name, &mut |t, _, said| {
                if t == 1 {
                    first = said.iter().map(|m| state(&m.body)).collect::<Vec<_>>().concat();
                }
            });
            first
        };
        let (clean, noised) = (said(f64::INFINITY), said(2.0));
        assert_eq!(clean.len(), 4 * 12);
        for (clean, noised) in clean.iter().zip(&noised) {
            let eta = (noised - clean).abs();
            assert!(eta > 0.0 && eta <= 0.25, "{}: {eta}", algorithm.name); // uniform of width 1/2
        }
    }
}

fn state(body: &Body) -> Vec<f64> {
    let Body::State { state, .. } = body else { panic!("a state") };
    state.to_reals()
}
