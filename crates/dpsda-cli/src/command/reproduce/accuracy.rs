//! Tables 2 to 4: the paper's accuracies beside ours.

use std::collections::BTreeSet;

use dpsda_web::reproduction::{Block, Cell, Head, Row as Line, Section, Statement, Table};

use super::claims::{self, Goal};
use super::departures::of_the_paper;
use super::found::Found;
use super::measure::{AUC, Measure, REGRET, TEST, TEST_LAST, TRAIN};
use super::parts::{Arm, Subject};
use super::printed::{Accuracy, LEVELS};
use super::rows::Row;
use super::words::{self, number, percent, plain, printed};

const ALGORITHMS: [&str; 4] = ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"];

/// One of the three tables.
pub(super) struct Which {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) data: &'static str,
    pub(super) subject: Subject,
    pub(super) printed: &'static [Accuracy],
    /// Whether one class is so large that accuracy says little.
    pub(super) skewed: bool,
    /// What DPSDA-R shall reach without noise.
    pub(super) goals: &'static [Goal],
}

/// The section of a table.
pub(super) fn section(found: &Found, which: &Which) -> Section {
    let rows = found.rows(which.subject);
    let mut blocks = vec![Block::Text(intro(&rows, which))];
    if rows.is_empty() {
        blocks.push(Block::Text("Nothing of it was finished.".into()));
        return Section { id: which.id.into(), title: which.title.into(), blocks };
    }
    blocks.push(Block::Table(table(&rows, which)));
    blocks.push(Block::Notes("What was done differently, and why".into(), reasons(&rows)));
    blocks.push(Block::Statements(statements(&rows, which)));
    blocks.extend(found.files(which.subject));
    Section { id: which.id.into(), title: which.title.into(), blocks }
}

fn intro(rows: &[&Row], which: &Which) -> String {
    let trials: BTreeSet<usize> =
        rows.iter().filter_map(|row| row.spread("fitness")).map(|s| s.trials).collect();
    let trials: Vec<String> = trials.iter().map(usize::to_string).collect();
    let mut text = format!(
        "Shaded: as printed in the paper. Ours: mean ± one standard deviation over {} independent trials, the least to the most of them below. \
         \"Best\" is the best fixed decision of the set in hindsight, which knew all training data at once: the ceiling by cost.",
        trials.join(" or "),
    );
    if which.skewed {
        text.push_str(
            " Nine in ten photographs show no cat, so that always saying \"no cat\" is right nine times in ten: the majority rate, \
             balanced accuracy and AUC say what accuracy does not.",
        );
    }
    text
}

fn table(rows: &[&Row], which: &Which) -> Table {
    let head = |group: &str, label: &str| Head { group: group.into(), label: label.into(), numbers: true };
    let text = |label: &str| Head { label: label.into(), ..Head::default() };
    let (train, test) = ("training accuracy, %", "testing accuracy, %");
    let mut heads = vec![
        text("algorithm"),
        text("level"),
        text("setting, and what was done differently"),
        head(train, "paper"),
        head(train, "progressive"),
        head(train, "last model"),
        head(train, "best"),
        head(test, "paper"),
        head(test, "last model"),
        head(test, "averaged"),
        head(test, "best"),
    ];
    if which.skewed {
        let more = "on data held out";
        heads.extend([
            head(more, "majority %"),
            head(more, "balanced %"),
            head(more, "AUC"),
            head(more, "best AUC"),
        ]);
    }
    heads.push(head("", "regret / T"));
    let mut lines = Vec::new();
    for algorithm in ALGORITHMS {
        for level in LEVELS {
            let here = rows.iter().filter(|r| r.algorithm == algorithm && r.level == level);
            for (k, row) in here.enumerate() {
                lines.push(line(row, k == 0, which));
            }
        }
    }
    Table { caption: format!("{}, the paper's numbers and ours", which.title), heads, rows: lines }
}

