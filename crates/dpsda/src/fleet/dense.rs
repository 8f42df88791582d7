//! A fleet for nodes that average: all duals side by side, and the margins of all nodes together.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use fearless_simd::{Simd, dispatch};

use super::Fleet;
use super::fit::{fits, has_agents, sized};
use crate::learner::{Links, Setup, Style, settle};
use crate::network::weights::Weights;
use crate::network::{Degree, Graph, Topology};
use crate::objective::margins::Margins;
use crate::objective::two_point::Feedback;
use crate::objective::{Batch, BatchRows, Objective, Slopes};
use crate::privacy::plan::{Arithmetic, Coverage, Decide};
use crate::privacy::{Guard, Ledger, Plan, Released, Sensitive};
use crate::rng::{Seed, Stream};
use crate::spec::{Checked, Network};
use crate::{Blocks, Error, wide};

mod panels;

use panels::Panels;

/// About as many numbers are noised and mixed at once: they stay near the processor.
const NUMBERS: usize = 1 << 17;
/// As many columns, or a multiple: so many words come from a stream at once.
const COLUMNS: usize = 128;

/// DPSDA-C and DPSDA-PS over the reals. It computes what [`Each`](super::Each) computes, to the bit.
///
/// ```
/// use dpsda::fleet::{DenseFleet, Each};
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(21, 7)?).set(Ball::new(5.0)?).graph(PaperFig2).algorithm(PushSum).rounds(20).check()?;
/// let mut each = Each::new(&spec, Seed::new(1));
/// let mut dense = DenseFleet::new(&spec, Seed::new(1)).expect("nodes that average, and all messages are prompt");
/// let cost = OwnCost::new(21, |x| x.iter().sum(), |_, g| g.fill(1.0));
/// for t in 0..20 {
///     each.round(t, &cost)?;
///     dense.round(t, &cost)?;
/// }
/// assert_eq!(dense.decision(), each.decision());
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct DenseFleet {
    nodes: Vec<DenseNode>,
    blocks: Arc<Blocks>,
    plan: Arc<Plan>,
    topology: Arc<dyn Topology>,
    weights: Arc<dyn Weights>,
    /// `h_i`. In the paper's order `z_i`, without the gradient that has not been released yet.
    duals: Panels,
    /// A panel of `h_i` before it was mixed.
    before: Vec<f64>,
    /// `y_i` of all nodes, if the set cannot decide some columns by themselves. Otherwise it is computed when it is asked for.
    decided: Option<Vec<f64>>,
    /// Where all nodes start.
    start: Vec<f64>,
    /// The last round that is over: `y_i` was decided from a dual after it.
    over: Option<u64>,
}

/// What belongs to one node.
struct DenseNode {
    setup: Setup,
    guard: Guard,
    ledger: Ledger,
    /// `n u_i`, until it is released.
    pending: Option<Sensitive>,
    /// The same, released and not yet added.
    share: Option<Released>,
    /// The same un-noised, if it decides from it.
    seen: Vec<f64>,
    /// `w_i`
    weight: f64,
}

impl DenseNode {
    /// (4) Releases what it has learned, for the next dual.
    fn release(&mut self, len: usize, t: u64) {
        let secret = self.pending.take().unwrap_or_else(|| self.guard.nothing(len));
        self.share = Some(self.guard.release(secret, t, &mut self.ledger));
    }

    /// (4) (11): `h_i = z_i + eta_i` in some columns. Only the own block holds anything that was not released before. The stream is
    /// that of the coordinates of others, if they are noised.
    fn publish(
        &mut self,
        dual: &mut [f64],
        columns: &Range<usize>,
        own: &Range<usize>,
        others: Option<&mut Stream>,
    ) {
        let (start, end) = (own.start.clamp(columns.start, columns.end), own.end.clamp(columns.start, columns.end));
        let inside = start - columns.start..end - columns.start;
        if let Some(share) = self.share.as_ref().filter(|_| start < end) {
            share.add_some_to(start - own.start..end - own.start, &mut dual[inside.clone()]);
        }
        if let Some(stream) = others {
            for part in [0..inside.start, inside.end..dual.len()] {
                self.guard.noise_next(&mut dual[part], stream);
            }
        }
    }
}

