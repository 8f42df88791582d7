//! Estimates by version of each block, for sets that restrict blocks separately.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f64x8};

use super::known::Known;
use super::versions::{NodeVersions, Version, VersionRows, VersionedRows, with};
use crate::objective::BatchRows;
use crate::objective::margins::{BatchPiece, LANES, NUMBERS, block_sums, panel, pieces};
use crate::set::ConvexSet;
use crate::wide;

/// How many nodes add up at once.
const SEVERAL: usize = 4;
/// As many numbers are in the first cache.
const NEAR: usize = 1 << 12;
/// At least as many blocks are added at a time.
const BLOCKS: usize = 16;

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

    /// VersionedBlock `k` of a node that has this version of it. A version that was released since is not decided from yet.
    pub(super) fn block(&self, k: usize, version: u64) -> &[f64] {
        let block = &self.blocks[k];
        &self.values[block.value(version.min(block.first + block.count as u64 - 1))]
    }

    /// `y_i`
    pub(super) fn estimate(&self, i: usize, versions: &NodeVersions) -> Vec<f64> {
        let row = versions.row(i);
        row.into_iter().enumerate().flat_map(|(k, version)| self.block(k, version).iter().copied()).collect()
    }

    /// The margins of all rows at all nodes, node by node: as many rows side by side as fit, the last ones perhaps with others after
    /// them that mean nothing.
    pub(super) fn margins(&self, rows: &BatchRows<'_>, ends: &[usize], versions: &NodeVersions) -> Vec<f64> {
        let (nodes, stride) = (versions.first.len(), stride(rows.len()));
        let mut sums = vec![0.0; nodes * stride];
        let mut table = Vec::new();
        pieces(rows, ends, NUMBERS, |piece| {
            self.fill(&piece, &mut table);
            let places = self.places(piece.blocks.clone(), &versions.first);
            with!(&versions.rows, versions => match stride {
                1 => gather(versions, &piece.blocks, &places, &table, &mut sums),
                _ => add(versions, &piece, &places, &table, &mut sums, stride),
            });
        });
        sums
    }

    /// Where the pairs of these blocks and their versions stand in a table. The first pair of the first block stands first. Versions
    /// are counted from `first`.
    fn places(&self, blocks: Range<usize>, first: &[u64]) -> Vec<PairPlace> {
        let start = self.blocks[blocks.start].pair;
        // The sum with the number of a version is never negative.
        let place = |(block, first): (&VersionedBlock, &u64)| {
            PairPlace((block.pair - start).wrapping_sub((block.first - first) as usize))
        };
        self.blocks[blocks.clone()].iter().zip(&first[blocks]).map(place).collect()
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

    /// `max_i |y_i - mean_j y_j|`, from how many nodes have each version.
    pub(super) fn disagreement(&self, versions: &NodeVersions) -> f64 {
        let mut away = vec![0.0; versions.first.len()];
        let places = self.places(0..self.blocks.len(), &versions.first);
        with!(&versions.rows, versions => self.add_distances(versions, &places, &mut away));
        away.into_iter().fold(0.0, f64::max).sqrt()
    }

    fn add_distances<R: VersionRows>(&self, versions: &R, places: &[PairPlace], away: &mut [f64]) {
        let (nodes, last) = (away.len(), self.blocks.last().map_or(0, |block| block.pair + block.count));
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
        gather(versions, &(0..self.blocks.len()), places, &squares, away);
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

/// Adds the sums of the versions that nodes have, block by block. The sums of the next node come `all` numbers later.
fn add<R: VersionRows>(
    versions: &R,
    piece: &BatchPiece<'_>,
    places: &[PairPlace],
    table: &[f64],
    sums: &mut [f64],
    all: usize,
) {
    let sums = sums.as_chunks_mut().0;
    let rows = AddedRows {
        places,
        table,
        groups: piece.rows.len().div_ceil(LANES),
        all: all / LANES,
        from: piece.rows.start / LANES,
    };
    dispatch!(wide::level(), simd => rows.add(simd, versions, piece.blocks.start, sums));
}

/// Adds the number of every pair that a node has, for all nodes. Several nodes at once, so that their sums do not wait for
/// each other.
fn gather<R: VersionRows>(
    versions: &R,
    blocks: &Range<usize>,
    places: &[PairPlace],
    table: &[f64],
    sums: &mut [f64],
) {
    let mut i = 0;
    while i < sums.len() {
        if let Some(eight) = sums[i..].first_chunk_mut::<LANES>()
            && let Some(mine) = versions.several::<LANES>(i, blocks)
        {
            let mine = mine.map(|mine| &mine[..places.len()]);
            let mut all = *eight;
            for (k, place) in places.iter().enumerate() {
                for (sum, mine) in all.iter_mut().zip(mine) {
                    *sum += table[place.of(mine[k])];
                }
            }
            *eight = all;
            i += LANES;
            continue;
        }
        let sum = &mut sums[i];
        versions.parts(i, blocks.clone(), |start, part| {
            part.iter().zip(&places[start..]).for_each(|(version, place)| *sum += table[place.of(*version)]);
        });
        i += 1;
    }
}

/// How far the sums of two pairs are apart in a table, if each has so many rows.
fn stride(rows: usize) -> usize {
    if rows == 1 { 1 } else { rows.next_multiple_of(LANES) }
}

/// Rows side by side.
type Together = [f64; LANES];

/// The sums of the rows of a piece over some blocks, by version, in groups of rows that are side by side.
#[derive(Clone, Copy)]
struct AddedRows<'a> {
    places: &'a [PairPlace],
    /// For every pair, group by group.
    table: &'a [f64],
    /// How many groups.
    groups: usize,
    /// How many groups a node has in all, and which of them the first of these is.
    all: usize,
    from: usize,
}

impl AddedRows<'_> {
    /// Adds them up for all nodes. The places are of blocks from `first` on.
    #[inline(always)]
    fn add<S: Simd, R: VersionRows>(self, simd: S, versions: &R, first: usize, sums: &mut [Together]) {
        // As many blocks at a time as have their part of the table in the first cache.
        let pairs = self.table.len() / (self.groups * LANES).max(1);
        let together = (NEAR * self.places.len() / (2 * LANES * pairs).max(1)).max(BLOCKS);
        for start in (0..self.places.len()).step_by(together) {
            let end = self.places.len().min(start + together);
            let (blocks, some) =
                (first + start..first + end, Self { places: &self.places[start..end], ..self });
            for group in (0..self.groups).step_by(2) {
                match self.groups - group {
                    1 => some.add_groups::<S, R, 1>(simd, versions, &blocks, group, sums),
                    _ => some.add_groups::<S, R, 2>(simd, versions, &blocks, group, sums),
                }
            }
        }
    }

    /// The same for `C` groups.
    #[inline(always)]
    fn add_groups<S: Simd, R: VersionRows, const C: usize>(
        self,
        simd: S,
        versions: &R,
        blocks: &Range<usize>,
        group: usize,
        sums: &mut [Together],
    ) {
        let nodes = sums.len() / self.all;
        let mut i = 0;
        while i < nodes {
            let of = |i: usize| i * self.all + self.from + group;
            if i + SEVERAL <= nodes
                && let Some(mine) = versions.several::<SEVERAL>(i, blocks)
            {
                let at: [usize; SEVERAL] = [of(i), of(i + 1), of(i + 2), of(i + 3)];
                self.add_nodes::<S, R::Number, SEVERAL, C>(simd, mine, group, sums, at);
                i += SEVERAL;
                continue;
            }
            versions.parts(i, blocks.clone(), |part, mine| {
                let some = Self { places: &self.places[part..], ..self };
                dispatch!(wide::level(), simd => some.add_nodes::<_, _, 1, C>(simd, [mine], group, sums, [of(i)]));
            });
            i += 1;
        }
    }

    /// The same for `N` nodes, whose sums stand there.
    #[inline(always)]
    fn add_nodes<S: Simd, V: Version, const N: usize, const C: usize>(
        self,
        simd: S,
        mine: [&[V]; N],
        group: usize,
        sums: &mut [Together],
        at: [usize; N],
    ) {
        let count = self.places.len().min(mine[0].len());
        let mine = mine.map(|mine| &mine[..count]);
        let mut all = [[f64x8::splat(simd, 0.0); C]; N];
        for n in 0..N {
            for c in 0..C {
                all[n][c] = f64x8::from_slice(simd, &sums[at[n] + c]);
            }
        }
        for (k, place) in self.places[..count].iter().enumerate() {
            for n in 0..N {
                let pair = place.of(mine[n][k]);
                let from = &self.table[(pair * self.groups + group) * LANES..][..C * LANES];
                for c in 0..C {
                    all[n][c] += f64x8::from_slice(simd, &from[c * LANES..(c + 1) * LANES]);
                }
            }
        }
        for n in 0..N {
            for c in 0..C {
                all[n][c].store_slice(&mut sums[at[n] + c]);
            }
        }
    }
}
