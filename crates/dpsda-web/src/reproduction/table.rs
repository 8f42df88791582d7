//! Tables: neighbours under one heading, rows of one subject below one line that names it.

use super::{Cell, Head, Row, Table};
use crate::text::escape;

pub(super) fn table(table: &Table) -> String {
    let subject = subject(table);
    let heads = table.heads.get(subject..).unwrap_or_default();
    let grouped = heads.iter().any(|h| !h.group.is_empty());
    let over = if grouped { format!("<tr class=\"groups\">{}</tr>", groups(heads)) } else { String::new() };
    let below: String =
        heads.iter().map(|h| format!("<th scope=\"col\"{}>{}</th>", numbers(h), escape(&h.label))).collect();
    let mut rows = String::new();
    for (k, found) in table.rows.iter().enumerate() {
        if subject > 0 && (found.first || k == 0) {
            rows += &named(found.cells.get(..subject).unwrap_or_default(), heads.len());
        }
        let cells = found.cells.get(subject..).unwrap_or_default();
        rows += &row(heads, cells, found.first && subject == 0);
    }
    format!(
        "<div class=\"wide\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table class=\"sides\">\
         <caption>{0}</caption><thead>{over}<tr>{below}</tr></thead>\n<tbody>\n{rows}</tbody></table></div></div>\n",
        escape(&table.caption)
    )
}

/// How many columns at the left only say whom a row and those below it are about: in words, and below a first row empty or
/// the same again. They become a line of their own, so that the column that tells rows apart is the one that stays in sight.
fn subject(table: &Table) -> usize {
    let later = || table.rows.iter().skip(1);
    if !table.rows.iter().any(|row| row.first) || later().all(|row| row.first) {
        return 0;
    }
    let only = |k: usize| {
        let said = |row: &Row| row.cells.get(k).map_or(String::new(), |c| format!("{}\n{}", c.text, c.small));
        let mut whom = table.rows.first().map_or(String::new(), said);
        later().all(|row| {
            let here = said(row);
            let follows = here.trim().is_empty() || here == whom;
            if row.first {
                whom = here;
            }
            row.first || follows
        })
    };
    let words = table.heads.iter().take_while(|h| !h.numbers && h.group.is_empty()).count();
    // A column of words is left to tell the rows apart.
    (0..words.saturating_sub(1)).take_while(|k| only(*k)).count()
}

/// The line that names whom the rows below are about.
fn named(cells: &[Cell], columns: usize) -> String {
    let words: Vec<String> = cells.iter().filter(|c| !c.text.is_empty()).map(|c| escape(&c.text)).collect();
    format!(
        "<tr class=\"first whom\"><th scope=\"rowgroup\" colspan=\"{columns}\"><span>{}</span></th></tr>\n",
        words.join(" · ")
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

fn row(heads: &[Head], cells: &[Cell], first: bool) -> String {
    let cells: String = heads.iter().zip(cells).map(|(head, cell)| td(head, cell)).collect();
    format!("<tr{}>{cells}</tr>\n", if first { " class=\"first\"" } else { "" })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn head(group: &str, label: &str, numbers: bool) -> Head {
        Head { group: group.into(), label: label.into(), numbers }
    }

    fn cell(text: &str) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }

    #[test]
    fn neighbours_of_one_group_share_a_heading_and_cells_keep_their_columns() {
        let printed = Cell { text: "94.77".into(), small: "<i>".into(), printed: true };
        let html = table(&Table {
            caption: "c".into(),
            heads: vec![head("", "level", true), head("train", "paper", true), head("train", "ours", true)],
            rows: vec![Row { first: true, cells: vec![cell("1"), printed, cell("78")] }],
        });
        assert!(
            html.contains(
                "colspan=\"1\"></th><th scope=\"colgroup\" colspan=\"2\" class=\"group\">train</th>"
            )
        );
        assert!(html.contains("<td class=\"n printed\">94.77<small>&lt;i&gt;</small></td>"));
    }

    /// A table of two rows; the second says nothing but what is given.
    fn two(second: [&str; 4], first: [bool; 2]) -> String {
        let heads = [("algorithm", false), ("level", false), ("setting", false), ("cost", true)];
        table(&Table {
            caption: "c".into(),
            heads: heads.map(|(label, numbers)| head("", label, numbers)).to_vec(),
            rows: vec![
                Row { first: first[0], cells: ["C", "level <1", "as printed", "2"].map(cell).to_vec() },
                Row { first: first[1], cells: second.map(cell).to_vec() },
            ],
        })
    }

    #[test]
    fn whom_rows_are_about_stands_on_a_line_of_its_own_above_them() {
        let html = two(["", "", "done right", "1"], [true, false]);
        assert!(
            html.contains("<th scope=\"rowgroup\" colspan=\"2\"><span>C · level &lt;1</span></th>"),
            "{html}"
        );
        assert!(html.contains("<tr><th scope=\"col\">setting</th>") && !html.contains(">algorithm<"));
        assert!(html.contains("<td>as printed</td><td class=\"n\">2</td>"));
        assert_eq!(html.matches("<tr").count(), 1 + 1 + 2);
    }

    #[test]
    fn what_is_said_again_in_every_row_is_said_once() {
        let row = |first, who: &str, level: &str| Row { first, cells: [who, level, "1"].map(cell).to_vec() };
        let of = |last: &str| {
            table(&Table {
                caption: "c".into(),
                heads: vec![head("", "algorithm", false), head("", "level", false), head("", "x", true)],
                rows: vec![
                    row(false, "C", "1"),
                    row(false, "C", "2"),
                    row(true, "R", "1"),
                    row(false, last, "2"),
                ],
            })
        };
        let html = of("R");
        assert_eq!((html.matches(">C<").count(), html.matches(">R<").count()), (1, 1), "{html}");
        assert_eq!(html.matches("rowgroup").count(), 2);
        assert!(!of("C").contains("rowgroup"), "not below a line that names another");
    }

    #[test]
    fn a_column_with_something_to_say_in_every_row_stays_a_column() {
        assert!(two(["", "level 2", "done right", "1"], [true, false]).contains("<span>C</span>"));
        for html in [
            two(["R", "", "done right", "1"], [true, false]),
            two(["", "", "done right", "1"], [false, false]),
            two(["R", "level 1", "as printed", "1"], [true, true]),
        ] {
            assert!(html.contains(">algorithm<") && !html.contains("rowgroup"), "{html}");
        }
    }
}
