//! Algorithms 1 and 2, DPSDA-R and DPCDA written down literally, and random cases of any shape against them.

use std::sync::Arc;

use dpsda::catalog::find;
use dpsda::keys::Table;
use dpsda::loss::LOSSES;
use dpsda::objective::Objective;
use dpsda::privacy::plan::{Coverage, Decide};
use dpsda::rng::{Generator, Purpose, Seed, Stream};
use dpsda::{Blocks, Keys, set};
use rand::RngExt;

use crate::world::{World, distance};

/// Pi of (7), by its definition for each set.
pub(crate) type Prox = Box<dyn Fn(&[f64], f64) -> Vec<f64>>;

fn clamp(lower: f64, upper: f64) -> Prox {
    Box::new(move |z, alpha| z.iter().map(|z| (-alpha * z).max(lower).min(upper)).collect())
}

fn ball(radius: f64) -> Prox {
    Box::new(move |z, alpha| {
        let norm = z.iter().map(|z| (alpha * z).powi(2)).sum::<f64>().sqrt();
        z.iter().map(|z| -alpha * z * if norm > radius { radius / norm } else { 1.0 }).collect()
    })
}

/// Euclidean projection on the simplex: the shift at which the positive parts sum to one, by bisection.
fn simplex(z: &[f64], alpha: f64) -> Vec<f64> {
    let v: Vec<f64> = z.iter().map(|z| -alpha * z).collect();
    let (mut low, mut high) =
        (v.iter().copied().fold(f64::MAX, f64::min) - 2.0, v.iter().copied().fold(f64::MIN, f64::max));
    for _ in 0..200 {
        let shift = (low + high) / 2.0;
        let total: f64 = v.iter().map(|v| (v - shift).max(0.0)).sum();
        if total > 1.0 { low = shift } else { high = shift }
    }
    v.iter().map(|v| (v - low).max(0.0)).collect()
}

fn softmax(z: &[f64], alpha: f64) -> Vec<f64> {
    let top = z.iter().map(|z| -alpha * z).fold(f64::MIN, f64::max);
    let e: Vec<f64> = z.iter().map(|z| (-alpha * z - top).exp()).collect();
    let total: f64 = e.iter().sum();
    e.iter().map(|e| e / total).collect()
}

/// The weight matrix of a round, by its definition.
fn weights(world: &World, t: usize) -> Vec<Vec<f64>> {
    let n = world.blocks.nodes();
    let links = &world.graphs[t % world.graphs.len()];
    let undirected = world.weights != "push-sum";
    let hears =
        |i: usize, j: usize| i == j || links.contains(&(j, i)) || undirected && links.contains(&(i, j));
    let heard = |i: usize| (0..n).filter(|j| hears(i, *j)).count() as f64;
    let told = |j: usize| (0..n).filter(|i| hears(*i, j)).count() as f64;
    let mut w = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            if !hears(i, j) {
                continue;
            }
            w[i][j] = match world.weights {
                "uniform" => 1.0 / heard(i),
                "push-sum" => 1.0 / told(j),
                _ if i != j => 1.0 / heard(i).max(heard(j)),
                _ => 0.0,
            };
        }
        if world.weights == "metropolis" {
            w[i][i] = 1.0 - w[i].iter().sum::<f64>();
        }
    }
    w
}

pub(crate) fn gradient(world: &World, t: usize, y: &[f64]) -> Vec<f64> {
    let (rows, mut g) = (world.rows(t), vec![0.0; world.blocks.dim()]);
    world.cost(&rows).partial(y, 0..y.len(), &mut g);
    g
}

pub(crate) fn owner(blocks: &Blocks, k: usize) -> usize {
    blocks.iter().position(|b| b.contains(&k)).unwrap()
}

pub(crate) fn eta(world: &World, t: usize, i: usize, k: usize) -> f64 {
    let foreign = owner(&world.blocks, k) != i;
    if foreign && world.coverage == Coverage::Own {
        0.0
    } else {
        world.eta.get(t).map_or(0.0, |eta| eta[i][k])
    }
}

