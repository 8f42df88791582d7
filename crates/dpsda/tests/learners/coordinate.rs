//! Steps for every coordinate, from what was released: against a literal transcription, and what they promise.

use dpsda::learner::{Body, Rule, Step};
use dpsda::privacy::plan::Coverage;
use dpsda::rng::{Purpose, Seed};

use crate::transcription::{assert_agree, eta, gradient, owner, random_world};
use crate::world::World;

const STEP: Step = Step { c: 0.4, rule: Rule::Coordinate };

/// `x_k = -z_k/(1/a_k + mu)`, mu by bisection from above.
fn ball(z: &[f64], a: &[f64], radius: f64) -> Vec<f64> {
    let at = |mu: f64| -> Vec<f64> { z.iter().zip(a).map(|(z, a)| -z / (1.0 / a + mu)).collect() };
    let long = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt() > radius;
    if !long(&at(0.0)) {
        return at(0.0);
    }
    let (mut low, mut high) = (0.0, 1e9);
    for _ in 0..300 {
        let mu = (low + high) / 2.0;
        if long(&at(mu)) { low = mu } else { high = mu }
    }
    at(high)
}

/// Dual averaging with what each node knows, round by round. `everybody`: DPCDA.
fn literal(world: &World, radius: f64, everybody: bool) -> Vec<Vec<f64>> {
    let (n, d) = (world.blocks.nodes(), world.blocks.dim());
    // what[i][k] = (version, z, q) of coordinate k at node i
    let mut what = vec![vec![(0usize, 0.0f64, 0.0f64); d]; n];
    let mut x = Vec::new();
    for t in 0..world.rounds {
        let y: Vec<Vec<f64>> = what
            .iter()
            .map(|of| {
                let z: Vec<f64> = of.iter().map(|(_, z, _)| *z).collect();
                let a: Vec<f64> =
                    of.iter().map(|(_, _, q)| if *q > 0.0 { 0.4 / q.sqrt() } else { 1.0 }).collect();
                ball(&z, &a, radius)
            })
            .collect();
        x.push((0..d).map(|k| y[owner(&world.blocks, k)][k]).collect());
        for k in 0..d {
            let i = owner(&world.blocks, k);
            let v = gradient(world, t, &y[i])[k] + eta(world, t, i, k);
            let (_, z, q) = what[i][k];
            what[i][k] = (t + 1, z + v, q + v * v);
        }
        let said = what.clone();
        let all: Vec<(usize, usize)> = (0..n * n).map(|p| (p / n, p % n)).collect();
        for &(from, to) in if everybody { &all } else { &world.graphs[t % world.graphs.len()] } {
            for k in 0..d {
                if said[from][k].0 > what[to][k].0 {
                    what[to][k] = said[from][k];
                }
            }
        }
    }
    x
}

#[test]
fn random_cases_with_a_step_for_every_coordinate_match_a_literal_transcription() {
    for case in 0..100 {
        let mut rng = Seed::new(8).trial(case).stream(Purpose::Data, 0, 0);
        let (mut world, _) = random_world(&mut rng);
        world.coverage = Coverage::Own;
        let radius = [0.3, 1.5, 1e6][case as usize % 3];
        let table = dpsda_config::table(&format!("kind = 'ball'\nradius = {radius}")).unwrap();
        let keys = dpsda::Keys::new("set", &table);
        world.set = std::sync::Arc::from(dpsda::set::from_keys(&keys, &world.blocks).unwrap());
        for (name, everybody) in [("dpsda-r", false), ("dpcda", true)] {
            let found = world.run_with(name, STEP).x;
            assert_agree(&found, &literal(&world, radius, everybody), &format!("{name}, case {case}"));
        }
    }
}

/// The sums of squares reveal nothing new: they follow from the released sums, one round after another.
#[test]
fn squares_on_the_wire_are_those_of_the_released_values() {
    let mut rng = Seed::new(9).stream(Purpose::Data, 0, 0);
    let (mut world, _) = loop {
        let (world, prox) = random_world(&mut rng);
        if world.set.each().is_some() && world.blocks.nodes() > 2 {
            break (world, prox);
        }
    };
    world.coverage = Coverage::Own;
    let said = world.run_with("dpsda-r", STEP).said;
    for i in 0..world.blocks.nodes() {
        let (mut before, mut squares) =
            (vec![0.0; world.blocks.range(i).len()], vec![0.0; world.blocks.range(i).len()]);
        for round in &said {
            let Body::Blocks(copies) = &round[i].body else { panic!("a relay says blocks") };
            let sum = copies[i].sum.to_reals();
            for k in 0..sum.len() {
                squares[k] += (sum[k] - before[k]).powi(2);
            }
            let told = copies[i].squares.as_ref().unwrap().to_reals();
            assert!(
                told.iter().zip(&squares).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + b)),
                "{told:?} {squares:?}"
            );
            before = sum;
        }
    }
}
