//! The library's values are shown as TOML shows them, so that errors show what stands in the file.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use dpsda::keys::Value;

/// The same value, as TOML has it and as the library has it.
fn both(value: toml::Value) -> (String, String) {
    let shown = value.to_string();
    let table = toml::Table::from_iter([("x".to_owned(), value)]);
    (shown, dpsda_config::neutral(&table).unwrap()["x"].to_string())
}

fn agree(value: toml::Value) {
    let (theirs, ours) = both(value);
    assert_eq!(ours, theirs);
}

#[test]
fn numbers_and_truths_are_shown_as_toml_shows_them() {
    [true, false].into_iter().for_each(|b| agree(b.into()));
    [0, 1, -1, 42, i64::MIN, i64::MAX].into_iter().for_each(|i| agree(i.into()));
    let floats = [0.0, -0.0, 1.0, -1.5, 5.0, 0.1, 1e-7, 1e15, 1e16, 1e21, 1e300, 5e-324, f64::MAX, f64::MIN];
    floats.into_iter().for_each(|x| agree(x.into()));
    [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN].into_iter().for_each(|x| agree(x.into()));
}

/// Every text of up to four of these characters.
fn texts() -> Vec<String> {
    let letters =
        ["a", " ", "\"", "'", "\\", "\n", "\t", "\r", "\u{1}", "\u{8}", "\u{c}", "\u{7f}", "é", "=", "."];
    let mut all = vec![String::new()];
    let mut longest = all.clone();
    for _ in 0..4 {
        longest = longest.iter().flat_map(|s| letters.iter().map(move |c| format!("{s}{c}"))).collect();
        all.extend(longest.iter().cloned());
    }
    all.extend([
        "\"".repeat(5),
        "'".repeat(5),
        "it's \"\"\"\n".into(),
        "'''\"\"\"\n\\".into(),
        "dpsda-r".into(),
    ]);
    all
}

#[test]
fn texts_are_quoted_as_toml_quotes_them() {
    texts().into_iter().for_each(|text| agree(text.into()));
}

#[test]
fn keys_are_quoted_as_toml_quotes_them() {
    for text in texts() {
        agree(toml::Value::Table(toml::Table::from_iter([(text, 1.into())])));
    }
}

#[test]
fn lists_and_tables_are_written_in_one_line() {
    for text in [
        "x = []",
        "x = [1, 2.5, 'a', true, [], [[1]], {}]",
        "x = {}",
        "x = { a = 1 }",
        "x = { b = [1, { c = 'd' }], a = { e = {} } }",
        "[x]\nz = 1\ny = inf\n[x.w]\nv = 'a b'",
        "[[x]]\na = 1\n[[x]]\nb = 2.0",
    ] {
        let mut table: toml::Table = text.parse().unwrap();
        agree(table.remove("x").unwrap());
    }
}

#[test]
fn a_date_is_refused_with_its_key_wherever_it_stands() {
    for (text, key) in [
        ("a = 1979-05-27", "a"),
        ("[a]\nb = 07:32:00", "a.b"),
        ("a = [1, 1979-05-27T07:32:00Z]", "a[1]"),
        ("a = [{ b = 1979-05-27 }]", "a[0].b"),
    ] {
        let error = dpsda_config::table(text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{key} = ")) && error.contains("no key holds a date"), "{error}");
    }
}

#[test]
fn what_is_no_toml_is_an_error_with_its_place() {
    let error = dpsda_config::table("a = ").unwrap_err().to_string();
    assert!(error.contains("line 1"), "{error}");
    assert_eq!(dpsda_config::table("a = 1").unwrap()["a"], Value::Integer(1));
}
