//! What the nodes of a cluster achieved together, beside the simulator.

use std::fs;
use std::path::Path;

use dpsda_node::board::Decision;

use super::lay::Layout;
use crate::failure::Failure;

/// The regret of what all nodes decided, if every round was decided by everybody and the data are known.
pub(super) fn words(layout: &Layout) -> Result<String, Failure> {
    let (experiment, _) = crate::command::node::hosted(&layout.signed.manifest.experiment, &[], &layout.dir)?;
    if experiment.source(0).ready().is_err() {
        return Ok("all rounds are done".into());
    }
    let (decisions, missing) = decisions(layout, experiment.rounds(0))?;
    let judged = experiment.judge(0, &decisions);
    let mut text = format!(
        "{} rounds: mean cost {:.4}, regret per round {:.4}",
        decisions.len(),
        judged.fitness,
        judged.regret_per_round
    );
    if missing > 0 {
        text += &format!(" ({missing} blocks that were not decided in time stand as they stood before)");
    }
    Ok(text)
}

/// `x(0), x(1), ...`: what each node decided, block by block. Whoever skipped a round kept what it had.
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

/// What one node decided, by round.
fn blocks(path: &Path, rounds: u64) -> Result<Vec<Option<Vec<f64>>>, Failure> {
    let text = fs::read_to_string(path).map_err(|e| Failure::Io(format!("{}: {e}", path.display())))?;
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
