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
use crate::wide::{self, StoredNumber};

/// The least number of features in a piece, and the most pieces.
const PIECE: (usize, usize) = (1 << 17, 16);

/// Rows whose features are read together. Each number of `x` and `g` is then loaded and stored once for all of them.
const TOGETHER: usize = 8;

/// How many rows without their zeros are read together.
const SPARSE: usize = 64;

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
                    dispatch!(wide::level(), simd => DensePass { simd, features, x, weigh }.all(rows, s, &mut piece.g));
                }
            }
            first += part.rows.len();
        }
    }
}

/// Some rows at a time: their products first, then their sum, while they are in the cache.
fn sparse(
    features: &dyn Features,
    rows: &[usize],
    x: Option<&[f64]>,
    s: &mut [f64],
    weigh: Option<&dyn Fn(usize, f64) -> f64>,
    g: &mut [f64],
) {
    for (from, (rows, s)) in rows.chunks(SPARSE).zip(s.chunks_mut(SPARSE)).enumerate() {
        if let Some(x) = x {
            features.dots(rows, x, s);
        }
        let Some(weigh) = weigh else { continue };
        for (k, (row, s)) in rows.iter().zip(s).enumerate() {
            features.add_to(*row, 0..g.len(), weigh(from * SPARSE + k, *s), g);
        }
    }
}

/// What is asked of rows whose zeros are stored too.
struct DensePass<'a, S> {
    simd: S,
    features: &'a dyn Features,
    x: Option<&'a [f64]>,
    weigh: Option<&'a dyn Fn(usize, f64) -> f64>,
}

impl<S: Simd> DensePass<'_, S> {
    /// All rows, some together. What is left at the end is done one by one.
    #[inline(always)]
    fn all(&self, rows: &[usize], s: &mut [f64], g: &mut [f64]) {
        let mut written = vec![0.0; TOGETHER * self.features.dim()];
        let (many, rest) = rows.as_chunks::<TOGETHER>();
        let first = rows.len() - rest.len();
        let (s, s_rest) = s.split_at_mut(first);
        for (k, (rows, s)) in many.iter().zip(s.as_chunks_mut().0).enumerate() {
            self.some(*rows, k * TOGETHER, &mut written, s, g);
        }
        for (k, (row, s)) in rest.iter().zip(s_rest).enumerate() {
            self.some([*row], first + k, &mut written, std::array::from_mut(s), g);
        }
    }

    /// `N` rows together, read as they are stored. Rows that are not stored as numbers are written first. The number of the first of
    /// them is `first`.
    #[inline(always)]
    fn some<const N: usize>(
        &self,
        rows: [usize; N],
        first: usize,
        written: &mut [f64],
        s: &mut [f64; N],
        g: &mut [f64],
    ) {
        if let Some(a) = all_of(rows.map(|row| self.features.stored(row))) {
            return self.visit(a, first, s, g);
        }
        if let Some(a) = all_of(rows.map(|row| self.features.stored_single(row))) {
            return self.visit(a, first, s, g);
        }
        let dim = self.features.dim();
        for (row, place) in rows.iter().zip(written.chunks_mut(dim.max(1))) {
            self.features.write(*row, 0..dim, place);
        }
        self.visit(std::array::from_fn(|n| &written[n * dim..(n + 1) * dim]), first, s, g);
    }

    /// The products of these rows with `x`, then their sum with the weights of these products.
    #[inline(always)]
    fn visit<A: StoredNumber, const N: usize>(
        &self,
        a: [&[A]; N],
        first: usize,
        s: &mut [f64; N],
        g: &mut [f64],
    ) {
        if let Some(x) = self.x {
            *s = products(self.simd, a, x);
        }
        if let Some(weigh) = self.weigh {
            add(self.simd, a, std::array::from_fn(|n| weigh(first + n, s[n])), g);
        }
    }
}

fn all_of<T: Copy, const N: usize>(rows: [Option<&[T]>; N]) -> Option<[&[T]; N]> {
    let mut all: [&[T]; N] = [&[]; N];
    for (all, row) in all.iter_mut().zip(rows) {
        *all = row?;
    }
    Some(all)
}

/// What is left of sixteen columns, and zeros.
#[inline(always)]
fn padded<A: Copy + Default>(rest: &[A]) -> [A; 16] {
    let mut sixteen = [A::default(); 16];
    sixteen[..rest.len()].copy_from_slice(rest);
    sixteen
}

/// The products of rows with `x`, each in eight running sums that are added in one order.
#[inline(always)]
fn products<S: Simd, A: StoredNumber, const N: usize>(simd: S, a: [&[A]; N], x: &[f64]) -> [f64; N] {
    let (xs, x_rest) = x.as_chunks::<16>();
    let whole = a.map(|a| &a.as_chunks::<16>().0[..xs.len()]);
    let mut sums = [f64x8::splat(simd, 0.0); N];
    for (k, x) in xs.iter().enumerate() {
        let [x, y] = f64::sixteen(simd, x);
        for n in 0..N {
            let [low, high] = A::sixteen(simd, &whole[n][k]);
            sums[n] += low * x;
            sums[n] += high * y;
        }
    }
    if !x_rest.is_empty() {
        let [x, y] = f64::sixteen(simd, &padded(x_rest));
        for n in 0..N {
            let [low, high] = A::sixteen(simd, &padded(&a[n][xs.len() * 16..]));
            sums[n] += low * x;
            sums[n] += high * y;
        }
    }
    sums.map(|sums| {
        let mut eight = [0.0; 8];
        sums.store_slice(&mut eight);
        let [a, b, c, d, e, f, g, h] = eight;
        ((a + e) + (b + f)) + ((c + g) + (d + h))
    })
}

/// `g += c_1 a_1`, then `g += c_2 a_2`, ...
#[inline(always)]
fn add<S: Simd, A: StoredNumber, const N: usize>(simd: S, a: [&[A]; N], c: [f64; N], g: &mut [f64]) {
    let (gs, g_rest) = g.as_chunks_mut::<16>();
    let whole = a.map(|a| &a.as_chunks::<16>().0[..gs.len()]);
    let each = c.map(|c| f64x8::splat(simd, c));
    let start = gs.len() * 16;
    for (k, g) in gs.iter_mut().enumerate() {
        let [mut g_low, mut g_high] = f64::sixteen(simd, g);
        for n in 0..N {
            let [low, high] = A::sixteen(simd, &whole[n][k]);
            g_low += each[n] * low;
            g_high += each[n] * high;
        }
        g_low.store_slice(&mut g[..8]);
        g_high.store_slice(&mut g[8..]);
    }
    if !g_rest.is_empty() {
        let [mut g_low, mut g_high] = f64::sixteen(simd, &padded(g_rest));
        for n in 0..N {
            let [low, high] = A::sixteen(simd, &padded(&a[n][start..]));
            g_low += each[n] * low;
            g_high += each[n] * high;
        }
        let mut sixteen = [0.0; 16];
        g_low.store_slice(&mut sixteen[..8]);
        g_high.store_slice(&mut sixteen[8..]);
        g_rest.copy_from_slice(&sixteen[..g_rest.len()]);
    }
}
