//! Sums over blocks where all versions in use are young: what a block adds then fits into two registers, by age.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{f64x8, u8x64, u64x8};

use super::versions::{VersionRows, VersionTable};
use crate::wide::Eight;

/// How many ages there are.
pub(super) const AGES: usize = 16;
/// How many nodes add up at once: as many as two registers hold.
pub(super) const NODES: usize = 16;
/// How many blocks are read at once.
const CHUNK: usize = 64;
const LANES: usize = 8;

/// Adds what every block adds at the age that a node's version of it has, block by block. `newest` are the newest numbers.
/// False if some version is older, or if registers are too short: sums are then of no use.
#[inline(always)]
pub(super) fn add_young<S: Simd>(
    simd: S,
    versions: &VersionTable<u8>,
    blocks: &Range<usize>,
    newest: &[u8],
    table: &[[Eight; 2]],
    sums: &mut [f64],
) -> bool {
    if size_of::<S::u8s>() < CHUNK {
        return false;
    }
    // Byte `j` of a number, and for block `b` the byte of every node that belongs to it.
    let mut spread = [u8x64::splat(simd, 0); LANES];
    let (mut bytes, mut steps) = ([0; CHUNK], [0; CHUNK]);
    for (b, spread) in spread.iter_mut().enumerate() {
        for k in 0..CHUNK {
            (bytes[k], steps[k]) = ((k / LANES * LANES + b) as u8, (k % LANES) as u8);
        }
        *spread = u8x64::from_slice(simd, &bytes);
    }
    let (steps, mut oldest) = (u8x64::from_slice(simd, &steps), u8x64::splat(simd, 0));
    for (i, sums) in sums.as_chunks_mut::<NODES>().0.iter_mut().enumerate() {
        let Some(rows) = versions.several::<NODES>(i * NODES, blocks) else { return false };
        let (low, high) = sums.split_at_mut(LANES);
        let mut all = [f64x8::from_slice(simd, low), f64x8::from_slice(simd, high)];
        for start in (0..newest.len()).step_by(CHUNK) {
            let some = start..newest.len().min(start + CHUNK);
            let new = chunk(simd, &newest[some.clone()]);
            let mut ages = [[u64x8::splat(simd, 0); LANES]; 2];
            for g in 0..2 {
                for l in 0..LANES {
                    let age = new - chunk(simd, &rows[g * LANES + l][some.clone()]);
                    oldest = oldest.max(age);
                    let twice = age + age;
                    let four = twice + twice;
                    ages[g][l] = (four + four).bitcast(); // a number has eight bytes
                }
                // From eight blocks after eight, per node, to node after node, per eight blocks.
                for _ in 0..3 {
                    let before = ages[g];
                    for k in 0..LANES / 2 {
                        (ages[g][2 * k], ages[g][2 * k + 1]) = before[k].interleave(before[k + LANES / 2]);
                    }
                }
            }
            for (o, eight) in table[some].chunks(LANES).enumerate() {
                for (b, [low, high]) in eight.iter().enumerate() {
                    let (low, high) = (f64x8::from_slice(simd, &low.0), f64x8::from_slice(simd, &high.0));
                    for g in 0..2 {
                        let eights: u8x64<S> = ages[g][o].bitcast();
                        let places = eights.swizzle_dyn(spread[b]) + steps;
                        all[g] += low.concat_swizzle_dyn(high, places);
                    }
                }
            }
        }
        all[0].store_slice(low);
        all[1].store_slice(high);
    }
    oldest.store_slice(&mut bytes);
    bytes.iter().all(|age| usize::from(*age) < AGES)
}

/// These numbers, and then zeros.
#[inline(always)]
fn chunk<S: Simd>(simd: S, numbers: &[u8]) -> u8x64<S> {
    if let Some(all) = numbers.first_chunk::<CHUNK>() {
        return u8x64::from_slice(simd, all);
    }
    let mut all = [0; CHUNK];
    all[..numbers.len()].copy_from_slice(numbers);
    u8x64::from_slice(simd, &all)
}
