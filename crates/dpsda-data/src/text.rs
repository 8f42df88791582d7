//! Numbers in text files, and quotes for error messages.

/// A finite number, or a message. It does not show the text, which may be private.
pub(super) fn finite(text: &str) -> Result<f64, &'static str> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err("found NaN or infinity, expected a finite number"),
        Err(_) if text.is_empty() => Err("found nothing, expected a number"),
        Err(_) => Err("found text, expected a number"),
    }
}

/// `text` in quotes, escaped and short enough for a message.
pub(super) fn quote(text: &str) -> String {
    const ENOUGH: usize = 40;
    match text.char_indices().nth(ENOUGH) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}...", text.get(..end).unwrap_or_default()),
    }
}

/// The first of `words`, in quotes, and how many more there are.
pub(super) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    const ENOUGH: usize = 12;
    let mut words = words.into_iter();
    let mut text = words.by_ref().take(ENOUGH).map(quote).collect::<Vec<_>>().join(", ");
    match words.count() {
        0 => {}
        more => text += &format!(" and {more} more"),
    }
    text
}

/// The bytes without the byte order mark that some editors put in front of UTF-8.
pub(super) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_finite_or_refused() {
        assert_eq!(finite("-1.5e3"), Ok(-1500.0));
        assert_eq!(finite("nan").unwrap_err(), "found NaN or infinity, expected a finite number");
        assert_eq!(finite("1e999").unwrap_err(), "found NaN or infinity, expected a finite number");
        assert_eq!(finite("").unwrap_err(), "found nothing, expected a number");
        assert_eq!(finite("1,5").unwrap_err(), "found text, expected a number");
    }

    #[test]
    fn messages_stay_short_and_printable() {
        assert_eq!(quote("a\n\u{7}"), r#""a\n\u{7}""#);
        assert_eq!(quote(&"ä".repeat(41)), format!("\"{}\"...", "ä".repeat(40)));
        assert_eq!(list(["a"; 14]), format!("{} and 2 more", [r#""a""#; 12].join(", ")));
    }
}
