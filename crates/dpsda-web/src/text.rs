//! Values as the words and digits that a reader sees, and how they get into a page.

use serde_json::Value;

/// Text made safe inside HTML elements and quoted attributes. All text that users supply passes here.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are not allowed in XML, and pictures are XML.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Replaces each `{{name}}` by its text, in one pass: text that was filled in is not searched again.
pub fn fill(template: &str, text: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        out.push_str(before);
        out.push_str(&text(name));
        rest = after;
    }
    out + rest
}

/// A setting as a label: `"inf"` is ∞, text is itself, null is a dash.
pub(crate) fn label(value: &Value) -> String {
    match value {
        Value::Null => "–".into(),
        Value::String(s) if s == "inf" => "∞".into(),
        Value::String(s) if s == "-inf" => "−∞".into(),
        Value::String(s) => s.clone(),
        // A whole number, a seed say, keeps every digit however long it is.
        Value::Number(n) if !n.is_f64() => minus(&n.to_string()),
        Value::Number(n) => n.as_f64().map_or_else(|| n.to_string(), plain),
        other => other.to_string(),
    }
}

/// A number as it was set: every digit, no trailing zeros.
fn plain(v: f64) -> String {
    if v != 0.0 && !(1e-4..1e7).contains(&v.abs()) {
        number(v, 6)
    } else {
        format!("{v}").replace('-', "−")
    }
}

/// A number in so many significant digits; far from one, as a power of ten.
pub fn number(v: f64, digits: i32) -> String {
    if v.is_nan() {
        return "not a number".into();
    }
    if v.is_infinite() {
        return if v > 0.0 { "∞".into() } else { "−∞".into() };
    }
    if v == 0.0 || (v.fract() == 0.0 && v.abs() < 1e6) {
        return fixed(v, 0);
    }
    let power = magnitude(v);
    if (-4..6).contains(&power) {
        return fixed(v, digits - 1 - power);
    }
    let whole = format!("{:.*e}", usize::try_from(digits - 1).unwrap_or(0), v);
    let (mantissa, exponent) = whole.split_once('e').unwrap_or((&whole, "0"));
    format!("{}×10{}", minus(mantissa), superscript(exponent))
}

/// `0.2071 ± 0.0032`: the spread in two digits, the value to the same place.
pub(crate) fn spread(v: f64, sd: Option<f64>) -> String {
    match sd {
        Some(sd) if sd.is_finite() && sd > 0.0 && (-5..5).contains(&magnitude(sd)) => {
            let places = 1 - magnitude(sd);
            format!("{} ± {}", fixed(v, places), fixed(sd, places))
        }
        _ => number(v, 4),
    }
}

/// A privacy loss: the shortest number that is not below it and within a thousandth of it. What was asked for as 0.1 and costs
/// 0.099995 is 0.1.
pub(crate) fn price(v: f64) -> String {
    if !(v.is_finite() && v > 0.0) {
        return number(v, 4);
    }
    let digits = (1..=6).find_map(|digits| {
        let unit = 10f64.powi(magnitude(v) + 1 - digits);
        let up = (v / unit * (1.0 - 1e-13)).ceil();
        let near = (up * unit - v) < 1e-3 * v;
        near.then(|| format!("{:.*e}", usize::try_from(digits - 1).unwrap_or(0), up * unit))
    });
    digits.and_then(|digits| digits.parse().ok()).map_or_else(|| number(v, 4), plain)
}

/// A count with its thousands apart: `8,124`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && digits.len() > 3 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// `1 trial`, `3 trials`.
pub fn plural(n: u64, word: &str) -> String {
    format!("{} {word}{}", count(n), if n == 1 { "" } else { "s" })
}

fn fixed(v: f64, places: i32) -> String {
    minus(&format!("{:.*}", usize::try_from(places).unwrap_or(0), v))
}

/// `floor(log10 |v|)`.
fn magnitude(v: f64) -> i32 {
    v.abs().log10().floor() as i32
}

fn minus(text: &str) -> String {
    text.replace('-', "−")
}

pub(crate) fn superscript(exponent: &str) -> String {
    exponent
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            c => c.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(c),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_opens_a_tag_or_closes_an_attribute_survives_escaping() {
        assert_eq!(escape(r#"<b a="x" c='y'>&"#), "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;");
        assert_eq!(escape("a\u{0}b"), "a\u{fffd}b");
    }

    #[test]
    fn numbers_keep_four_digits_and_turn_to_powers_far_from_one() {
        assert_eq!(number(0.207_123, 4), "0.2071");
        assert_eq!(number(-12.345_6, 4), "−12.35");
        assert_eq!(number(60.0, 4), "60");
        assert_eq!(number(1.5e-7, 3), "1.50×10⁻⁷");
        assert_eq!(number(f64::INFINITY, 4), "∞");
    }

    #[test]
    fn a_price_is_short_never_below_and_never_far_above() {
        assert_eq!(
            [0.099_995, 0.999_83, 1.2339, 84.0002, 0.2, 5.0].map(price),
            ["0.1", "1", "1.234", "84.01", "0.2", "5"]
        );
        assert_eq!((price(0.0), price(f64::INFINITY)), ("0".into(), "∞".into()));
        for k in 1..2000 {
            let v = f64::from(k) * 0.003_141_59;
            let shown: f64 = price(v).parse().unwrap();
            assert!(shown >= v * (1.0 - 1e-12) && shown < v * 1.001 + 1e-12, "{v} {shown}");
        }
    }

    #[test]
    fn a_spread_sets_the_last_place_of_its_value() {
        assert_eq!(spread(0.207_123, Some(0.003_21)), "0.2071 ± 0.0032");
        assert_eq!(spread(152.4, Some(31.0)), "152 ± 31");
        assert_eq!(spread(0.5, Some(0.0)), "0.5000");
        assert_eq!(spread(0.5, None), "0.5000");
    }

    #[test]
    fn labels_show_infinity_as_a_sign_and_settings_with_their_own_digits() {
        assert_eq!(label(&"inf".into()), "∞");
        assert_eq!(label(&0.5.into()), "0.5");
        assert_eq!(label(&u64::MAX.into()), u64::MAX.to_string());
        assert_eq!(label(&Value::Null), "–");
        assert_eq!([8, 124, 8124, 1_234_567].map(count), ["8", "124", "8,124", "1,234,567"]);
    }
}
