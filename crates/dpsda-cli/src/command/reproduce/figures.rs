//! Figs. 3, 5 and 7, redrawn.

use dpsda_web::reproduction::{Block, Figure, Line, Panel, Point, Scale, Section, curves};

use super::accuracy::reasons;
use super::claims;
use super::found::{Found, Ran};
use super::measure::{AUC, COST, REGRET, TRAIN};
use super::parts::{Arm, Subject};
use super::printed::LEVELS;
use super::rows::Row;
use super::words;

const ALGORITHMS: [&str; 4] = ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"];

/// How a figure is cut into panels.
enum Cut {
    /// One panel an algorithm, one line a level: as the paper draws it.
    Algorithms,
    /// One panel a level, one line an algorithm: who is ahead.
    Levels,
}

/// One column of a run's series.
fn figure(ran: &Ran, column: &str, cut: &Cut, (title, up, caption): (&str, &str, &str), log: bool) -> Figure {
    let all = curves(&ran.run, column);
    let line = |algorithm: &str, level: f64| -> Option<Line> {
        let row = ran.rows.iter().find(|r| r.algorithm == algorithm && r.level == level)?;
        let points = all.iter().find(|(run, _)| *run == row.run)?.1.clone();
        let (name, ink) = match cut {
            Cut::Algorithms => (words::level(level), words::ramp(level)),
            Cut::Levels => (words::algorithm(algorithm), words::hue(algorithm)),
        };
        Some(Line { name, ink, dashed: false, points })
    };
    let panels = match cut {
        Cut::Algorithms => ALGORITHMS
            .iter()
            .map(|a| Panel {
                title: words::algorithm(a),
                lines: LEVELS.iter().filter_map(|level| line(a, *level)).collect(),
                marks: vec![],
            })
            .collect(),
        Cut::Levels => LEVELS
            .iter()
            .map(|level| Panel {
                title: words::level(*level),
                lines: ALGORITHMS.iter().filter_map(|a| line(a, *level)).collect(),
                marks: vec![],
            })
            .collect(),
    };
    let arm = ran.part.arm.name();
    Figure {
        title: format!("{title}, {arm}"),
        caption: format!("{caption} {}", bands(trials(ran))),
        across: Scale { label: "round T".into(), log },
        up: Scale { label: up.into(), log: true },
        panels,
    }
}

/// Section 6.1.
pub(super) fn fig3(found: &Found) -> Section {
    let mut blocks = vec![Block::Text(
        "The paper draws regret over T for its two algorithms (top) and the same of the averaged decisions (bottom), a line a level. \
         Below are the same panels for all four, then cut by level, so that algorithms can be compared."
            .into(),
    )];
    for ran in found.about(Subject::Regression) {
        let draw = |column, cut, words| Block::Figure(figure(ran, column, &cut, words, true));
        blocks.push(draw(
            "regret_per_round",
            Cut::Algorithms,
            ("Fig. 3, top: regret (2) over T", "regret per round", "Of the decisions as they were made."),
        ));
        blocks.push(draw(
            "averaged_regret_per_round",
            Cut::Algorithms,
            (
                "Fig. 3, bottom: regret (19) over T",
                "regret per round",
                "Of the running mean of the decisions.",
            ),
        ));
        blocks.push(draw(
            "regret_per_round",
            Cut::Levels,
            ("Regret (2) over T by level", "regret per round", "The same curves as in the first figure."),
        ));
    }
    let rows = found.rows(Subject::Regression);
    blocks.push(Block::Notes("What was done differently, and why".into(), reasons(&rows)));
    blocks.push(Block::Statements(fig3_statements(found, &rows)));
    blocks.extend(found.files(Subject::Regression));
    Section { id: "fig3".into(), title: "Fig. 3".into(), blocks }
}

fn fig3_statements(found: &Found, rows: &[&Row]) -> Vec<dpsda_web::reproduction::Statement> {
    let rivals: &[&str] = &["dpsda-c", "dpsda-ps"];
    let mut list = Vec::new();
    for ran in found.about(Subject::Regression) {
        let arm = ran.part.arm;
        list.push(claims::falls(
            format!("Regret over T, {}: it falls as T grows.", arm.name()),
            &named_curves(ran, "regret_per_round", &ALGORITHMS),
            trials(ran),
        ));
        list.push(claims::ordered(rows, ("linear regression", arm), &ALGORITHMS, &REGRET));
        list.push(claims::ahead(rows, arm, ("dpsda-r", rivals), &LEVELS[1..], &REGRET));
        list.push(claims::not_behind(rows, arm, ("dpsda-r", rivals), &REGRET));
    }
    list
}

/// The mean curves of some algorithms at every level.
fn named_curves(ran: &Ran, column: &str, algorithms: &[&str]) -> Vec<(String, Vec<(f64, f64)>)> {
    let all = curves(&ran.run, column);
    let points = |points: &[Point]| points.iter().map(|p| (p.t, p.value)).collect();
    let rows = ran.rows.iter().filter(|row| algorithms.contains(&row.algorithm));
    rows.filter_map(|row| {
        let name = format!("{} {}", words::algorithm(row.algorithm), words::level(row.level));
        Some((name, points(&all.iter().find(|(run, _)| *run == row.run)?.1)))
    })
    .collect()
}

/// What lines and bands are, for a caption.
fn bands(trials: usize) -> String {
    format!(
        "Lines are means over {}, bands one standard deviation to each side.",
        words::count(trials, "trial")
    )
}

