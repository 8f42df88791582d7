//! Claims about the network room: laws over its tables, the facts of Fig. 2, and wrong input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

use dpsda::catalog::{Entry, Key};
use dpsda::network::certificate::{Connectivity, certify};
use dpsda::network::view::Undirected;
use dpsda::network::weights::{Columns, WEIGHTS, Weights, matrix};
use dpsda::network::{Context, Graph, TOPOLOGIES, Topology};
use dpsda::{Error, Keys, catalog};

const TRACE: &str = "round,from,to\n0,0,1\n0,1,2\n2,2,0\n5,3,4\n5,4,3\n1,6,5\n";

/// `graph` with `keys` in TOML over `nodes`, files holding `text`; and the keys it asked for.
fn try_build(
    graph: &str,
    keys: &str,
    nodes: usize,
    directed: bool,
    text: &str,
) -> Result<(Box<dyn Topology>, Vec<String>), Error> {
    let table: toml::Table = keys.parse().unwrap();
    let keys = Keys::new("network", &table);
    let context = Context { nodes, directed, seed: 5, read: &|_| Ok(text.to_owned()) };
    let topology = (catalog::find(TOPOLOGIES, "network.graph", graph)?.build)(&keys, &context)?;
    let asked = keys.asked();
    keys.finish().map(|()| (topology, asked))
}

fn build(graph: &str, keys: &str, nodes: usize, directed: bool) -> Box<dyn Topology> {
    try_build(graph, keys, nodes, directed, TRACE).unwrap_or_else(|e| panic!("{e}")).0
}

fn error(graph: &str, keys: &str, nodes: usize, text: &str) -> String {
    try_build(graph, keys, nodes, true, text).err().unwrap().to_string()
}

fn weights(name: &str) -> Box<dyn Weights> {
    (catalog::find(WEIGHTS, "network.weights", name).unwrap().build)()
}

/// What a member cannot do without.
fn needed(name: &str) -> &'static str {
    match name {
        "file" => "path = 'graph.csv'",
        _ => "",
    }
}

fn each_topology(mut claim: impl FnMut(&str, bool, &dyn Topology)) {
    for entry in TOPOLOGIES {
        for directed in [true, false] {
            claim(entry.name, directed, &*build(entry.name, needed(entry.name), 7, directed));
        }
    }
}

fn names(keys: &[Key]) -> Vec<&str> {
    keys.iter().map(|k| k.name).collect()
}

