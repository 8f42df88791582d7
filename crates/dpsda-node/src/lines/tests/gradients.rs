use super::*;

#[test]
fn a_gradient_is_a_list_or_an_object_of_positions_in_the_block() {
    for form in [FORM, OWN] {
        for (line, want) in [
            (r#"{"t": 7, "gradient": [0.5, -1e-3]}"#, (vec![0.5, -1e-3], vec![])),
            (r#"{"gradient": {"1": -1e-3, "0": 0.5}, "t": 7}"#, (vec![0.5, -1e-3], vec![])),
            (r#"{"t": 7, "gradient": {"1": 2}, "public": [3, 4]}"#, (vec![0.0, 2.0], vec![3.0, 4.0])),
            (r#"{"t": 7, "public": {}, "gradient": {}}"#, (vec![0.0; 2], vec![0.0; 2])),
        ] {
            match form.read(line.as_bytes()) {
                Ok((Some(7), GivenCost::Gradient { own, public, at: None })) => {
                    assert_eq!((own, public), want, "{line}")
                }
                _ => panic!("{line}"),
            }
        }
    }
    assert!(matches!(
        PROBED.read(br#"{"values": [1.5, -2e300], "t": 0}"#),
        Ok((Some(0), GivenCost::Values { values: [1.5, -2e300], at: None }))
    ));
}

#[test]
fn numbers_of_a_gradient_are_read_to_the_bit() {
    for number in [0.1, 1.0 / 3.0, 2.225_073_858_507_201e-308, 123_456_789.123_456_79, -f64::MAX] {
        let line = format!("{{\"t\": 0, \"gradient\": [{number:?}, {number:e}]}}");
        let Ok((_, GivenCost::Gradient { own, .. })) = OWN.read(line.as_bytes()) else { panic!("{line}") };
        assert!(own.iter().all(|own| own.to_bits() == number.to_bits()), "{line}: {own:?}");
    }
}

#[test]
fn what_is_wrong_with_a_gradient_is_said_with_its_place() {
    let cases = [
        (OWN, r#"{"gradient": [1, 2]}"#, "\"t\" is missing: a gradient or two values name the round"),
        (OWN, r#"{"t": 1, "gradient": [1]}"#, "\"gradient\" has 1 numbers, expected 2"),
        (OWN, r#"{"t": 1, "gradient": [1,2,3]}"#, "\"gradient\" has more than 2 numbers, expected 2"),
        (OWN, r#"{"t": 1, "gradient": [1,2], "public": []}"#, "\"public\" has 0 numbers, expected 2"),
        (OWN, r#"{"t": 1, "gradient": [1,null]}"#, "\"gradient\", number 2 is not a finite number"),
        (OWN, r#"{"t": 1, "gradient": [1,"2"]}"#, "\"gradient\", number 2 is not a finite number"),
        (OWN, r#"{"t": 1, "gradient": [NaN,2]}"#, "(\"gradient\", number 1); JSON has no NaN"),
        (OWN, r#"{"t": 1, "gradient": [1,Infinity]}"#, "(\"gradient\", number 2); JSON has no NaN"),
        (
            OWN,
            r#"{"t": 1, "gradient": [1,1e999]}"#,
            "(\"gradient\", number 2); JSON has no NaN and no infinity, and numbers go up to",
        ),
        (OWN, r#"{"t": 1, "gradient": [-1e999,1]}"#, "(\"gradient\", number 1)"),
        (OWN, r#"{"t": 1, "gradient": [1,1.7976931348623159e308]}"#, "(\"gradient\", number 2)"),
        (OWN, r#"{"t": 1, "gradient": {"1": 1e309}}"#, "(\"gradient\", number 1)"),
        (OWN, r#"{"t": 1, "gradient": {}, "public": [1e999, 1]}"#, "(\"public\", number 1)"),
        (
            OWN,
            r#"{"t": 1, "at": 7, "gradient": [1, 2]}"#,
            "\"at\" is not the 16 hexadecimal digits that /estimate shows",
        ),
        (
            OWN,
            r#"{"t": 1, "at": "0123456789abcdeg", "gradient": {}}"#,
            "\"at\" is not the 16 hexadecimal digits",
        ),
        (OWN, r#"{"t": 1, "at": "0123456789abcdef"}"#, "\"at\" without a gradient or two values"),
        (
            FORM,
            r#"{"t": 1, "at": "0123456789abcdef", "x": [], "y": []}"#,
            "\"at\" without a gradient or two values",
        ),
        (EXAMPLES, r#"{"at": "0123456789abcdef"}"#, "its promise is about examples, so send samples"),
        (OWN, r#"{"t": 1, "gradient": null}"#, "\"gradient\" is not a list of numbers, or an object"),
        (OWN, r#"{"t": 1, "gradient": 7}"#, "\"gradient\" is not a list of numbers, or an object"),
        (OWN, r#"{"t": 1, "gradient": {"2": 1}}"#, "entry 1: its key is not a position in this node's block"),
        (OWN, r#"{"t": 1, "gradient": {"0": 1, "-1": 1}}"#, "entry 2: its key is not a position"),
        (
            OWN,
            r#"{"t": 1, "gradient": {"1": 1, "01": 1}}"#,
            "\"gradient\" names a position in this node's block twice",
        ),
        (OWN, r#"{"t": 1, "gradient": [[1, 2]]}"#, "\"gradient\", number 1 is not a finite number"),
        (OWN, r#"{"t": null, "gradient": [1, 2]}"#, "\"t\" is not a whole number from 0 on"),
        (OWN, r#"{"t": 1, "public": [1, 2]}"#, "\"public\" without \"gradient\""),
        (OWN, r#"{"t": 1, "gradient": [1, 2], "gradient": [1, 2]}"#, "\"gradient\" appears twice"),
        (OWN, r#"{"t": 1}"#, "there is no cost in the line: send \"t\" and a \"gradient\""),
        (
            OWN,
            r#"{"t": 1, "x": [[1, 2, 3]], "y": [1]}"#,
            "\"x\" is not what this run takes: send \"t\" and a",
        ),
        (
            OWN,
            r#"{"t": 1, "values": [1, 2]}"#,
            "\"values\" is not what this run takes: its nodes learn from a",
        ),
        (OWN, r#"{"t": 1, "slope": [1, 2]}"#, "a key other than"),
        (
            FORM,
            r#"{"t": 1, "x": [[1,2,3]], "y": [1], "gradient": [1,2]}"#,
            "\"x\" and \"gradient\" in one line",
        ),
        (FORM, r#"{"t": 1, "public": {}, "y": []}"#, "\"y\" and \"public\" in one line"),
        (EXAMPLES, r#"{"t": 1, "gradient": [1, 2]}"#, "its promise is about examples, so send samples"),
        (
            PROBED,
            r#"{"t": 1, "gradient": [1, 2]}"#,
            "\"gradient\" is not what this run takes: its nodes learn from two",
        ),
        (
            PROBED,
            r#"{"t": 1, "values": [1]}"#,
            "\"values\" has 1 numbers, expected 2, one for each of the two points",
        ),
        (PROBED, r#"{"t": 1, "values": [1, 2, 3]}"#, "\"values\" has more than 2 numbers, expected 2"),
        (PROBED, r#"{"t": 1, "values": {"0": 1}}"#, "\"values\" is not a list of two numbers"),
        (PROBED, r#"{"t": 1, "values": 7}"#, "\"values\" is not a list of two numbers"),
        (PROBED, r#"{"t": 1, "values": [1, 1e999]}"#, "(\"values\", number 2)"),
        (PROBED, r#"{"t": 1, "values": [1, null]}"#, "\"values\", number 2 is not a finite number"),
        (PROBED, r#"{"values": [1, 2]}"#, "\"t\" is missing"),
        (PROBED, r#"{"t": 1}"#, "send \"t\" and two \"values\""),
    ];
    for (form, line, words) in cases {
        let said = wrong_in(form, line);
        assert!(said.contains(words), "{line}: {said}");
    }
}

#[test]
fn a_line_may_name_the_estimate() {
    let digits = "0123456789abcdef";
    let line = format!(r#"{{"at": "{digits}", "t": 7, "gradient": [1, 2]}}"#);
    let Ok((_, GivenCost::Gradient { at: Some(at), .. })) = OWN.read(line.as_bytes()) else {
        panic!("{line}")
    };
    assert_eq!(at.to_string(), digits);
    let line = format!(r#"{{"t": 7, "values": [1, 2], "at": "{digits}"}}"#);
    assert!(
        matches!(PROBED.read(line.as_bytes()), Ok((_, GivenCost::Values { at: Some(same), .. })) if same == at)
    );
}

/// An integer with too many digits is too large, too.
#[test]
fn a_number_of_400_digits_is_refused() {
    let line = format!(r#"{{"t": 1, "gradient": [1{}, 2]}}"#, "0".repeat(400));
    match parse::line(&OWN, line.as_bytes()) {
        Ok(_) => panic!("taken"),
        Err(wrong) => assert!(wrong.to_string().contains("(\"gradient\", number 1)"), "{wrong}"),
    }
}