impl DenseFleet {
    /// Whether it can play these nodes: they average over the reals, messages are prompt, and learners are not a user's own.
    pub(crate) fn serves(spec: &Checked) -> bool {
        let prompt = |network: &Network| network.links == Links::Naive && network.transit.is_prompt();
        spec.style() == Style::Average
            && !spec.algorithm().is_own()
            && spec.network().is_some_and(prompt)
            && spec.plan().arithmetic() == Arithmetic::Real
            && spec.feedback() == Feedback::Gradient
    }

    /// The nodes of a specification; none if nodes do not average over the reals, if messages may be late or lost unnoticed, if
    /// nodes see no gradients, or if learners are a user's own.
    pub fn new(spec: &Checked, seed: Seed) -> Option<Self> {
        let network = spec.network().filter(|_| Self::serves(spec))?;
        let (plan, blocks) = (spec.shared_plan(), spec.shared_blocks());
        let node = |i| {
            let setup = spec.setup(i, seed, None);
            let (guard, ledger, seen) = (setup.guard(), plan.ledger(), vec![0.0; blocks.range(i).len()]);
            DenseNode { setup, guard, ledger, pending: None, share: None, seen, weight: 1.0 }
        };
        let nodes: Vec<DenseNode> = (0..blocks.nodes()).map(node).collect();
        let start = nodes.first()?.setup.start();
        let in_pieces = plan.coverage() == Coverage::Own || nodes.iter().all(|node| node.guard.in_pieces());
        let width = if in_pieces { (NUMBERS / nodes.len()).next_multiple_of(COLUMNS) } else { blocks.dim() };
        let decides_columns = spec.set().prox_some(0, &start, 1.0, &mut start.clone());
        let mut fleet = Self {
            duals: Panels::new(nodes.len(), blocks.dim(), width),
            before: Vec::new(),
            decided: (!decides_columns).then(|| start.repeat(nodes.len())),
            nodes,
            topology: Arc::clone(&network.topology),
            weights: Arc::clone(network.weights.as_ref()?),
            blocks,
            plan,
            start,
            over: None,
        };
        if fleet.published() {
            fleet.release(0); // h_i(0) = eta_i(0), sent all the same
            let mut streams = fleet.streams(0);
            for columns in fleet.duals.columns() {
                publish(&mut fleet.nodes, &fleet.blocks, &columns, fleet.duals.panel(&columns), &mut streams);
            }
        }
        Some(fleet)
    }

    /// Whether nodes decide from `h_i`.
    fn published(&self) -> bool {
        self.plan.decide() == Decide::Published
    }

    /// (4) at all nodes.
    fn release(&mut self, t: u64) {
        let lengths = self.blocks.iter().map(|own| own.len());
        self.nodes.iter_mut().zip(lengths).for_each(|(node, len)| node.release(len, t));
    }

    /// What the noise of round `t` on coordinates of others is drawn from, if they are noised.
    fn streams(&self, t: u64) -> Vec<Stream> {
        let noised = self.plan.coverage() == Coverage::All;
        self.nodes.iter().filter(|_| noised).map(|node| node.guard.foreign_stream(t)).collect()
    }

    /// (14) at all nodes.
    fn observe(&mut self, t: u64, f: &dyn Objective) {
        let dim = self.blocks.dim();
        let batch = f.linear().filter(|batch| batch.dim() == dim);
        let margins = batch.map(|batch| (BatchRows::new(batch), self.margins(&batch)));
        for i in 0..self.nodes.len() {
            let own = self.blocks.range(i);
            let y = if margins.is_some() { Cow::default() } else { self.estimate(i) }; // not read where margins are known
            let slopes = margins.as_ref().map(|(rows, margins)| Slopes::new(rows, margins.of(i)));
            let sealed = self.plan.seal(slopes.as_ref().map_or(f, |slopes| slopes));
            let node = &self.nodes[i];
            let error = node.setup.error(i, t, own.len());
            let seen = node.guard.observe(t, &sealed, &y, own, &error);
            self.nodes[i].pending = Some(seen);
        }
    }

