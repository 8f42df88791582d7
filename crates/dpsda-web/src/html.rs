//! Pieces of HTML that several pages share. A parameter `html` or `body` is escaped already; all other text is escaped here.

use crate::{text::escape, toml};

/// A paragraph of text. What stands between backquotes is code.
pub(crate) fn paragraph(class: &str, text: &str) -> String {
    format!("<p{}>{}</p>", attribute(class), coded(&escape(text)))
}

/// Backquotes in pairs become `<code>`; a single one stays.
fn coded(html: &str) -> String {
    let parts: Vec<&str> = html.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html.to_owned();
    }
    let tag =
        |(k, part): (usize, &str)| if k % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() };
    parts.into_iter().enumerate().map(tag).collect()
}

/// The attribute `class`; none without a class.
fn attribute(class: &str) -> String {
    if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") }
}

/// A section with its heading.
pub(crate) fn section(id: &str, title: &str, body: &str) -> String {
    let (id, title) = (escape(id), escape(title));
    format!(
        "<section id=\"{id}\" aria-labelledby=\"h-{id}\"><h2 id=\"h-{id}\">{title}</h2>\n{body}</section>\n"
    )
}

/// Terms and what they mean, as HTML; nothing without a pair.
pub(crate) fn definitions(heading: &str, class: &str, pairs: &[(String, String)]) -> String {
    let lines: String = pairs.iter().map(|(k, v)| format!("<div><dt>{k}</dt><dd>{v}</dd></div>")).collect();
    if lines.is_empty() { lines } else { format!("{heading}<dl{}>{lines}</dl>\n", attribute(class)) }
}

/// A pair of texts for [`definitions`].
pub(crate) fn pair(term: &str, text: &str) -> (String, String) {
    (escape(term), escape(text))
}

/// A table in a box that scrolls.
pub(crate) fn scrolling(label: &str, html: &str) -> String {
    format!(
        "<div class=\"wide\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{html}</div></div>\n",
        escape(label)
    )
}

/// A configuration in colours.
pub(crate) fn configuration(text: &str) -> String {
    format!(
        "<div class=\"code\"><pre tabindex=\"0\" aria-label=\"Configuration\"><code>{}</code></pre></div>",
        toml::highlight(text)
    )
}

/// Something that opens on a click.
pub(crate) fn folded(class: &str, summary: &str, html: &str) -> String {
    format!("<details class=\"{class}\"><summary>{summary}</summary>{html}</details>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_between_backquotes_is_code_and_a_single_backquote_stays() {
        assert_eq!(
            paragraph("", "no `privacy.clip` & no `x`"),
            "<p>no <code>privacy.clip</code> &amp; no <code>x</code></p>"
        );
        assert_eq!(paragraph("note", "a ` b"), "<p class=\"note\">a ` b</p>");
    }
}
