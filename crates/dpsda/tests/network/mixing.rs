//! Weights: what each rule says of its sums, and the facts of Fig. 2.

use dpsda::network::Graph;
use dpsda::network::certificate::{Connectivity, certify};
use dpsda::network::weights::{Columns, WEIGHTS, matrix};

use crate::shelf::{build, each_topology, weights};

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
            let weights = weights(rule.name);
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
