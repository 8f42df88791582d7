//! Each graph is what its name says.

use dpsda::network::Graph;

use crate::shelf::{build, try_build};

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
