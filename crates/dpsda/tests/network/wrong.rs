//! Wrong keys and traces.

use dpsda::network::{
    Complete, Context, Cycle, EdgeList, ErdosRenyi, Exponential, Geometric, Graph, GridNetwork, Periodic,
    Ring, Star, TOPOLOGIES, Topology, Varying,
};
use dpsda::rng::Seed;
use dpsda::{Error, Keys, catalog};

use crate::shelf::{TRACE, error};

#[test]
fn wrong_keys_name_the_key_the_value_and_a_remedy() {
    for (graph, keys, nodes, words) in [
        ("paper-fig2", "", 8, "network.nodes = 8: the graph of Fig. 2 has 7 nodes (use nodes = 7"),
        ("grid", "rows = 4", 6, "network.rows = 4: expected a divisor of the 6 nodes"),
        ("grid", "rows = 0", 6, "network.rows = 0: expected a whole number of at least 1"),
        ("erdos-renyi", "p = 1.5", 6, "network.p = 1.5: expected a probability"),
        ("erdos-renyi", "seed = -1", 6, "network.seed = -1: expected a whole number"),
        ("geometric", "radius = 0", 6, "network.radius = 0: expected a number above 0"),
        ("geometric", "speed = inf", 6, "network.speed = inf: expected a finite number"),
        (
            "periodic",
            "degree = 6",
            6,
            "network.degree = 6: with 6 nodes each has 5 others to send to (use at most 5)",
        ),
        (
            "periodic",
            "degree = 1",
            1,
            "network.degree = 1: a single node has no other to send to (its degree is 0",
        ),
        ("periodic", "period = 0", 6, "network.period = 0: expected a whole number of at least 1"),
        ("file", "", 6, "`network.path` is missing: graph = \"file\" needs"),
        ("file", "path = 'g.csv'\nperiod = 5", 7, "network.period = 5: the last round of g.csv is 5"),
        ("rings", "", 6, "did you mean `ring`?"),
        ("ring", "rows = 2", 6, "unknown key `network.rows`"),
    ] {
        let found = error(graph, keys, nodes, TRACE);
        assert!(found.contains(words), "{graph}, {keys}: {found}");
    }
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let seed = Seed::new(1);
    for (error, words) in [
        (Ring::new(0).err(), "nodes = 0: expected 1 to 1048576 nodes"),
        (Complete::new(0).err(), "nodes = 0"),
        (Star::new(usize::MAX).err(), "nodes = 18446744073709551615: expected 1 to"),
        (Exponential::new(0).err(), "nodes = 0"),
        (GridNetwork::new(0, 3).err(), "rows x columns = 0 x 3: expected 1 to 1048576 nodes"),
        (GridNetwork::new(usize::MAX, 3).err(), "rows x columns"),
        (ErdosRenyi::new(3, f64::NAN, seed).err(), "p = NaN: expected a probability, 0 to 1"),
        (Geometric::new(3, f64::NAN, 0.0, seed).err(), "radius = NaN: expected a number above 0"),
        (Geometric::new(3, 0.1, -1.0, seed).err(), "speed = -1: expected a finite number of at least 0"),
        (Periodic::new(3, 0, 1, seed).err(), "period = 0: expected at least 1 round"),
        (Periodic::new(3, 4, 0, seed).err(), "degree = 0: no node would hear another (use 1 to 2)"),
        (Periodic::new(3, 4, 3, seed).err(), "degree = 3: with 3 nodes each has 2 others"),
        (
            EdgeList::parse("round,from,to\n4,0,1", 2, Some(2)).err(),
            "period = 2: the last round of edge list is 4",
        ),
        (EdgeList::parse("", 2, None).err(), "edge list: the file is empty"),
        (Graph::new(2, [(2, 0)]).err(), "links = 2 -> 0: there is no node 2: the 2 nodes are 0 to 1"),
        (Graph::new(0, []).err(), "nodes = 0"),
        (Cycle::new(vec![]).err(), "graphs = []: expected at least one graph"),
        (Varying::new(2, |_| Graph::empty(2)).unwrap().repeating(0).err(), "rounds = 0: expected at least 1"),
    ] {
        let error = error.expect(words).to_string();
        assert!(error.starts_with(words), "{error}");
    }
    assert!(Periodic::new(1, 4, 0, seed).is_ok());
}

#[test]
fn a_link_to_a_node_that_does_not_exist_is_an_error_or_dropped_where_no_error_is_possible() {
    for link in [(0, 3), (3, 0), (usize::MAX, 1)] {
        assert!(Graph::new(3, [(0, 1), link]).is_err(), "{link:?}");
        assert_eq!(Graph::of(3, [(0, 1), link]), Graph::new(3, [(0, 1)]).unwrap(), "{link:?}");
    }
    assert_eq!(Graph::empty(2).out(2), [0; 0]);
}

#[test]
fn a_function_whose_graphs_change_size_is_cut_and_filled() {
    let growing =
        Varying::new(3, |t| Graph::of(3 + t as usize % 3, [(0, 2 + t as usize % 3), (1, 0)])).unwrap();
    assert_eq!(growing.graph(0).links().collect::<Vec<_>>(), [(0, 2), (1, 0)]);
    assert_eq!(growing.graph(1).links().collect::<Vec<_>>(), [(1, 0)]);
    let shrinking = Varying::new(3, |t| Graph::empty(if t == 0 { 3 } else { 1 })).unwrap();
    assert_eq!(shrinking.graph(1), Graph::empty(3));
}

#[test]
fn a_malformed_trace_names_file_line_and_column() {
    for (text, words) in [
        ("", "g.csv: the file is empty"),
        (" \n\n", "g.csv: the file is empty"),
        ("round,from,to\n", "g.csv: no link after the header"),
        ("from,to\n0,1\n", "g.csv, line 1, column 1: expected the header round,from,to, found \"from,to\""),
        (
            "round,from,to\n0,1,2\n0,x,2\n",
            "g.csv, line 3, column 2 (from): expected a whole number from 0, found \"x\"",
        ),
        ("round,from,to\n-1,1,2\n", "g.csv, line 2, column 1 (round): expected a whole number"),
        (
            "round,from,to\n\n0,1\n",
            "g.csv, line 3, column 3 (to): expected three values round,from,to, found 2",
        ),
        ("round,from,to\n0,1,2,3\n", "g.csv, line 2, column 4: expected three values round,from,to, found 4"),
        (
            "round,from,to\n0,1,7\n",
            "g.csv, line 2, column 3 (to): there is no node 7: the 7 nodes are 0 to 6",
        ),
        ("round,from,to\n18446744073709551615,1,2\n", "g.csv, line 2, column 1 (round)"),
    ] {
        let found = error("file", "path = 'g.csv'", 7, text);
        assert!(found.contains(words), "{text:?}: {found}");
    }
    let table = dpsda_config::table("path = 'gone.csv'").unwrap();
    let read = |path: &str| Err(Error::data(path, "no such file"));
    let context = Context { nodes: 7, seed: Seed::new(1), read: &read };
    let entry = catalog::find(TOPOLOGIES, "network.graph", "file").unwrap();
    let found = (entry.build)(&Keys::new("network", &table), &context).err().unwrap();
    assert_eq!(found.to_string(), "gone.csv: no such file");
}
