//! Table 5 and Fig. 6 on the page: as printed, then done right.

use dpsda_audit::attack::Membership;
use dpsda_web::reproduction::{Block, Figure, Head, Ink, Line, Panel, Point, Row, Scale, Section, Table};

use super::decided::statements;
use super::{Apart, CONFIDENCE, EVENT, Worlds};
use crate::command::reproduce::found::Found;
use crate::command::reproduce::parts::{Arm, Subject};
use crate::command::reproduce::printed::TABLE_5;
use crate::command::reproduce::words::{self, number, plain, printed};

/// The section of both.
pub(in crate::command::reproduce) fn section(found: &Found) -> Section {
    let mut blocks = Vec::new();
    for worlds in &found.worlds {
        match worlds.part.arm {
            Arm::Promise => {
                blocks.push(Block::Text(
                    "Done right: a clip that is enforced, exact noise, decisions from what is published, and an epsilon from which the \
                     noise follows. What the adversary can prove must stay below what is promised."
                        .into(),
                ));
                blocks.push(Block::Table(promised(worlds)));
            }
            _ => {
                blocks.push(Block::Text(as_printed(worlds)));
                blocks.push(Block::Table(differences(worlds)));
                blocks.extend([0, 1].map(|which| Block::Figure(outputs(worlds, which))));
                blocks.push(Block::Text(many_runs(worlds)));
                blocks.push(Block::Figure(shares(worlds)));
            }
        }
    }
    if found.worlds.is_empty() {
        blocks.push(Block::Text("Nothing of it was finished.".into()));
    }
    blocks.push(Block::Statements(statements(found)));
    blocks.extend(found.files(Subject::Adjacent));
    Section { id: "table5".into(), title: "Table 5 and Fig. 6".into(), blocks }
}

fn as_printed(worlds: &Worlds) -> String {
    let first = match worlds.first_seen {
        0 => format!(
            "And \"the first entry\" is the pixel in a corner, which is black in all {} digits: its gradient is 0 in every round, so that \
             its decision moves with the gradient error, the noise, and the length to which the ball cuts the whole vector. ",
            worlds.samples
        ),
        seen => {
            format!("The first entry is a pixel that is not black in {seen} of {} digits. ", worlds.samples)
        }
    };
    format!(
        "Round {EVENT} of the second stream shows a digit of the other kind; all else is the same. The table of the paper compares \
         x({EVENT}), which is committed before f_{EVENT} is seen: read so, every difference is 0. What may be meant is x({}) in two runs with \
         the same noise, since with noise of its own in each run differences as small as those printed cannot come out. {first}The same noise in \
         both runs is not what an observer meets, so this says how far one sample moves a decision, and nothing of what can be told from it.",
        EVENT + 1
    )
}

fn head(group: &str, label: &str) -> Head {
    Head { group: group.into(), label: label.into(), numbers: true }
}

fn text_head(label: &str) -> Head {
    Head { label: label.into(), ..Head::default() }
}

fn differences(worlds: &Worlds) -> Table {
    let (paper, same, own, whole) = (
        "the paper",
        "two runs, same noise",
        "two runs, each its own noise",
        "an adversary who sees all messages and decisions",
    );
    let heads = vec![
        text_head("algorithm"),
        text_head("level"),
        head(paper, "|x(400)₁ − x′(400)₁|"),
        head(same, "|x(400) − x′(400)|, largest"),
        head(same, "|x(401)₁ − x′(401)₁|"),
        head(same, "|x(401) − x′(401)|"),
        head(own, "|x(401)₁ − x′(401)₁|"),
        head(whole, "right, %"),
        head(whole, "ε at least"),
    ];
    let row = |(k, cell): (usize, &Apart)| {
        let paper = TABLE_5.iter().find(|p| p.algorithm == cell.algorithm && p.level == cell.label);
        Row {
            first: k > 0 && worlds.cells.get(k - 1).is_some_and(|before| before.algorithm != cell.algorithm),
            cells: vec![
                plain(words::algorithm(cell.algorithm)),
                plain(words::level(cell.label)),
                printed(paper.map(|p| p.difference), 4),
                plain(if cell.before == 0.0 { "0".into() } else { format!("{:.1e}", cell.before) }),
                number(cell.first, 4),
                number(cell.norm, 4),
                number(cell.free, 4),
                plain(cell.attack.map_or_else(String::new, |a| format!("{:.1}", 100.0 * a.accuracy))),
                plain(cell.bound().map_or_else(String::new, |e| format!("{e:.2}"))),
            ],
        }
    };
    Table {
        caption: format!(
            "Table 5: the paper's numbers, and ours over {} and {} a world; bounds hold with {:.0} % confidence",
            match worlds.effort.pairs {
                1 => "1 pair of runs".to_owned(),
                n => format!("{n} pairs of runs"),
            },
            runs(worlds),
            100.0 * CONFIDENCE
        ),
        heads,
        rows: worlds.cells.iter().enumerate().map(row).collect(),
    }
}

