//! The page: what holds first, then the paper's figures and tables in its order.

use dpsda_web::reproduction::{Block, Book, Section, Statement, Verdict};
use serde_json::{Map, Value, json};

use super::accuracy::{self, Which};
use super::adjacent::Apart;
use super::claims::Goal;
use super::everywhere::everywhere;
use super::found::Found;
use super::parts::{Arm, Subject, Target};
use super::printed::{TABLE_2, TABLE_3, TABLE_4};
use super::rows::{Row, Spread};
use super::{adjacent, claims, figures};

const TABLES: [Which; 3] = [
    Which {
        id: "table2",
        title: "Table 2: mushroom",
        data: "mushroom",
        subject: Subject::Mushroom,
        printed: &TABLE_2,
        skewed: false,
        goals: &[
            Goal {
                arm: Arm::Tuned,
                column: "accuracy_test_last",
                name: "on data held out with the last model",
                percent: 98.5,
                why: None,
            },
            Goal {
                arm: Arm::Tuned,
                column: "accuracy_test_last",
                name: "on data held out with the last model",
                percent: 99.5,
                why: Some("the paper's figure for DPSDA-C"),
            },
            Goal {
                arm: Arm::Tuned,
                column: "accuracy_progressive",
                name: "on training data before they are learned from",
                percent: 97.95,
                why: Some("the paper's figure for DPSDA-C, if it means that"),
            },
            Goal {
                arm: Arm::Box,
                column: "accuracy_test_last",
                name: "on data held out with the last model",
                percent: 99.5,
                why: Some("the paper's figure for DPSDA-C"),
            },
        ],
    },
    Which {
        id: "table3",
        title: "Table 3: MNIST",
        data: "MNIST 6/8",
        subject: Subject::Mnist,
        printed: &TABLE_3,
        skewed: false,
        goals: &[
            Goal {
                arm: Arm::Tuned,
                column: "accuracy_train_last",
                name: "on training data with the last model",
                percent: 97.38,
                why: Some("the paper's figure for DPSDA-C, if it means that"),
            },
            Goal {
                arm: Arm::Tuned,
                column: "accuracy_progressive",
                name: "on training data before they are learned from",
                percent: 97.38,
                why: Some("the paper's figure for DPSDA-C, if it means that"),
            },
            Goal {
                arm: Arm::Tuned,
                column: "accuracy_test_last",
                name: "on data held out with the last model",
                percent: 97.98,
                why: Some("the paper's figure for DPSDA-C"),
            },
        ],
    },
    Which {
        id: "table4",
        title: "Table 4: CIFAR-10",
        data: "CIFAR-10 cat or not",
        subject: Subject::Cifar,
        printed: &TABLE_4,
        skewed: true,
        goals: &[],
    },
];

/// The section that says all statements again.
const HEAD: &str = "holds";

/// The whole page.
pub(super) fn book(found: &Found, targets: &[&Target]) -> Book {
    let mut sections: Vec<Section> = Vec::new();
    for target in targets {
        let section = match target.name {
            "fig3" => figures::fig3(found),
            "fig5" => figures::fig5(found),
            "fig7" => figures::fig7(found),
            "table5" | "fig6" => adjacent::section(found),
            name => match TABLES.iter().find(|which| which.id == name) {
                Some(which) => accuracy::section(found, which),
                None => continue,
            },
        };
        // Table 5 and Fig. 6 share theirs.
        if sections.iter().all(|other| other.id != section.id) {
            sections.push(section);
        }
    }
    sections.insert(0, verdicts(&sections));
    let notes = Block::Notes("In all of them".into(), everywhere());
    sections.push(Section { id: "everywhere".into(), title: "How to read it".into(), blocks: vec![notes] });
    let titles: Vec<&str> = targets.iter().map(|t| t.title).collect();
    let mut book = Book {
        title: "The paper's section 6, and ours".into(),
        meta: format!("dpsda {} · {}", env!("CARGO_PKG_VERSION"), titles.join(", ")),
        lead: vec![
            "Distributed Online Private Learning of Convex Nondecomposable Objectives (Cheng, Liao and Li), section 6: every experiment run \
             as printed and as it should be, the paper's numbers beside ours, every departure with its reason."
                .into(),
        ],
        notices: found.scale.iter().cloned().collect(),
        sections,
    };
    if found.interrupted {
        book.notices.push("This was interrupted: only what had all of its trials is shown.".into());
    }
    book
}

