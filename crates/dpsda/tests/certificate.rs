//! The certificate against brute force: explicit closures, explicit versions, explicit matrix products.

use dpsda::network::certificate::{Connectivity, certify};
use dpsda::network::weights::{MetropolisWeights, PushSumWeights, UniformWeights, WEIGHTS, matrix, named};
use dpsda::network::{Graph, Topology};
use dpsda::rng::{Purpose, Seed};
use rand::RngExt;

/// Graphs as written, repeated.
struct Table(Vec<Graph>);

impl Topology for Table {
    fn nodes(&self) -> usize {
        self.0[0].nodes()
    }

    fn graph(&self, t: u64) -> Graph {
        self.0[t as usize % self.0.len()].clone()
    }
}

/// 600 random networks of 1 to 6 nodes, from nearly empty to dense, over 1 to 30 rounds.
fn cases() -> impl Iterator<Item = (Table, u64)> {
    (0..600).map(|case| {
        let mut rng = Seed::new(11).stream(Purpose::Data, case, 0);
        let n = rng.random_range(1..=6_usize);
        let rounds = rng.random_range(1..=30_u64);
        let period = rng.random_range(1..=40_usize);
        let p = rng.random::<f64>().powi(3);
        let graph = |_| {
            let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            Graph::of(n, pairs.filter(|_| rng.random::<f64>() < p).collect::<Vec<_>>())
        };
        (Table((0..period).map(graph).collect()), rounds)
    })
}