    /// The margins of all nodes.
    fn margins(&self, batch: &Batch<'_>) -> Margins {
        let scratch = RefCell::new(Vec::new());
        let write = |i: usize, columns: Range<usize>, to: &mut [f64]| {
            self.write_estimate(i, &columns, &mut scratch.borrow_mut(), to);
        };
        Margins::of_written(batch, &self.plan.ends, self.nodes.len(), &write)
    }

    /// The weights (12) (20) of those that each node hears, and of itself, in order.
    fn shares(&self, graph: &Graph) -> Vec<Vec<(usize, f64)>> {
        let degrees = graph.degrees();
        let row = |(i, mut heard): (usize, Vec<usize>)| {
            heard.sort_unstable();
            let sorted: Vec<Degree> = heard.iter().map(|j| degrees[*j]).collect();
            let mut row = vec![0.0; heard.len()];
            self.weights.row(degrees[i], &sorted, &mut row);
            if self.weights.row_stochastic() {
                settle(&mut row, heard.iter().position(|j| *j == i).unwrap_or_default());
            }
            heard.into_iter().zip(row).collect()
        };
        graph.heard().into_iter().enumerate().map(row).collect()
    }

    /// (21)
    fn mix_weights(&mut self, shares: &[Vec<(usize, f64)>]) {
        if self.weights.row_stochastic() {
            return; // in DPSDA-C they stay 1, exactly
        }
        let mixed = |row: &Vec<(usize, f64)>| row.iter().fold(0.0, |sum, (j, a)| sum + a * self.nodes[*j].weight);
        let weights: Vec<f64> = shares.iter().map(mixed).collect();
        self.nodes.iter_mut().zip(weights).for_each(|(node, weight)| node.weight = weight);
    }

    /// (4) (11) (12) (20), panel by panel.
    fn mix(&mut self, t: u64, shares: &[Vec<(usize, f64)>]) {
        let published = self.published();
        let mut streams = self.streams(if published { t + 1 } else { t });
        let Self { nodes, blocks, duals, before, .. } = self;
        for columns in duals.columns() {
            let panel = duals.panel(&columns);
            before.clear();
            before.extend_from_slice(panel);
            if !published {
                publish(nodes, blocks, &columns, before, &mut streams);
            }
            dispatch!(wide::level(), simd => sum_all(simd, shares, before, panel, columns.len()));
            if published {
                publish(nodes, blocks, &columns, panel, &mut streams);
            }
        }
    }

    /// (13) (22) at node `i` in some columns.
    fn write_estimate(&self, i: usize, columns: &Range<usize>, scratch: &mut Vec<f64>, to: &mut [f64]) {
        let Some(t) = self.over else { return to.copy_from_slice(&self.start[columns.clone()]) };
        if let Some(decided) = &self.decided {
            return to.copy_from_slice(&decided[i * self.blocks.dim()..][columns.clone()]);
        }
        let setup = &self.nodes[i].setup;
        let alpha = setup.step.after(t);
        for (part, dual) in self.duals.parts(i, columns) {
            let dual = self.deciding(i, &part, dual, scratch);
            let to = &mut to[part.start - columns.start..part.end - columns.start];
            setup.set.prox_some(part.start, dual, alpha, to);
        }
    }

