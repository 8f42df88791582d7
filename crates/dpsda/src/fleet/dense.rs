//! A fleet for nodes that average: all duals side by side, and the margins of all nodes together.

use std::borrow::Cow;
use std::sync::Arc;

use fearless_simd::{Simd, dispatch};

use super::Fleet;
use super::fit::{fits, has_agents, sized};
use crate::learner::{Links, Setup, Style, settle};
use crate::network::weights::Weights;
use crate::network::{Degree, Graph, Topology};
use crate::objective::margins::Margins;
use crate::objective::two_point::Feedback;
use crate::objective::{Objective, Slopes};
use crate::privacy::plan::{Arithmetic, Coverage, Decide};
use crate::privacy::{Guard, Ledger, Plan, Sensitive};
use crate::rng::Seed;
use crate::spec::{Checked, Network};
use crate::{Blocks, Error, wide};

/// About as many numbers are mixed at once as fit into the cache.
const TILE: usize = 1 << 16;

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
    /// `z_i` of all nodes, one after the other, without the gradient that is not released yet.
    mixed: Vec<f64>,
    /// `h_i`
    dual: Vec<f64>,
    /// `y_i`
    y: Vec<f64>,
    /// Whether a round is over, so that `y_i` was decided from a dual.
    begun: bool,
}

/// What belongs to one node.
struct DenseNode {
    setup: Setup,
    guard: Guard,
    ledger: Ledger,
    /// `n u_i`, until it is released.
    pending: Option<Sensitive>,
    /// The same before the noise, if the node decides from it.
    seen: Vec<f64>,
    /// `w_i`
    weight: f64,
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
        let plan = spec.shared_plan();
        let blocks = spec.shared_blocks();
        let node = |i| {
            let setup = spec.setup(i, seed, None);
            let (guard, ledger) = (setup.guard(), plan.ledger());
            DenseNode {
                setup,
                guard,
                ledger,
                pending: None,
                seen: vec![0.0; blocks.range(i).len()],
                weight: 1.0,
            }
        };
        let nodes: Vec<DenseNode> = (0..blocks.nodes()).map(node).collect();
        let zeros = vec![0.0; nodes.len() * blocks.dim()];
        let start = nodes.first().map_or_else(Vec::new, |node| node.setup.start());
        let mut fleet = Self {
            y: start.repeat(nodes.len()),
            nodes,
            topology: Arc::clone(&network.topology),
            weights: Arc::clone(network.weights.as_ref()?),
            mixed: zeros.clone(),
            dual: zeros,
            blocks,
            plan,
            begun: false,
        };
        if fleet.published() {
            (0..fleet.nodes.len()).for_each(|i| fleet.publish(i, 0)); // h_i(0) = eta_i(0), sent all the same
        }
        Some(fleet)
    }

    fn published(&self) -> bool {
        self.plan.decide() == Decide::Published
    }

    fn row(&self, i: usize) -> std::ops::Range<usize> {
        i * self.blocks.dim()..(i + 1) * self.blocks.dim()
    }

    /// (4) (11): `h_i(t) = z_i(t) + eta_i(t)`. Only the own block holds anything that was not released before.
    fn publish(&mut self, i: usize, t: u64) {
        let (row, own) = (self.row(i), self.blocks.range(i));
        let node = &mut self.nodes[i];
        let secret = node.pending.take().unwrap_or_else(|| node.guard.nothing(own.len()));
        let share = node.guard.release(secret, t, &mut node.ledger);
        let dual = &mut self.dual[row.clone()];
        dual.copy_from_slice(&self.mixed[row]);
        share.add_to(&mut dual[own.clone()]);
        if self.plan.coverage() == Coverage::All {
            node.guard.noise_others(dual, own, t);
        }
    }

    /// (14) at all nodes.
    fn observe(&mut self, t: u64, f: &dyn Objective) {
        let dim = self.blocks.dim();
        let batch = f.linear().filter(|batch| batch.dim() == dim);
        let margins = batch.map(|batch| {
            let points: Vec<&[f64]> = self.y.chunks(dim).collect();
            (batch, Margins::at(&batch, &self.plan.ends, &points))
        });
        for (i, node) in self.nodes.iter_mut().enumerate() {
            let (own, y) = (self.blocks.range(i), &self.y[i * dim..(i + 1) * dim]);
            let error = node.setup.error(i, t, own.len());
            let slopes = margins.as_ref().map(|(batch, margins)| Slopes::new(*batch, margins.of(i)));
            let sealed = self.plan.seal(slopes.as_ref().map_or(f, |slopes| slopes));
            node.pending = Some(node.guard.observe(t, &sealed, y, own, &error));
        }
    }

    /// (12) (20) (21), without the gradient.
    fn mix(&mut self, graph: &Graph) {
        let (nodes, dim) = (self.nodes.len(), self.blocks.dim());
        let degrees = graph.degrees();
        let rows: Vec<Vec<(usize, f64)>> = graph
            .heard()
            .into_iter()
            .enumerate()
            .map(|(i, mut heard)| {
                heard.sort_unstable();
                let sorted: Vec<Degree> = heard.iter().map(|j| degrees[*j]).collect();
                let mut row = vec![0.0; heard.len()];
                self.weights.row(degrees[i], &sorted, &mut row);
                if self.weights.row_stochastic() {
                    settle(&mut row, heard.iter().position(|j| *j == i).unwrap_or_default());
                }
                heard.into_iter().zip(row).collect()
            })
            .collect();
        if !self.weights.row_stochastic() {
            let mixed =
                |row: &Vec<(usize, f64)>| row.iter().fold(0.0, |sum, (j, a)| sum + a * self.nodes[*j].weight);
            let weights: Vec<f64> = rows.iter().map(mixed).collect(); // in DPSDA-C they stay 1, exactly
            self.nodes.iter_mut().zip(weights).for_each(|(node, weight)| node.weight = weight);
        }
        let tile = (TILE / nodes).clamp(64, 4096);
        for start in (0..dim).step_by(tile) {
            let columns = start..(start + tile).min(dim);
            for (i, row) in rows.iter().enumerate() {
                let to = &mut self.mixed[i * dim..][columns.clone()];
                let from = |j: usize| &self.dual[j * dim..][columns.clone()];
                dispatch!(wide::level(), simd => sum(simd, row, &from, to));
            }
        }
    }

    /// (13) (22) at node `i`.
    fn decide(&mut self, i: usize, t: u64, scratch: &mut Vec<f64>) {
        self.write_decided(i, scratch);
        let weight = self.nodes[i].weight.max(f64::MIN_POSITIVE); // it can fall to 0 where nobody is heard
        if weight != 1.0 {
            scratch.iter_mut().for_each(|z| *z /= weight);
        }
        let (row, setup) = (self.row(i), &self.nodes[i].setup);
        setup.set.prox(scratch, setup.step.after(t), &mut self.y[row]);
    }

    /// What node `i` decides from, before it is divided by the weight: `h_i`, or `z_i` in the paper's order.
    fn write_decided(&self, i: usize, to: &mut Vec<f64>) {
        to.clear();
        if self.published() {
            to.extend_from_slice(&self.dual[self.row(i)]);
        } else {
            to.extend_from_slice(&self.mixed[self.row(i)]);
            to[self.blocks.range(i)].iter_mut().zip(&self.nodes[i].seen).for_each(|(z, u)| *z += u);
        }
    }
}

