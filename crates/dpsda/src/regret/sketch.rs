//! The preconditioner of a function, from a sample of its rows: subspace iteration on the Hessian `mean w_i a_i a_i^T`.

use super::eigen::eigen;
use super::function::Function as _;
use super::mean::MeanLoss;
use super::preconditioner::{Preconditioner, add, dot};

/// How many directions are learned.
const RANK: usize = 128;
/// Additional directions to iterate on, because the last few are not exact.
const SPARE: usize = 8;
/// How many rows are used, spread evenly over all.
const ROWS: usize = 2048;
/// The most coordinates. With more, rows are usually sparse, and a preconditioner costs more than a pass over the rows.
const DIM: usize = 8192;

/// The cost of learning, in gradient steps over `rows` rows: three products with every direction. Each product costs half a
/// step over the rows used.
pub(super) fn cost(rows: usize) -> usize {
    (3 * (RANK + SPARE) * rows.min(ROWS)).div_ceil(2 * rows.max(1))
}

/// The preconditioner near the margins `s`; none if the function is flat, has kinks or too many coordinates. It starts from
/// rows, so there is no randomness.
pub(super) fn preconditioner(mean: &MeanLoss<'_>, s: &[f64]) -> Option<Preconditioner> {
    if mean.kinked() || mean.dim() > DIM {
        return None;
    }
    let rows = mean.spread(s, ROWS);
    let total: f64 = rows.iter().map(|row| row.weight).sum();
    if !(total > 0.0 && total.is_finite() && rows.iter().all(|row| row.weight >= 0.0)) {
        return None;
    }
    let many = (RANK + SPARE).min(rows.len());
    let start = (0..many).map(|k| {
        let mut q = vec![0.0; mean.dim()];
        rows[k * rows.len() / many].add_to(1.0, &mut q);
        q
    });
    // `H q`: the product makes the steepest directions dominate.
    let image = |q: Vec<f64>| {
        let mut image = vec![0.0; mean.dim()];
        rows.iter().for_each(|row| row.add_to(row.weight * row.dot(&q), &mut image));
        image
    };
    let q = orthonormal(orthonormal(start.collect()).into_iter().map(image).collect());
    // Rayleigh-Ritz: diagonalise the Hessian within the subspace.
    let roots: Vec<f64> = rows.iter().map(|row| (row.weight / rows.len() as f64).sqrt()).collect();
    let seen = |q: &Vec<f64>| rows.iter().zip(&roots).map(|(row, root)| root * row.dot(q)).collect();
    let seen: Vec<Vec<f64>> = q.iter().map(seen).collect();
    let within = seen.iter().map(|a| seen.iter().map(|b| dot(a, b)).collect()).collect();
    let (sizes, axes) = eigen(within);
    let kept = q.len().min(RANK);
    let steepest = *sizes.first()?;
    if !(steepest > 0.0 && steepest.is_finite()) {
        return None;
    }
    let rest = sizes[kept - 1].max(1e-8 * steepest);
    let direction = |axis: &Vec<f64>| {
        let mut u = vec![0.0; mean.dim()];
        axis.iter().zip(&q).for_each(|(c, q)| add(&mut u, *c, q));
        u
    };
    Some(Preconditioner {
        directions: axes[..kept].iter().map(direction).collect(),
        sizes: sizes[..kept].iter().map(|size| size.max(rest)).collect(),
        rest,
        rows: mean.rows(),
    })
}

/// Gram-Schmidt, done twice. Vectors that depend on the earlier ones are left out.
fn orthonormal(vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    for mut v in vectors {
        let before = dot(&v, &v).sqrt();
        for _ in 0..2 {
            for u in &found {
                let along = dot(u, &v);
                add(&mut v, -along, u);
            }
        }
        let after = dot(&v, &v).sqrt();
        if after > 1e-10 * before {
            v.iter_mut().for_each(|v| *v /= after);
            found.push(v);
        }
    }
    found
}
