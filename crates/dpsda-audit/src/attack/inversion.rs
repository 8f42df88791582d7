//! Model inversion: reconstructs gradients from what nodes emitted.

use dpsda::Error;
use dpsda::rng::Seed;

use super::DataStream;
use crate::adversary::Adversary;
use crate::canary::CostStream;
use crate::host::drive;
use crate::{Arena, Transcript};

/// Below this relative error a gradient counts as reconstructed up to rounding.
const ROUNDING: f64 = 1e-9;

/// How well gradients were reconstructed, over all nodes and rounds of one run.
#[derive(Debug, Clone, Copy)]
pub struct Inversion {
    /// The source: messages alone, or messages and decisions.
    pub from: &'static str,
    /// The mean cosine between reconstruction and truth.
    pub cosine: f64,
    /// The median relative error.
    pub error: f64,
    /// The share of blocks that were reconstructed up to rounding, on coordinates where the projection is inactive.
    pub exact: f64,
    /// The share of coordinates where the projection is inactive. Only there does a decision reveal the dual.
    pub inactive: f64,
    /// With one example per round: the mean cosine (of either sign) between a node's reconstruction and its block of the
    /// example itself. A linear model's gradient is a multiple of the example. Blocks of one coordinate are left out: their
    /// cosine is always 1.
    pub example: Option<f64>,
    /// The same for a blind guess: a random direction.
    pub blind: f64,
}

/// Runs once over `data` and attacks every node in every round.
pub fn inversion(arena: &Arena, data: &DataStream<'_>, seed: u64) -> Result<Vec<Inversion>, Error> {
    data.fits(arena)?;
    let seen = drive(arena, data, arena.fleet(Seed::new(seed))?)?;
    let adversary = Adversary::new(arena);
    let mut found = Vec::new();
    if !arena.spec.style().is_central() {
        found.push(score(arena, data, &seen, &adversary, "messages", |i, t| {
            let release = adversary.release(&seen, i, t, None)?;
            Some(release.value.iter().map(|v| v * adversary.unit).collect())
        }));
    }
    found.push(score(arena, data, &seen, &adversary, "messages and decisions", |i, t| {
        let (dual, weight) = adversary.dual_without(&seen, i, t)?;
        let y = seen.estimate(t + 1, arena.learner_of(i))?;
        let alpha = arena.spec.step().after(t);
        // (13) (22) solved for the dual: z = -w y / alpha, minus the dual before.
        Some(arena.own(i).map(|k| -weight * y[k] / alpha - dual[k]).collect())
    }));
    Ok(found)
}

fn score(
    arena: &Arena,
    data: &DataStream<'_>,
    seen: &Transcript,
    adversary: &Adversary<'_>,
    from: &'static str,
    solve: impl Fn(usize, u64) -> Option<Vec<f64>>,
) -> Inversion {
    let (mut cosines, mut errors, mut examples) = (Vec::new(), Vec::new(), Vec::new());
    let mut blind = Vec::new();
    let (mut inactive, mut coordinates) = (0, 0);
    for t in 0..arena.played() {
        for i in 0..arena.nodes() {
            let Some(found) = solve(i, t) else { continue };
            let (Some(y), Some(next)) =
                (seen.estimate(t, arena.learner_of(i)), seen.estimate(t + 1, arena.learner_of(i)))
            else {
                continue;
            };
            let mut truth = Vec::new();
            data.reveal(t, &mut |f| truth = adversary.secret(i, f, y));
            truth.iter_mut().for_each(|u| *u *= adversary.unit);
            if let ([row], 2..) = (data.rows_of(t), found.len()) {
                let mut features = vec![0.0; found.len()];
                data.samples.features.add_to(*row, arena.own(i), 1.0, &mut features);
                examples.push(cosine(&found, &features).abs());
                blind.push(blind_cosine(found.len()));
            }
            let free: Vec<bool> = arena.own(i).map(|k| is_free(arena, next, k)).collect();
            coordinates += free.len();
            inactive += free.iter().filter(|free| **free).count();
            let only = |v: &[f64]| -> Vec<f64> {
                v.iter().zip(&free).filter(|(_, free)| **free).map(|(x, _)| *x).collect()
            };
            let (found, truth) = (only(&found), only(&truth));
            if norm(&truth) > 0.0 {
                let apart: Vec<f64> = found.iter().zip(&truth).map(|(a, b)| a - b).collect();
                errors.push(norm(&apart) / norm(&truth));
                cosines.push(cosine(&found, &truth));
            }
        }
    }
    errors.sort_by(f64::total_cmp);
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len().max(1) as f64;
    Inversion {
        from,
        cosine: mean(&cosines),
        error: errors.get(errors.len() / 2).copied().unwrap_or(f64::INFINITY),
        exact: errors.iter().filter(|e| **e < ROUNDING).count() as f64 / errors.len().max(1) as f64,
        inactive: inactive as f64 / coordinates.max(1) as f64,
        example: (!examples.is_empty()).then(|| mean(&examples)),
        blind: mean(&blind),
    }
}

/// Whether a decision can move both ways along coordinate `k` without leaving the set.
fn is_free(arena: &Arena, y: &[f64], k: usize) -> bool {
    let nudge = 1e-9 * (1.0 + y[k].abs());
    [nudge, -nudge].into_iter().all(|nudge| {
        let mut moved = y.to_vec();
        moved[k] += nudge;
        let there = moved[k];
        arena.spec.set().project(&mut moved);
        (moved[k] - there).abs() < 0.01 * nudge.abs()
    })
}

/// The mean of `|cos|` between a fixed and a random direction in `d >= 2` dimensions: `2/pi` for two, `1/2` for three. The
/// value for `d + 2` is `d/(d+1)` times the value for `d`.
fn blind_cosine(d: usize) -> f64 {
    let first = if d.is_multiple_of(2) { std::f64::consts::FRAC_2_PI } else { 0.5 };
    (2 + d % 2..d).step_by(2).fold(first, |mean, d| mean * d as f64 / (d + 1) as f64)
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let product = norm(a) * norm(b);
    if product > 0.0 { a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / product } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blind_guess_matches_random_directions() {
        use rand::RngExt;
        let mut rng = Seed::default().stream(dpsda::rng::Purpose::Data, 0, 0);
        for d in [2, 3, 4, 7] {
            let mut sum = 0.0;
            for _ in 0..20_000 {
                // A random direction: a point of the ball, by rejection from the cube.
                let v = loop {
                    let v: Vec<f64> = (0..d).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect();
                    if norm(&v) <= 1.0 {
                        break v;
                    }
                };
                sum += (v[0] / norm(&v)).abs();
            }
            let mean = sum / 20_000.0;
            assert!((mean - blind_cosine(d)).abs() < 0.015, "{d}: {mean}, {}", blind_cosine(d));
        }
    }
}