/// `to = sum_j a_j from(j)`, in the order of the list.
#[inline(always)]
fn sum<'a, S: Simd>(_: S, row: &[(usize, f64)], from: &dyn Fn(usize) -> &'a [f64], to: &mut [f64]) {
    to.fill(0.0);
    for (j, a) in row {
        to.iter_mut().zip(from(*j)).for_each(|(to, h)| *to += a * h);
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
        Cow::Borrowed(&self.y[self.row(i)])
    }

    fn dual(&self, i: usize) -> Option<(Vec<f64>, f64)> {
        let mut dual = vec![0.0; self.blocks.dim()];
        if self.begun {
            self.write_decided(i, &mut dual);
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
        has_agents(f, &self.plan, &self.blocks, &self.y[self.row(0)])?;
        if !self.published() {
            (0..self.nodes.len()).for_each(|i| self.publish(i, t));
        }
        self.observe(t, f);
        Ok(())
    }

    fn exchange(&mut self, t: u64) {
        let graph = sized(self.topology.graph(t), self.nodes.len());
        self.mix(&graph);
        let mut scratch = Vec::new();
        for i in 0..self.nodes.len() {
            if self.published() {
                self.publish(i, t + 1); // eta_i(t+1) is drawn before x(t+1) is decided
            } else {
                let node = &mut self.nodes[i];
                if let Some(secret) = &node.pending {
                    node.seen = secret.unprotected(&mut node.ledger); // n u_i of (12) (20)
                }
            }
            self.decide(i, t, &mut scratch);
        }
        self.begun = true;
    }
}
