mod gradients;

use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, BufReader};

use super::*;
use crate::board::tests::board;
use crate::stream::SampleCost;

const FORM: Form =
    Form { samples: Some(SampleForm { dim: 3, batch: 2, classifies: true }), slope: Some(SLOPE) };
const SLOPE: SlopeForm = SlopeForm { block: 2, two_point: false };
/// Costs that are not losses of samples.
const OWN: Form = Form { samples: None, ..FORM };
const PROBED: Form = Form { samples: None, slope: Some(SlopeForm { two_point: true, ..SLOPE }) };
/// A promise about examples.
const EXAMPLES: Form = Form { slope: None, ..FORM };

fn wrong_in(form: Form, line: &str) -> String {
    match form.read(line.as_bytes()) {
        Ok(_) => panic!("taken: {line}"),
        Err(wrong) => wrong.to_string(),
    }
}

fn wrong(line: &str) -> String {
    wrong_in(FORM, line)
}

fn samples(line: &[u8]) -> (Option<u64>, SampleCost) {
    match FORM.read(line) {
        Ok((round, GivenCost::Samples(cost))) => (round, cost),
        _ => panic!("not samples: {}", String::from_utf8_lossy(line)),
    }
}

#[test]
fn lists_and_objects_say_the_same() {
    let (round, lists) = samples(br#"{"t": 12, "x": [[0.5, 0, 1], [0, -2, 0]], "y": [1, -1]}"#);
    let (none, objects) = samples(br#"{"y":[1,-1.0],"x":[{"2":1,"0":0.5},{"1":-2e0}]}"#);
    assert_eq!((round, none), (Some(12), None));
    for cost in [lists, objects] {
        assert_eq!((cost.rows, &cost.samples.labels), (vec![0, 1], &vec![1.0, -1.0]));
        let dots = [0, 1].map(|row| cost.samples.features.dot(row, &[1.0, 10.0, 100.0]));
        assert_eq!(dots, [100.5, -20.0]);
    }
}

#[test]
fn without_samples_the_cost_is_zero() {
    for line in ["{}", r#"{"x": []}"#, r#"{"x": [], "y": []}"#, r#"{"y": []}"#] {
        let (round, cost) = samples(line.as_bytes());
        assert_eq!((round, cost.rows.len(), cost.samples.labels.len()), (None, 0, 0), "{line}");
    }
    assert!(matches!(FORM.read(br#"{"t": 18446744073709551615}"#), Ok((Some(u64::MAX), _))));
}

#[test]
fn errors_name_the_place_and_what_is_expected() {
    let cases = [
        (r#"{"x": [[1,2,3],[1,2]], "y": [1,1]}"#, "sample 2 has 2 numbers, expected 3"),
        (r#"{"x": [[1,2,3,4]], "y": [1]}"#, "sample 1 has more than 3 numbers, expected 3"),
        (r#"{"x": [[1,"a",3]], "y": [1]}"#, "sample 1, number 2 is not a finite number"),
        (r#"{"x": [[1,null,3]], "y": [1]}"#, "sample 1, number 2 is not a finite number"),
        (r#"{"x": [[1,NaN,3]], "y": [1]}"#, "(sample 1, number 2); JSON has no NaN"),
        (
            r#"{"x": [[1,2,1e999]], "y": [1]}"#,
            "(sample 1, number 3); JSON has no NaN and no infinity, and numbers go up to",
        ),
        (r#"{"x": [{"2": -1e999}], "y": [1]}"#, "(sample 1, number 1)"),
        (r#"{"y": [1e999]}"#, "(label 1)"),
        (r#"{"x": [7], "y": [1]}"#, "sample 1 is not a list of numbers, or an object"),
        (r#"{"x": 7}"#, "\"x\" is not a list of samples"),
        (r#"{"x": [[1,2,3]]}"#, "1 samples in \"x\" and 0 labels in \"y\""),
        (r#"{"x": [[1,2,3]], "y": [1,1]}"#, "1 samples in \"x\" and 2 labels"),
        (r#"{"y": [0]}"#, "label 1 is neither -1 nor 1"),
        (r#"{"y": 1}"#, "\"y\" is not a list of labels"),
        (r#"{"x": [[1,2,3],[1,2,3],[1,2,3]]}"#, "more than 2 samples"),
        (r#"{"y": [1,1,1]}"#, "more than 2 samples"),
        (r#"{"x": [[1,2,3],{"0":1}], "y": [1,1]}"#, "sample 2 is of another kind than the first"),
        (
            r#"{"x": [{"3":1}], "y": [1]}"#,
            "sample 1, entry 1: its key is not a column, a whole number from 0 to 2",
        ),
        (r#"{"x": [{"1":1, "-1":1}], "y": [1]}"#, "sample 1, entry 2: its key is not a column"),
        (r#"{"x": [{"1":1, "01":1}], "y": [1]}"#, "sample 1 names a column twice"),
        (r#"{"x": [{"0":1,"1":1,"2":1,"00":1}], "y": [1]}"#, "sample 1 names a column twice"),
        (r#"{"t": -1}"#, "\"t\" is not a whole number from 0 on"),
        (r#"{"t": 1.5}"#, "\"t\" is not a whole number from 0 on"),
        (r#"{"t": 1, "t": 2}"#, "the key \"t\" appears twice"),
        (r#"{"z": 1}"#, "a key other than \"t\", \"at\", \"x\", \"y\", \"gradient\""),
        ("[1]", "the line is not an object such as"),
        ("{", "not valid JSON from byte 1 on (the line)"),
        ("{} {}", "not valid JSON from byte 4 on (the line)"),
        ("", "not valid JSON"),
    ];
    for (line, words) in cases {
        let said = wrong(line);
        assert!(said.contains(words), "{line}: {said}");
    }
}

#[test]
fn errors_contain_no_value() {
    let secret = ["31415", "2718.5", "\"Ada Lovelace\"", "-31415", "true"];
    for value in secret {
        for line in [
            format!(r#"{{"x": [[1,{value},"x"]], "y": [1]}}"#),
            format!(r#"{{"x": [[{value}]], "y": [1]}}"#),
            format!(r#"{{"x": [{{"0": {value}, "a": 1}}], "y": [1]}}"#),
            format!(r#"{{"x": {value}}}"#),
            format!(r#"{{"y": [{value}]}}"#),
            format!(r#"{{"t": {value}, "t": 1}}"#),
            format!(r#"{{"x": [{value}]"#),
            value.to_owned(),
        ] {
            let said = wrong(&line);
            assert!(!said.contains(value.trim_matches(['"', '-'])), "{line}: {said}");
        }
    }
    for line in [r#"{"31415": 1}"#, r#"{"x": [{"31415": 1}], "y": [1]}"#] {
        assert!(!wrong(line).contains("31415"), "keys are data too");
    }
}

#[test]
fn no_bytes_make_it_panic_and_none_that_fit_are_too_long() {
    let whole = br#"{"t": 12, "x": [{"2":1,"0":0.5},{"1":-2e0}], "y": [1, -1]}"#;
    for cut in 0..whole.len() {
        assert!(FORM.read(&whole[..cut]).is_err());
        for byte in 0..=255 {
            let mut line = whole.to_vec();
            line[cut] = byte;
            let _ = FORM.read(&line);
        }
    }
    let deep = "[".repeat(FORM.longest());
    assert!(FORM.read(deep.as_bytes()).is_err());
    let number = "-2.2250738585072014e-308";
    let row = format!(r#"{{"0": {number}, "1": {number}, "2": {number}}}"#);
    let longest = format!(r#"{{"t": {}, "x": [{row}, {row}], "y": [-1.0, -1.0]}}"#, u64::MAX);
    assert!(FORM.read(longest.as_bytes()).is_ok());
    assert!(wrong(&" ".repeat(FORM.longest() + 1)).contains("longer than"));
    let sized = |dim, batch| Form { samples: Some(SampleForm { dim, batch, classifies: false }), ..FORM };
    assert!(sized(0, 2).read(b"{}").is_err());
    assert_eq!(sized(usize::MAX, 9).longest(), usize::MAX);
    let entry = format!(r#""1": {number}"#);
    let both = format!(r#"{{"t": {}, "gradient": {{{entry}}}, "public": [{number}, {number}]}}"#, u64::MAX);
    assert!(OWN.read(both.as_bytes()).is_ok() && both.len() < OWN.longest());
}

#[tokio::test]
async fn malformed_lines_are_counted_and_the_rest_is_taken_in_order() {
    let long = "x".repeat(10 * FORM.longest());
    let text = format!("{{\"t\": 1}}\nnonsense\n\n{long}\n{{\"t\": 2}}\n{{\"t\": 3}}");
    let (to, mut from) = mpsc::channel(8);
    let board = board();
    read_lines(BufReader::with_capacity(7, text.as_bytes()), FORM, to, board.clone()).await.unwrap();
    let mut rounds = Vec::new();
    while let Some(arrival) = from.recv().await {
        rounds.push(arrival.round);
    }
    assert_eq!(rounds, [Some(1), Some(2), Some(3)]);
    assert_eq!(board.now().stream.malformed, 2);
}

#[tokio::test]
async fn the_writer_waits_for_the_reader_and_stops_when_the_reader_is_gone() {
    let (mut pipe, end) = tokio::io::duplex(64);
    let (to, mut from) = mpsc::channel(1);
    let reading = tokio::spawn(read_lines(BufReader::with_capacity(16, end), FORM, to, board()));
    let mut written = 0;
    while tokio::time::timeout(Duration::from_millis(100), pipe.write_all(b"{}\n")).await.is_ok() {
        written += 1;
        assert!(written < 100, "nothing holds it back");
    }
    assert!(from.recv().await.is_some());
    drop(from);
    let ended = tokio::time::timeout(Duration::from_secs(5), reading).await;
    assert!(ended.expect("it reads for nobody").unwrap().is_ok());
}

/// Every line is accepted or refused. Accepted costs fit the form, and errors quote nothing.
#[test]
fn no_line_makes_it_panic_or_reveal_a_value() {
    use dpsda::rng::{Purpose, Seed};
    use rand::RngExt;
    let mut rng = Seed::default().stream(Purpose::Data, 0, 0);
    let lines: [(Form, &[u8]); 6] = [
        (FORM, br#"{"t": 12, "x": [[0.7315, 0, 7315e-4], [0, -7315, 0]], "y": [1, -1]}"#),
        (FORM, br#"{"y":[1,-1.0],"x":[{"2":7315,"0":0.7315},{"1":-7315e0}]}"#),
        (FORM, br#"{"x": [], "y": [], "t": 18446744073709551615}"#),
        (FORM, br#"{"t": 12, "at": "0123456789abcdef", "gradient": [0.7315, -7315], "public": {"1": 7315}}"#),
        (OWN, br#"{"gradient": {"0": 7315e-4, "1": 0.7315}, "t": 3}"#),
        (PROBED, br#"{"t": 12, "values": [0.7315, -7315]}"#),
    ];
    let words: [&[u8]; 9] =
        [b"{", b"]", b",", b"\"x\":", b"\"public\":", b"1e999", b"NaN", b"\\u0000", b"\xff"];
    let (mut taken, mut refused) = ([0; 3], 0);
    for k in 0..60_000 {
        let (form, whole) = lines[k % lines.len()];
        let mut line = whole.to_vec();
        for _ in 0..rng.random_range(1..5) {
            let at = rng.random_range(0..=line.len());
            match rng.random_range(0..3) {
                0 if at < line.len() => line[at] = rng.random(),
                1 if at < line.len() => drop(line.drain(at..(at + rng.random_range(1..9)).min(line.len()))),
                _ => drop(line.splice(at..at, words[rng.random_range(0..words.len())].iter().copied())),
            }
        }
        match form.read(&line) {
            Ok((_, GivenCost::Samples(cost))) => {
                taken[0] += 1;
                assert!(form.samples.is_some());
                assert!(cost.rows.len() <= 2 && cost.samples.features.dim() == 3);
                let dots = cost.rows.iter().map(|row| cost.samples.features.dot(*row, &[1.0; 3]));
                assert!(
                    dots.into_iter().all(f64::is_finite)
                        && cost.samples.labels.iter().all(|y| y.abs() == 1.0)
                );
            }
            Ok((round, GivenCost::Gradient { own, public, .. })) => {
                taken[1] += 1;
                assert!(round.is_some() && form.slope == Some(SLOPE));
                assert!(own.len() == 2 && (public.is_empty() || public.len() == 2));
                assert!(own.iter().chain(&public).all(|g| g.is_finite()));
            }
            Ok((round, GivenCost::Values { values, .. })) => {
                taken[2] += 1;
                assert!(round.is_some() && form == PROBED && values.iter().all(|value| value.is_finite()));
            }
            Err(wrong) => {
                refused += 1;
                assert!(!wrong.to_string().contains("731"), "{wrong}");
            }
        }
    }
    assert!(taken.iter().all(|taken| *taken > 100) && refused > 20_000, "{taken:?} taken, {refused} refused");
}
