//! The order of a trial.

use super::*;

#[test]
fn of_the_file_is_kept_without_shuffle() {
    let source = csv("label = 'y'", "y,x\n1,0\n1,1\n1,2\n1,3\n1,4\n").unwrap();
    let draw = source.draw(seed(1), 3, 1, false);
    assert_eq!((draw.train, draw.test), (vec![0, 1, 2], vec![3]));
}

#[test]
fn of_a_shuffle_is_uniform() {
    let source = csv("label = 'y'", "y,x\n1,0\n1,1\n1,2\n").unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for trial in 0..6000 {
        *counts.entry(source.draw(seed(trial), 3, 0, true).train).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 6);
    // 1000 each, standard deviation 29
    assert!(counts.values().all(|c: &i32| (c - 1000).abs() < 150), "{counts:?}");
}
