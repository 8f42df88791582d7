//! Sixes and eights.

use super::*;

#[test]
fn teaches_to_tell_sixes_from_eights_in_20_rounds() {
    let file = "
        rounds = 20
        trials = 2
        problem = { loss = 'logistic', data = 'mnist-68', batch = 100, train = 8000, test = 3769 }
        set = { kind = 'ball', radius = 5.0 }
        network = { nodes = 7, graph = 'paper-fig2' }
        algorithm = { name = 'dpsda-r' }";
    let rows = rows(&load(file, &[]), 0);
    let get = |column: &str| rows[0][column].as_f64().unwrap();
    let (majority, accuracy) = (get("majority_test"), get("accuracy_test_averaged"));
    assert!((0.50..0.53).contains(&majority), "5918 of 11769 are sixes: {majority}");
    assert!(accuracy > 0.95, "{accuracy}");
    assert!(get("comparator_gap") < 1e-3, "{}", get("comparator_gap")); // at the earlier points of a curve
}
