//! Sums over blocks of what each node's versions of them have in a table.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f64x8};

use super::versions::{Version, VersionRows};
use crate::objective::margins::LANES;
use crate::wide::{self, Eight};

/// How many nodes add up at once.
const SEVERAL: usize = 4;
/// As many numbers are in the first cache.
const NEAR: usize = 1 << 12;
/// At least as many blocks are added at a time.
const BLOCKS: usize = 16;

/// Where the pairs of a block and its versions stand in a table.
#[derive(Clone, Copy)]
pub(super) struct PairPlace(pub(super) usize);

impl PairPlace {
    #[inline(always)]
    pub(super) fn of<V: Version>(self, version: V) -> usize {
        let version: u64 = version.into();
        self.0.wrapping_add(version as usize)
    }
}

/// Adds the number of every pair that a node has, for all nodes from this one on. Several nodes at once, so that their sums do not wait for
/// each other.
pub(super) fn gather<R: VersionRows>(
    versions: &R,
    blocks: &Range<usize>,
    places: &[PairPlace],
    table: &[f64],
    sums: &mut [f64],
    from: usize,
) {
    let mut i = from;
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

/// The sums of the rows of a piece over some blocks, by version, in groups of rows that are side by side.
#[derive(Clone, Copy)]
pub(super) struct AddedRows<'a> {
    pub(super) places: &'a [PairPlace],
    /// For every pair, group by group.
    pub(super) table: &'a [Eight],
    /// How many groups.
    pub(super) groups: usize,
    /// How many groups a node has in all, and which of them the first of these is.
    pub(super) all: usize,
    pub(super) from: usize,
}

impl AddedRows<'_> {
    /// Adds them up for all nodes. The places are of blocks from `first` on.
    #[inline(always)]
    pub(super) fn add<S: Simd, R: VersionRows>(
        self,
        simd: S,
        versions: &R,
        first: usize,
        sums: &mut [Eight],
    ) {
        // As many blocks at a time as have their part of the table in the first cache.
        let pairs = self.table.len() / self.groups.max(1);
        let together = (NEAR * self.places.len() / (2 * LANES * pairs).max(1)).max(BLOCKS);
        for start in (0..self.places.len()).step_by(together) {
            let end = self.places.len().min(start + together);
            let (blocks, some) =
                (first + start..first + end, Self { places: &self.places[start..end], ..self });
            // The compiler multiplies better by a number that it knows.
            match self.groups {
                1 => some.add_groups::<S, R, 1, 1>(simd, versions, &blocks, 0, sums),
                2 => some.add_groups::<S, R, 2, 2>(simd, versions, &blocks, 0, sums),
                groups => {
                    for group in (0..groups).step_by(2) {
                        match groups - group {
                            1 => some.add_groups::<S, R, 1, 0>(simd, versions, &blocks, group, sums),
                            _ => some.add_groups::<S, R, 2, 0>(simd, versions, &blocks, group, sums),
                        }
                    }
                }
            }
        }
    }

    /// The same for `C` groups, of as many as `G` says, if it is not zero.
    #[inline(always)]
    fn add_groups<S: Simd, R: VersionRows, const C: usize, const G: usize>(
        self,
        simd: S,
        versions: &R,
        blocks: &Range<usize>,
        group: usize,
        sums: &mut [Eight],
    ) {
        let nodes = sums.len() / self.all;
        let mut i = 0;
        while i < nodes {
            let of = |i: usize| i * self.all + self.from + group;
            if i + SEVERAL <= nodes
                && let Some(mine) = versions.several::<SEVERAL>(i, blocks)
            {
                let at: [usize; SEVERAL] = [of(i), of(i + 1), of(i + 2), of(i + 3)];
                self.add_nodes::<S, R::Number, SEVERAL, C, G>(simd, mine, group, sums, at);
                i += SEVERAL;
                continue;
            }
            versions.parts(i, blocks.clone(), |part, mine| {
                let some = Self { places: &self.places[part..], ..self };
                dispatch!(wide::level(), simd => some.add_nodes::<_, _, 1, C, G>(simd, [mine], group, sums, [of(i)]));
            });
            i += 1;
        }
    }

    /// The same for `N` nodes, whose sums stand there.
    #[inline(always)]
    fn add_nodes<S: Simd, V: Version, const N: usize, const C: usize, const G: usize>(
        self,
        simd: S,
        mine: [&[V]; N],
        group: usize,
        sums: &mut [Eight],
        at: [usize; N],
    ) {
        let count = self.places.len().min(mine[0].len());
        let mine = mine.map(|mine| &mine[..count]);
        let pairs = self.table.as_chunks::<C>().0;
        let mut all = [[f64x8::splat(simd, 0.0); C]; N];
        for n in 0..N {
            for c in 0..C {
                all[n][c] = f64x8::from_slice(simd, &sums[at[n] + c].0);
            }
        }
        for (k, place) in self.places[..count].iter().enumerate() {
            for n in 0..N {
                let pair = place.of(mine[n][k]);
                if G == C {
                    let from = &pairs[pair];
                    for c in 0..C {
                        all[n][c] += f64x8::from_slice(simd, &from[c].0);
                    }
                } else {
                    let from = &self.table[pair * self.groups + group..][..C];
                    for c in 0..C {
                        all[n][c] += f64x8::from_slice(simd, &from[c].0);
                    }
                }
            }
        }
        for n in 0..N {
            for c in 0..C {
                all[n][c].store_slice(&mut sums[at[n] + c].0);
            }
        }
    }
}
