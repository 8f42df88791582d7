//! Which version of each block each node has: a number per node and block, as small as the number of rounds allows.

use fearless_simd::{Simd, dispatch};

use crate::network::Graph;
use crate::wide;

/// One row per node.
pub(super) enum Versions {
    /// At most 255 rounds.
    Byte(Table<u8>),
    /// At most 65,535 rounds.
    Short(Table<u16>),
    /// More.
    Long(Table<u64>),
}

/// Numbers of versions, row after row.
pub(super) struct Table<V> {
    nodes: usize,
    now: Vec<V>,
    next: Vec<V>,
}

/// A number of a version.
pub(super) trait Version: Copy + Ord + Default + Into<u64> {
    /// From a number that fits.
    fn of(version: u64) -> Self;
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

impl Version for u64 {
    fn of(version: u64) -> Self {
        version
    }
}

/// The same expression for every width.
macro_rules! with {
    ($versions:expr, $table:ident => $do:expr) => {
        match $versions {
            Versions::Byte($table) => $do,
            Versions::Short($table) => $do,
            Versions::Long($table) => $do,
        }
    };
}
pub(super) use with;

impl Versions {
    /// All have version 0 of every block. There will be at most this many rounds; versions are at most as large.
    pub(super) fn new(nodes: usize, rounds: u64) -> Self {
        match Self::width(rounds) {
            1 => Self::Byte(Table::new(nodes)),
            2 => Self::Short(Table::new(nodes)),
            _ => Self::Long(Table::new(nodes)),
        }
    }

    /// How many bytes a number takes.
    pub(super) fn width(rounds: u64) -> u128 {
        match rounds {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 8,
        }
    }

    /// Node `i` has this version of block `k`.
    pub(super) fn set(&mut self, i: usize, k: usize, version: u64) {
        if let (Self::Byte(_), 0x100..) | (Self::Short(_), 0x1_0000..) = (&*self, version) {
            self.widen(); // more rounds than were announced
        }
        with!(self, table => table.set(i, k, version));
    }

    fn widen(&mut self) {
        let long = |all: Vec<u64>, nodes| Table { nodes, next: vec![0; all.len()], now: all };
        *self = Self::Long(
            with!(self, table => long(table.now.iter().map(|v| (*v).into()).collect(), table.nodes)),
        );
    }

    /// The version of block `k` that node `i` has.
    pub(super) fn of(&self, i: usize, k: usize) -> u64 {
        with!(self, table => table.row(i)[k].into())
    }

    /// Every block in order, with the version that node `i` has.
    pub(super) fn each(&self, i: usize, mut with: impl FnMut(usize, u64)) {
        with!(self, table => table.row(i).iter().enumerate().for_each(|(k, version)| with(k, (*version).into())));
    }

    /// The oldest version that node `i` has of any block.
    pub(super) fn oldest(&self, i: usize) -> u64 {
        with!(self, table => table.row(i).iter().min().map_or(0, |version| (*version).into()))
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

impl<V: Version> Table<V> {
    fn new(nodes: usize) -> Self {
        let all = vec![V::default(); nodes * nodes];
        Self { nodes, next: all.clone(), now: all }
    }

    fn set(&mut self, i: usize, k: usize, version: u64) {
        self.now[i * self.nodes + k] = V::of(version);
    }

    /// The versions that node `i` has.
    pub(super) fn row(&self, i: usize) -> &[V] {
        &self.now[i * self.nodes..(i + 1) * self.nodes]
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

/// Keeps one of both numbers, everywhere.
#[inline(always)]
fn keep<S: Simd, V: Version>(_: S, mine: &mut [V], theirs: &[V], of: impl Fn(V, V) -> V) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = of(*mine, *theirs));
}
