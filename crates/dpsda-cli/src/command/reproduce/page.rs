//! The page and `reproduction.json`: the sections of the book, filled with what was measured.

use std::collections::BTreeSet;

use dpsda_sim::spread::Spread;
use dpsda_web::reproduction::{self as web, Block, Cell, Ink, Line, Statement, Verdict, curves};
use dpsda_web::text::fill;
use serde_json::{Map, Value, json};

use super::book::{Book, Column, Figure, Panel, Section, Table, Target};
use super::checks::Ask;
use super::rows::{Ran, Row, count, level, show};

/// The section that says all statements again.
const HEAD: &str = "holds";

/// All that was run.
pub(super) struct Found<'b> {
    pub(super) book: &'b Book,
    pub(super) ran: Vec<Ran<'b>>,
    pub(super) interrupted: bool,
    /// What was run otherwise than the files say, if anything.
    pub(super) scale: Option<String>,
}

impl<'b> Found<'b> {
    /// The row of an algorithm and level in an experiment, or in the one beside it.
    pub(super) fn row<'a>(&'a self, ran: &'a Ran<'b>, who: &str, level: f64) -> Option<(&'a Ran<'b>, &'a Row)> {
        let beside = self.ran.iter().find(|other| Some(&other.part.file) == ran.part.beside.as_ref());
        let all = [Some(ran), beside].into_iter().flatten();
        rows(all).find(|(_, row)| row.algorithm == who && row.level == level)
    }

    /// Those of some files that were run.
    fn of<'a>(&'a self, files: &[String]) -> Vec<&'a Ran<'b>> {
        self.ran.iter().filter(|ran| files.contains(&ran.part.file)).collect()
    }

    /// What a placeholder stands for in a text about experiments, and about an algorithm of theirs.
    pub(super) fn word(&self, name: &str, ran: &[&Ran<'_>], who: Option<&str>) -> String {
        let one = |ran: &&Ran<'_>| match name {
            "setting" => Some(ran.part.setting.clone()),
            "data" => Some(self.book.data.get(&ran.part.data)?.name.clone()),
            _ => ran.words.get(name).cloned().or_else(|| {
                let row = ran.rows.iter().find(|row| who.is_none_or(|who| row.algorithm == who))?;
                row.word(self.book, name)
            }),
        };
        let trials = || -> BTreeSet<usize> {
            rows(ran.iter().copied()).filter_map(|(_, row)| Some(row.spread("fitness")?.trials)).collect()
        };
        match name {
            "trials" => trials().iter().map(|n| count(*n, "trial")).collect::<Vec<_>>().join(" or "),
            "bands" => self.say(&self.book.bands, ran),
            "fewest" => self.book.decide.trials.to_string(),
            _ => ran.iter().find_map(one).unwrap_or_else(|| format!("{{{{{name}}}}}")),
        }
    }

    fn say(&self, text: &str, ran: &[&Ran<'_>]) -> String {
        fill(text, |name| self.word(name, ran, None))
    }

    /// The whole page.
    pub(super) fn page(&self, targets: &[&Target]) -> web::Book {
        let mut shown = BTreeSet::new();
        let asked = |s: &&Section| s.targets.iter().any(|own| targets.iter().any(|t| t.name == own.name));
        let sections = self.book.section.iter().filter(asked);
        let mut sections: Vec<web::Section> = sections.map(|s| self.section(s, &mut shown)).collect();
        sections.insert(0, self.verdicts(&sections));
        let notes = self.book.note.iter().map(|note| (note.term.clone(), note.text.clone())).collect();
        let blocks = vec![Block::Notes("In all of them".into(), notes)];
        sections.push(web::Section { id: "everywhere".into(), title: "How to read it".into(), blocks });
        let titles: Vec<&str> = targets.iter().map(|t| t.title.as_str()).collect();
        let stopped = "This was interrupted: only what had all of its trials is shown.";
        web::Book {
            title: self.book.title.clone(),
            meta: format!("dpsda {} · {}", env!("CARGO_PKG_VERSION"), titles.join(", ")),
            lead: self.book.lead.clone(),
            notices: self.scale.iter().cloned().chain(self.interrupted.then(|| stopped.into())).collect(),
            sections,
        }
    }

    /// Every statement of the page at its head.
    fn verdicts(&self, sections: &[web::Section]) -> web::Section {
        let all = || sections.iter().flat_map(|s| s.statements().map(move |statement| (s, statement)));
        let brief = |(section, s): (&web::Section, &Statement)| {
            let claim = format!("{}. {}", section.title, s.claim);
            Statement { claim, verdict: s.verdict, figures: vec![] }
        };
        let counted = [Verdict::Holds, Verdict::Fails, Verdict::Open]
            .map(|verdict| all().filter(|(_, s)| s.verdict == verdict).count());
        let [holds, fails, open] = counted;
        let text = format!(
            "Of {} statements, the paper's and ours, {holds} hold, {fails} do not, and {open} cannot be decided from these runs.",
            all().count()
        );
        let rule = Block::Text(self.say(&self.book.decide.rule, &[]));
        let blocks = vec![rule, Block::Text(text), Block::Statements(all().map(brief).collect())];
        web::Section { id: HEAD.into(), title: "What holds".into(), blocks }
    }

    /// A section: its blocks, departures, statements, and the files that no section before it has shown.
    fn section(&self, section: &Section, shown: &mut BTreeSet<String>) -> web::Section {
        let all = self.of(&section.targets.iter().flat_map(|t| t.takes.clone()).collect::<Vec<_>>());
        let mut blocks = Vec::new();
        for block in &section.block {
            let ran = if block.files.is_empty() { all.clone() } else { self.of(&block.files) };
            if rows(ran.iter().copied()).next().is_some() {
                blocks.extend(block.text.as_ref().map(|text| Block::Text(self.say(text, &ran))));
                blocks.extend(block.table.as_ref().map(|t| Block::Table(self.table(section, t, &ran))));
                let figures = block.figure.iter().flat_map(|f| ran.iter().map(|ran| self.figure(f, ran)));
                blocks.extend(figures.map(Block::Figure));
            }
        }
        if blocks.is_empty() {
            blocks.push(Block::Text("Nothing of it was finished.".into()));
        }
        blocks.push(Block::Notes("What was done differently, and why".into(), reasons(&all)));
        blocks.push(Block::Statements(self.statements(section)));
        let new: Vec<_> =
            all.iter().map(|ran| ran.part).filter(|part| shown.insert(part.file.clone())).collect();
        let tuned = new.iter().filter_map(|part| Some((part.file.clone(), part.tuning()?)));
        blocks.push(Block::Notes("How steps were chosen".into(), tuned.collect()));
        let link = |file: &str| (format!("{file}: report with movable curves"), format!("{file}/report.html"));
        blocks.push(Block::Links(new.iter().map(|part| link(&part.file)).collect()));
        blocks.extend(new.iter().map(|part| Block::Toml(part.path(), part.text().into())));
        let id = section.targets.first().map_or("", |target| &target.name);
        web::Section { id: id.into(), title: section.title.clone(), blocks }
    }

    fn statements(&self, section: &Section) -> Vec<Statement> {
        let mut list = Vec::new();
        for claim in &section.statement {
            for ran in self.of(&claim.files) {
                for (column, measure) in claim.by.iter().filter_map(|name| self.book.measure.get_key_value(name)) {
                    let ask = Ask { found: self, ran, claim, column, measure };
                    list.extend(claim.check.iter().filter_map(|check| ask.decide(check)));
                }
            }
        }
        list
    }

    /// One row per experiment, under a line for each algorithm and level; or one row per level, under a line for each algorithm.
    fn table(&self, section: &Section, table: &Table, ran: &[&Ran<'_>]) -> web::Table {
        let columns = || table.columns.iter().filter_map(|name| self.book.column.get_key_value(name));
        let by_level = table.columns.iter().any(|name| name == "level");
        let mut lines: Vec<web::Row> = Vec::new();
        for algorithm in &self.book.algorithm {
            let mut named = String::new();
            for (k, at) in self.book.levels.iter().enumerate() {
                let here = rows(ran.iter().copied());
                let here = here.filter(|(_, row)| row.algorithm == algorithm.name && row.level == *at);
                for (j, (ran, row)) in here.enumerate() {
                    let printed = |name: &str| {
                        section.printed.get(name)?.get(&row.algorithm)?.get(k).filter(|_| j == 0).copied()
                    };
                    let cell = |(name, column): (&String, &Column)| match name.as_str() {
                        "level" => Cell { text: level(*at), ..Cell::default() },
                        "setting" => setting(ran, row),
                        _ => number(column, printed(&column.printed), row.spread(&column.value)),
                    };
                    let name = algorithm.name.to_uppercase();
                    let subject = if by_level { name } else { format!("{name} · {}", level(*at)) };
                    let new = (named != subject).then(|| subject.clone());
                    lines.push(web::Row { subject: new, cells: columns().map(cell).collect() });
                    named = subject;
                }
            }
        }
        let heads = columns().map(|(_, c)| (c.group.clone(), c.label.clone())).collect();
        web::Table { caption: self.say(&table.caption, ran), heads, rows: lines }
    }

    fn figure(&self, figure: &Figure, ran: &Ran<'_>) -> web::Figure {
        let (book, say) = (self.book, |text: &str| self.say(text, &[ran]));
        let lines = |panel: &Panel, who: &str, at: f64| -> Option<Vec<Line>> {
            let (ran, row) = self.row(ran, who, at)?;
            if let Some(worlds) = row.worlds.get(&*figure.column) {
                let line = |(name, hue, points): (&str, u8, &Vec<_>)| Line { name: name.into(), ink: Ink::Hue(hue), points: points.clone() };
                return Some([("f", 0, &worlds[0]), ("f′", 1, &worlds[1])].map(line).into());
            }
            let (_, points) = curves(&ran.run, &figure.column).into_iter().find(|(run, _)| *run == row.run)?;
            let (name, ink) = match panel.who.len() {
                1 => (level(at), book.ramp(at)),
                _ => (who.to_uppercase(), book.hue(who)),
            };
            Some(vec![Line { name, ink, points }])
        };
        let panel = |panel: &Panel| {
            let levels = if panel.levels.is_empty() { &book.levels } else { &panel.levels };
            let all = panel.who.iter().flat_map(|who| levels.iter().filter_map(|at| lines(panel, who, *at)));
            let marks = figure.mark.iter().filter_map(|mark| Some((ran.part.event? as f64, say(mark))));
            web::Panel { title: panel.title.clone(), lines: all.flatten().collect(), marks: marks.collect() }
        };
        let axis = |label: &str, name: &str| (say(label), figure.log.iter().any(|log| log == name));
        web::Figure {
            title: say(&figure.title),
            caption: say(&figure.caption),
            across: axis(&figure.across, "across"),
            up: axis(&figure.up, "up"),
            panels: book.panels.get(&figure.panels).map_or(vec![], |all| all.iter().map(panel).collect()),
        }
    }

    /// The same for programs.
    pub(super) fn json(&self, page: &web::Book) -> Value {
        let number = |x: f64| if x.is_finite() { json!(x) } else { json!("inf") };
        let spread = |row: &Row, column: &str| {
            let s = row.spread(column)?;
            Some(json!({ "mean": s.mean, "sd": s.sd, "min": s.low, "max": s.high, "trials": s.trials }))
        };
        let measured = |(ran, row): (&Ran<'_>, &Row)| {
            let columns: BTreeSet<&String> = self.book.columns.iter().collect();
            let values: Map<_, _> =
                columns.into_iter().filter_map(|name| Some((name.clone(), spread(row, name)?))).collect();
            let departures: Vec<&str> = row.departures.iter().map(|d| d.short.as_str()).collect();
            json!({
                "experiment": ran.part.file, "setting": ran.part.setting, "algorithm": row.algorithm,
                "level": number(row.level), "step": row.facts.get("steps"), "departures": departures, "values": values,
            })
        };
        let apart = |(ran, row): (&Ran<'_>, &Row)| {
            let mean = |column: &str| row.spread(column).map(|s| s.mean);
            json!({
                "experiment": ran.part.file, "algorithm": row.algorithm,
                "label": number(mean("promised").unwrap_or(row.level)), "before": mean("before"),
                "first": spread(row, "first"), "norm": spread(row, "norm"),
                "first_own_noise": spread(row, "first_own_noise"),
                "adversary_right": mean("adversary_right"), "epsilon_at_least": mean("epsilon_at_least"),
            })
        };
        let said = statements(page).map(|(title, st)| {
            json!({ "section": title, "claim": st.claim, "verdict": st.verdict.word(), "figures": st.figures })
        });
        let worlds = rows(&self.ran).filter(|(_, row)| !row.worlds.is_empty());
        json!({
            "dpsda": env!("CARGO_PKG_VERSION"), "interrupted": self.interrupted,
            "statements": said.collect::<Vec<_>>(), "rows": rows(&self.ran).map(measured).collect::<Vec<_>>(),
            "worlds": worlds.map(apart).collect::<Vec<_>>(),
        })
    }
}

/// All rows of some experiments.
fn rows<'a, 'b: 'a>(ran: impl IntoIterator<Item = &'a Ran<'b>>) -> impl Iterator<Item = (&'a Ran<'b>, &'a Row)> {
    ran.into_iter().flat_map(|ran| ran.rows.iter().map(move |row| (ran, row)))
}

