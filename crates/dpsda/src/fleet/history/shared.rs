//! Estimates by version of each block, for sets that restrict blocks separately.

use std::ops::Range;

use fearless_simd::{Simd, dispatch};

use super::adding::{AddedRows, PairPlace, gather};
use super::known::Known;
use super::versions::{NodeVersions, VersionRows, VersionedRows, with};
use super::young::{NODES, add_young};
use crate::objective::BatchRows;
use crate::objective::margins::{BatchPiece, LANES, NUMBERS, TurnedRows, pieces};
use crate::set::ConvexSet;
use crate::wide::{self, Eight};

/// What every version of every block becomes by the proximal map.
pub(super) struct SharedEstimates {
    blocks: Vec<VersionedBlock>,
    values: Vec<f64>,
}

/// The margins of all nodes.
pub(super) enum SharedMargins {
    /// Of one row, node by node.
    One(Vec<f64>),
    /// Of several, node by node, rows side by side.
    Several(Vec<Eight>),
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
            let (len, count) = (block.len, block.count());
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
                match block.sum(layer) {
                    [sum] => dual.push(*sum),
                    sum => dual.extend_from_slice(sum),
                }
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
        let row = versions.row(i);
        row.into_iter().enumerate().flat_map(|(k, version)| self.block(k, version).iter().copied()).collect()
    }

    /// The margins of all rows at all nodes.
    pub(super) fn margins(
        &self,
        rows: &BatchRows<'_>,
        ends: &[usize],
        versions: &NodeVersions,
    ) -> SharedMargins {
        let nodes = versions.first.len();
        let (mut turned, mut table) = (TurnedRows::none(), Vec::new());
        if rows.len() == 1 {
            let (mut sums, mut firsts, mut parts) = (vec![0.0; nodes], Vec::new(), Vec::new());
            pieces(rows, ends, NUMBERS, |piece| {
                self.fill(&piece, &mut turned, &mut table);
                let start = firsts.len();
                firsts.extend(table.iter().map(|eight| eight.0[0]));
                parts.push((piece.blocks.clone(), start..firsts.len()));
            });
            let done = self.add_young(&firsts, versions, &mut sums);
            for (blocks, part) in parts {
                let places = self.places(blocks.clone(), &versions.first);
                with!(&versions.rows, versions => {
                    gather(versions, &blocks, &places, &firsts[part], &mut sums, done);
                });
            }
            return SharedMargins::One(sums);
        }
        let all = rows.len().div_ceil(LANES);
        let mut sums = vec![Eight::default(); nodes * all];
        pieces(rows, ends, NUMBERS, |piece| {
            self.fill(&piece, &mut turned, &mut table);
            let places = self.places(piece.blocks.clone(), &versions.first);
            let (groups, from) = (turned.groups(), piece.rows.start / LANES);
            let rows = AddedRows { places: &places, table: &table, groups, all, from };
            with!(&versions.rows, versions => {
                dispatch!(wide::level(), simd => rows.add(simd, versions, piece.blocks.start, &mut sums));
            });
        });
        SharedMargins::Several(sums)
    }

    /// Adds the sums over all blocks, of which `table` has one for every pair, for nodes whose versions are all young. How many nodes
    /// these are: all but the last few, or none.
    fn add_young(&self, table: &[f64], versions: &NodeVersions, sums: &mut [f64]) -> usize {
        let VersionedRows::Byte(rows) = &versions.rows else { return 0 };
        let (mut newest, mut aged) = (Vec::new(), Vec::new());
        for (block, first) in self.blocks.iter().zip(&versions.first) {
            let mut ages = [Eight::default(); 2];
            let places = ages.iter_mut().flat_map(|eight| &mut eight.0);
            let pairs = table[block.pair..][..block.count].iter().rev();
            places.zip(pairs).for_each(|(to, sum)| *to = *sum);
            let Ok(number) = u8::try_from(block.first + block.count as u64 - 1 - first) else { return 0 };
            newest.push(number);
            aged.push(ages);
        }
        let (done, all) = (sums.len() / NODES * NODES, 0..self.blocks.len());
        let mut added = sums[..done].to_vec();
        let young = dispatch!(wide::level(), simd => add_young(simd, rows, &all, &newest, &aged, &mut added));
        if !young {
            return 0;
        }
        sums[..done].copy_from_slice(&added);
        done
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

    /// The sums of the rows of a piece over every version of its blocks: for every pair, group by group of rows side by side.
    fn fill(&self, piece: &BatchPiece<'_>, turned: &mut TurnedRows, table: &mut Vec<Eight>) {
        turned.read(piece);
        let blocks = &self.blocks[piece.blocks.clone()];
        let pairs: usize = blocks.iter().map(|block| block.count).sum();
        table.resize(pairs * turned.groups(), Eight::default());
        dispatch!(wide::level(), simd => self.fill_table(simd, piece, turned, table));
    }

    #[inline(always)]
    fn fill_table<S: Simd>(&self, simd: S, piece: &BatchPiece<'_>, turned: &TurnedRows, table: &mut [Eight]) {
        let (mut start, mut rest) = (piece.columns.start, table);
        for (block, end) in self.blocks[piece.blocks.clone()].iter().zip(piece.ends) {
            let values = &self.values[block.start..][..block.count * block.len];
            let (sums, later) = rest.split_at_mut(block.count * turned.groups());
            turned.sums(simd, &(start..*end), values, sums);
            (start, rest) = (*end, later);
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
        gather(versions, &(0..self.blocks.len()), places, &squares, away, 0);
        away.iter_mut().for_each(|away| *away = away.max(0.0));
    }
}
