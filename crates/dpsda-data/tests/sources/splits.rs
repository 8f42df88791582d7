//! How many samples and rounds.

use super::*;

/// Ten samples of one feature.
fn ten() -> Box<dyn Source> {
    libsvm("", &"1 1:1\n".repeat(10)).unwrap()
}

#[test]
fn fill_in_what_was_left_out() {
    let ten = ten();
    let of = |train, test, rounds, batch| split_of(&*ten, train, test, rounds, batch).unwrap();
    assert_eq!(of(None, 0, None, 1), Split { train: 10, test: 0, rounds: 10 });
    assert_eq!(of(None, 0, None, 3), Split { train: 10, test: 0, rounds: 3 });
    assert_eq!(of(None, 4, None, 2), Split { train: 6, test: 4, rounds: 3 });
    assert_eq!(of(Some(5), 4, None, 5), Split { train: 5, test: 4, rounds: 1 });
    assert_eq!(of(Some(6), 4, Some(2), 2), Split { train: 6, test: 4, rounds: 2 });
}

#[test]
fn of_drawn_data_reach_as_far_as_they_are_told() {
    let drawn = build("synthetic-regression", "", b"").unwrap();
    let of = |train, test, rounds, batch| split_of(&*drawn, train, test, rounds, batch);
    assert_eq!(of(None, 7, Some(500), 3), Ok(Split { train: 1500, test: 7, rounds: 500 }));
    assert_eq!(of(Some(100), 7, None, 3), Ok(Split { train: 100, test: 7, rounds: 33 }));
    assert_eq!(of(Some(100), 7, Some(10), 3), Ok(Split { train: 100, test: 7, rounds: 10 }));
    fails(
        of(None, 7, None, 1),
        "`rounds` is missing: drawn data have no size of their own (say how many rounds, e.g. rounds = 500)",
    );
    fails(
        of(Some(100), 0, Some(34), 3),
        "rounds = 34: the 100 samples to learn from give 33 rounds of 3 in one pass (use at most 33, or leave it out for all of them)",
    );
    fails(
        of(None, 0, Some(100_000_000), 1),
        "rounds = 100000000: 100000000 samples of 21 features would be drawn (use at most 51130563)",
    );
    fails(
        of(None, usize::MAX, Some(1), 1),
        "problem.test = 18446744073709551615: 18446744073709551616 samples of 21 features would be drawn (use at most 51130563)",
    );
    fails(
        of(None, 0, Some(u64::MAX), 2),
        "rounds = 18446744073709551615: 18446744073709551615 rounds of 2 samples are more than can be counted (use fewer)",
    );
}

#[test]
fn beyond_the_data_say_how_far_they_reach() {
    let ten = ten();
    let of = |train, test, rounds, batch| split_of(&*ten, train, test, rounds, batch);
    fails(
        of(None, 4, Some(4), 2),
        "rounds = 4: the 6 samples to learn from beside the 4 held out give 3 rounds of 2 in one pass \
         (use at most 3, or leave it out for all of them)",
    );
    fails(of(Some(11), 0, None, 1), "problem.train = 11: the data have 10 samples (use at most 10)");
    fails(
        of(Some(8), 4, None, 1),
        "problem.train = 8: problem.test = 4 leaves 6 of the 10 samples (use at most 6)",
    );
    fails(
        of(None, 10, None, 1),
        "problem.test = 10: the data have 10 samples, and some must be left to learn from (use at most 9)",
    );
    assert!(of(Some(usize::MAX), usize::MAX, None, 1).is_err());
    fails(
        of(None, 4, None, 7),
        "problem.batch = 7: there are 6 samples to learn from beside the 4 held out (use at most 6)",
    );
    for (train, rounds, batch, key) in
        [(None, None, 0, "problem.batch"), (Some(0), None, 1, "problem.train"), (None, Some(0), 1, "rounds")]
    {
        fails(of(train, 0, rounds, batch), &format!("{key} = 0: expected a whole number of at least 1"));
    }
}