fn has_words<B>(entry: &Entry<B>) {
    assert!(!entry.about.is_empty() && entry.keys.iter().all(|k| !k.about.is_empty()), "{}", entry.name);
}

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
    let dropped = Undirected::new(build("paper-fig2", "", 7, true));
    for t in 0..4 {
        assert_eq!(dropped.graph(t), build("paper-fig2", "", 7, false).graph(t));
    }
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
fn one_node_is_a_network_wherever_it_makes_sense() {
    for entry in TOPOLOGIES.iter().filter(|e| e.name != "paper-fig2") {
        for directed in [true, false] {
            let topology = try_build(entry.name, needed(entry.name), 1, directed, "round,from,to\n");
            let graph = topology.unwrap_or_else(|e| panic!("{e}")).0.graph(3);
            assert_eq!(graph, Graph::empty(1), "{}", entry.name);
            for rule in WEIGHTS {
                assert_eq!(matrix(&*(rule.build)(), &graph), [[1.0]], "{}", rule.name);
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

fn sums(rows: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let n = rows.len();
    (rows.iter().map(|r| r.iter().sum()).collect(), (0..n).map(|j| rows.iter().map(|r| r[j]).sum()).collect())
}

fn all_one(sums: &[f64]) -> bool {
    sums.iter().all(|s| (s - 1.0).abs() < 1e-12)
}

#[test]
fn weights_sum_to_one_wherever_their_rule_says_so() {
    each_topology(|name, directed, topology| {
        for rule in WEIGHTS {
            let weights = (rule.build)();
            for t in 0..20 {
                let graph = topology.graph(t);
                let w = matrix(&*weights, &graph);
                let (rows, columns) = sums(&w);
                let at = format!("{} on {name}, directed {directed}, round {t}", rule.name);
                assert!(!weights.row_stochastic() || all_one(&rows), "{at}: rows {rows:?}");
                let promised = match weights.column_stochastic() {
                    Columns::Always => true,
                    Columns::Undirected => !directed,
                    Columns::No => false,
                };
                assert!(!promised || all_one(&columns), "{at}: columns {columns:?}");
                for (i, row) in w.iter().enumerate() {
                    for (j, weight) in row.iter().enumerate() {
                        let heard = i == j || graph.out(j).contains(&i);
                        assert_eq!(*weight > 0.0, heard, "{at}: weight {weight} of {j} at {i}");
                    }
                }
            }
        }
    });
}

#[test]
fn weights_are_the_ones_of_the_design_on_small_graphs() {
    let graph = Graph::of(3, [(0, 1), (0, 2), (1, 2)]);
    let third = 1.0 / 3.0;
    assert_eq!(
        matrix(&*weights("uniform"), &graph),
        [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [third, third, third]]
    );
    assert_eq!(
        matrix(&*weights("push-sum"), &graph),
        [[third, 0.0, 0.0], [third, 0.5, 0.0], [third, 0.5, 1.0]]
    );
    let path = matrix(&*weights("metropolis"), &Graph::of(3, [(0, 1), (1, 2)]).undirected());
    let rest = 1.0 - third;
    assert_eq!(path, [[rest, third, 0.0], [third, rest - third, third], [0.0, third, rest]]);
}

#[test]
fn fig_2_has_the_links_of_the_authors_matrices() {
    let fig2 = build("paper-fig2", "", 7, true);
    // As printed in the paper's numbering, nodes from 1.
    let printed =
        ["3->6 3->7 4->3 5->3 5->6 6->4 7->5", "1->2 3->2", "1->3 2->3 4->5 4->7 5->6 6->4 7->5", "2->1"];
    for t in 0..12 {
        let links: Vec<_> = fig2.graph(t).links().map(|(i, j)| format!("{}->{}", i + 1, j + 1)).collect();
        assert_eq!(links.join(" "), printed[t as usize % 4], "round {t}");
    }
}

#[test]
fn uniform_weights_on_fig_2_have_the_column_sums_of_the_errata() {
    let fig2 = build("paper-fig2", "", 7, false);
    let (_, columns) = sums(&matrix(&*weights("uniform"), &fig2.graph(0)));
    for (sum, expected) in columns.iter().zip([1.0, 1.0, 1.37, 0.78, 1.03, 1.03, 0.78]) {
        assert!((sum - expected).abs() < 0.005, "{columns:?}");
    }
}

#[test]
fn fig_2_is_4_strongly_connected_as_the_paper_says() {
    let fig2 = build("paper-fig2", "", 7, true);
    let certificate = certify(&*fig2, Some(&*weights("push-sum")), true, 500);
    assert_eq!(certificate.connectivity, Connectivity::Windows { length: 4, count: 124 });
    assert!(certificate.mixing.as_ref().unwrap().columns.is_one());
    assert!((certificate.one_minus_lambda.unwrap() / (7f64.powi(-28) / 4.0) - 1.0).abs() < 1e-12);
    assert_eq!(certificate.staleness_bound(), Some(27));
    assert!(certificate.staleness <= 27);
    assert_eq!(certificate.warnings(), Vec::<String>::new());
    let text = |label: &str| certificate.lines().into_iter().find(|l| l.0 == label).unwrap().1;
    assert!(text("1 - lambda").starts_with("5.4e-25 "), "{}", text("1 - lambda"));
    assert_eq!(text("column sums"), "1 to 1");
    assert_eq!(text("strongly connected in every window of"), "4 rounds (B; 124 whole windows)");
    assert!(text("staleness of relay").ends_with("rounds (at most nB - 1 = 27)"));
}

#[test]
fn uniform_weights_on_fig_2_are_warned_about_with_their_column_sums() {
    let fig2 = build("paper-fig2", "", 7, false);
    let warn = |rule| certify(&*fig2, Some(&*weights(rule)), false, 60).named(rule).warnings();
    let [warning] = &warn("uniform")[..] else { panic!("one warning") };
    assert_eq!(
        warning,
        "network.weights = \"uniform\": columns sum to 0.78..1.37, Lemma 2(a) needs 1 (use \"metropolis\")"
    );
    assert!(warn("metropolis").is_empty());
}

#[test]
fn the_simple_graphs_are_what_their_names_say() {
    let links =
        |graph, keys, n, directed| build(graph, keys, n, directed).graph(0).links().collect::<Vec<_>>();
    assert_eq!(links("ring", "", 3, true), [(0, 1), (1, 2), (2, 0)]);
    assert_eq!(links("ring", "", 4, false).len(), 8);
    assert_eq!(links("complete", "", 5, true).len(), 20);
    assert_eq!(links("star", "", 3, true), [(0, 1), (0, 2), (1, 0), (2, 0)]);
    assert_eq!(links("grid", "", 6, true).len(), 14, "2 rows of 3: 4 links across, 3 down, both ways");
    assert_eq!(links("grid", "rows = 1", 6, true).len(), 10);
    assert_eq!(links("grid", "", 7, true), links("grid", "rows = 7", 7, true), "a prime gives a line");
    assert_eq!(links("geometric", "radius = 2", 5, true).len(), 20);
    assert_eq!(links("erdos-renyi", "p = 1", 5, true).len(), 20);
    assert_eq!(links("erdos-renyi", "p = 0", 5, true), []);
}

#[test]
fn one_peer_exponential_reaches_everybody_in_log_n_rounds() {
    for n in 2..20_usize {
        let rounds = n.next_power_of_two().trailing_zeros() as u64;
        let topology = build("exponential", "", n, true);
        let mut known = vec![false; n];
        known[0] = true;
        for t in 0..rounds {
            let graph = topology.graph(t);
            assert!((0..n).all(|i| graph.out(i) == [(i + (1 << t)) % n]), "n = {n}, round {t}");
            let now = known.clone();
            graph.links().filter(|(i, _)| now[*i]).for_each(|(_, j)| known[j] = true);
        }
        assert!(known.iter().all(|k| *k), "n = {n}");
    }
}

#[test]
fn erdos_renyi_has_its_density_with_and_without_directions() {
    let share = |directed| {
        let topology = build("erdos-renyi", "p = 0.3", 20, directed);
        (0..500).map(|t| topology.graph(t).links().count()).sum::<usize>() as f64 / (500.0 * 380.0)
    };
    assert!((share(true) - 0.3).abs() < 0.0065, "190000 coins, 6 standard deviations");
    assert!((share(false) - 0.3).abs() < 0.009, "95000 coins, one a pair, 6 standard deviations");
    let (a, b) = (build("erdos-renyi", "seed = 1", 9, true), build("erdos-renyi", "seed = 2", 9, true));
    assert!((0..5).any(|t| a.graph(t) != b.graph(t)), "the seed matters");
    assert!((1..5).any(|t| a.graph(t) != a.graph(0)), "and so does the round");
}

#[test]
fn moving_nodes_keep_their_links_for_a_while_and_then_change_them() {
    let slow = build("geometric", "speed = 0.001", 12, true);
    let changed = |t: u64, gap: u64| slow.graph(t) != slow.graph(t + gap);
    assert!(
        (0..50).filter(|t| changed(*t, 1)).count() < 25,
        "a thousandth of the square is rarely a new neighbour"
    );
    assert!(changed(0, 300), "three tenths are");
    assert!(
        (1..50).all(|t| build("geometric", "speed = 0", 12, true).graph(t) == slow.graph(0)),
        "same start"
    );
}

#[test]
fn periodic_digraphs_have_their_degree_and_draw_every_peer_alike() {
    let topology = build("periodic", "period = 2000\ndegree = 3", 6, true);
    let mut heard = [0; 6];
    for t in 0..2000 {
        let graph = topology.graph(t);
        assert!((0..6).all(|i| graph.out(i).len() == 3), "round {t}");
        graph.out(2).iter().for_each(|j| heard[*j] += 1);
    }
    assert_eq!(heard[2], 0);
    for count in [0, 1, 3, 4, 5].map(|j| heard[j]) {
        assert!((count as f64 - 1200.0).abs() < 132.0, "{heard:?}: 2000 * 3/5, 6 standard deviations");
    }
}

#[test]
fn a_trace_is_read_as_written_and_repeats() {
    let trace = build("file", "path = 'g.csv'", 7, true);
    assert_eq!(trace.period(), Some(6));
    for t in [0, 6, 600] {
        assert_eq!(trace.graph(t).links().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    }
    assert_eq!(trace.graph(3), Graph::empty(7));
    let longer = build("file", "path = 'g.csv'\nperiod = 8", 7, true);
    assert_eq!((longer.graph(6), longer.graph(8)), (Graph::empty(7), trace.graph(0)));
    let text = "\u{feff}round, from, to\r\n\r\n0, 1, 2\r\n";
    let foreign = try_build("file", "path = 'g.csv'", 7, true, text).unwrap_or_else(|e| panic!("{e}")).0;
    assert_eq!(foreign.graph(0).links().collect::<Vec<_>>(), [(1, 2)]);
}

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
        ("periodic", "degree = 1", 1, "network.degree = 1: one node has nobody to send to (leave it out)"),
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
    let table: toml::Table = "path = 'gone.csv'".parse().unwrap();
    let read = |path: &str| Err(Error::data(path, "no such file"));
    let context = Context { nodes: 7, directed: true, seed: 1, read: &read };
    let entry = catalog::find(TOPOLOGIES, "network.graph", "file").unwrap();
    let found = (entry.build)(&Keys::new("network", &table), &context).err().unwrap();
    assert_eq!(found.to_string(), "gone.csv: no such file");
}
