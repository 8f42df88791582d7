//! A fleet for nodes that average: all duals side by side, and the margins of all nodes together.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use super::Fleet;
use super::farthest;
use super::fit::{fits, has_agents};
use super::repeated::Repeated;
use crate::learner::{Links, Style};
use crate::network::Topology;
use crate::network::weights::Weights;
use crate::objective::margins::{LANES, Margins};
use crate::objective::two_point::Feedback;
use crate::objective::{BatchRows, Objective, Slopes};
use crate::privacy::plan::{Arithmetic, Coverage, Decide};
use crate::privacy::{Ledger, Plan};
use crate::rng::Seed;
use crate::spec::{Checked, Network};
use crate::{Blocks, Error};

mod deciding;
mod mixing;
mod node;
mod panels;
mod sums;
mod sweep;

use mixing::MixOrder;
use node::DenseNode;
use panels::Panels;

/// At most so many columns are in a panel, if they may be noised in pieces.
const WIDEST: usize = 1 << 13;
/// Panels have as many columns, or a multiple: so many words come from a stream at once.
const COLUMNS: usize = 128;
/// About as many numbers are read at a time: they stay near the processor until they are mixed.
const NUMBERS: usize = 1 << 15;

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
    /// What each node mixes, by round.
    mixing: Repeated<MixOrder>,
    /// How many rows are read at a time.
    together: usize,
    /// Whether coordinates of others may be noised in any pieces, or are not noised.
    in_pieces: bool,
    /// Some of `h_i` before they were mixed.
    kept: Vec<f64>,
    /// The memory of margins, and of the rows of a batch.
    scratch: (Margins, Vec<f64>),
    /// `y_i` of all nodes, if the set cannot decide some columns by themselves. Otherwise it is computed when it is asked for.
    decided: Option<Vec<f64>>,
    /// Where all nodes start.
    start: Vec<f64>,
    /// The last round that is over: `y_i` was decided from a dual after it.
    over: Option<u64>,
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
        let dim = blocks.dim();
        let width =
            if in_pieces { dim.div_ceil(dim.div_ceil(WIDEST)).next_multiple_of(COLUMNS) } else { dim };
        let decides_columns = spec.set().prox_some(0, &start, 1.0, &mut start.clone());
        let mut fleet = Self {
            duals: Panels::new(nodes.len(), dim, width),
            kept: Vec::new(),
            scratch: Default::default(),
            together: (NUMBERS / width.clamp(1, dim)).max(1).next_multiple_of(LANES),
            in_pieces,
            decided: (!decides_columns).then(|| start.repeat(nodes.len())),
            nodes,
            mixing: Repeated::new(&*network.topology),
            topology: Arc::clone(&network.topology),
            weights: Arc::clone(network.weights.as_ref()?),
            blocks,
            plan,
            start,
            over: None,
        };
        if fleet.published() {
            fleet.release(0); // h_i(0) = eta_i(0), sent all the same
            fleet.add_shares();
            let mut streams = fleet.streams(0);
            for columns in fleet.duals.columns() {
                (0..fleet.nodes.len()).for_each(|i| fleet.noise_others(i, &columns, &mut streams));
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

    /// (14) at all nodes. If the cost has linear predictions, these are all that is known of the estimates.
    fn observe(
        &mut self,
        t: u64,
        f: &dyn Objective,
        known: Option<(&Arc<BatchRows<'_>>, &Margins, &[usize])>,
    ) {
        for i in 0..self.nodes.len() {
            let own = self.blocks.range(i);
            let y = if known.is_some() { Cow::default() } else { self.estimate(i) }; // not read where margins are known
            let slopes = known.map(|(rows, margins, places)| {
                Slopes::new(rows, margins.of(places.get(i).copied().unwrap_or(i)).iter().copied())
            });
            let sealed = self.plan.seal(slopes.as_ref().map_or(f, |slopes| slopes));
            let node = &self.nodes[i];
            let error = node.setup.error(i, t, own.len());
            let seen = node.guard.observe(t, &sealed, &y, own, &error);
            self.nodes[i].pending = Some(seen);
        }
    }

    /// The margins of all nodes.
    fn margins(&self, rows: &BatchRows<'_>) -> Margins {
        let scratch = RefCell::new(Vec::new());
        let write = |i: usize, columns: Range<usize>, to: &mut [f64]| {
            self.write_estimate(i, &columns, &mut scratch.borrow_mut(), to);
        };
        Margins::of_written(rows, &self.plan.ends, self.nodes.len(), &write)
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

    fn disagreement(&self) -> f64 {
        let scratch = RefCell::new(Vec::new());
        farthest(self.nodes.len(), self.blocks.dim(), |i, columns, to| {
            self.write_estimate(i, &columns, &mut scratch.borrow_mut(), to);
        })
    }

    fn staleness(&self, _i: usize, _t: u64) -> Option<u64> {
        None
    }

    fn ledger(&self, i: usize) -> &Ledger {
        &self.nodes[i].ledger
    }

    fn learn(&mut self, t: u64, f: &dyn Objective) -> Result<(), Error> {
        fits(f, &self.blocks, "")?;
        has_agents(f, &self.plan, &self.blocks, || self.estimate(0))?;
        if !self.published() {
            self.release(t);
        }
        let batch = f.linear().filter(|batch| batch.dim() == self.blocks.dim());
        let known = batch.map(|batch| {
            let rows = BatchRows::new(batch);
            let margins = self.margins(&rows);
            (rows, margins)
        });
        self.observe(t, f, known.as_ref().map(|(rows, margins)| (rows, margins, &[][..])));
        Ok(())
    }

    fn exchange(&mut self, t: u64) {
        let mixing = self.mixing(t);
        if self.published() {
            self.release(t + 1); // eta_i(t+1) is drawn before x(t+1) is decided
        }
        self.sweep(t, &mixing, None);
        self.settle(t, &mixing);
    }

    /// The duals are read once: for the margins, and then, while they are near, to be mixed.
    fn round(&mut self, t: u64, f: &dyn Objective) -> Result<(), Error> {
        let Some(batch) =
            f.linear().filter(|batch| batch.dim() == self.blocks.dim() && self.reads_along(batch))
        else {
            self.learn(t, f)?;
            self.exchange(t);
            return Ok(());
        };
        fits(f, &self.blocks, "")?;
        has_agents(f, &self.plan, &self.blocks, || self.estimate(0))?;
        if !self.published() {
            self.release(t);
        }
        let (rows, mixing) = (BatchRows::new(batch), self.mixing(t));
        let (mut margins, mut numbers) = std::mem::take(&mut self.scratch);
        margins.clear(&rows, self.nodes.len());
        rows.widen(&mut numbers);
        self.sweep(t, &mixing, Some((&rows.stored_as(&numbers), &mut margins)));
        margins.finish();
        self.observe(t, f, Some((&rows, &margins, &mixing.places)));
        if self.published() {
            self.release(t + 1);
        }
        self.settle(t, &mixing);
        self.scratch = (margins, numbers);
        Ok(())
    }
}