/// Algorithms 1 and 2.
fn gossip(world: &World, prox: &Prox) -> Vec<Vec<f64>> {
    let (n, d) = (world.blocks.nodes(), world.blocks.dim());
    let alpha = |t: usize| 1.0 / ((t + 1) as f64).sqrt();
    let mut z = vec![vec![0.0; d]; n];
    let mut w = vec![1.0; n];
    let mut y = vec![prox(&vec![0.0; d], 1.0); n];
    let mut x = Vec::new();
    for t in 0..world.rounds {
        let h: Vec<Vec<f64>> =
            (0..n).map(|i| (0..d).map(|k| z[i][k] + eta(world, t, i, k)).collect()).collect(); // (11)
        if world.decide == Decide::Published && t > 0 {
            for i in 0..n {
                let ratio: Vec<f64> = h[i].iter().map(|h| h / w[i]).collect();
                y[i] = prox(&ratio, alpha(t - 1));
            }
        }
        x.push((0..d).map(|k| y[owner(&world.blocks, k)][k]).collect());
        let u: Vec<Vec<f64>> = y.iter().map(|y| gradient(world, t, y)).collect(); // (14)
        let m = weights(world, t);
        for i in 0..n {
            for k in 0..d {
                let own = if owner(&world.blocks, k) == i { n as f64 * u[i][k] } else { 0.0 };
                z[i][k] = if world.weights == "push-sum" {
                    own + (0..n).map(|j| m[i][j] * h[j][k]).sum::<f64>() // (20)
                } else {
                    own + h[i][k] + (0..n).map(|j| m[i][j] * (h[j][k] - h[i][k])).sum::<f64>() // (12)
                };
            }
        }
        if world.weights == "push-sum" {
            w = (0..n).map(|i| (0..n).map(|j| m[i][j] * w[j]).sum()).collect(); // (21)
        }
        for i in 0..n {
            let ratio: Vec<f64> = z[i].iter().map(|z| z / w[i]).collect();
            y[i] = prox(&ratio, alpha(t)); // (13) (22)
        }
    }
    x
}

/// DPSDA-R.
fn relay(world: &World, prox: &Prox) -> Vec<Vec<f64>> {
    let (n, d) = (world.blocks.nodes(), world.blocks.dim());
    // known[i][k] = (version, sum) of block k at node i
    let empty: Vec<(usize, Vec<f64>)> = world.blocks.sizes().iter().map(|s| (0, vec![0.0; *s])).collect();
    let mut known = vec![empty; n];
    let mut x = Vec::new();
    for t in 0..world.rounds {
        let alpha = if t == 0 { 1.0 } else { 1.0 / (t as f64).sqrt() };
        let y: Vec<Vec<f64>> = known
            .iter()
            .map(|s| prox(&s.iter().flat_map(|(_, s)| s.clone()).collect::<Vec<_>>(), alpha))
            .collect();
        x.push((0..d).map(|k| y[owner(&world.blocks, k)][k]).collect());
        for i in 0..n {
            let g = gradient(world, t, &y[i]);
            let block = world.blocks.range(i);
            let (version, sum) = &mut known[i][i];
            sum.iter_mut().zip(block).for_each(|(s, k)| *s += g[k] + eta(world, t, i, k));
            *version = t + 1;
        }
        let said = known.clone();
        for &(from, to) in &world.graphs[t % world.graphs.len()] {
            for k in 0..n {
                if said[from][k].0 > known[to][k].0 {
                    known[to][k] = said[from][k].clone();
                }
            }
        }
    }
    x
}

/// DPCDA, with noise on every coordinate as its owner draws it.
fn central(world: &World, prox: &Prox) -> Vec<Vec<f64>> {
    let d = world.blocks.dim();
    let mut z = vec![0.0; d];
    let mut y = prox(&z, 1.0);
    let mut x = Vec::new();
    for t in 0..world.rounds {
        x.push(y.clone());
        let g = gradient(world, t, &y);
        for k in 0..d {
            z[k] += eta(world, t, owner(&world.blocks, k), k) + g[k];
        }
        y = prox(&z, 1.0 / ((t + 1) as f64).sqrt());
    }
    x
}

fn pick(rng: &mut Stream, below: usize) -> usize {
    rng.random_range(0..below)
}

