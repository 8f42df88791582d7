//! Sections and their pieces as HTML. All text is escaped here.

use std::collections::BTreeSet;

use dpsda::metric::OverTrials;

use super::book::{Block, Column, Departed, Figure, Panel, Section, Table};
use super::checks::{Ask, Statement, VERDICTS, word};
use super::words::{level, show};
use super::{Found, Ran, Row, curves, rows};
use crate::still::{self, FLOOR, Line};
use crate::{text::escape, toml};

/// A section as it stands on the page.
#[derive(Clone, Default)]
pub(super) struct Written {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) statements: Vec<Statement>,
}

impl Written {
    pub(super) fn html(&self) -> String {
        let (id, title) = (escape(&self.id), escape(&self.title));
        let body = &self.body;
        format!(
            "<section id=\"{id}\" aria-labelledby=\"h-{id}\"><h2 id=\"h-{id}\">{title}</h2>\n{body}</section>\n"
        )
    }
}

/// The sections as links, each with its verdicts counted.
pub(super) fn contents(sections: &[Written]) -> String {
    let entry = |section: &Written| {
        let counts = VERDICTS.map(|(holds, one, many, _)| {
            match section.statements.iter().filter(|s| s.holds == holds).count() {
                0 => String::new(),
                n => badge(holds, &format!("{n} {}", if n == 1 { one } else { many })),
            }
        });
        let (id, title, counts) = (escape(&section.id), escape(&section.title), counts.concat());
        format!("<li><a href=\"#{id}\">{title}</a><span class=\"counts\">{counts}</span></li>")
    };
    format!("<ol class=\"contents\">{}</ol>", sections.iter().map(entry).collect::<String>())
}

fn badge(holds: Option<bool>, words: &str) -> String {
    let class = VERDICTS.iter().find(|verdict| verdict.0 == holds).map_or("", |verdict| verdict.3);
    format!("<span class=\"verdict {class}\">{words}</span>")
}

pub(super) fn paragraph(class: &str, text: &str) -> String {
    format!("<p class=\"{class}\">{}</p>\n", escape(text))
}

fn notes(title: &str, list: &[(String, String)]) -> String {
    let one = |(term, text): &(String, String)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(term), escape(text))
    };
    let list: String = list.iter().map(one).collect();
    if list.is_empty() { list } else { format!("<h4>{}</h4><dl>{list}</dl>\n", escape(title)) }
}

/// Claims with their figures; without, a list of claims is an overview.
fn statements(list: &[(String, &Statement)], figures: bool) -> String {
    let one = |(before, s): &(String, &Statement)| {
        let shown = if figures { &s.figures[..] } else { &[] };
        let shown: String = shown.iter().map(|text| paragraph("note", text)).collect();
        let claim = escape(&format!("{before}{}", s.claim));
        let verdict = badge(s.holds, word(s.holds));
        format!("<div class=\"decided\">{verdict}<div><p>{claim}</p>{shown}</div></div>\n")
    };
    let brief = if figures { "" } else { " brief" };
    format!("<div class=\"decisions{brief}\">{}</div>\n", list.iter().map(one).collect::<String>())
}

