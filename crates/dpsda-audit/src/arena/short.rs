//! A short run for the same claim, for noise that cancels over time.

use dpsda::privacy::clip::Norm;
use dpsda::privacy::plan::{Adjacency, Extent, Plan, Privacy};
use dpsda::spec::Checked;

use crate::audit::SHORT;

/// A plan for [`SHORT`] rounds with the clip, the event and the epsilon of the specification. None if its run is no longer than
/// that.
pub(super) fn plan(spec: &Checked) -> Option<Plan> {
    let (long, blocks) = (spec.plan(), spec.blocks());
    if spec.rounds() <= SHORT {
        return None;
    }
    let bounds: Option<Vec<f64>> = (0..blocks.nodes()).map(|i| Some(long.clip(i)?.bound as f64)).collect();
    let units = match long.mechanism().norm() {
        _ if long.adjacency() == Adjacency::Agent => bounds?.into_iter().fold(0.0, f64::max), // every node has the whole clip
        Norm::L1 => bounds?.iter().sum::<f64>(),
        Norm::L2 => bounds?.iter().map(|b| b * b).sum::<f64>().sqrt(),
    };
    let clip = units / f64::from(long.clip(0)?.bits).exp2();
    let asked = Privacy::epsilon(long.epsilon()?)
        .mechanism(long.mechanism().clone())
        .clip(clip)
        .adjacency(long.adjacency());
    let asked = if long.delta() > 0.0 { asked.delta(long.delta()) } else { asked };
    Plan::new(asked, &Extent { style: spec.style(), blocks, rounds: SHORT, batch: spec.batch() }).ok()
}
