//! A fleet for nodes that relay. A node's copy of a block is some earlier version of it, so versions are kept, not copies.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Fleet;
use super::farthest;
use super::fit::{fits, has_agents, sized};
use super::repeated::Repeated;
use crate::learner::{Rule, Setup, Style};
use crate::network::Topology;
use crate::objective::margins::{LANES, Margins};
use crate::objective::two_point::Feedback;
use crate::objective::{BatchRows, Objective};
use crate::privacy::{Guard, Ledger, Plan, Released};
use crate::rng::Seed;
use crate::spec::Checked;
use crate::{Blocks, Error};

mod adding;
mod auto;
mod deciding;
mod known;
mod margins;
mod shared;
mod sparse;
mod versions;
mod young;

use auto::AutoNodes;
use known::Known;
use margins::NodeMargins;
use shared::SharedEstimates;
use versions::NodeVersions;

/// DPSDA-R. It computes what [`Each`](super::Each) computes, to the bit. Only [`Fleet::disagreement`] adds up in another order.
///
/// It keeps every version of a block that some node still uses once, and for every node and block the number of the version. If
/// the set restricts blocks separately, then nodes that use the same version share everything computed from it: the proximal map
/// and the sums of predictions over the block.
///
/// ```
/// use dpsda::fleet::{Each, HistoryFleet};
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(21, 7)?).set(Ball::new(5.0)?).graph(PaperFig2).algorithm(Relay).rounds(20).check()?;
/// let mut each = Each::new(&spec, Seed::new(1));
/// let mut history = HistoryFleet::new(&spec, Seed::new(1)).expect("nodes that relay, and all messages are prompt");
/// let cost = OwnCost::new(21, |x| x.iter().sum(), |_, g| g.fill(1.0));
/// for t in 0..20 {
///     each.round(t, &cost)?;
///     history.round(t, &cost)?;
/// }
/// assert_eq!(history.decision(), each.decision());
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct HistoryFleet {
    nodes: Vec<HistoryNode>,
    blocks: Arc<Blocks>,
    plan: Arc<Plan>,
    topology: Arc<dyn Topology>,
    /// Whom each node hears, by round.
    heard: Repeated<Vec<Vec<usize>>>,
    /// The version that each node has of each block.
    versions: NodeVersions,
    /// The running sums of every block, by version.
    known: Known,
    estimates: Estimates,
    /// Where steps are automatic.
    auto: Option<AutoNodes>,
    /// What versions mean to observers: a block's version 0 is from before round 0, the others are from after these rounds.
    rounds: Vec<u64>,
    /// Whether nodes have learned since they decided.
    learned: bool,
}

/// What belongs to one node.
struct HistoryNode {
    setup: Setup,
    guard: Guard,
    ledger: Ledger,
    /// The exact sum of its own releases.
    sum: Released,
}

/// `y_i` of all nodes.
enum Estimates {
    /// By version of each block, where nodes that have the same version also decide the same.
    Shared(SharedEstimates),
    /// All coordinates of every node, where the set couples blocks or every node has steps of its own.
    Rows(Vec<f64>),
}

impl HistoryFleet {
    /// Whether it can play these nodes: they relay with one step for all coordinates, messages are prompt, and learners are not a
    /// user's own.
    pub(crate) fn serves(spec: &Checked) -> bool {
        let one_step = spec.step().rule != Rule::Coordinate || spec.set().each().is_none();
        spec.style() == Style::Relay
            && !spec.algorithm().is_own()
            && spec.network().is_some_and(|network| network.transit.is_prompt())
            && spec.feedback() == Feedback::Gradient
            && one_step
    }

    /// About how many bytes the numbers of versions take.
    pub(crate) fn versions(spec: &Checked) -> u128 {
        let nodes = spec.blocks().nodes();
        if !zero_is_nothing(spec) {
            return NodeVersions::bytes(nodes, spec.rounds(), None);
        }
        let heard =
            || spec.network().map_or(nodes, |network| sparse::reach(&*network.topology, spec.rounds()));
        NodeVersions::bytes(nodes, spec.rounds(), Some(&heard))
    }

    /// The nodes of a specification; none if they do not relay, if every coordinate has its own step, if messages may be late or
    /// lost unnoticed, if nodes see no gradients, or if learners are a user's own.
    pub fn new(spec: &Checked, seed: Seed) -> Option<Self> {
        let network = spec.network().filter(|_| Self::serves(spec))?;
        let (blocks, plan) = (spec.shared_blocks(), spec.shared_plan());
        let node = |i| {
            let setup = spec.setup(i, seed, None);
            let (guard, ledger, sum) = (setup.guard(), plan.ledger(), plan.zeros(blocks.range(i).len()));
            HistoryNode { setup, guard, ledger, sum }
        };
        let nodes: Vec<HistoryNode> = (0..blocks.nodes()).map(node).collect();
        let start = nodes.first()?.setup.start();
        let known = Known::new(&blocks);
        let auto: Option<Vec<_>> = nodes.iter().map(|node| node.setup.auto_steps(false)).collect();
        let estimates = match spec.set().is_separable() && auto.is_none() {
            true => Estimates::Shared(SharedEstimates::new(&known, &start)),
            false => Estimates::Rows(start.repeat(nodes.len())),
        };
        Some(Self {
            versions: NodeVersions::new(nodes.len(), zero_is_nothing(spec)),
            heard: Repeated::new(&*network.topology),
            topology: Arc::clone(&network.topology),
            nodes,
            blocks,
            plan,
            known,
            estimates,
            auto: auto.map(AutoNodes::new),
            rounds: Vec::new(),
            learned: false,
        })
    }

