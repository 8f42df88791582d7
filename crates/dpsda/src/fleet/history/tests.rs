//! Very many nodes store their versions in another way, and they are the same versions.

use super::known::Known;
use super::shared::{SharedEstimates, SharedMargins};
use super::sparse::SparseVersions;
use super::versions::{NodeVersions, VersionedRows};
use crate::Blocks;
use crate::features::{Dense, Samples};
use crate::loss::Squared;
use crate::network::{ErdosRenyi, Topology};
use crate::objective::{Batch, BatchRows};
use crate::privacy::{Numbers, Released};
use crate::rng::Seed;
use crate::set::Cuboid;

const NODES: usize = 300; // not a multiple of a chunk

#[test]
fn what_is_left_out_is_zero() {
    let blocks = Blocks::even(NODES + 7, NODES).unwrap();
    let graph = ErdosRenyi::new(NODES, 0.004, Seed::new(2)).unwrap();
    let mut dense = NodeVersions::new(NODES, true);
    let mut sparse =
        NodeVersions { first: vec![0; NODES], rows: VersionedRows::Sparse(SparseVersions::new(NODES)) };
    assert!(matches!(dense.rows, VersionedRows::Byte(_)));
    let mut known = Known::new(&blocks);
    let mut shared = SharedEstimates::new(&known, &vec![0.0; blocks.dim()]);
    let values = (0..9 * blocks.dim()).map(|k| (k as f64 * 0.3).sin()).collect();
    let samples = Samples::new(Dense::new(values, blocks.dim()).unwrap(), vec![0.0; 9]).unwrap();
    let ends: Vec<usize> = blocks.iter().map(|block| block.end).collect();
    let set = Cuboid::new(-2.0, 2.0).unwrap();
    for t in 0..20 {
        for i in (0..NODES).filter(|i| i % 3 != 1 || t > 10) {
            let sum = blocks.range(i).map(|j| (j as f64 + t as f64 * 0.1).cos()).collect();
            known.push(i, &Released(Numbers::Real(sum)));
            let version = dense.of(i, i) + 1;
            dense.set(i, i, version);
            sparse.set(i, i, version);
        }
        dense.merge(&graph.graph(t).heard());
        sparse.merge(&graph.graph(t).heard());
        let least = dense.recount();
        assert_eq!(sparse.recount(), least);
        known.forget(&least);
        for i in 0..NODES {
            assert_eq!(sparse.row(i), dense.row(i), "{t} {i}");
            assert_eq!(sparse.oldest(i), dense.oldest(i), "{t} {i}");
            assert_eq!(sparse.of(i, (7 * i) % NODES), dense.of(i, (7 * i) % NODES), "{t} {i}");
        }
        shared.decide(&known, &set, 0.7);
        for rows in [&[4][..], &[0, 1, 2, 3, 4, 5, 6, 7, 8]] {
            let batch = BatchRows::new(Batch { samples: &samples, rows, loss: &Squared });
            let margins = |versions| match shared.margins(&batch, &ends, versions) {
                SharedMargins::One(sums) => sums,
                SharedMargins::Several(sums) => sums.iter().flat_map(|eight| eight.0).collect(),
            };
            assert_eq!(margins(&sparse), margins(&dense), "{t}");
        }
        let (near, exact) = (shared.disagreement(&sparse), shared.disagreement(&dense));
        assert!(exact > 0.0 && (near - exact).abs() <= 1e-12 * exact, "{t}: {near} and {exact}");
    }
}

#[test]
fn memory_grows_with_what_is_known_where_nodes_are_very_many() {
    let few: u128 = NodeVersions::bytes(4096, 100, Some(&|| unreachable!("few nodes store everything")));
    assert_eq!(few, 2 * 4096 * 4096);
    let ring = NodeVersions::bytes(100_000, 20, Some(&|| 41));
    assert!(ring < 4 << 30 && ring < NodeVersions::bytes(100_000, 20, None) / 4, "{ring}");
    assert!(NodeVersions::bytes(100_000, 20, Some(&|| 100_000)) > 20 << 30);
}
