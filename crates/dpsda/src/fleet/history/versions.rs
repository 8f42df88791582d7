//! Which version of each block each node has: a number per node and block, as small as ages allow.

use std::ops::Range;

use fearless_simd::{Simd, dispatch};

use super::sparse::SparseVersions;
use crate::wide;

/// One row per node. A number counts versions from the first that is still known of its block. So it is small however many rounds
/// there are, as long as no node is far behind.
pub(super) struct NodeVersions {
    /// The first version that is known of each block.
    pub(super) first: Vec<u64>,
    pub(super) rows: VersionedRows,
}

/// The numbers.
pub(super) enum VersionedRows {
    /// At most 255.
    Byte(VersionTable<u8>),
    /// At most 65,535.
    Short(VersionTable<u16>),
    /// More.
    Long(VersionTable<u64>),
    /// Of very many nodes.
    Sparse(SparseVersions),
}

/// More nodes than this keep only what is not zero.
const MANY: usize = 1 << 14;

/// Versions that can be read row by row.
pub(super) trait VersionRows {
    /// The number of a version.
    type Number: Version;
    /// Whether parts in which all versions are 0 may be left out.
    const LEAVES_OUT: bool = false;

    /// Shows the versions that node `i` has of these blocks, part by part, in order: where the part starts, and its numbers.
    fn parts(&self, i: usize, blocks: Range<usize>, part: impl FnMut(usize, &[Self::Number]));

    /// The same of several nodes from `i` on, if each is one part.
    fn several<const N: usize>(&self, _i: usize, _blocks: &Range<usize>) -> Option<[&[Self::Number]; N]> {
        None
    }
}

/// Numbers of versions, row after row.
pub(super) struct VersionTable<V> {
    nodes: usize,
    now: Vec<V>,
    next: Vec<V>,
}

/// A number of a version.
pub(super) trait Version: Copy + Ord + Default + Into<u64> {
    /// From a number that fits.
    fn of(version: u64) -> Self;

    /// The difference from a smaller number.
    fn minus(self, less: Self) -> Self;
}

impl Version for u8 {
    fn of(version: u64) -> Self {
        version as Self
    }

    #[inline(always)]
    fn minus(self, less: Self) -> Self {
        self.wrapping_sub(less)
    }
}

impl Version for u16 {
    fn of(version: u64) -> Self {
        version as Self
    }

    #[inline(always)]
    fn minus(self, less: Self) -> Self {
        self.wrapping_sub(less)
    }
}

impl Version for u32 {
    fn of(version: u64) -> Self {
        version as Self
    }

    #[inline(always)]
    fn minus(self, less: Self) -> Self {
        self.wrapping_sub(less)
    }
}

impl Version for u64 {
    fn of(version: u64) -> Self {
        version
    }

    #[inline(always)]
    fn minus(self, less: Self) -> Self {
        self.wrapping_sub(less)
    }
}

/// The same expression for every width.
macro_rules! with {
    ($versions:expr, $table:ident => $do:expr) => {
        match $versions {
            VersionedRows::Byte($table) => $do,
            VersionedRows::Short($table) => $do,
            VersionedRows::Long($table) => $do,
            VersionedRows::Sparse($table) => $do,
        }
    };
}
pub(super) use with;

impl NodeVersions {
    /// All have version 0 of every block. If version 0 means nothing, very many nodes need not store it.
    pub(super) fn new(nodes: usize, zero_is_nothing: bool) -> Self {
        let rows = if nodes > MANY && zero_is_nothing {
            VersionedRows::Sparse(SparseVersions::new(nodes))
        } else {
            VersionedRows::Byte(VersionTable::new(nodes))
        };
        Self { first: vec![0; nodes], rows }
    }

    /// About how many bytes they take at most. If version 0 means nothing, `heard` says how many nodes hear of a block; it is asked
    /// if there are very many.
    pub(super) fn bytes(nodes: usize, rounds: u64, heard: Option<&dyn Fn() -> usize>) -> u128 {
        let (many, width) = (nodes as u128, if rounds <= 0xff { 1 } else { 2 });
        match heard.filter(|_| nodes > MANY) {
            Some(heard) => SparseVersions::bytes(many, heard() as u128),
            None => 2 * many * many * width,
        }
    }

    /// Node `i` has this version of block `k`.
    pub(super) fn set(&mut self, i: usize, k: usize, version: u64) {
        let number = version - self.first[k];
        match (&self.rows, number) {
            (VersionedRows::Byte(table), 0x100..=0xffff) => self.rows = VersionedRows::Short(table.widened()),
            (VersionedRows::Byte(table), 0x1_0000..) => self.rows = VersionedRows::Long(table.widened()),
            (VersionedRows::Short(table), 0x1_0000..) => self.rows = VersionedRows::Long(table.widened()),
            _ => {}
        }
        with!(&mut self.rows, table => table.set(i, k, number));
    }

