//! Estimates of nodes, from their duals.

use std::ops::Range;

use fearless_simd::dispatch;

use super::DenseFleet;
use super::sums::divide;
use crate::wide;

impl DenseFleet {
    /// (13) (22) at node `i` in some columns.
    pub(super) fn write_estimate(
        &self,
        i: usize,
        columns: &Range<usize>,
        scratch: &mut Vec<f64>,
        to: &mut [f64],
    ) {
        let Some(t) = self.over else { return to.copy_from_slice(&self.start[columns.clone()]) };
        if let Some(decided) = &self.decided {
            return to.copy_from_slice(&decided[i * self.blocks.dim()..][columns.clone()]);
        }
        let (setup, own) = (&self.nodes[i].setup, self.blocks.range(i));
        let alpha = setup.step.after(t);
        for (part, dual) in self.duals.parts(i, columns) {
            // The own block by itself: the others need not be copied.
            let [start, end] = [own.start, own.end].map(|at| at.clamp(part.start, part.end));
            for some in [part.start..start, start..end, end..part.end] {
                let dual = &dual[some.start - part.start..some.end - part.start];
                let to = &mut to[some.start - columns.start..some.end - columns.start];
                if !to.is_empty() {
                    setup.set.prox_some(some.start, self.deciding(i, &some, dual, scratch), alpha, to);
                }
            }
        }
    }

    /// (13) (22) at all nodes, if the set needs all coordinates for that.
    pub(super) fn decide(&mut self, t: u64) {
        let Some(mut decided) = self.decided.take() else { return };
        let (mut dual, mut scratch) = (Vec::new(), Vec::new());
        for (i, y) in decided.chunks_mut(self.blocks.dim()).enumerate() {
            dual.clear();
            for (part, some) in self.duals.parts(i, &(0..y.len())) {
                dual.extend_from_slice(self.deciding(i, &part, some, &mut scratch));
            }
            let setup = &self.nodes[i].setup;
            setup.set.prox(&dual, setup.step.after(t), y);
        }
        self.decided = Some(decided);
    }

    /// What node `i` decides from in some columns: `h_i`, or `z_i` in the paper's order, divided by the weight.
    fn deciding<'a>(
        &self,
        i: usize,
        columns: &Range<usize>,
        dual: &'a [f64],
        scratch: &'a mut Vec<f64>,
    ) -> &'a [f64] {
        let own = self.blocks.range(i);
        let weight = self.nodes[i].weight.max(f64::MIN_POSITIVE); // it can fall to 0 where nobody is heard
        let (start, end) = (own.start.max(columns.start), own.end.min(columns.end));
        let seen = !self.published() && start < end;
        if !seen && weight == 1.0 {
            return dual;
        }
        scratch.clear();
        scratch.extend_from_slice(dual);
        if seen {
            let seen = &self.nodes[i].seen[start - own.start..end - own.start];
            scratch[start - columns.start..].iter_mut().zip(seen).for_each(|(z, u)| *z += u);
        }
        if weight != 1.0 {
            dispatch!(wide::level(), simd => divide(simd, scratch, weight));
        }
        scratch
    }
}
