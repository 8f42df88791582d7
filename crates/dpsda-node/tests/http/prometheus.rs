//! A strict reader of the text format, version 0.0.4.

use std::collections::{BTreeMap, BTreeSet};

/// Every series as it is written, and its value. Panics where Prometheus would object.
pub fn parse(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n') && !text.contains('\r'));
    let (mut all, mut families) = (BTreeMap::new(), BTreeSet::new());
    let (mut helped, mut family, mut kind) = (String::new(), String::new(), String::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(!help.is_empty() && families.insert(name.to_owned()), "{line}");
            helped = name.to_owned();
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, of) = rest.split_once(' ').unwrap();
            assert!(name == helped && ["gauge", "counter"].contains(&of), "{line}");
            assert_eq!(name.ends_with("_total"), of == "counter", "{line}");
            (family, kind) = (name.to_owned(), of.to_owned());
        } else {
            let (name, rest) = name(line);
            assert_eq!(name, family, "{line}: outside of its family");
            let rest = labels(rest);
            let series = &line[..line.len() - rest.len()];
            let value = rest.strip_prefix(' ').unwrap_or_else(|| panic!("{line}"));
            let value = match value {
                "+Inf" => f64::INFINITY,
                "-Inf" => f64::NEG_INFINITY,
                "NaN" => f64::NAN,
                digits => {
                    assert!(digits.starts_with(|c: char| c.is_ascii_digit() || c == '-'), "{line}");
                    digits.parse().unwrap()
                }
            };
            assert!(kind == "gauge" || value >= 0.0, "{line}");
            assert!(all.insert(series.to_owned(), value).is_none(), "{line}: twice");
        }
    }
    all
}

fn name(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap();
    assert!(end > 0 && !text.starts_with(|c: char| c.is_ascii_digit()), "{text}");
    text.split_at(end)
}

/// The text after the labels.
fn labels(text: &str) -> &str {
    let Some(mut rest) = text.strip_prefix('{') else { return text };
    loop {
        let (_, after) = name(rest);
        let mut chars = after.strip_prefix("=\"").unwrap().char_indices();
        let end = loop {
            match chars.next().unwrap_or_else(|| panic!("no end: {text}")) {
                (at, '"') => break at,
                (_, '\\') => assert!(matches!(chars.next(), Some((_, '\\' | '"' | 'n'))), "{text}"),
                _ => {}
            }
        };
        rest = &after[2 + end + 1..];
        match rest.split_at(1) {
            (",", more) => rest = more,
            ("}", more) => return more,
            _ => panic!("{text}"),
        }
    }
}
