//! Sections and their pieces as HTML.

use std::collections::BTreeSet;

use dpsda::metric::OverTrials;

use super::book::{BookBlock, BookColumn, BookFigure, BookPanel, BookSection, BookTable};
use super::checks::{Ask, Decided, VERDICTS, verdict};
use super::words::{level, show};
use super::{Findings, Ran, RunRow, curve, rows};
use crate::html::{self, paragraph};
use crate::look::{HUES, dash};
use crate::plot::Pen;
use crate::still::{self, StillFigure, StillLine};
use crate::text::escape;

/// A section as it stands on the page.
#[derive(Clone)]
pub(super) struct PageSection {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) statements: Vec<Decided>,
}

impl PageSection {
    pub(super) fn html(&self) -> String {
        html::section(&self.id, &self.title, &self.body)
    }

    /// How many of its statements have a verdict.
    fn count(&self, holds: Option<bool>) -> usize {
        self.statements.iter().filter(|s| s.holds == holds).count()
    }
}

/// The sections as links, each with its verdicts counted.
pub(super) fn contents(sections: &[PageSection]) -> String {
    let entry = |section: &PageSection| {
        let counts = VERDICTS.map(|holds| match (section.count(holds), verdict(holds)) {
            (0, _) => String::new(),
            (n, [one, many, _]) => badge(holds, &format!("{n} {}", if n == 1 { one } else { many })),
        });
        let (id, title, counts) = (escape(&section.id), escape(&section.title), counts.concat());
        format!("<li><a href=\"#{id}\">{title}</a><span class=\"counts\">{counts}</span></li>")
    };
    format!("<ol class=\"contents\">{}</ol>", sections.iter().map(entry).collect::<String>())
}

fn badge(holds: Option<bool>, words: &str) -> String {
    format!("<span class=\"verdict {}\">{words}</span>", verdict(holds)[2])
}

/// The statements of sections with their figures. An overview has the section's title in place of figures.
fn statements(sections: &[PageSection], overview: bool) -> String {
    let mut list = String::new();
    for section in sections {
        for s in &section.statements {
            let claim = if overview { format!("{}. {}", section.title, s.claim) } else { s.claim.clone() };
            let figures = if overview { &[] } else { &s.figures[..] };
            let figures: String = figures.iter().map(|text| paragraph("note", text)).collect();
            let (verdict, claim) = (badge(s.holds, verdict(s.holds)[0]), paragraph("", &claim));
            list += &format!("<div class=\"decided\">{verdict}<div>{claim}{figures}</div></div>\n");
        }
    }
    format!("<div class=\"decisions{}\">{list}</div>\n", if overview { " brief" } else { "" })
}