/// Warshall over the union of the rounds: `reach[i][j]`.
fn closure(table: &Table, directed: bool, rounds: impl Iterator<Item = u64>) -> Vec<Vec<bool>> {
    let n = table.nodes();
    let mut reach: Vec<Vec<bool>> = (0..n).map(|i| (0..n).map(|j| i == j).collect()).collect();
    for t in rounds {
        for (i, j) in table.graph(t).links() {
            reach[i][j] = true;
            reach[j][i] |= !directed;
        }
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    reach
}

fn whole(reach: &[Vec<bool>]) -> bool {
    reach.iter().flatten().all(|r| *r)
}

fn smallest_window(table: &Table, directed: bool, rounds: u64) -> Option<u64> {
    if table.nodes() == 1 {
        return Some(1);
    }
    (1..rounds).find(|b| {
        (1..)
            .take_while(|k| k * b < rounds)
            .all(|k| whole(&closure(table, directed, (k - 1) * b + 1..=k * b)))
    })
}

#[test]
fn the_window_is_the_one_found_by_explicit_closures() {
    let mut found = [0; 3];
    for (table, rounds) in cases() {
        for directed in [true, false] {
            let certificate = certify(&table, None, directed, rounds);
            let expected = smallest_window(&table, directed, rounds);
            assert_eq!(certificate.connectivity.window(), expected, "{:?}, {rounds} rounds", table.0);
            let union = closure(&table, directed, 0..rounds);
            match certificate.connectivity {
                Connectivity::Windows { length, count } => {
                    found[0] += 1;
                    assert_eq!(count, (rounds - 1) / length);
                }
                Connectivity::NoWindow => {
                    found[1] += 1;
                    assert!(whole(&union));
                }
                Connectivity::Never { from, to, components } => {
                    found[2] += 1;
                    assert!(!from.is_empty() && !to.is_empty());
                    assert!(from.iter().all(|i| to.iter().all(|j| !union[*i][*j])));
                    for (i, reached) in union.iter().enumerate() {
                        let own: Vec<_> = components.iter().filter(|c| c.contains(&i)).collect();
                        assert_eq!(own.len(), 1, "every node is in one component");
                        let alike = |j: &usize| reached[*j] && union[*j][i];
                        assert_eq!(*own[0], (0..table.nodes()).filter(alike).collect::<Vec<_>>());
                    }
                }
            }
        }
    }
    assert!(found.iter().all(|f| *f > 5), "all three kinds occur: {found:?}");
}

#[test]
fn the_staleness_is_the_one_of_a_simulated_relay_and_below_its_bound() {
    let mut bounded = 0;
    for (table, rounds) in cases() {
        let n = table.nodes();
        let mut known = vec![vec![0; n]; n];
        let mut worst = 0;
        for t in 0..rounds {
            worst = worst.max(known.iter().flatten().map(|version| t - version).max().unwrap());
            let learned: Vec<Vec<u64>> =
                (0..n).map(|i| (0..n).map(|k| if i == k { t + 1 } else { known[i][k] }).collect()).collect();
            let hears = |i: usize, j: usize| i == j || table.graph(t).out(j).contains(&i);
            let newest =
                |i: usize, k: usize| (0..n).filter(|j| hears(i, *j)).map(|j| learned[j][k]).max().unwrap();
            known = (0..n).map(|i| (0..n).map(|k| newest(i, k)).collect()).collect();
        }
        let certificate = certify(&table, None, true, rounds);
        assert_eq!(certificate.staleness, worst, "{:?}", table.0);
        if let Some(bound) = certificate.staleness_bound() {
            bounded += 1;
            assert!(worst <= bound, "{worst} > {bound}: {:?}", table.0);
        }
    }
    assert!(bounded > 100, "{bounded}");
}

#[test]
fn sums_phi_and_gamma_are_those_of_explicit_products() {
    for (table, rounds) in cases().take(150) {
        let n = table.nodes();
        for (rule, directed) in WEIGHTS.iter().flat_map(|w| [(w, true), (w, false)]) {
            let weights = named(rule.name).unwrap();
            let mixing = certify(&table, Some(&*weights), directed, rounds).mixing.unwrap();
            let mut product: Vec<Vec<f64>> =
                (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
            let (mut rows, mut columns, mut positive, mut gamma) = (vec![], vec![], vec![], f64::INFINITY);
            for t in 0..rounds {
                let graph = table.graph(t);
                let a = matrix(&*weights, &if directed { graph } else { graph.undirected() });
                rows.extend(a.iter().map(|row| row.iter().sum::<f64>()));
                columns.extend((0..n).map(|j| a.iter().map(|row| row[j]).sum::<f64>()));
                positive.extend(a.iter().flatten().copied().filter(|w| *w > 0.0));
                let times = |i: usize, j: usize| (0..n).map(|k| a[i][k] * product[k][j]).sum();
                product = (0..n).map(|i| (0..n).map(|j| times(i, j)).collect()).collect();
                gamma = product.iter().map(|row| row.iter().sum::<f64>()).fold(gamma, f64::min);
            }
            let least = |xs: &[f64]| xs.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = |xs: &[f64]| xs.iter().copied().fold(0.0, f64::max);
            for (what, found, expected) in [
                ("least row", mixing.rows.min, least(&rows)),
                ("largest row", mixing.rows.max, largest(&rows)),
                ("least column", mixing.columns.min, least(&columns)),
                ("largest column", mixing.columns.max, largest(&columns)),
                ("phi", mixing.phi, least(&positive)),
                ("1 - theta", mixing.one_minus_theta, least(&positive) / (4 * n * n) as f64),
                ("gamma", mixing.gamma, gamma),
            ] {
                assert!((found - expected).abs() < 1e-12, "{what} of {}: {found}, not {expected}", rule.name);
            }
        }
    }
}

#[test]
fn a_network_that_never_connects_is_named() {
    let parts = Table(vec![Graph::of(5, [(0, 1), (1, 0), (2, 0), (3, 4)]), Graph::of(5, [(4, 2), (2, 3)])]);
    let certificate = certify(&parts, None, true, 100);
    let Connectivity::Never { from, to, components } = &certificate.connectivity else {
        panic!("{certificate:?}")
    };
    assert_eq!((&from[..], &to[..]), (&[0, 1][..], &[2, 3, 4][..]));
    assert_eq!(components[..], [vec![0, 1], vec![2, 3, 4]]);
    assert_eq!(certificate.staleness, 99);
    let warning = &certificate.warnings()[0];
    assert!(warning.contains("over 100 rounds nodes 0, 1 never reach nodes 2, 3, 4"), "{warning}");
    assert!(certify(&parts, None, false, 100).warnings().is_empty(), "without directions it connects");
}

#[test]
fn links_of_round_0_alone_make_no_window() {
    let mut graphs = vec![Graph::empty(2); 50];
    graphs[0] = Graph::of(2, [(0, 1), (1, 0)]);
    let certificate = certify(&Table(graphs), None, true, 50);
    assert_eq!(certificate.connectivity, Connectivity::NoWindow);
    assert!(certificate.warnings()[0].contains("round 0"));
    assert_eq!(certificate.one_minus_lambda, None);
}

#[test]
fn a_starved_push_sum_scalar_is_warned_about() {
    let drain = Table(vec![Graph::of(2, [(0, 1)]); 60]);
    let certificate = certify(&drain, Some(&PushSumWeights), true, 60).named("push-sum");
    assert_eq!(certificate.mixing.as_ref().unwrap().gamma, 0.5_f64.powi(60));
    assert!(
        certificate.warnings()[1].contains("a push-sum scalar falls to 8.7e-19"),
        "{:?}",
        certificate.warnings()
    );
}

#[test]
fn a_horizon_without_rounds_is_no_accident() {
    let table = Table(vec![Graph::of(3, [(0, 1)])]);
    let certificate = certify(&table, Some(&UniformWeights), true, 0);
    assert!(certificate.mixing.is_none());
    assert!(!certificate.lines().is_empty());
}

#[test]
fn long_and_wide_horizons_are_certified_while_one_waits() {
    let ring = |t: u64| Graph::of(7, (0..7).filter(|_| t == 500).map(|i| (i, (i + 1) % 7)));
    let rare = Table((0..997).map(ring).collect());
    let long = certify(&rare, Some(&PushSumWeights), true, 10_000);
    assert_eq!(long.connectivity.window(), smallest_window_of_rare(10_000));
    let all = Graph::of(64, (0..64).flat_map(|i| (0..64).map(move |j| (i, j))));
    let wide = certify(&Table(vec![all]), Some(&MetropolisWeights), false, 500);
    assert_eq!(
        (wide.connectivity.window(), wide.staleness),
        (Some(1), 0),
        "all is heard in the round before"
    );
}

/// Windows that all hold a round of 500, 1497, 2494, ...
fn smallest_window_of_rare(rounds: u64) -> Option<u64> {
    let holds = |first: u64, last: u64| (first..=last).any(|t| t % 997 == 500);
    (1..rounds).find(|b| (1..=(rounds - 1) / b).all(|k| holds((k - 1) * b + 1, k * b)))
}
