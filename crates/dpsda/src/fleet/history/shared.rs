//! Estimates by version of each block, for sets that restrict blocks separately.

use std::ops::Range;

use fearless_simd::{Simd, dispatch};

use super::known::Known;
use super::versions::{NodeVersions, Version, VersionRows, with};
use crate::objective::Batch;
use crate::objective::margins::{BatchPiece, LANES, block_sums, panel, pieces};
use crate::set::ConvexSet;
use crate::wide;

/// What every version of every block becomes by the proximal map.
pub(super) struct SharedEstimates {
    blocks: Vec<VersionedBlock>,
    values: Vec<f64>,
}

/// The versions of one block.
#[derive(Clone, Copy)]
struct VersionedBlock {
    /// How many coordinates it has.
    len: usize,
    /// The version of the first value.
    first: u64,
    /// The number of its first pair of block and version.
    pair: usize,
    /// How many versions.
    count: usize,
    /// Where its values start.
    start: usize,
}

impl VersionedBlock {
    fn value(&self, version: u64) -> Range<usize> {
        let start = self.start + (version - self.first) as usize * self.len;
        start..start + self.len
    }
}

impl SharedEstimates {
    /// All nodes are at `start`.
    pub(super) fn new(known: &Known, start: &[f64]) -> Self {
        let mut shared = Self { blocks: Vec::new(), values: start.to_vec() };
        shared.place(known);
        shared
    }

    fn place(&mut self, known: &Known) {
        self.blocks.clear();
        let (mut pair, mut start) = (0, 0);
        for block in known.blocks() {
            let (len, count) = (block.sums.front().map_or(0, Vec::len), block.sums.len());
            self.blocks.push(VersionedBlock { len, first: block.first, pair, count, start });
            pair += count;
            start += count * len;
        }
        self.values.resize(start, 0.0);
    }

    /// (7) of every version. The set restricts blocks separately, so versions of different blocks may share a call.
    pub(super) fn decide(&mut self, known: &Known, set: &dyn ConvexSet, alpha: f64) {
        self.place(known);
        let dim = self.blocks.iter().map(|block| block.len).sum();
        let mut y = vec![0.0; dim];
        let mut dual = Vec::with_capacity(dim);
        for layer in 0..known.longest() {
            dual.clear();
            for block in known.blocks() {
                let sum = block.sums.get(layer).or(block.sums.back());
                dual.extend_from_slice(sum.map_or(&[], Vec::as_slice));
            }
            set.prox(&dual, alpha, &mut y);
            let mut at = 0;
            for block in &self.blocks {
                if layer < block.count {
                    self.values[block.start + layer * block.len..][..block.len]
                        .copy_from_slice(&y[at..at + block.len]);
                }
                at += block.len;
            }
        }
    }

    /// Block `k` of a node that has this version of it. Nodes do not decide yet from a version that was released since.
    pub(super) fn block(&self, k: usize, version: u64) -> &[f64] {
        let block = &self.blocks[k];
        &self.values[block.value(version.min(block.first + block.count as u64 - 1))]
    }

    /// `y_i`
    pub(super) fn estimate(&self, i: usize, versions: &NodeVersions) -> Vec<f64> {
        let row = versions.row(i, self.blocks.len());
        row.into_iter().enumerate().flat_map(|(k, version)| self.block(k, version).iter().copied()).collect()
    }

    /// The margins of all rows at all nodes, node by node.
    pub(super) fn margins(
        &self,
        batch: &Batch<'_>,
        ends: &[usize],
        versions: &NodeVersions,
        nodes: usize,
    ) -> Vec<f64> {
        let rows = batch.rows.len();
        let mut sums = vec![0.0; nodes * rows];
        let mut table = Vec::new();
        pieces(batch, ends, |piece| {
            self.fill(&piece, &mut table);
            let blocks = &self.blocks[piece.blocks.clone()];
            with!(versions, versions => self.add(versions, blocks, &piece, &table, &mut sums, rows));
        });
        sums
    }