/// Every statement of a page once, with the title of its section.
pub(super) fn statements(page: &web::Book) -> impl Iterator<Item = (&str, &Statement)> {
    let sections = page.sections.iter().filter(|s| s.id != HEAD);
    sections.flat_map(|s| s.statements().map(move |statement| (s.title.as_str(), statement)))
}

/// The name of the setting, and where the row departs from the paper.
fn setting(ran: &Ran<'_>, row: &Row) -> Cell {
    let short: Vec<&str> = row.departures.iter().map(|d| d.short.as_str()).collect();
    let ours = ran.part.ours.as_ref().filter(|_| !short.is_empty());
    Cell { text: ours.unwrap_or(&ran.part.setting).clone(), small: short.join(", "), printed: false }
}

/// A number of the paper's, or ours.
fn number(column: &Column, printed: Option<f64>, found: Option<Spread>) -> Cell {
    if let Some(value) = printed {
        return Cell { text: format!("{value:.*}", column.places), printed: true, ..Cell::default() };
    }
    let found = found.map(|s| if column.bare { Spread { trials: 1, ..s } } else { s });
    let (text, small) = found.map(|s| show(s, column.percent, column.places)).unwrap_or_default();
    Cell { text, small, printed: false }
}

/// Every departure of some rows once, with its reason.
fn reasons(ran: &[&Ran<'_>]) -> Vec<(String, String)> {
    let mut seen: Vec<(Vec<&str>, &str)> = Vec::new();
    for departed in rows(ran.iter().copied()).flat_map(|(_, row)| &row.departures) {
        match seen.iter_mut().find(|(_, why)| *why == departed.why) {
            Some((terms, _)) if terms.contains(&departed.term.as_str()) => {}
            Some((terms, _)) => terms.push(&departed.term),
            None => seen.push((vec![&departed.term], &departed.why)),
        }
    }
    seen.into_iter().map(|(terms, why)| (terms.join(", "), why.to_owned())).collect()
}
