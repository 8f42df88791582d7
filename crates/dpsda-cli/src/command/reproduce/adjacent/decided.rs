//! What Table 5 and Fig. 6 decide.

use dpsda_web::reproduction::{Statement, Verdict};

use super::section::runs;
use super::{Apart, CONFIDENCE, Worlds};
use crate::command::reproduce::claims;
use crate::command::reproduce::found::Found;
use crate::command::reproduce::measure::DIFFERENCE;
use crate::command::reproduce::parts::Arm;
use crate::command::reproduce::printed::LEVELS;
use crate::command::reproduce::rows::Spread;
use crate::command::reproduce::words;

/// From fewer runs a world nothing is decided about an adversary.
const RUNS: u64 = 10;

/// The paper's statements and ours.
pub(super) fn statements(found: &Found) -> Vec<Statement> {
    let mut list = Vec::new();
    for worlds in &found.worlds {
        if worlds.part.arm == Arm::Promise {
            list.push(kept(worlds));
            continue;
        }
        let largest = worlds.cells.iter().map(|c| c.before).fold(0.0, f64::max);
        list.push(Statement {
            claim: "Table 5: x(400) differs when f(400) does.".into(),
            verdict: if largest > 0.0 { Verdict::Holds } else { Verdict::Fails },
            figures: vec![format!(
                "The largest difference in any coordinate, algorithm, level and pair of runs is {largest}. One pair is \
                 enough to say so: x(400) is committed before f(400) is seen."
            )],
        });
        list.push(order(worlds, "Table 5, read as x(401) with the same noise in both runs: a smaller level brings a smaller difference.", |c| {
            c.first
        }));
        list.push(order(worlds, "Table 5, read as an observer sees it, each run with its own noise: a smaller level brings a smaller difference.", |c| {
            c.free
        }));
        list.push(order(
            worlds,
            "Likewise with the same noise, for the whole decision: a smaller level brings a smaller |x(401) - x'(401)|.",
            |c| c.norm,
        ));
        list.push(hidden(worlds));
    }
    list
}

/// Falls from level to level in the paper's two algorithms.
fn order(worlds: &Worlds, claim: &str, of: impl Fn(&Apart) -> Option<Spread>) -> Statement {
    let one = |algorithm: &&str| {
        let at = |level: &f64| {
            worlds.cells.iter().find(|c| c.algorithm == *algorithm && c.label == *level).and_then(&of)
        };
        let found: Vec<Spread> = LEVELS.iter().map(at).collect::<Option<_>>()?;
        let shown: Vec<String> = found
            .iter()
            .zip(LEVELS)
            .map(|(s, level)| format!("{} {}", words::level(level), words::number(Some(*s), 4).text))
            .collect();
        let text = format!("{}: {}", words::algorithm(algorithm), shown.join(", "));
        Some(claims::in_order(&found, &DIFFERENCE, text))
    };
    claims::all(claim.into(), ["dpsda-c", "dpsda-ps"].iter().map(one).collect())
}

/// What so many runs a world decide: from a handful nothing, and the figures say so.
fn enough(worlds: &Worlds, verdict: Verdict, figures: &mut Vec<String>) -> Verdict {
    if worlds.effort.runs >= RUNS {
        return verdict;
    }
    figures.push(format!("Not decided: {} a world, fewer than {RUNS}.", runs(worlds)));
    Verdict::Open
}

/// "The adversary cannot distinguish", in the paper's own order.
fn hidden(worlds: &Worlds) -> Statement {
    let noisy = worlds.cells.iter().filter(|c| matches!(c.algorithm, "dpsda-c" | "dpsda-ps"));
    let played: Vec<&Apart> = noisy.filter(|c| c.attack.is_some()).collect();
    let holds = played.iter().all(|c| c.attack.is_some_and(|a| a.interval(CONFIDENCE).0 <= 0.5));
    let right = played.iter().filter_map(|c| {
        let a = c.attack?;
        Some(format!(
            "{} {}: right in {:.1} % of runs, by \"{}\"",
            words::algorithm(c.algorithm),
            words::level(c.label),
            100.0 * a.accuracy,
            a.statistic
        ))
    });
    let mut figures: Vec<String> = right.collect();
    let verdict = match (played.is_empty(), holds) {
        (true, _) => Verdict::Open,
        (false, true) => Verdict::Holds,
        (false, false) => Verdict::Fails,
    };
    let verdict = enough(worlds, verdict, &mut figures);
    Statement {
        claim: "\"The adversary cannot distinguish from the outputs which of the two is the real data\", in the paper's order.".into(),
        verdict,
        figures,
    }
}

/// No bound above its promise.
fn kept(worlds: &Worlds) -> Statement {
    let bounds: Vec<(&Apart, f64)> = worlds.cells.iter().filter_map(|c| Some((c, c.bound()?))).collect();
    let shown = |(c, bound): &(&Apart, f64)| {
        format!("{}: promised {:.2}, proved {bound:.2}", words::algorithm(c.algorithm), c.label)
    };
    let mut figures: Vec<String> = bounds.iter().map(shown).collect();
    figures.push(format!(
        "{} a world would show a gross leak and not a small one: `dpsda audit` plays as many as are asked for.",
        runs(worlds)
    ));
    let verdict = match (bounds.is_empty(), bounds.iter().all(|(c, bound)| *bound <= c.label)) {
        (true, _) => Verdict::Open,
        (false, true) => Verdict::Holds,
        (false, false) => Verdict::Fails,
    };
    let verdict = enough(worlds, verdict, &mut figures);
    Statement {
        claim: "With a promise: what the adversary can prove stays below what is promised.".into(),
        verdict,
        figures,
    }
}