fn promised(worlds: &Worlds) -> Table {
    let heads = vec![
        text_head("algorithm"),
        head("", "ε promised"),
        head("", "|x(401)₁ − x′(401)₁|, same noise"),
        head("", "|x(401)₁ − x′(401)₁|, own noise"),
        head("", "adversary right, %"),
        head("", "at most, by ε"),
        head("", "ε at least"),
    ];
    let row = |cell: &Apart| Row {
        first: false,
        cells: vec![
            plain(words::algorithm(cell.algorithm)),
            plain(format!("{:.2}", cell.label)),
            number(cell.first, 4),
            number(cell.free, 4),
            plain(cell.attack.map_or_else(String::new, |a| {
                let (low, high) = a.interval(CONFIDENCE);
                format!("{:.1} ({:.1} to {:.1})", 100.0 * a.accuracy, 100.0 * low, 100.0 * high)
            })),
            plain(format!("{:.1}", 100.0 * Membership::ceiling(cell.label, 0.0))),
            plain(cell.bound().map_or_else(String::new, |e| format!("{e:.2}"))),
        ],
    };
    Table {
        caption: format!("The same event under a promise; {} a world", runs(worlds)),
        heads,
        rows: worlds.cells.iter().map(row).collect(),
    }
}

/// Fig. 6, for the first entry or for the one that differs most.
fn outputs(worlds: &Worlds, which: usize) -> Figure {
    let shown =
        worlds.cells.iter().filter(|c| c.algorithm != "dpcda" && (c.label.is_infinite() || c.label == 1.0));
    let line = |cell: &Apart, world: usize| Line {
        name: ["f", "f′, which differs in round 400"][world].into(),
        ink: Ink::Hue([0, 1][world]),
        dashed: world == 1,
        points: cell.traces[which][world]
            .iter()
            .map(|(t, value)| Point { t: *t, value: *value, band: None })
            .collect(),
    };
    let panel = |cell: &Apart| Panel {
        title: format!("{}, {}", words::algorithm(cell.algorithm), words::level(cell.label)),
        lines: vec![line(cell, 0), line(cell, 1)],
        marks: vec![(EVENT as f64, "f(400) is revealed".into())],
    };
    Figure {
        title: ["Fig. 6: the first entry of the decisions in both worlds", "Fig. 6 at a pixel that tells"][which].into(),
        caption: match which {
            0 => "One pair of runs with the same noise, as the paper must have drawn it. Up to and including round 400 the two are one; \
                  from 401 on they differ by what one sample moves."
                .into(),
            _ => format!("The same pair of runs at the pixel in which the two samples differ most, {}.", pixel(worlds)),
        },
        across: Scale { label: "round t".into(), log: false },
        up: Scale { label: "x(t)".into(), log: false },
        panels: shown.map(panel).collect(),
    }
}

/// Where it is in a digit.
fn pixel(worlds: &Worlds) -> String {
    format!("row {}, column {}", worlds.coordinate / 28 + 1, worlds.coordinate % 28 + 1)
}

fn many_runs(worlds: &Worlds) -> String {
    let pixel = pixel(worlds);
    format!(
        "What an observer of decisions could tell: x(401) at the pixel in which the two samples differ most ({pixel}), \
         over {} in either world, each with its own noise and gradient error. Where the two lines lie on each other, this decision tells \
         nothing. The bound on epsilon in the table is that of an adversary who sees all messages too, knows both samples and all other data, \
         and is not told the gradient error, which is left out there: it never counts towards privacy.",
        runs(worlds)
    )
}

/// How many, in words.
pub(super) fn runs(worlds: &Worlds) -> String {
    words::count(worlds.effort.runs as usize, "run")
}

/// The share of runs below a value, in either world.
fn shares(worlds: &Worlds) -> Figure {
    let shown = worlds.cells.iter().filter(|c| c.algorithm != "dpcda");
    let line = |cell: &Apart, world: usize| {
        let values = &cell.seen[world];
        let point = |(k, value): (usize, &f64)| Point {
            t: *value,
            value: (k as f64 + 0.5) / values.len().max(1) as f64,
            band: None,
        };
        Line {
            name: ["f", "f′"][world].into(),
            ink: Ink::Hue([0, 1][world]),
            dashed: world == 1,
            points: values.iter().enumerate().map(point).collect(),
        }
    };
    let panel = |cell: &Apart| Panel {
        title: format!("{}, {}", words::algorithm(cell.algorithm), words::level(cell.label)),
        lines: vec![line(cell, 0), line(cell, 1)],
        marks: vec![],
    };
    Figure {
        title: format!("Table 5, read as x(401), over {} a world", runs(worlds)),
        caption: "The share of runs in which the decision at that pixel lies below a value.".into(),
        across: Scale { label: "x(401) at the pixel".into(), log: false },
        up: Scale { label: "share of runs".into(), log: false },
        panels: shown.map(panel).collect(),
    }
}