impl Found<'_> {
    /// Every statement of the page at its head.
    pub(super) fn verdicts(&self, sections: &[Written]) -> Written {
        let all: Vec<(String, &Statement)> = sections
            .iter()
            .flat_map(|section| section.statements.iter().map(|s| (format!("{}. ", section.title), s)))
            .collect();
        let [holds, fails, open] = VERDICTS.map(|v| all.iter().filter(|(_, s)| s.holds == v.0).count());
        let text = format!(
            "Of {} statements, the paper's and ours, {holds} hold, {fails} do not, and {open} cannot be decided from these runs.",
            all.len()
        );
        let rule = paragraph("prose", &self.say(&self.book.decide.rule, &[]));
        let body = rule + &paragraph("prose", &text) + &statements(&all, false);
        Written { id: "holds".into(), title: "What holds".into(), body, ..Written::default() }
    }

    /// What holds for all of it, at the end.
    pub(super) fn notes(&self) -> Written {
        let list: Vec<_> = self.book.note.iter().map(|note| (note.term.clone(), note.text.clone())).collect();
        let body = notes("In all of them", &list);
        Written { id: "everywhere".into(), title: "How to read it".into(), body, ..Written::default() }
    }

    /// A section: its blocks, departures, statements, and the files that no section before it has shown.
    pub(super) fn section(&self, section: &Section, shown: &mut BTreeSet<String>) -> Written {
        let of = |files: &[String]| -> Vec<&Ran<'_>> {
            self.ran.iter().filter(|ran| files.contains(&ran.part.file)).collect()
        };
        let all = of(&section.targets.iter().flat_map(|target| target.takes.clone()).collect::<Vec<_>>());
        let mut body = String::new();
        for Block { files, text, table, figure } in &section.block {
            let ran = if files.is_empty() { all.clone() } else { of(files) };
            if rows(&ran).next().is_some() {
                body.extend(text.iter().map(|text| paragraph("prose", &self.say(text, &ran))));
                body.extend(table.iter().map(|table| self.table(section, table, &ran)));
                body.extend(figure.iter().flat_map(|figure| ran.iter().map(|ran| self.figure(figure, ran))));
            }
        }
        if body.is_empty() {
            body = paragraph("prose", "Nothing of it was finished.");
        }
        let mut decided = Vec::new();
        for claim in &section.statement {
            for ran in of(&claim.files) {
                for (column, measure) in claim.by.iter().filter_map(|by| self.book.measure.get_key_value(by))
                {
                    let ask = Ask { found: self, ran, claim, column, measure };
                    decided.extend(claim.check.iter().map(|check| ask.decide(check)));
                }
            }
        }
        body += &notes("What was done differently, and why", &self.reasons(&all));
        body += &statements(&decided.iter().map(|s| (String::new(), s)).collect::<Vec<_>>(), true);
        let new: Vec<_> = all.into_iter().filter(|ran| shown.insert(ran.part.file.clone())).collect();
        let tuned: Vec<_> =
            new.iter().filter_map(|ran| Some((ran.part.file.clone(), ran.part.tuning()?))).collect();
        body += &notes("How steps were chosen", &tuned);
        let link = |ran: &&Ran<'_>| {
            format!("<a href=\"{0}/report.html\">{0}: report with movable curves</a>", escape(&ran.part.file))
        };
        body += &format!("<p class=\"note\">{}</p>\n", new.iter().map(link).collect::<Vec<_>>().join(" · "));
        body.extend(new.iter().map(|ran| {
            format!(
                "<details class=\"folder\"><summary>experiments/paper/{}.toml</summary><div class=\"code\">\
                 <pre tabindex=\"0\"><code>{}</code></pre></div></details>\n",
                escape(&ran.part.file),
                toml::highlight(ran.text)
            )
        }));
        let id = section.targets.first().map_or_else(String::new, |target| target.name.clone());
        Written { id, title: section.title.clone(), body, statements: decided }
    }

    /// Every departure of some rows once, with its reason.
    fn reasons(&self, ran: &[&Ran<'_>]) -> Vec<(String, String)> {
        let mut seen: Vec<(Vec<String>, String)> = Vec::new();
        for Departed { term, why, .. } in
            rows(ran).flat_map(|(ran, row)| self.book.departures(ran.part, &row.facts))
        {
            match seen.iter_mut().find(|(_, other)| *other == why) {
                Some((terms, _)) if terms.contains(&term) => {}
                Some((terms, _)) => terms.push(term),
                None => seen.push((vec![term], why)),
            }
        }
        seen.into_iter().map(|(terms, why)| (terms.join(", "), why)).collect()
    }

    /// One row per experiment, under a line for each algorithm and level; or one row per level, under a line for each algorithm.
    fn table(&self, section: &Section, table: &Table, ran: &[&Ran<'_>]) -> String {
        let columns: Vec<(&String, &Column)> =
            table.columns.iter().filter_map(|name| self.book.column.get_key_value(name)).collect();
        let by_level = table.columns.iter().any(|name| name == "level");
        let mut body = String::new();
        for algorithm in &self.book.algorithm {
            let mut above = String::new();
            for (k, at) in self.book.levels.iter().enumerate() {
                let here = rows(ran).filter(|(_, row)| row.algorithm == algorithm.name && row.level == *at);
                for (j, (ran, row)) in here.enumerate() {
                    let name = algorithm.name.to_uppercase();
                    let subject = if by_level { name } else { format!("{name} · {}", level(*at)) };
                    if above != subject {
                        body += &format!(
                            "<tr class=\"first whom\"><th scope=\"rowgroup\" colspan=\"{}\"><span>{}</span></th></tr>\n",
                            columns.len(),
                            escape(&subject)
                        );
                        above = subject;
                    }
                    let printed = |name: &str| {
                        section.printed.get(name)?.get(&row.algorithm)?.get(k).filter(|_| j == 0)
                    };
                    let cell = |(name, column): &(&String, &Column)| match name.as_str() {
                        "level" => td("", &level(*at), ""),
                        "setting" => self.setting(ran, row),
                        _ => number(column, printed(&column.printed), row),
                    };
                    body += &format!("<tr>{}</tr>\n", columns.iter().map(cell).collect::<String>());
                }
            }
        }
        let group = |of: &[(&String, &Column)]| {
            let name = of.first().map_or("", |(_, column)| &column.group);
            let class = if name.is_empty() { "" } else { " class=\"group\"" };
            format!("<th scope=\"colgroup\" colspan=\"{}\"{class}>{}</th>", of.len(), escape(name))
        };
        let groups: String = columns.chunk_by(|a, b| a.1.group == b.1.group).map(group).collect();
        let head = |(k, (_, column)): (usize, &(&String, &Column))| {
            let class = if k > 0 { " class=\"n\"" } else { "" };
            format!("<th scope=\"col\"{class}>{}</th>", escape(&column.label))
        };
        let heads: String = columns.iter().enumerate().map(head).collect();
        format!(
            "<div class=\"wide\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table class=\"sides\">\
             <caption>{0}</caption><thead><tr class=\"groups\">{groups}</tr><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody></table>\
             </div></div>\n",
            escape(&self.say(&table.caption, ran)),
        )
    }

    /// The name of the setting, and where the row departs from the paper.
    fn setting(&self, ran: &Ran<'_>, row: &Row) -> String {
        let departures = self.book.departures(ran.part, &row.facts);
        let ours = ran.part.ours.as_ref().filter(|_| !departures.is_empty());
        let short: Vec<String> = departures.into_iter().map(|d| d.short).collect();
        td("", ours.unwrap_or(&ran.part.setting), &short.join(", "))
    }

    /// A figure about one experiment. A panel about one algorithm has a line per level, another one has a line per algorithm.
    fn figure(&self, figure: &Figure, ran: &Ran<'_>) -> String {
        let (book, say) = (self.book, |text: &str| self.say(text, &[ran]));
        let hue = |k: usize| format!("var(--c{})", k % 8);
        let lines = |panel: &Panel, who: &str, at: f64| -> Option<Vec<Line>> {
            let (ran, row) = self.row(ran, who, at)?;
            if let Some(worlds) = row.worlds.get(&*figure.column) {
                let line = |(k, name): (usize, &str)| {
                    let points = worlds[k].iter().map(|(t, value)| (*t, *value, None)).collect();
                    Line { name: name.into(), colour: hue(k), dash: k, points }
                };
                return Some([(0, "f"), (1, "f′")].map(line).into());
            }
            let step = book.levels.iter().position(|l| *l == at).unwrap_or(0);
            let share = 100.0 * step as f64 / (book.levels.len() - 1).max(1) as f64;
            let ramp = || format!("color-mix(in oklch, var(--seq-a), var(--seq-b) {share:.0}%)");
            let own = book.algorithm.iter().find(|algorithm| algorithm.name == who)?.hue;
            let (name, colour, dash) = match (panel.who.len(), own) {
                (1, _) => (level(at), ramp(), step),
                (_, Some(k)) => (who.to_uppercase(), hue(k), k),
                (_, None) => (who.to_uppercase(), FLOOR.to_owned(), 0),
            };
            Some(vec![Line { name, colour, dash, points: curves(ran, row, &figure.column)? }])
        };
        let panel = |panel: &Panel| {
            let levels = if panel.levels.is_empty() { &book.levels } else { &panel.levels };
            let all = panel.who.iter().flat_map(|who| levels.iter().filter_map(|at| lines(panel, who, *at)));
            let mark = figure.mark.as_ref().and_then(|mark| Some((ran.part.event? as f64, say(mark))));
            (panel.title.clone(), all.flatten().collect(), mark)
        };
        let axis = |label: &str, name: &str| (say(label), figure.log.iter().any(|log| log == name));
        still::figure(&still::Figure {
            title: say(&figure.title),
            caption: say(&figure.caption),
            across: axis(&figure.across, "across"),
            up: axis(&figure.up, "up"),
            panels: book.panels.get(&figure.panels).map_or(vec![], |all| all.iter().map(panel).collect()),
        })
    }
}

/// A number of the paper's, or ours.
fn number(column: &Column, printed: Option<&f64>, row: &Row) -> String {
    let Column { percent, places, bare, .. } = *column;
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
