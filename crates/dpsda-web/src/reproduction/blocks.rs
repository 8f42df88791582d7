//! The pieces of a section as HTML. All text is escaped here.

use super::{Block, Statement, Verdict, plot, table};
use crate::{text::escape, toml};

pub(super) fn block(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("<p class=\"prose\">{}</p>\n", escape(text)),
        Block::Figure(figure) => plot::figure(figure),
        Block::Table(found) => table::table(found),
        Block::Statements(list) => statements(list),
        Block::Notes(title, list) => notes(title, list),
        Block::Links(list) => links(list),
        Block::Toml(title, text) => format!(
            "<details class=\"folder\"><summary>{}</summary><div class=\"code\"><pre tabindex=\"0\"><code>{}</code></pre>\
             </div></details>\n",
            escape(title),
            toml::highlight(text)
        ),
    }
}

fn statements(list: &[Statement]) -> String {
    let one = |s: &Statement| {
        let figures: String =
            s.figures.iter().map(|f| format!("<p class=\"note\">{}</p>", escape(f))).collect();
        format!(
            "<div class=\"decided\"><span class=\"verdict {}\">{}</span><div><p>{}</p>{figures}</div></div>\n",
            class(s.verdict),
            s.verdict.word(),
            escape(&s.claim)
        )
    };
    // A list of bare claims is an overview.
    let brief = if list.iter().all(|s| s.figures.is_empty()) { " brief" } else { "" };
    format!("<div class=\"decisions{brief}\">{}</div>\n", list.iter().map(one).collect::<String>())
}

/// What style calls a verdict.
pub(super) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Open => "open",
    }
}

fn notes(title: &str, list: &[(String, String)]) -> String {
    let one = |(term, text): &(String, String)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(term), escape(text))
    };
    let heading = if title.is_empty() { String::new() } else { format!("<h4>{}</h4>", escape(title)) };
    format!("{heading}<dl>{}</dl>\n", list.iter().map(one).collect::<String>())
}

fn links(list: &[(String, String)]) -> String {
    let one = |(name, to): &(String, String)| format!("<a href=\"{}\">{}</a>", escape(to), escape(name));
    format!("<p class=\"note\">{}</p>\n", list.iter().map(one).collect::<Vec<_>>().join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_says_its_verdict_in_words() {
        for (verdict, word) in [
            (Verdict::Holds, ">holds<"),
            (Verdict::Fails, ">does not hold<"),
            (Verdict::Open, ">not decided<"),
        ] {
            let html =
                statements(&[Statement { claim: "a<b".into(), verdict, figures: vec!["1 > 0".into()] }]);
            assert!(html.contains(word) && html.contains("a&lt;b") && html.contains("1 &gt; 0"));
        }
    }
}