fn random_set(rng: &mut Stream, blocks: &Blocks) -> (String, Prox) {
    match pick(rng, 6) {
        0 => ("kind = 'box'\nlower = -0.7\nupper = 0.9".into(), clamp(-0.7, 0.9)),
        1 => ("kind = 'ball'\nradius = 1.5".into(), ball(1.5)),
        2 => ("kind = 'simplex'".into(), Box::new(simplex)),
        3 => ("kind = 'simplex'\npsi = 'entropic'".into(), Box::new(softmax)),
        4 => ("kind = 'free'".into(), clamp(f64::MIN, f64::MAX)),
        _ => {
            // A set of its own for every block.
            let kinds: Vec<bool> = blocks.iter().map(|_| rng.random()).collect();
            let each: Vec<_> = kinds
                .iter()
                .map(|b| {
                    if *b {
                        "{kind = 'ball', radius = 1.0}"
                    } else {
                        "{kind = 'box', lower = -0.5, upper = 2}"
                    }
                })
                .collect();
            let blocks = blocks.clone();
            let prox = move |z: &[f64], alpha: f64| {
                let part = |(b, round): (std::ops::Range<usize>, &bool)| {
                    if *round { ball(1.0)(&z[b], alpha) } else { clamp(-0.5, 2.0)(&z[b], alpha) }
                };
                blocks.iter().zip(&kinds).flat_map(part).collect()
            };
            (format!("each = [{}]", each.join(", ")), Box::new(prox))
        }
    }
}

pub(crate) fn random_world(rng: &mut Stream) -> (World, Prox) {
    let n = 1 + pick(rng, 6);
    let sizes: Vec<usize> = (0..n).map(|_| 1 + pick(rng, 4)).collect();
    let d = sizes.iter().sum();
    let blocks = Blocks::of(&sizes, d).unwrap();
    let (text, prox) = random_set(rng, &blocks);
    let table = dpsda_config::table(&text).unwrap();
    let (rounds, batch) = (5 + pick(rng, 15), 1 + pick(rng, 3));
    let period = 1 + pick(rng, 3);
    let density = rng.random::<f64>();
    let mut graph = || {
        let pairs = (0..n * n).map(|p| (p / n, p % n)).filter(|(i, j)| i != j);
        pairs.filter(|_| rng.random::<f64>() < density).collect::<Vec<_>>()
    };
    let graphs = (0..period).map(|_| graph()).collect();
    let loss = &LOSSES[pick(rng, LOSSES.len())];
    let mut point = || rng.random::<f64>() * 2.0 - 1.0;
    let a: Vec<Vec<f64>> = (0..rounds * batch).map(|_| (0..d).map(|_| point()).collect()).collect();
    let mut eta = || (0..d).map(|_| point()).collect::<Vec<_>>();
    let eta = (0..rounds).map(|_| (0..n).map(|_| eta()).collect()).collect();
    let b = (0..rounds * batch).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
    let world = World {
        set: Arc::from(set::from_keys(&Keys::new("set", &table), &blocks).unwrap()),
        blocks,
        loss: (find(LOSSES, "loss", loss.name).unwrap().build)(&Keys::new("problem", &Table::new())).unwrap(),
        graphs,
        samples: World::samples(&a, b),
        batch,
        rounds,
        weights: ["uniform", "metropolis", "push-sum"][pick(rng, 3)],
        decide: if rng.random() { Decide::Published } else { Decide::Private },
        coverage: if rng.random() { Coverage::Own } else { Coverage::All },
        eta,
    };
    (world, prox)
}

/// Decisions agree to 1e-9, relative where they leave the unit: without a set they may diverge.
pub(crate) fn assert_agree(found: &[Vec<f64>], literal: &[Vec<f64>], about: &str) {
    let size = literal.concat().iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    let away = distance(found, literal);
    assert!(away < 1e-9 * size, "{about}: off by {away:e} of {size:e}");
}

#[test]
fn random_cases_match_a_literal_transcription() {
    for case in 0..400 {
        // The cases of the first generator: among others some push-sum weights are so small that no digits are left.
        let mut rng = Seed::new(7).trial(case).with(Generator::First).stream(Purpose::Data, 0, 0);
        let (mut world, prox) = random_world(&mut rng);
        let name = if world.weights == "push-sum" { "dpsda-ps" } else { "dpsda-c" };
        let about = format!(
            "case {case}: {}, {}, {:?}, {:?}",
            world.blocks.nodes(),
            world.weights,
            world.decide,
            world.coverage
        );
        assert_agree(&world.run(name).x, &gossip(&world, &prox), &about);
        world.coverage = Coverage::Own;
        assert_agree(&world.run("dpsda-r").x, &relay(&world, &prox), &format!("dpsda-r, {about}"));
        assert_agree(&world.run("dpcda").x, &central(&world, &prox), &format!("dpcda, {about}"));
    }
}
