//! The pieces of a section as HTML. All text is escaped here.

use super::{Block, Cell, Head, Row, Statement, Table, Verdict, plot};
use crate::{text::escape, toml};

pub(super) fn block(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("<p class=\"prose\">{}</p>\n", escape(text)),
        Block::Figure(figure) => plot::figure(figure),
        Block::Table(found) => table(found),
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

fn table(table: &Table) -> String {
    let grouped = table.heads.iter().any(|h| !h.group.is_empty());
    let groups =
        if grouped { format!("<tr class=\"groups\">{}</tr>", groups(&table.heads)) } else { String::new() };
    let heads: String = table
        .heads
        .iter()
        .map(|h| format!("<th scope=\"col\"{}>{}</th>", numbers(h), escape(&h.label)))
        .collect();
    let rows: String = table.rows.iter().map(|r| row(&table.heads, r)).collect();
    format!(
        "<div class=\"wide\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table class=\"sides\">\
         <caption>{0}</caption><thead>{groups}<tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div></div>\n",
        escape(&table.caption)
    )
}

/// Neighbours of one group under one heading.
fn groups(heads: &[Head]) -> String {
    let part = |heads: &[Head]| {
        let name = heads.first().map_or("", |h| &h.group);
        let class = if name.is_empty() { "" } else { " class=\"group\"" };
        format!("<th scope=\"colgroup\" colspan=\"{}\"{class}>{}</th>", heads.len(), escape(name))
    };
    heads.chunk_by(|a, b| a.group == b.group).map(part).collect()
}

fn row(heads: &[Head], row: &Row) -> String {
    let cells: String = heads.iter().zip(&row.cells).map(|(head, cell)| td(head, cell)).collect();
    format!("<tr{}>{cells}</tr>\n", if row.first { " class=\"first\"" } else { "" })
}

fn td(head: &Head, cell: &Cell) -> String {
    let class = match (head.numbers, cell.printed) {
        (true, true) => " class=\"n printed\"",
        (true, false) => " class=\"n\"",
        (false, true) => " class=\"printed\"",
        (false, false) => "",
    };
    let small =
        if cell.small.is_empty() { String::new() } else { format!("<small>{}</small>", escape(&cell.small)) };
    format!("<td{class}>{}{small}</td>", escape(&cell.text))
}

fn numbers(head: &Head) -> &'static str {
    if head.numbers { " class=\"n\"" } else { "" }
}

fn statements(list: &[Statement]) -> String {
    let one = |s: &Statement| {
        let class = match s.verdict {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Open => "open",
        };
        let figures: String =
            s.figures.iter().map(|f| format!("<p class=\"note\">{}</p>", escape(f))).collect();
        format!(
            "<div class=\"decided\"><span class=\"verdict {class}\">{}</span><div><p>{}</p>{figures}</div></div>\n",
            s.verdict.word(),
            escape(&s.claim)
        )
    };
    format!("<div class=\"decisions\">{}</div>\n", list.iter().map(one).collect::<String>())
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
    fn neighbours_of_one_group_share_a_heading_and_cells_keep_their_columns() {
        let head =
            |group: &str, label: &str| Head { group: group.into(), label: label.into(), numbers: true };
        let cell = |text: &str, printed| Cell { text: text.into(), small: "<i>".into(), printed };
        let html = table(&Table {
            caption: "c".into(),
            heads: vec![head("", "level"), head("train", "paper"), head("train", "ours")],
            rows: vec![Row {
                first: true,
                cells: vec![cell("1", false), cell("94.77", true), cell("78", false)],
            }],
        });
        assert!(
            html.contains(
                "colspan=\"1\"></th><th scope=\"colgroup\" colspan=\"2\" class=\"group\">train</th>"
            )
        );
        assert!(html.contains("<td class=\"n printed\">94.77<small>&lt;i&gt;</small></td>"));
    }

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
