//! Sections, their pieces and the contents as HTML. All text is escaped here.

use super::{Block, Section, Statement, Table, Verdict, plot};
use crate::{text::escape, toml};

/// The sections as links, each with its verdicts counted.
pub(super) fn contents(sections: &[Section]) -> String {
    let entry = |section: &Section| {
        let count = |(verdict, many): (Verdict, &str)| {
            let n = section.statements().filter(|s| s.verdict == verdict).count();
            let word = if n == 1 { verdict.word() } else { many };
            if n == 0 { String::new() } else { badge(verdict, &format!("{n} {word}")) }
        };
        let words =
            [(Verdict::Holds, "hold"), (Verdict::Fails, "do not hold"), (Verdict::Open, "not decided")];
        format!(
            "<li><a href=\"#{}\">{}</a><span class=\"counts\">{}</span></li>",
            escape(&section.id),
            escape(&section.title),
            words.map(count).concat()
        )
    };
    let entries: String = sections.iter().map(entry).collect();
    if entries.is_empty() { entries } else { format!("<ol class=\"contents\">{entries}</ol>") }
}

pub(super) fn section(section: &Section) -> String {
    let (id, title) = (escape(&section.id), escape(&section.title));
    let body: String = section.blocks.iter().map(block).collect();
    format!(
        "<section id=\"{id}\" aria-labelledby=\"h-{id}\"><h2 id=\"h-{id}\">{title}</h2>\n{body}</section>\n"
    )
}

fn block(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("<p class=\"prose\">{}</p>\n", escape(text)),
        Block::Figure(figure) => plot::figure(figure),
        Block::Table(found) => table(found),
        Block::Statements(list) => statements(list),
        Block::Notes(title, list) => {
            let one = |(term, text): &(String, String)| {
                format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(term), escape(text))
            };
            format!("<h4>{}</h4><dl>{}</dl>\n", escape(title), list.iter().map(one).collect::<String>())
        }
        Block::Links(list) => {
            let one =
                |(name, to): &(String, String)| format!("<a href=\"{}\">{}</a>", escape(to), escape(name));
            format!("<p class=\"note\">{}</p>\n", list.iter().map(one).collect::<Vec<_>>().join(" · "))
        }
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
        let verdict = badge(s.verdict, s.verdict.word());
        format!("<div class=\"decided\">{verdict}<div><p>{}</p>{figures}</div></div>\n", escape(&s.claim))
    };
    // A list of bare claims is an overview.
    let brief = if list.iter().all(|s| s.figures.is_empty()) { " brief" } else { "" };
    format!("<div class=\"decisions{brief}\">{}</div>\n", list.iter().map(one).collect::<String>())
}

fn badge(verdict: Verdict, words: &str) -> String {
    let class = match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Open => "open",
    };
    format!("<span class=\"verdict {class}\">{words}</span>")
}

fn table(table: &Table) -> String {
    let number = |k: usize, rest: &str| match (k > 0, rest) {
        (true, rest) => format!(" class=\"n{rest}\""),
        (false, "") => String::new(),
        (false, rest) => format!(" class=\"{}\"", rest.trim_start()),
    };
    let group = |heads: &[(String, String)]| {
        let name = heads.first().map_or("", |h| &h.0);
        let class = if name.is_empty() { "" } else { " class=\"group\"" };
        format!("<th scope=\"colgroup\" colspan=\"{}\"{class}>{}</th>", heads.len(), escape(name))
    };
    let groups: String = table.heads.chunk_by(|a, b| a.0 == b.0).map(group).collect();
    let over = if table.heads.iter().all(|h| h.0.is_empty()) { String::new() } else { groups };
    let head = |(k, (_, label)): (usize, &(String, String))| {
        format!("<th scope=\"col\"{}>{}</th>", number(k, ""), escape(label))
    };
    let mut rows = String::new();
    for row in &table.rows {
        if let Some(subject) = &row.subject {
            rows += &format!(
                "<tr class=\"first whom\"><th scope=\"rowgroup\" colspan=\"{}\"><span>{}</span></th></tr>\n",
                table.heads.len(),
                escape(subject)
            );
        }
        let cell = |(k, cell): (usize, &super::Cell)| {
            let class = number(k, if cell.printed { " printed" } else { "" });
            let small = format!("<small>{}</small>", escape(&cell.small));
            let small = if cell.small.is_empty() { "" } else { &small };
            format!("<td{class}>{}{small}</td>", escape(&cell.text))
        };
        rows += &format!("<tr>{}</tr>\n", row.cells.iter().enumerate().map(cell).collect::<String>());
    }
    format!(
        "<div class=\"wide\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table class=\"sides\">\
         <caption>{0}</caption><thead>{over}<tr>{below}</tr></thead>\n<tbody>\n{rows}</tbody></table></div></div>\n",
        escape(&table.caption),
        over = if over.is_empty() { over } else { format!("<tr class=\"groups\">{over}</tr>") },
        below = table.heads.iter().enumerate().map(head).collect::<String>(),
    )
}
