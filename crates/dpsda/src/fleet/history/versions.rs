//! Which version of each block each node has: a number per node and block, as small as the number of rounds allows.

use std::ops::Range;

use fearless_simd::{Simd, dispatch};

use super::sparse::SparseVersions;
use crate::network::Graph;
use crate::wide;

/// One row per node.
pub(super) enum NodeVersions {
    /// At most 255 rounds.
    Byte(VersionTable<u8>),
    /// At most 65,535 rounds.
    Short(VersionTable<u16>),
    /// More.
    Long(VersionTable<u64>),
    /// Very many nodes.
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

    /// The same of four nodes from `i` on, if each is one part.
    fn four(&self, _i: usize, _blocks: Range<usize>) -> Option<[&[Self::Number]; 4]> {
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

    /// The number.
    fn number(self) -> u64 {
        self.into()
    }
}

impl Version for u8 {
    fn of(version: u64) -> Self {
        version as Self
    }
}

impl Version for u16 {
    fn of(version: u64) -> Self {
        version as Self
    }
}

impl Version for u32 {
    fn of(version: u64) -> Self {
        version as Self
    }
}

impl Version for u64 {
    fn of(version: u64) -> Self {
        version
    }
}

/// The same expression for every width.
macro_rules! with {
    ($versions:expr, $table:ident => $do:expr) => {
        match $versions {
            NodeVersions::Byte($table) => $do,
            NodeVersions::Short($table) => $do,
            NodeVersions::Long($table) => $do,
            NodeVersions::Sparse($table) => $do,
        }
    };
}
pub(super) use with;

impl NodeVersions {
    /// All have version 0 of every block. There will be about this many rounds. If version 0 means nothing, very many nodes need
    /// not store it.
    pub(super) fn new(nodes: usize, rounds: u64, zero_is_nothing: bool) -> Self {
        if nodes > MANY && zero_is_nothing {
            return Self::Sparse(SparseVersions::new(nodes));
        }
        match Self::width(rounds) {
            1 => Self::Byte(VersionTable::new(nodes)),
            2 => Self::Short(VersionTable::new(nodes)),
            _ => Self::Long(VersionTable::new(nodes)),
        }
    }

    /// About how many bytes they take. If version 0 means nothing, `heard` says how many nodes hear of a block; it is asked if there
    /// are very many.
    pub(super) fn bytes(nodes: usize, rounds: u64, heard: Option<&dyn Fn() -> usize>) -> u128 {
        let many = nodes as u128;
        match heard.filter(|_| nodes > MANY) {
            Some(heard) => SparseVersions::bytes(many, heard() as u128),
            None => 2 * many * many * Self::width(rounds),
        }
    }

    /// How many bytes a number takes.
    fn width(rounds: u64) -> u128 {
        match rounds {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 8,
        }
    }

    /// Node `i` has this version of block `k`.
    pub(super) fn set(&mut self, i: usize, k: usize, version: u64) {
        match (&*self, version) {
            (Self::Byte(table), 0x100..) => *self = Self::Long(table.widened()), // more rounds than were announced
            (Self::Short(table), 0x1_0000..) => *self = Self::Long(table.widened()),
            _ => {}
        }
        with!(self, table => table.set(i, k, version));
    }

    /// The version of block `k` that node `i` has.
    pub(super) fn of(&self, i: usize, k: usize) -> u64 {
        with!(self, table => table.of(i, k))
    }

    /// The versions that node `i` has of all `count` blocks.
    pub(super) fn row(&self, i: usize, count: usize) -> Vec<u64> {
        let mut row = vec![0; count];
        with!(self, table => table.parts(i, 0..count, |start, part| {
            row[start..].iter_mut().zip(part).for_each(|(to, version)| *to = version.number());
        }));
        row
    }

    /// The oldest version that node `i` has of any block.
    pub(super) fn oldest(&self, i: usize) -> u64 {
        with!(self, table => table.oldest(i))
    }

    /// For every block the least version that some node has.
    pub(super) fn least(&self) -> Vec<u64> {
        with!(self, table => table.least())
    }

    /// All nodes hear those that the graph says, and keep the newer of two versions. What was known before counts.
    pub(super) fn merge(&mut self, graph: &Graph) {
        with!(self, table => table.merge(graph));
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

    fn oldest(&self, i: usize) -> u64 {
        self.row(i).iter().min().map_or(0, |version| (*version).into())
    }

    fn widened(&self) -> VersionTable<u64> {
        let now: Vec<u64> = self.now.iter().map(|version| (*version).into()).collect();
        VersionTable { nodes: self.nodes, next: vec![0; now.len()], now }
    }

    fn least(&self) -> Vec<u64> {
        let mut rows = self.now.chunks(self.nodes.max(1));
        let mut least = rows.next().unwrap_or_default().to_vec();
        for row in rows {
            dispatch!(wide::level(), simd => keep(simd, &mut least, row, V::min));
        }
        least.into_iter().map(Into::into).collect()
    }

    fn merge(&mut self, graph: &Graph) {
        let (now, nodes) = (&self.now, self.nodes);
        for (i, (next, heard)) in self.next.chunks_mut(nodes.max(1)).zip(graph.heard()).enumerate() {
            next.copy_from_slice(&now[i * nodes..(i + 1) * nodes]);
            for j in heard.into_iter().filter(|j| *j != i) {
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

    fn four(&self, i: usize, blocks: Range<usize>) -> Option<[&[V]; 4]> {
        Some([0, 1, 2, 3].map(|k| &self.row(i + k)[blocks.clone()]))
    }
}

/// Keeps one of both numbers, everywhere.
#[inline(always)]
pub(super) fn keep<S: Simd, V: Version>(_: S, mine: &mut [V], theirs: &[V], of: impl Fn(V, V) -> V) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = of(*mine, *theirs));
}