/// The least number of trials that any of its rows has.
fn trials(ran: &Ran) -> usize {
    ran.rows.iter().filter_map(|row| row.spread("fitness")).map(|s| s.trials).min().unwrap_or(0)
}

/// Section 6.2, the curves.
pub(super) fn fig5(found: &Found) -> Section {
    let mut blocks = vec![Block::Text(
        "The paper draws the average cost F(T)/T on its three data sets for its two algorithms, a line a level, and says that it tends \
         to 0. It cannot fall below the cost of the best fixed decision, which stands under each figure."
            .into(),
    )];
    let mut statements = Vec::new();
    let mut shown: Vec<&Row> = Vec::new();
    for (subject, name) in [
        (Subject::Mushroom, "mushroom"),
        (Subject::Mnist, "MNIST 6/8"),
        (Subject::Cifar, "CIFAR-10 cat or not"),
    ] {
        for ran in found.about(subject).filter(|ran| matches!(ran.part.arm, Arm::Printed | Arm::Sound)) {
            let least = ran.rows.first().and_then(|row| row.spread("least_cost"));
            let least =
                least.map_or_else(String::new, |s| format!("The best fixed decision costs {:.4}.", s.mean));
            let words = (format!("Fig. 5: average cost on {name}"), least);
            let title = (words.0.as_str(), "average cost", words.1.as_str());
            blocks.push(Block::Figure(figure(ran, "fitness", &Cut::Algorithms, title, false)));
            statements.push(claims::falls(
                format!(
                    "Average cost on {name}, {}: it falls with T for the paper's two.",
                    ran.part.arm.name()
                ),
                &named_curves(ran, "fitness", &["dpsda-c", "dpsda-ps"]),
                trials(ran),
            ));
            let rows: Vec<&Row> = ran.rows.iter().collect();
            statements.push(claims::ordered(&rows, (name, ran.part.arm), &["dpsda-c", "dpsda-ps"], &COST));
            shown.extend(rows);
        }
    }
    blocks.push(Block::Notes("What was done differently, and why".into(), reasons(&shown)));
    blocks.push(Block::Statements(statements));
    Section { id: "fig5".into(), title: "Fig. 5".into(), blocks }
}

/// Section 6.2, against others.
pub(super) fn fig7(found: &Found) -> Section {
    let mut blocks = vec![Block::Text(
        "The paper compares DPSDA-C with DPDOLA on undirected links and DPSDA-PS with DPPS and DPSR on directed ones, with noise of scale \
         1 on whatever is sent. Those three hold a whole model at every node and split the samples of a round; their cost is the mean \
         over the nodes' models."
            .into(),
    )];
    let mut statements = Vec::new();
    let mut shown: Vec<&Row> = Vec::new();
    for (ours, rivals) in
        found.about(Subject::Cifar).filter_map(|ran| Some((ran, found.one(Subject::Rivals, ran.part.arm)?)))
    {
        for (column, name, log) in
            [("fitness", "average cost", true), ("accuracy_progressive", "training accuracy", false)]
        {
            blocks.push(Block::Figure(against(ours, rivals, column, Scale { label: name.into(), log })));
        }
        let rows: Vec<&Row> = ours.rows.iter().chain(&rivals.rows).filter(|row| row.level == 1.0).collect();
        shown.extend(&rows);
        let arm = ours.part.arm;
        for measure in [&COST, &TRAIN, &AUC] {
            statements.push(claims::ahead(&rows, arm, ("dpsda-c", &["dpdola"]), &[1.0], measure));
            statements.push(claims::ahead(&rows, arm, ("dpsda-ps", &["dpps", "dpsr"]), &[1.0], measure));
            statements.push(claims::ahead(
                &rows,
                arm,
                ("dpsda-r", &["dpdola", "dpps", "dpsr"]),
                &[1.0],
                measure,
            ));
        }
    }
    if statements.is_empty() {
        blocks.push(Block::Text("Nothing of it was finished.".into()));
    }
    blocks.push(Block::Notes("What was done differently, and why".into(), reasons(&shown)));
    blocks.push(Block::Statements(statements));
    blocks.extend(found.files(Subject::Rivals));
    Section { id: "fig7".into(), title: "Fig. 7".into(), blocks }
}

fn against(ours: &Ran, rivals: &Ran, column: &str, up: Scale) -> Figure {
    let line = |ran: &Ran, algorithm: &str| -> Option<Line> {
        let row = ran.rows.iter().find(|r| r.algorithm == algorithm && r.level == 1.0)?;
        let points = curves(&ran.run, column).into_iter().find(|(run, _)| *run == row.run)?.1;
        Some(Line { name: words::algorithm(algorithm), ink: words::hue(algorithm), dashed: false, points })
    };
    let panel = |title: &str, own: &str, others: &[&str]| Panel {
        title: title.into(),
        lines: [line(ours, "dpcda"), line(ours, own), line(ours, "dpsda-r")]
            .into_iter()
            .chain(others.iter().map(|other| line(rivals, other)))
            .flatten()
            .collect(),
        marks: vec![],
    };
    Figure {
        title: format!("Fig. 7: {}, {}", up.label, ours.part.arm.name()),
        caption: format!("Level 1. {}", bands(trials(ours).min(trials(rivals)))),
        across: Scale { label: "round T".into(), log: false },
        up,
        panels: vec![
            panel("undirected: DPSDA-C and DPDOLA", "dpsda-c", &["dpdola"]),
            panel("directed: DPSDA-PS, DPPS and DPSR", "dpsda-ps", &["dpps", "dpsr"]),
        ],
    }
}
