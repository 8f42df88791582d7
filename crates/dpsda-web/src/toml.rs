//! A little colour for the configuration. It is only a reading aid: text that it does not recognise stays plain.

use crate::text::escape;

/// TOML as HTML: comments, keys, tables, strings and numbers are in spans. The text itself does not change.
pub(crate) fn highlight(toml: &str) -> String {
    toml.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn line(line: &str) -> String {
    let start = line.trim_start();
    if start.starts_with('#') {
        return span("c", line);
    }
    // `[table]`, not the inside of an array such as `[1, 2],`.
    if start.starts_with('[') && start.split('#').next().is_some_and(|s| s.trim_end().ends_with(']')) {
        return span("h", line);
    }
    match line.split_once('=') {
        Some((key, rest)) if !key.contains(['"', '#', '{', '[']) => {
            format!("{}={}", span("k", key), value(rest))
        }
        _ => value(line),
    }
}

/// Strings, numbers and the comment at the end.
fn value(text: &str) -> String {
    let mut html = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (class, length) = match c {
            '#' => ("c", rest.len()),
            '"' | '\'' => ("s", quoted(rest, c)),
            c if c.is_alphanumeric() || matches!(c, '+' | '-') => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && !"+-._:".contains(c));
                ("n", end.unwrap_or(rest.len()))
            }
            c => ("", c.len_utf8()),
        };
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        html.push_str(&if class.is_empty() { escape(token) } else { span(class, token) });
        rest = after;
    }
    html
}

/// The length of a string with its quotes; an open one runs to the end of the line.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return i + 1;
        }
        escaped = c == '\\' && !escaped && quote == '"';
    }
    text.len()
}

fn span(class: &str, text: &str) -> String {
    format!("<span class=\"{class}\">{}</span>", escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text a reader would select and copy.
    fn visible(html: &str) -> String {
        let mut out = String::new();
        let mut tag = false;
        for c in html.chars() {
            match c {
                '<' => tag = true,
                '>' => tag = false,
                c if !tag => out.push(c),
                _ => {}
            }
        }
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .iter()
            .fold(out, |text, (from, to)| text.replace(from, to))
    }

    #[test]
    fn highlighting_never_changes_the_text() {
        for toml in [
            "[privacy]\nlevel = [inf, 1.0, \"a # b\"] # label",
            "a = \"<script>\" # </script>",
            "x = '''open\n\"also \\\" open",
            "[1,\n 2]\n= =\n\u{3bc} = -1e-3é",
            "",
        ] {
            assert_eq!(visible(&highlight(toml)), toml);
        }
    }

    #[test]
    fn keys_tables_strings_numbers_and_comments_are_told_apart() {
        assert_eq!(
            highlight("[a]\nb = \"c\" # d"),
            "<span class=\"h\">[a]</span>\n<span class=\"k\">b </span>= <span class=\"s\">&quot;c&quot;</span> \
             <span class=\"c\"># d</span>"
        );
    }
}