    /// The sums of the rows of a piece over every version of its blocks: for every pair row by row.
    fn fill(&self, piece: &BatchPiece<'_>, table: &mut Vec<f64>) {
        let rows = piece.numbers.len();
        let stride = stride(rows);
        let blocks = &self.blocks[piece.blocks.clone()];
        let pairs: usize = blocks.iter().map(|block| block.count).sum();
        table.resize(pairs * stride, 0.0);
        let (mut start, mut pair) = (0, 0);
        let mut sums = vec![[0.0; LANES]; rows];
        let mut numbers: Vec<&[f64]> = Vec::with_capacity(rows);
        for (block, end) in blocks.iter().zip(piece.ends) {
            numbers.clear();
            numbers.extend(piece.numbers.iter().map(|row| &row[start..*end]));
            let values: Vec<&[f64]> =
                self.values[block.start..][..block.count * block.len].chunks(block.len.max(1)).collect();
            for side_by_side in values.chunks(LANES) {
                block_sums(&numbers, &panel(side_by_side, 0..block.len), &mut sums);
                for lane in 0..side_by_side.len() {
                    let to = &mut table[pair * stride..][..rows];
                    to.iter_mut().zip(&sums).for_each(|(to, sums)| *to = sums[lane]);
                    pair += 1;
                }
            }
            start = *end;
        }
    }

    /// Adds the sums of the versions that nodes have, block by block.
    fn add<R: VersionRows>(
        &self,
        versions: &R,
        blocks: &[VersionedBlock],
        piece: &BatchPiece<'_>,
        table: &[f64],
        sums: &mut [f64],
        all: usize,
    ) {
        let places = places(blocks);
        if all == 1 {
            return gather(versions, piece.blocks.clone(), &places, table, sums);
        }
        for (i, sums) in sums.chunks_mut(all.max(1)).enumerate() {
            let sums = &mut sums[piece.rows.clone()];
            versions.parts(i, piece.blocks.clone(), |start, mine| {
                dispatch!(wide::level(), simd => add_rows(simd, mine, &places[start..], table, sums));
            });
        }
    }

    /// `max_i |y_i - mean_j y_j|`, from how many nodes have each version.
    pub(super) fn disagreement(&self, versions: &NodeVersions, nodes: usize) -> f64 {
        let mut away = vec![0.0; nodes];
        with!(versions, versions => self.add_distances(versions, nodes, &mut away));
        away.into_iter().fold(0.0, f64::max).sqrt()
    }

    fn add_distances<R: VersionRows>(&self, versions: &R, nodes: usize, away: &mut [f64]) {
        let last = self.blocks.last().map_or(0, |block| block.pair + block.count);
        let places = places(&self.blocks);
        let mut counts = vec![0_u32; last];
        for i in 0..nodes {
            versions.parts(i, 0..self.blocks.len(), |start, part| {
                let places = &places[start..];
                part.iter().zip(places).for_each(|(version, place)| counts[place.of(*version)] += 1);
            });
        }
        let mut squares = vec![0.0; last];
        for block in &self.blocks {
            let values = || self.values[block.start..][..block.count * block.len].chunks(block.len.max(1));
            let counts = &mut counts[block.pair..][..block.count];
            if block.first == 0 {
                counts[0] = nodes as u32 - counts[1..].iter().sum::<u32>(); // also those that were left out
            }
            // As the first plus the differences from it, so that it is exactly the first if all agree.
            let used = values().zip(&*counts).find(|(_, count)| **count > 0);
            let Some((origin, _)) = used else { continue };
            let mut mean = origin.to_vec();
            for (value, count) in values().zip(&*counts) {
                let share = f64::from(*count) / nodes as f64;
                let away = value.iter().zip(origin).map(|(x, origin)| share * (x - origin));
                mean.iter_mut().zip(away).for_each(|(mean, away)| *mean += away);
            }
            for (square, value) in squares[block.pair..].iter_mut().zip(values()) {
                *square = value.iter().zip(&mean).map(|(x, mean)| (x - mean) * (x - mean)).sum();
            }
        }
        if R::LEAVES_OUT {
            // What is left out adds the square of version 0. So count it everywhere, and elsewhere only what differs from it.
            let mut nothing = 0.0;
            for block in self.blocks.iter().filter(|block| block.first == 0) {
                let zero = squares[block.pair];
                nothing += zero;
                squares[block.pair..][..block.count].iter_mut().for_each(|square| *square -= zero);
            }
            away.fill(nothing);
        }
        gather(versions, 0..self.blocks.len(), &places, &squares, away);
        away.iter_mut().for_each(|away| *away = away.max(0.0));
    }
}

