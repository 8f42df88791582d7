//! Passes over the rows of many samples: products of all rows with a vector, and weighted sums of rows.
//!
//! A pass is cut into pieces whose borders depend on the size of the data alone. Every piece has sums of its own, which are added in
//! the order of the pieces. So the result does not depend on who computes which piece, and when.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f64x8};

use super::Workers;
use crate::features::Features;
use crate::objective::Batch;
use crate::wide;

/// The least number of features in a piece, and the most pieces.
const PIECE: (usize, usize) = (1 << 17, 16);

/// Rows whose features are read together. Each number of `x` and `g` is then loaded and stored once for all of them.
const TOGETHER: usize = 4;

/// The weight of a row: from its batch, its number there, its number among all rows, and its product with `x`.
pub(super) type Weigh<'w> = dyn Fn(&Batch<'_>, usize, usize, f64) -> f64 + Sync + 'w;

/// All rows of some batches.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    pub(super) parts: &'a [Batch<'a>],
    pub(super) rows: usize,
    pub(super) dim: usize,
    pub(super) workers: &'a Workers<'a>,
}

/// What a piece writes: its products, and its own sum of rows.
struct PassPiece<'s> {
    s: &'s mut [f64],
    g: Vec<f64>,
}

impl Pass<'_> {
    /// `s = A x`
    pub(super) fn products(&self, x: &[f64], s: &mut [f64]) {
        self.run(Some(x), s, None);
    }

    /// `s = A x` and `g = sum c_i a_i` with the weights of these products.
    pub(super) fn products_and_sum(&self, x: &[f64], s: &mut [f64], weigh: &Weigh<'_>, g: &mut [f64]) {
        self.run(Some(x), s, Some((weigh, g)));
    }

    /// `g = sum c_i a_i` with the weights of the products `s`, which are known.
    pub(super) fn sum(&self, s: &[f64], weigh: &Weigh<'_>, g: &mut [f64]) {
        self.run(None, &mut s.to_vec(), Some((weigh, g)));
    }

    fn run(&self, x: Option<&[f64]>, s: &mut [f64], sum: Option<(&Weigh<'_>, &mut [f64])>) {
        let count = (self.rows * self.dim / PIECE.0).clamp(1, PIECE.1);
        let border = |k: usize| k * self.rows / count;
        let (weigh, g) = sum.unzip();
        let mut pieces = Vec::with_capacity(count);
        let mut rest = s;
        for k in 0..count {
            let (s, after) = std::mem::take(&mut rest).split_at_mut(border(k + 1) - border(k));
            rest = after;
            let g = if g.is_some() { vec![0.0; self.dim] } else { Vec::new() };
            pieces.push(Mutex::new(PassPiece { s, g }));
        }
        (self.workers)(count, &|k| {
            let mut piece = pieces[k].lock().unwrap_or_else(PoisonError::into_inner);
            self.piece(border(k)..border(k + 1), x, &mut piece, weigh);
        });
        let Some(g) = g else { return };
        for (k, piece) in pieces.into_iter().enumerate() {
            let piece = piece.into_inner().unwrap_or_else(PoisonError::into_inner);
            if k == 0 {
                g.copy_from_slice(&piece.g);
            } else {
                g.iter_mut().zip(&piece.g).for_each(|(g, more)| *g += more);
            }
        }
    }

    fn piece(
        &self,
        all: Range<usize>,
        x: Option<&[f64]>,
        piece: &mut PassPiece<'_>,
        weigh: Option<&Weigh<'_>>,
    ) {
        let mut first = 0; // the number of the part's first row
        for part in self.parts {
            let (start, end) = (all.start.max(first), all.end.min(first + part.rows.len()));
            if start < end {
                let rows = &part.rows[start - first..end - first];
                let s = &mut piece.s[start - all.start..end - all.start];
                let weigh = weigh.map(|weigh| |k: usize, s: f64| weigh(part, rows[k], start + k, s));
                let weigh = weigh.as_ref().map(|weigh| weigh as &dyn Fn(usize, f64) -> f64);
                let features = &*part.samples.features;
                if features.is_sparse() {
                    sparse(features, rows, x, s, weigh, &mut piece.g);
                } else {
                    dispatch!(wide::level(), simd => dense(simd, features, rows, x, s, weigh, &mut piece.g));
                }
            }
            first += part.rows.len();
        }
    }
}