impl Findings<'_> {
    /// Every statement of the page at its head.
    pub(super) fn verdicts(&self, sections: &[PageSection]) -> PageSection {
        let [holds, fails, open] = VERDICTS.map(|v| sections.iter().map(|s| s.count(v)).sum::<usize>());
        let text = format!(
            "Of {} statements, the paper's and ours, {holds} hold, {fails} do not, and {open} cannot be decided from these runs.",
            holds + fails + open
        );
        let rule = paragraph("prose", &self.say(&self.book.decide.rule, &[]));
        let body = rule + &paragraph("prose", &text) + &statements(sections, true);
        PageSection { id: "holds".into(), title: "What holds".into(), body, statements: vec![] }
    }

    /// What holds for all of it, at the end.
    pub(super) fn notes(&self) -> PageSection {
        let list: Vec<_> = self.book.note.iter().map(|note| html::pair(&note.term, &note.text)).collect();
        let body = html::definitions("<h4>In all experiments</h4>", "", &list);
        PageSection { id: "everywhere".into(), title: "How to read it".into(), body, statements: vec![] }
    }

    /// A section: its blocks, departures, statements, and the files that no section before it has shown.
    pub(super) fn section(&self, section: &BookSection, shown: &mut BTreeSet<String>) -> PageSection {
        let of = |files: &[String]| -> Vec<&Ran<'_>> {
            self.ran.iter().filter(|ran| files.contains(&ran.part.file)).collect()
        };
        let all = of(&section.targets.iter().flat_map(|target| target.takes.clone()).collect::<Vec<_>>());
        let id = section.targets.first().map_or_else(String::new, |target| target.name.clone());
        let (mut body, mut decided, measures) = (String::new(), Vec::new(), &self.book.measure);
        for BookBlock { files, text, table, figure } in &section.block {
            let ran = if files.is_empty() { all.clone() } else { of(files) };
            if ran.iter().any(|ran| !ran.rows.is_empty()) {
                body.extend(text.iter().map(|text| paragraph("prose", &self.say(text, &ran))));
                body.extend(table.iter().map(|table| self.table(section, table, &ran)));
                body.extend(figure.iter().flat_map(|figure| ran.iter().map(|ran| self.figure(figure, ran))));
            }
        }
        if body.is_empty() {
            body = paragraph("prose", "No experiment of this section was finished.");
        }
        for claim in &section.statement {
            for ran in of(&claim.files) {
                for (column, measure) in claim.by.iter().filter_map(|by| measures.get_key_value(by)) {
                    let ask = Ask { found: self, ran, claim, column, measure };
                    decided.extend(claim.check.iter().map(|check| ask.decide(check)));
                }
            }
        }
        body += &html::definitions("<h4>What was done differently, and why</h4>", "", &self.reasons(&all));
        let mut page = PageSection { id, title: section.title.clone(), body, statements: decided };
        page.body += &statements(std::slice::from_ref(&page), false);
        let new: Vec<_> = all.into_iter().filter(|ran| shown.insert(ran.part.file.clone())).collect();
        let tuned = new.iter().filter_map(|ran| Some(html::pair(&ran.part.file, &ran.part.tuning()?)));
        page.body += &html::definitions("<h4>How steps were chosen</h4>", "", &tuned.collect::<Vec<_>>());
        let link = |ran: &&Ran<'_>| {
            format!("<a href=\"{0}/report.html\">{0}: report with movable curves</a>", escape(&ran.part.file))
        };
        let links = new.iter().map(link).collect::<Vec<_>>().join(" · ");
        page.body += &format!("<p class=\"note\">{links}</p>\n");
        page.body.extend(new.iter().map(|ran| {
            let name = escape(&format!("experiments/paper/{}.toml", ran.part.file));
            html::folded("folder", &name, &html::configuration(ran.text))
        }));
        page
    }

    /// Every departure of some rows once, with its reason.
    fn reasons(&self, ran: &[&Ran<'_>]) -> Vec<(String, String)> {
        let mut seen: Vec<(Vec<String>, String)> = Vec::new();
        let rows = rows(ran.iter().copied());
        for [_, term, why] in rows.flat_map(|(ran, row)| self.book.departures(ran.part, &row.facts)) {
            match seen.iter_mut().find(|(_, other)| *other == why) {
                Some((terms, _)) if terms.contains(&term) => {}
                Some((terms, _)) => terms.push(term),
                None => seen.push((vec![term], why)),
            }
        }
        seen.into_iter().map(|(terms, why)| html::pair(&terms.join(", "), &why)).collect()
    }

    /// One row per experiment, under a line for each algorithm and level; or one row per level, under a line for each algorithm.
    fn table(&self, section: &BookSection, table: &BookTable, ran: &[&Ran<'_>]) -> String {
        let columns: Vec<(&String, &BookColumn)> =
            table.columns.iter().filter_map(|name| self.book.column.get_key_value(name)).collect();
        let by_level = table.columns.iter().any(|name| name == "level");
        let (mut body, mut above, wide) = (String::new(), String::new(), columns.len());
        for algorithm in &self.book.algorithm {
            for (k, at) in self.book.levels.iter().enumerate() {
                let printed = |name: &str| section.printed.get(name)?.get(&algorithm.name)?.get(k);
                let mut here: Vec<_> = rows(ran.iter().copied()).collect();
                here.retain(|(_, row)| row.algorithm == algorithm.name && row.level == *at);
                for (j, (ran, row)) in here.into_iter().enumerate() {
                    let name = algorithm.name.to_uppercase();
                    let subject = if by_level { name } else { format!("{name} · {}", level(*at)) };
                    if above != subject {
                        let span = format!("<span>{}</span>", escape(&subject));
                        let head = format!("<th scope=\"rowgroup\" colspan=\"{wide}\">{span}</th>");
                        body += &format!("<tr class=\"first whom\">{head}</tr>\n");
                    }
                    above = subject;
                    // The paper's number stands in the first of its rows only.
                    let cell = |(name, column): &(&String, &BookColumn)| match name.as_str() {
                        "level" => td("", &level(*at), ""),
                        "setting" => self.setting(ran, row),
                        _ => number(column, printed(&column.printed).filter(|_| j == 0), row),
                    };
                    body += &format!("<tr>{}</tr>\n", columns.iter().map(cell).collect::<String>());
                }
            }
        }
        let group = |of: &[(&String, &BookColumn)]| {
            let name = of.first().map_or("", |(_, column)| &column.group);
            let class = if name.is_empty() { "" } else { " class=\"group\"" };
            format!("<th scope=\"colgroup\" colspan=\"{}\"{class}>{}</th>", of.len(), escape(name))
        };
        let groups: String = columns.chunk_by(|a, b| a.1.group == b.1.group).map(group).collect();
        let head = |(k, (_, column)): (usize, &(&String, &BookColumn))| {
            let class = if k > 0 { " class=\"n\"" } else { "" };
            format!("<th scope=\"col\"{class}>{}</th>", escape(&column.label))
        };
        let heads: String = columns.iter().enumerate().map(head).collect();
        let caption = self.say(&table.caption, ran);
        let table = format!(
            "<table class=\"sides\"><caption>{}</caption><thead><tr class=\"groups\">{groups}</tr><tr>{heads}</tr></thead>\n\
             <tbody>\n{body}</tbody></table>",
            escape(&caption)
        );
        html::scrolling(&caption, &table)
    }

    /// The name of the setting, and where the row departs from the paper.
    fn setting(&self, ran: &Ran<'_>, row: &RunRow) -> String {
        let departures = self.book.departures(ran.part, &row.facts);
        let ours = ran.part.ours.as_ref().filter(|_| !departures.is_empty());
        let short: Vec<String> = departures.into_iter().map(|[short, ..]| short).collect();
        td("", ours.unwrap_or(&ran.part.setting), &short.join(", "))
    }

    /// A figure about one experiment.
    fn figure(&self, figure: &BookFigure, ran: &Ran<'_>) -> String {
        let say = |text: &str| self.say(text, &[ran]);
        let panel = |panel: &BookPanel| {
            let levels = if panel.levels.is_empty() { &self.book.levels } else { &panel.levels };
            let each = panel.who.iter().flat_map(|who| levels.iter().map(move |at| (who.as_str(), *at)));
            let one = panel.who.len() == 1;
            let lines = each.filter_map(|line| self.lines(&figure.column, one, ran, line)).flatten();
            let mark = figure.mark.as_ref().and_then(|mark| Some((ran.part.event? as f64, say(mark))));
            (panel.title.clone(), lines.collect(), mark)
        };
        let axis = |label: &str, name: &str| (say(label), figure.log.iter().any(|log| log == name));
        still::figure(&StillFigure {
            title: say(&figure.title),
            caption: say(&figure.caption),
            across: axis(&figure.across, "across"),
            up: axis(&figure.up, "up"),
            panels: self.book.panels.get(&figure.panels).into_iter().flatten().map(panel).collect(),
        })
    }

    /// The lines of an algorithm at a level: one per world, if it was run in two. A panel about `one` algorithm tells levels apart,
    /// a panel about several tells algorithms apart.
    fn lines(
        &self,
        column: &str,
        one: bool,
        ran: &Ran<'_>,
        (who, at): (&str, f64),
    ) -> Option<Vec<StillLine>> {
        let pen =
            |name: &str, colour: String, k| Pen { name: name.into(), colour, dash: dash(k), floor: false };
        let hue = |k: usize| format!("var(--c{})", k % HUES);
        let (ran, row) = self.row(ran, who, at)?;
        if let Some(worlds) = row.worlds.get(column) {
            let points = |k: usize| worlds[k].iter().map(|(t, value)| (*t, *value, None)).collect();
            return Some([(0, "f"), (1, "f′")].map(|(k, name)| (pen(name, hue(k), k), points(k))).into());
        }
        let levels = &self.book.levels;
        let step = levels.iter().position(|level| *level == at).unwrap_or(0);
        let share = 100.0 * step as f64 / (levels.len() - 1).max(1) as f64;
        let ramp = format!("color-mix(in oklch, var(--seq-a), var(--seq-b) {share:.0}%)");
        let own = self.book.algorithm.iter().find(|algorithm| algorithm.name == who)?.hue;
        let pen = match own {
            _ if one => pen(&level(at), ramp, step),
            Some(k) => pen(&who.to_uppercase(), hue(k), k),
            None => Pen { floor: true, ..pen(&who.to_uppercase(), "var(--floor)".into(), 0) },
        };
        Some(vec![(pen, curve(ran, row, column)?)])
    }
}

/// A number of the paper's, or ours.
fn number(column: &BookColumn, printed: Option<&f64>, row: &RunRow) -> String {
    let BookColumn { percent, places, bare, .. } = *column;
    let found =
        row.over_trials(&column.value).map(|s| OverTrials { trials: if bare { 1 } else { s.trials }, ..s });
    match (printed, found.map(|s| show(s, percent, places)).unwrap_or_default()) {
        (Some(value), _) => td(" class=\"n printed\"", &format!("{value:.places$}"), ""),
        (None, (text, small)) => td(" class=\"n\"", &text, &small),
    }
}

fn td(class: &str, text: &str, small: &str) -> String {
    let small = if small.is_empty() { String::new() } else { format!("<small>{}</small>", escape(small)) };
    format!("<td{class}>{}{small}</td>", escape(text))
}