    /// (14) at all nodes, clipped, noised and charged; every node adds it to its own sum.
    fn release(&mut self, t: u64, f: &dyn Objective) {
        let batch = f.linear().filter(|batch| batch.dim() == self.blocks.dim());
        let margins = batch.map(|batch| {
            let rows = BatchRows::new(batch);
            let margins = self.margins(&rows);
            (rows, margins)
        });
        let estimates: Vec<Vec<f64>> = match margins {
            Some(_) => Vec::new(),
            None => (0..self.nodes.len()).map(|i| self.estimate(i).into_owned()).collect(),
        };
        self.rounds.push(t);
        self.learned = true;
        for i in 0..self.nodes.len() {
            let own = self.blocks.range(i);
            let y = estimates.get(i).map_or(&[][..], Vec::as_slice); // asked for without linear predictions only
            let slopes = margins.as_ref().map(|(rows, margins)| margins.slopes(rows, i));
            let sealed = self.plan.seal(slopes.as_ref().map_or(f, |slopes| slopes));
            let node = &mut self.nodes[i];
            let error = node.setup.error(i, t, own.len());
            let gradient = node.guard.observe(t, &sealed, y, own.clone(), &error);
            let v = node.guard.release(gradient, t, &mut node.ledger);
            node.sum.add_block(0..own.len(), &v);
            self.known.push(i, &node.sum);
            if let Some(auto) = &mut self.auto {
                auto.push(i, &v, &node.sum);
            }
            self.versions.set(i, i, self.rounds.len() as u64);
        }
    }

    /// The margins of all nodes.
    fn margins(&self, rows: &BatchRows<'_>) -> NodeMargins {
        match &self.estimates {
            Estimates::Shared(_) if self.learned || self.nodes.len() <= LANES => {
                let points: Vec<_> = (0..self.nodes.len()).map(|i| self.estimate(i)).collect();
                let points: Vec<&[f64]> = points.iter().map(|y| &**y).collect();
                NodeMargins::Rows(Margins::at(rows, &self.plan.ends, &points))
            }
            Estimates::Shared(shared) => {
                NodeMargins::Shared(shared.margins(rows, &self.plan.ends, &self.versions))
            }
            Estimates::Rows(y) => {
                let points: Vec<&[f64]> = y.chunks(self.blocks.dim()).collect();
                NodeMargins::Rows(Margins::at(rows, &self.plan.ends, &points))
            }
        }
    }
}

/// Whether an unknown block adds nothing, because nodes decide zero for it. For automatic steps it counts as late.
fn zero_is_nothing(spec: &Checked) -> bool {
    if spec.step().rule == Rule::Auto {
        return false;
    }
    let mut y = vec![0.0; spec.blocks().dim()];
    spec.set().prox(&vec![0.0; y.len()], 1.0, &mut y);
    spec.set().is_separable() && y.iter().all(|y| *y == 0.0)
}

impl Fleet for HistoryFleet {
    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn style(&self) -> Style {
        Style::Relay
    }

    fn learners(&self) -> usize {
        self.nodes.len()
    }

    fn estimate(&self, i: usize) -> Cow<'_, [f64]> {
        match &self.estimates {
            Estimates::Rows(y) => Cow::Borrowed(&y[i * self.blocks.dim()..(i + 1) * self.blocks.dim()]),
            Estimates::Shared(shared) => Cow::Owned(shared.estimate(i, &self.versions)),
        }
    }

    fn dual(&self, i: usize) -> Option<(Vec<f64>, f64)> {
        let row = self.versions.row(i);
        let dual =
            row.into_iter().enumerate().flat_map(|(k, version)| self.known.sum(k, version).iter().copied());
        Some((dual.collect(), 1.0))
    }

    fn staleness(&self, i: usize, t: u64) -> Option<u64> {
        let oldest = self.versions.oldest(i).checked_sub(1).map(|release| self.rounds[release as usize] + 1);
        Some(t.saturating_sub(oldest.unwrap_or(0)))
    }

    fn ledger(&self, i: usize) -> &Ledger {
        &self.nodes[i].ledger
    }

    fn learn(&mut self, t: u64, f: &dyn Objective) -> Result<(), Error> {
        fits(f, &self.blocks, "")?;
        has_agents(f, &self.plan, &self.blocks, || self.estimate(0))?;
        self.release(t, f);
        Ok(())
    }

    fn exchange(&mut self, t: u64) {
        let (topology, nodes) = (&self.topology, self.nodes.len());
        let heard = self.heard.of(t, || sized(topology.graph(t), nodes).heard());
        self.versions.merge(&heard);
        if self.known.is_long() {
            let least = self.versions.recount();
            self.known.forget(&least);
            if let Some(auto) = &mut self.auto {
                auto.forget(&least);
            }
        }
        self.decide(t);
    }

    fn models(&self) -> Vec<Vec<f64>> {
        let mut x = Vec::with_capacity(self.blocks.dim());
        for (i, block) in self.blocks.iter().enumerate() {
            match &self.estimates {
                Estimates::Rows(y) => x.extend_from_slice(&y[i * self.blocks.dim()..][block]),
                Estimates::Shared(shared) => x.extend_from_slice(shared.block(i, self.versions.of(i, i))),
            }
        }
        vec![x]
    }

    fn disagreement(&self) -> f64 {
        match &self.estimates {
            Estimates::Shared(shared) if !self.learned => shared.disagreement(&self.versions),
            _ => {
                let write =
                    |i, columns: Range<usize>, to: &mut [f64]| to.copy_from_slice(&self.estimate(i)[columns]);
                farthest(self.learners(), self.blocks.dim(), write)
            }
        }
    }
}

#[cfg(test)]
#[path = "history/tests.rs"]
mod tests;