/// Where the pairs of a block and its versions stand in a table.
#[derive(Clone, Copy)]
struct PairPlace(usize);

impl PairPlace {
    #[inline(always)]
    fn of<V: Version>(self, version: V) -> usize {
        let version: u64 = version.into();
        self.0.wrapping_add(version as usize)
    }
}

/// The places of some blocks. The first pair of the first block stands first.
fn places(blocks: &[VersionedBlock]) -> Vec<PairPlace> {
    let first = blocks.first().map_or(0, |block| block.pair);
    // The sum with a version of the block is never negative.
    blocks.iter().map(|block| PairPlace((block.pair - first).wrapping_sub(block.first as usize))).collect()
}

/// Adds the number of every pair that a node has, for all nodes. Several nodes at once, so that their sums do not wait for
/// each other.
fn gather<R: VersionRows>(
    versions: &R,
    blocks: Range<usize>,
    places: &[PairPlace],
    table: &[f64],
    sums: &mut [f64],
) {
    let mut i = 0;
    while i < sums.len() {
        if let Some(four) = sums[i..].first_chunk_mut::<4>()
            && let Some([a, b, c, d]) = versions.four(i, blocks.clone())
        {
            for ((((a, b), c), d), place) in a.iter().zip(b).zip(c).zip(d).zip(places) {
                for (sum, version) in four.iter_mut().zip([*a, *b, *c, *d]) {
                    *sum += table[place.of(version)];
                }
            }
            i += 4;
            continue;
        }
        let sum = &mut sums[i];
        versions.parts(i, blocks.clone(), |start, part| {
            part.iter().zip(&places[start..]).for_each(|(version, place)| *sum += table[place.of(*version)]);
        });
        i += 1;
    }
}

/// How far the sums of two pairs are apart in a table, if each has this many rows.
fn stride(rows: usize) -> usize {
    if rows == 1 { 1 } else { rows.next_multiple_of(LANES) }
}

/// Adds the sums of all rows over every block of one node: rows side by side.
#[inline(always)]
fn add_rows<S: Simd, V: Version>(_: S, mine: &[V], places: &[PairPlace], table: &[f64], sums: &mut [f64]) {
    let stride = stride(sums.len());
    let mut start = 0;
    while start < sums.len() {
        start += match (sums.len() - start).div_ceil(LANES) {
            1 => add_some::<V, 1>(mine, places, table, stride, start, sums),
            2 | 3 => add_some::<V, 2>(mine, places, table, stride, start, sums),
            _ => add_some::<V, 4>(mine, places, table, stride, start, sums),
        };
    }
}

/// The same for some rows: `C` times as many as are side by side. Returns how many.
#[inline(always)]
fn add_some<V: Version, const C: usize>(
    mine: &[V],
    places: &[PairPlace],
    table: &[f64],
    stride: usize,
    start: usize,
    sums: &mut [f64],
) -> usize {
    let mut all = [[0.0; LANES]; C];
    let count = (C * LANES).min(sums.len() - start);
    let sums = &mut sums[start..start + count];
    all.as_flattened_mut()[..count].copy_from_slice(sums);
    for (version, place) in mine.iter().zip(places) {
        let from = &table[place.of(*version) * stride + start..][..C * LANES];
        let (from, _) = from.as_chunks::<LANES>();
        for (sums, from) in all.iter_mut().zip(from) {
            (0..LANES).for_each(|l| sums[l] += from[l]);
        }
    }
    sums.copy_from_slice(&all.as_flattened()[..count]);
    count
}
