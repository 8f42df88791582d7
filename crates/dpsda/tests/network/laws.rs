//! Laws over the table of topologies.

use std::sync::Arc;

use dpsda::network::certificate::certify;
use dpsda::network::weights::{WEIGHTS, Weights, matrix};
use dpsda::network::{Graph, Ring, TOPOLOGIES, Topology};

use crate::shelf::{TRACE, build, each_topology, has_words, names, needed, try_build, weights};

#[test]
fn every_member_lists_exactly_the_keys_it_reads() {
    for entry in TOPOLOGIES {
        has_words(entry);
        let (_, asked) =
            try_build(entry.name, needed(entry.name), 7, true, TRACE).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(asked, names(entry.keys), "{}", entry.name);
    }
    WEIGHTS.iter().for_each(has_words);
}

#[test]
fn every_topology_is_a_pure_function_of_the_round() {
    each_topology(|name, directed, topology| {
        let forward: Vec<Graph> = (0..40).map(|t| topology.graph(t)).collect();
        let again = build(name, needed(name), 7, directed);
        for t in (0..40).rev() {
            assert_eq!(again.graph(t), forward[t as usize], "{name}, round {t}");
            assert_eq!(topology.graph(t), forward[t as usize], "{name}, round {t}");
        }
        assert_eq!(topology.graph(u64::MAX), again.graph(u64::MAX), "{name}");
    });
}

#[test]
fn graphs_have_their_nodes_in_order_and_no_self_loops() {
    each_topology(|name, _, topology| {
        assert_eq!(topology.nodes(), 7, "{name}");
        for t in 0..40 {
            let graph = topology.graph(t);
            assert_eq!(graph.nodes(), 7, "{name}");
            for i in 0..7 {
                assert!(graph.out(i).is_sorted_by(|a, b| a < b), "{name}, round {t}");
                assert!(graph.out(i).iter().all(|j| *j != i && *j < 7), "{name}, round {t}");
            }
        }
    });
}

#[test]
fn undirected_topologies_are_symmetric() {
    each_topology(|name, directed, topology| {
        for t in (0..40).filter(|_| !directed) {
            assert_eq!(topology.graph(t), topology.graph(t).undirected(), "{name}, round {t}");
        }
    });
    each_topology(|name, directed, topology| {
        let dropped = build(name, needed(name), 7, false);
        for t in (0..40).filter(|_| directed) {
            assert_eq!(dropped.graph(t), topology.undirected(t), "{name}, round {t}");
            assert_eq!(dropped.undirected(t), topology.undirected(t), "{name}, round {t}");
        }
    });
}

#[test]
fn a_period_that_is_told_is_kept() {
    let mut told = 0;
    each_topology(|name, _, topology| {
        if let Some(period) = topology.period() {
            told += 1;
            (0..20)
                .for_each(|t| assert_eq!(topology.graph(t), topology.graph(t + period), "{name}, round {t}"));
        }
    });
    assert_eq!(told, 2 * (TOPOLOGIES.len() - 2), "all but the one drawn anew and the one that moves");
}

#[test]
fn a_pointer_to_a_topology_or_a_rule_is_that_one() {
    let graph = Ring::new(4).unwrap().graph(0);
    for entry in TOPOLOGIES {
        let one = build(entry.name, needed(entry.name), 7, true);
        let shared: Arc<dyn Topology> = build(entry.name, needed(entry.name), 7, true).into();
        let facts = |topology: &dyn Topology| {
            (
                topology.nodes(),
                topology.period(),
                [0, 3, 9].map(|t| (topology.graph(t), topology.undirected(t))),
            )
        };
        assert_eq!(facts(&*one), facts(&one), "{}", entry.name);
        assert_eq!(facts(&*one), facts(&shared), "{}", entry.name);
    }
    for rule in WEIGHTS {
        let (one, shared) = (weights(rule.name), Arc::<dyn Weights>::from(weights(rule.name)));
        let [me, other] = [1, 2].map(|i| graph.degrees()[i]);
        let facts = |rule: &dyn Weights| {
            let said =
                (rule.name().to_owned(), rule.on_grid(), rule.row_stochastic(), rule.column_stochastic());
            (matrix(rule, &graph), rule.share(me, other), said)
        };
        assert_eq!(facts(&*one), facts(&one), "{}", rule.name);
        assert_eq!(facts(&*one), facts(&shared), "{}", rule.name);
        assert_eq!(one.name(), rule.name, "a rule is called as its entry");
    }
}

#[test]
fn one_node_is_a_network_wherever_it_makes_sense() {
    for entry in TOPOLOGIES.iter().filter(|e| e.name != "paper-fig2") {
        for directed in [true, false] {
            let topology = try_build(entry.name, needed(entry.name), 1, directed, "round,from,to\n");
            let graph = topology.unwrap_or_else(|e| panic!("{e}")).0.graph(3);
            assert_eq!(graph, Graph::empty(1), "{}", entry.name);
            for rule in WEIGHTS {
                assert_eq!(matrix(&*weights(rule.name), &graph), [[1.0]], "{}", rule.name);
            }
        }
    }
}

#[test]
fn no_topology_panics_on_few_nodes() {
    for entry in TOPOLOGIES {
        for nodes in 0..10 {
            for keys in ["", "degree = 1", "rows = 2", "p = 1", "radius = inf"] {
                let keys = format!("{}\n{keys}", needed(entry.name));
                if let Ok((topology, _)) = try_build(entry.name, &keys, nodes, true, TRACE) {
                    (0..5).for_each(|t| assert_eq!(topology.graph(t).nodes(), nodes, "{}", entry.name));
                    assert_eq!(certify(&*topology, Some(&*weights("uniform")), true, 5).nodes, nodes);
                }
            }
        }
    }
}
