//! What the nodes of a cluster achieved together, beside the simulator.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use dpsda::learner::Standing;
use dpsda_node::board::Decision;
use dpsda_node::store::{StoreError, disk};
use dpsda_sim::{Experiment, Judged};
use serde_json::{Value, json};

use super::lay::Layout;
use crate::failure::Failure;

/// The result of all nodes together: rounds, cost and regret, and blocks that were not decided in time.
struct Verdict {
    rounds: usize,
    judged: Judged,
    missing: u64,
}

impl Verdict {
    /// The verdict, if the data are known. If not all rounds are `done`, the rounds count that every node has decided in.
    fn of(layout: &Layout, done: bool) -> Result<Option<Self>, Failure> {
        let (experiment, _) = crate::command::node::signed(&layout.signed.manifest.experiment, &layout.dir)?;
        if experiment.ready(0).is_err() {
            return Ok(None);
        }
        let mut rounds = experiment.rounds(0);
        if !done {
            rounds = common(layout, rounds)?;
        }
        let (decisions, missing) = decisions(layout, rounds)?;
        let whole = experiment.runs[0].spec.blocks().dim();
        if decisions.is_empty() || decisions.iter().any(|decision| decision.len() != whole) {
            return Ok(None);
        }
        let judged = Experiment::from(experiment).judge(0, &decisions);
        Ok(Some(Self { rounds: decisions.len(), judged, missing }))
    }
}

/// The regret of what all nodes decided, and where duals are averaged whether any mass was lost.
pub(super) fn words(layout: &Layout, done: bool) -> Result<String, Failure> {
    let mut text = match Verdict::of(layout, done)? {
        None if done => "all rounds are done".into(),
        None => "not all rounds are done".into(),
        Some(Verdict { rounds, judged, missing }) => {
            let (cost, regret) = (judged.fitness, judged.regret_per_round);
            let mut text = format!("{rounds} rounds: mean cost {cost:.4}, regret per round {regret:.4}");
            if missing > 0 {
                text += &format!(" ({missing} blocks were not decided in time and kept their last value)");
            }
            text
        }
    };
    if let Some(error) = mass_error(layout)? {
        text += &match error {
            0 => "\nno mass was lost: nodes and links hold exactly the weight that they began with, in units of 2^-40".to_owned(),
            error => format!("\nnodes and links hold {error} units of 2^-40 more weight than they began with"),
        };
    }
    Ok(text)
}

/// The same for programs.
pub(super) fn json(layout: &Layout, done: bool) -> Result<Value, Failure> {
    let verdict = Verdict::of(layout, done)?;
    let judged = verdict.as_ref().map(|verdict| &verdict.judged);
    Ok(json!({
        "done": done,
        "rounds": verdict.as_ref().map(|verdict| verdict.rounds),
        "mean_cost": judged.map(|judged| judged.fitness),
        "regret_per_round": judged.map(|judged| judged.regret_per_round),
        "missing": verdict.as_ref().map(|verdict| verdict.missing),
        "mass_error": mass_error(layout)?,
    }))
}

/// The weight at the nodes and on the links, by the running sums in their stores, minus one per node, in units of 2^-40. None if
/// nothing is averaged, or nothing was stored.
fn mass_error(layout: &Layout) -> Result<Option<i64>, Failure> {
    let mut error = 0_i64;
    for place in &layout.nodes {
        let Some(store) = &place.store else { return Ok(None) };
        let record = match disk::record(store) {
            Err(StoreError::Missing(_)) => return Ok(None), // it was stopped before its first release
            found => found.map_err(|error| Failure::Io(error.to_string()))?,
        };
        let Some(Standing::Gossip { books: Some(books), .. }) = record.map(|record| record.saved.standing)
        else {
            return Ok(None);
        };
        let sent = books.sent.iter().map(|sum| sum.weight);
        let heard = books.heard.iter().map(|(.., weight)| weight.wrapping_neg());
        let all = sent.chain(heard).fold(books.weight, i64::wrapping_add); // running sums wrap around, and so does this
        error = error.wrapping_add(all).wrapping_sub(1 << 40);
    }
    Ok(Some(error))
}

/// `x(0), x(1), ...`: what each node decided, block by block. A node that skipped a round kept its last block.
pub(crate) fn decisions(layout: &Layout, rounds: u64) -> Result<(Vec<Vec<f64>>, u64), Failure> {
    let (mut all, mut missing) = (vec![Vec::new(); rounds as usize], 0);
    for place in &layout.nodes {
        let mut last: Option<Vec<f64>> = None;
        let blocks = blocks(&place.decisions, rounds)?;
        for (whole, block) in all.iter_mut().zip(blocks) {
            missing += u64::from(block.is_none());
            last = block.or(last);
            whole.extend(last.as_deref().unwrap_or_default());
        }
    }
    Ok((all, missing))
}

/// The number of rounds that every node has reached.
fn common(layout: &Layout, most: u64) -> Result<u64, Failure> {
    let mut least = most;
    for place in &layout.nodes {
        let decided = blocks(&place.decisions, most)?;
        least = least.min(decided.iter().rposition(Option::is_some).map_or(0, |last| last as u64 + 1));
    }
    Ok(least)
}

/// What one node decided, by round.
fn blocks(path: &Path, rounds: u64) -> Result<Vec<Option<Vec<f64>>>, Failure> {
    let text = match fs::read_to_string(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => String::new(), // it was stopped before it decided
        found => found.map_err(|e| Failure::Io(format!("{}: {e}", path.display())))?,
    };
    let mut blocks = vec![None; rounds as usize];
    for line in text.lines() {
        let decision: Decision = serde_json::from_str(line)
            .map_err(|e| Failure::Io(format!("{}: not a decision: {e}", path.display())))?;
        if let Some(slot) = blocks.get_mut(decision.round as usize) {
            *slot = Some(decision.block);
        }
    }
    Ok(blocks)
}