fn sparse(
    features: &dyn Features,
    rows: &[usize],
    x: Option<&[f64]>,
    s: &mut [f64],
    weigh: Option<&dyn Fn(usize, f64) -> f64>,
    g: &mut [f64],
) {
    for (k, (row, s)) in rows.iter().zip(s).enumerate() {
        if let Some(x) = x {
            *s = features.dot(*row, x);
        }
        if let Some(weigh) = weigh {
            features.add_to(*row, 0..g.len(), weigh(k, *s), g);
        }
    }
}

#[inline(always)]
fn dense<S: Simd>(
    simd: S,
    features: &dyn Features,
    rows: &[usize],
    x: Option<&[f64]>,
    s: &mut [f64],
    weigh: Option<&dyn Fn(usize, f64) -> f64>,
    g: &mut [f64],
) {
    let dim = features.dim();
    let mut written = vec![0.0; TOGETHER * dim];
    for (block, (rows, s)) in rows.chunks(TOGETHER).zip(s.chunks_mut(TOGETHER)).enumerate() {
        let weight = |k: usize, s: f64| weigh.map_or(0.0, |weigh| weigh(block * TOGETHER + k, s));
        let mut places = written.chunks_mut(dim.max(1));
        if let [i, j, k, l] = rows {
            let a = [i, j, k, l].map(|row| numbers(features, *row, places.next()));
            if let Some(x) = x {
                s.copy_from_slice(&products(simd, a, x));
            }
            if weigh.is_some() {
                let c = [weight(0, s[0]), weight(1, s[1]), weight(2, s[2]), weight(3, s[3])];
                add(simd, a, c, g);
            }
        } else {
            for (k, (row, s)) in rows.iter().zip(s).enumerate() {
                let row = numbers(features, *row, places.next());
                if let Some(x) = x {
                    *s = products(simd, [row], x)[0];
                }
                if weigh.is_some() {
                    add(simd, [row], [weight(k, *s)], g);
                }
            }
        }
    }
}

/// The numbers of a row, which are written to `place` if they are not stored as numbers.
fn numbers<'a>(features: &'a dyn Features, row: usize, place: Option<&'a mut [f64]>) -> &'a [f64] {
    match (features.stored(row), place) {
        (Some(stored), _) => stored,
        (None, Some(place)) => {
            features.write(row, 0..features.dim(), place);
            place
        }
        (None, None) => &[], // only without columns
    }
}

/// The products of rows with `x`, each in eight running sums that are added in one order.
#[inline(always)]
fn products<S: Simd, const N: usize>(simd: S, a: [&[f64]; N], x: &[f64]) -> [f64; N] {
    let (xs, x_rest) = x.as_chunks::<8>();
    let whole = a.map(|a| &a.as_chunks::<8>().0[..xs.len()]);
    let mut sums = [f64x8::splat(simd, 0.0); N];
    for (k, x) in xs.iter().enumerate() {
        let x = f64x8::from_slice(simd, x);
        for n in 0..N {
            sums[n] += f64x8::from_slice(simd, &whole[n][k]) * x;
        }
    }
    let mut products = [0.0; N];
    for n in 0..N {
        let rest: f64 = a[n][xs.len() * 8..].iter().zip(x_rest).map(|(a, x)| a * x).sum();
        let mut eight = [0.0; 8];
        sums[n].store_slice(&mut eight);
        let [a, b, c, d, e, f, g, h] = eight;
        products[n] = ((a + e) + (b + f)) + ((c + g) + (d + h)) + rest;
    }
    products
}

/// `g += c_1 a_1`, then `g += c_2 a_2`, ...
#[inline(always)]
fn add<S: Simd, const N: usize>(simd: S, a: [&[f64]; N], c: [f64; N], g: &mut [f64]) {
    let (gs, g_rest) = g.as_chunks_mut::<8>();
    let whole = a.map(|a| &a.as_chunks::<8>().0[..gs.len()]);
    let each = c.map(|c| f64x8::splat(simd, c));
    let start = gs.len() * 8;
    for (k, eight) in gs.iter_mut().enumerate() {
        let mut sum = f64x8::from_slice(simd, eight);
        for n in 0..N {
            sum += each[n] * f64x8::from_slice(simd, &whole[n][k]);
        }
        sum.store_slice(eight);
    }
    for (k, g) in g_rest.iter_mut().enumerate() {
        for n in 0..N {
            *g += c[n] * a[n][start + k];
        }
    }
}