    /// The version of block `k` that node `i` has.
    pub(super) fn of(&self, i: usize, k: usize) -> u64 {
        self.first[k] + with!(&self.rows, table => table.of(i, k))
    }

    /// The versions that node `i` has of all blocks.
    pub(super) fn row(&self, i: usize) -> Vec<u64> {
        let mut row = self.first.clone();
        with!(&self.rows, table => table.parts(i, 0..row.len(), |start, part| {
            row[start..].iter_mut().zip(part).for_each(|(to, version)| *to += Into::<u64>::into(*version));
        }));
        row
    }

    /// The oldest version that node `i` has of any block.
    pub(super) fn oldest(&self, i: usize) -> u64 {
        if let VersionedRows::Sparse(table) = &self.rows {
            return table.oldest(i);
        }
        let mut oldest = u64::MAX;
        with!(&self.rows, table => table.parts(i, 0..self.first.len(), |start, part| {
            let versions = self.first[start..].iter().zip(part);
            oldest = versions.fold(oldest, |least, (first, version)| least.min(first + Into::<u64>::into(*version)));
        }));
        oldest
    }

    /// Counts from the least version of each block that some node has, and says which that is. Where zeros are not stored, numbers
    /// stay as they are.
    pub(super) fn recount(&mut self) -> Vec<u64> {
        let least = match &mut self.rows {
            VersionedRows::Byte(table) => table.recount(),
            VersionedRows::Short(table) => table.recount(),
            VersionedRows::Long(table) => table.recount(),
            VersionedRows::Sparse(table) => return table.least(),
        };
        self.first.iter_mut().zip(least).for_each(|(first, least)| *first += least);
        self.first.clone()
    }

    /// Each node hears these, and keeps the newer of two versions. What was known before counts.
    pub(super) fn merge(&mut self, heard: &[Vec<usize>]) {
        with!(&mut self.rows, table => table.merge(heard));
    }
}

impl<V: Version> VersionTable<V> {
    fn new(nodes: usize) -> Self {
        let all = vec![V::default(); nodes * nodes];
        Self { nodes, next: all.clone(), now: all }
    }

    fn set(&mut self, i: usize, k: usize, version: u64) {
        self.now[i * self.nodes + k] = V::of(version);
    }

    fn row(&self, i: usize) -> &[V] {
        &self.now[i * self.nodes..(i + 1) * self.nodes]
    }

    fn of(&self, i: usize, k: usize) -> u64 {
        self.row(i)[k].into()
    }

    fn widened<W: Version>(&self) -> VersionTable<W> {
        let now: Vec<W> = self.now.iter().map(|version| W::of((*version).into())).collect();
        VersionTable { nodes: self.nodes, next: vec![W::default(); now.len()], now }
    }

    /// Subtracts the least number of every block from all its numbers. Those least numbers.
    fn recount(&mut self) -> Vec<u64> {
        let mut rows = self.now.chunks(self.nodes.max(1));
        let mut least = rows.next().unwrap_or_default().to_vec();
        for row in rows {
            dispatch!(wide::level(), simd => keep(simd, &mut least, row, V::min));
        }
        for row in self.now.chunks_mut(self.nodes.max(1)) {
            dispatch!(wide::level(), simd => keep(simd, row, &least, V::minus));
        }
        least.into_iter().map(Into::into).collect()
    }

    fn merge(&mut self, heard: &[Vec<usize>]) {
        let (now, nodes) = (&self.now, self.nodes);
        for (i, (next, heard)) in self.next.chunks_mut(nodes.max(1)).zip(heard).enumerate() {
            next.copy_from_slice(&now[i * nodes..(i + 1) * nodes]);
            for j in heard.iter().filter(|j| **j != i) {
                let theirs = &now[j * nodes..(j + 1) * nodes];
                dispatch!(wide::level(), simd => keep(simd, next, theirs, V::max));
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }
}

impl<V: Version> VersionRows for VersionTable<V> {
    type Number = V;

    fn parts(&self, i: usize, blocks: Range<usize>, mut part: impl FnMut(usize, &[V])) {
        part(0, &self.row(i)[blocks]);
    }

    fn several<const N: usize>(&self, i: usize, blocks: &Range<usize>) -> Option<[&[V]; N]> {
        Some(std::array::from_fn(|k| &self.row(i + k)[blocks.clone()]))
    }
}

/// Keeps one of both numbers, everywhere.
#[inline(always)]
pub(super) fn keep<S: Simd, V: Version>(_: S, mine: &mut [V], theirs: &[V], of: impl Fn(V, V) -> V) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = of(*mine, *theirs);
    }
}