    /// (13) (22) at all nodes, if the set needs all coordinates for that.
    fn decide(&mut self, t: u64) {
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

/// (4) (11) at all nodes in the columns of a panel.
fn publish(
    nodes: &mut [DenseNode],
    blocks: &Blocks,
    columns: &Range<usize>,
    panel: &mut [f64],
    streams: &mut [Stream],
) {
    let mut streams = streams.iter_mut();
    for ((node, dual), own) in nodes.iter_mut().zip(panel.chunks_mut(columns.len())).zip(blocks.iter()) {
        node.publish(dual, columns, &own, streams.next());
    }
}

/// Divides all numbers.
#[inline(always)]
fn divide<S: Simd>(_: S, numbers: &mut [f64], by: f64) {
    for z in numbers {
        *z /= by;
    }
}

/// How many columns are summed in registers.
const TOGETHER: usize = 32;

/// `to_i = sum_j a_ij from_j` in all rows of a panel, in the order of the lists.
#[inline(always)]
fn sum_all<S: Simd>(_: S, shares: &[Vec<(usize, f64)>], from: &[f64], to: &mut [f64], width: usize) {
    for (row, to) in shares.iter().zip(to.chunks_exact_mut(width)) {
        let (whole, rest) = to.as_chunks_mut::<TOGETHER>();
        for (k, to) in whole.iter_mut().enumerate() {
            let mut sums = [0.0; TOGETHER];
            for (j, a) in row {
                let from = &from[j * width + k * TOGETHER..][..TOGETHER];
                for (sum, h) in sums.iter_mut().zip(from) {
                    *sum += a * h;
                }
            }
            *to = sums;
        }
        rest.fill(0.0);
        for (j, a) in row {
            let from = &from[(j + 1) * width - rest.len()..];
            for (to, h) in rest.iter_mut().zip(from) {
                *to += a * h;
            }
        }
    }
}

impl Fleet for DenseFleet {
    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn style(&self) -> Style {
        Style::Average
    }

    fn learners(&self) -> usize {
        self.nodes.len()
    }

    fn estimate(&self, i: usize) -> Cow<'_, [f64]> {
        if self.over.is_none() {
            return Cow::Borrowed(&self.start);
        }
        if let Some(decided) = &self.decided {
            return Cow::Borrowed(&decided[i * self.blocks.dim()..][..self.blocks.dim()]);
        }
        let mut y = vec![0.0; self.blocks.dim()];
        self.write_estimate(i, &(0..y.len()), &mut Vec::new(), &mut y);
        Cow::Owned(y)
    }

    fn models(&self) -> Vec<Vec<f64>> {
        let (mut x, mut scratch) = (vec![0.0; self.blocks.dim()], Vec::new());
        for (i, own) in self.blocks.iter().enumerate() {
            self.write_estimate(i, &own, &mut scratch, &mut x[own.clone()]);
        }
        vec![x]
    }

    fn dual(&self, i: usize) -> Option<(Vec<f64>, f64)> {
        let dim = self.blocks.dim();
        let mut dual = vec![0.0; dim];
        if self.over.is_some() {
            self.duals.parts(i, &(0..dim)).for_each(|(columns, part)| dual[columns].copy_from_slice(part));
            if !self.published() {
                let own = &mut dual[self.blocks.range(i)];
                own.iter_mut().zip(&self.nodes[i].seen).for_each(|(z, u)| *z += u);
            }
        }
        Some((dual, self.nodes[i].weight))
    }

    fn staleness(&self, _i: usize, _t: u64) -> Option<u64> {
        None
    }

    fn ledger(&self, i: usize) -> &Ledger {
        &self.nodes[i].ledger
    }

    fn learn(&mut self, t: u64, f: &dyn Objective) -> Result<(), Error> {
        fits(f, &self.blocks, "")?;
        has_agents(f, &self.plan, &self.blocks, &self.estimate(0))?;
        if !self.published() {
            self.release(t);
        }
        self.observe(t, f);
        Ok(())
    }

    fn exchange(&mut self, t: u64) {
        let graph = sized(self.topology.graph(t), self.nodes.len());
        let shares = self.shares(&graph);
        self.mix_weights(&shares);
        if self.published() {
            self.release(t + 1); // eta_i(t+1) is drawn before x(t+1) is decided
        }
        self.mix(t, &shares);
        if !self.published() {
            for node in &mut self.nodes {
                if let Some(secret) = &node.pending {
                    node.seen = secret.unprotected(&mut node.ledger); // n u_i of (12) (20)
                }
            }
        }
        self.over = Some(t);
        self.decide(t);
    }
}