fn line(row: &Row, first: bool, which: &Which) -> Line {
    let paper = which.printed.iter().find(|p| p.algorithm == row.algorithm && p.level == row.level);
    let paper = paper.filter(|_| first);
    let share = |column: &str| percent(row.spread(column));
    let best = |column: &str| {
        plain(row.spread(column).map_or_else(String::new, |s| format!("{:.2}", 100.0 * s.mean)))
    };
    let mut cells = vec![
        plain(if first { words::algorithm(row.algorithm) } else { String::new() }),
        plain(if first { words::level(row.level) } else { String::new() }),
        setting(row),
        printed(paper.map(|p| p.train), 2),
        share("accuracy_progressive"),
        share("accuracy_train_last"),
        best("accuracy_train_best"),
        printed(paper.map(|p| p.test), 2),
        share("accuracy_test_last"),
        share("accuracy_test_averaged"),
        best("accuracy_test_best"),
    ];
    if which.skewed {
        cells.extend([
            best("majority_test"),
            share("balanced_accuracy_test_averaged"),
            number(row.spread("auc_test_averaged"), 3),
            plain(row.spread("auc_test_best").map_or_else(String::new, |s| format!("{:.3}", s.mean))),
        ]);
    }
    cells.push(number(row.spread("regret_per_round"), 3));
    Line { first, cells }
}

/// The name of the setting, and where it departs from the paper.
fn setting(row: &Row) -> Cell {
    let own = !of_the_paper(row.algorithm) && row.arm == Arm::Printed;
    let short: Vec<&str> = row.departures.iter().map(|d| d.short.as_str()).collect();
    Cell {
        text: if own { "the paper's steps".into() } else { row.arm.name().into() },
        small: short.join(", "),
        printed: false,
    }
}

/// Every departure of some rows once, with its reason.
pub(super) fn reasons(rows: &[&Row]) -> Vec<(String, String)> {
    let mut seen: Vec<(Vec<&str>, &str)> = Vec::new();
    for departure in rows.iter().flat_map(|row| &row.departures) {
        match seen.iter_mut().find(|(_, why)| *why == departure.why) {
            Some((terms, _)) if terms.contains(&departure.term.as_str()) => {}
            Some((terms, _)) => terms.push(&departure.term),
            None => seen.push((vec![&departure.term], &departure.why)),
        }
    }
    seen.into_iter().map(|(terms, why)| (terms.join(", "), why.to_owned())).collect()
}

pub(super) fn statements(rows: &[&Row], which: &Which) -> Vec<Statement> {
    let noisy = &LEVELS[1..];
    let rivals: &[&str] = &["dpsda-c", "dpsda-ps"];
    let mut list = vec![
        claims::ordered(rows, (which.data, Arm::Printed), rivals, &TRAIN),
        claims::ordered(rows, (which.data, Arm::Printed), rivals, &TEST_LAST),
    ];
    // Under "done right" each algorithm is at its best for what is compared.
    let compared: &[(Arm, &[&Measure])] = match which.skewed {
        true => &[
            (Arm::Printed, &[&REGRET, &AUC]),
            (Arm::Sound, &[&REGRET, &AUC]),
            (Arm::Epsilon, &[&REGRET]),
            (Arm::EpsilonAccurate, &[&AUC]),
        ],
        false => &[
            (Arm::Printed, &[&REGRET, &TEST, &TEST_LAST]),
            (Arm::Tuned, &[&REGRET, &TEST, &TEST_LAST]),
            (Arm::Sound, &[&REGRET]),
            (Arm::Accurate, &[&TEST, &TEST_LAST]),
            (Arm::Epsilon, &[&REGRET]),
            (Arm::EpsilonAccurate, &[&TEST, &TEST_LAST]),
        ],
    };
    for (arm, measures) in compared {
        for measure in *measures {
            list.push(claims::ahead(rows, *arm, ("dpsda-r", rivals), noisy, measure));
            if !arm.promises() {
                list.push(claims::not_behind(rows, *arm, ("dpsda-r", rivals), measure));
            }
        }
    }
    list.extend(which.goals.iter().map(|goal| claims::reaches(rows, goal)));
    list
}