/// Every statement of the page at its head, with a link to its section.
fn verdicts(sections: &[Section]) -> Section {
    let mut blocks = vec![Block::Text(claims::bands())];
    let (mut holds, mut fails, mut open) = (0, 0, 0);
    for statement in sections.iter().flat_map(statements) {
        match statement.verdict {
            Verdict::Holds => holds += 1,
            Verdict::Fails => fails += 1,
            Verdict::Open => open += 1,
        }
    }
    let list: Vec<Statement> = sections
        .iter()
        .flat_map(|s| statements(s).map(move |statement| (s, statement)))
        .map(|(section, statement)| Statement {
            claim: format!("{}. {}", section.title, statement.claim),
            verdict: statement.verdict,
            figures: vec![],
        })
        .collect();
    blocks.push(Block::Text(format!(
        "Of {} statements, the paper's and ours, {holds} hold, {fails} do not, {open} cannot be decided from what was run.",
        list.len()
    )));
    blocks.push(Block::Statements(list));
    Section { id: HEAD.into(), title: "What holds".into(), blocks }
}

fn statements(section: &Section) -> impl Iterator<Item = &Statement> {
    section
        .blocks
        .iter()
        .filter_map(|b| if let Block::Statements(list) = b { Some(list) } else { None })
        .flatten()
}

/// Every statement once, with the title of its section.
pub(super) fn statements_of(book: &Book) -> impl Iterator<Item = (&str, &Statement)> {
    let sections = book.sections.iter().filter(|s| s.id != HEAD);
    sections.flat_map(|s| statements(s).map(move |statement| (s.title.as_str(), statement)))
}

/// The same for programs.
pub(super) fn json(found: &Found, book: &Book) -> Value {
    let row = |part: &str, row: &Row| {
        let mut values = Map::new();
        for column in row.columns() {
            if let Some(s) = row.spread(column) {
                values.insert(column.into(), spread(s));
            }
        }
        let level = if row.level.is_finite() { json!(row.level) } else { json!("inf") };
        let departures: Vec<&str> = row.departures.iter().map(|d| d.short.as_str()).collect();
        json!({
            "experiment": part, "setting": row.arm.name(), "algorithm": row.algorithm, "level": level, "step": row.step,
            "departures": departures, "values": values,
        })
    };
    let rows: Vec<Value> =
        found.ran.iter().flat_map(|ran| ran.rows.iter().map(|r| row(ran.part.name, r))).collect();
    let said: Vec<Value> = statements_of(book)
        .map(|(title, st)| {
            json!({ "section": title, "claim": st.claim, "verdict": st.verdict.word(), "figures": st.figures })
        })
        .collect();
    let apart = |part: &str, cell: &Apart| {
        let label = if cell.label.is_finite() { json!(cell.label) } else { json!("inf") };
        json!({
            "experiment": part, "algorithm": cell.algorithm, "label": label, "before": cell.before,
            "first": cell.first.map(spread), "norm": cell.norm.map(spread), "first_own_noise": cell.free.map(spread),
            "adversary_right": cell.attack.map(|a| a.accuracy), "epsilon_at_least": cell.bound(),
        })
    };
    let worlds: Vec<Value> =
        found.worlds.iter().flat_map(|w| w.cells.iter().map(|cell| apart(w.part.name, cell))).collect();
    json!({
        "dpsda": env!("CARGO_PKG_VERSION"), "interrupted": found.interrupted, "statements": said, "rows": rows,
        "worlds": worlds,
    })
}

fn spread(s: Spread) -> Value {
    json!({ "mean": s.mean, "sd": s.sd, "min": s.low, "max": s.high, "trials": s.trials })
}
