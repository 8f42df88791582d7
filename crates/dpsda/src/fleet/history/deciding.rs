//! (6) at all nodes.

use super::{Estimates, HistoryFleet};
use crate::set::ConvexSet;

impl HistoryFleet {
    /// (6) at all nodes after round `t`.
    pub(super) fn decide(&mut self, t: u64) {
        self.learned = false;
        let Some(setup) = self.nodes.first().map(|node| &node.setup) else { return };
        let (set, alpha): (&dyn ConvexSet, f64) = (&*setup.set, setup.step.after(t));
        match &mut self.estimates {
            Estimates::Shared(shared) => shared.decide(&self.known, set, alpha),
            Estimates::Rows(y) => {
                let mut dual = Vec::new();
                for (i, y) in y.chunks_mut(self.blocks.dim()).enumerate() {
                    dual.clear();
                    let row = self.versions.row(i);
                    row.iter().enumerate().for_each(|(k, v)| dual.extend_from_slice(self.known.sum(k, *v)));
                    match &mut self.auto {
                        Some(auto) => auto.decide(i, t + 1, &row, &self.rounds, &mut dual, y),
                        None => set.prox(&dual, alpha, y),
                    }
                }
            }
        }
    }
}
