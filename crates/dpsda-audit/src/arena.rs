//! Where a game is played: an experiment's learners, network and plan, without its data.

use std::ops::Range;
use std::sync::Arc;

use dpsda::learner::{Learner, Links, Setup, Step};
use dpsda::network::weights::Weights;
use dpsda::network::{Degree, Graph};
use dpsda::objective::two_point::Feedback;
use dpsda::privacy::Plan;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::privacy::plan::{Decide, Shape, Wish};
use dpsda::rng::Seed;
use dpsda::set::ConvexSet;
use dpsda::{Blocks, Error};
use dpsda_config::Cell;

use crate::audit::{ROUNDS, SHORT};

/// What runs, and what is claimed of it.
#[derive(Clone)]
pub struct Arena {
    /// What is claimed, and what the adversary takes the program to be.
    pub claimed: Arc<Plan>,
    /// What really runs: the same, unless the auditor itself is being audited.
    pub plan: Arc<Plan>,
    /// Makes a learner.
    pub build: fn(Setup) -> Box<dyn Learner>,
    /// Who owns what.
    pub blocks: Arc<Blocks>,
    /// Where decisions lie.
    pub set: Arc<dyn ConvexSet>,
    /// The steps.
    pub step: Step,
    /// The weight rule, for algorithms that mix.
    pub weights: Option<Arc<dyn Weights>>,
    /// The mechanism's name.
    pub mechanism: &'static str,
    /// Examples a round.
    pub batch: usize,
    /// T, which the plan was made for.
    pub horizon: u64,
    /// Whether one learner sees everything, so that nothing crosses a link.
    pub central: bool,
    pub(crate) rounds: Vec<Round>,
}

/// The network of one round.
#[derive(Clone)]
pub(crate) struct Round {
    pub(crate) degrees: Vec<Degree>,
    pub(crate) heard: Vec<Vec<usize>>,
}

impl Round {
    fn new(graph: &Graph) -> Self {
        Self { degrees: graph.degrees(), heard: graph.heard() }
    }
}

impl Arena {
    /// The arena of a cell, for games of at most `rounds` rounds. What an adversary sees of the first rounds is a part of
    /// what it sees of the run, so the claim about the run bounds it; the plan's horizon stays what it is. The gradient
    /// error is left out: it never counts towards privacy. So are probes: whatever a node makes of a cost, the clip is behind
    /// it, and an event may be any gradient at all.
    pub fn of(cell: &Cell, rounds: u64) -> Self {
        let rounds = rounds.clamp(1, cell.split.rounds.max(1));
        let graph = |t| cell.spec.network().map_or_else(|| Graph::empty(1), |net| net.topology.graph(t));
        Self {
            claimed: cell.spec.shared_plan(),
            plan: cell.spec.shared_plan(),
            build: cell.algorithm.build.build,
            blocks: cell.spec.shared_blocks(),
            set: cell.spec.shared_set(),
            step: cell.spec.step(),
            weights: cell.spec.network().and_then(|net| net.weights.clone()),
            mechanism: cell.spec.plan().mechanism().name(),
            batch: cell.problem.batch,
            horizon: cell.split.rounds,
            central: cell.network.is_none(),
            // One more than is played: what the next round would say is released already.
            rounds: (0..=rounds).map(|t| Round::new(&graph(t))).collect(),
        }
    }

    /// Refuses a cell whose messages may be late or lost: games are played on networks that deliver.
    pub fn delivers(cell: &Cell) -> Result<(), Error> {
        let Some(net) = cell.spec.network() else { return Ok(()) };
        let all = "what is released is the same on every network";
        if net.transit.lost.is_some() {
            let remedy = format!(
                "the audit plays where no message vanishes unnoticed; {all} (use -s network.loss.known=true)"
            );
            return Err(Error::value("network.loss.known", false, remedy));
        }
        if net.transit.longest() > 0 {
            let (late, key) = (net.transit.longest(), "network.delay");
            let remedy = format!(
                "the audit plays where no message is late; {all} (use -s '{key}={{kind=\"fixed\",rounds=0}}')"
            );
            return Err(Error::value(key, format!("up to {late} rounds"), remedy));
        }
        if net.links == Links::RunningSums {
            let remedy =
                format!("the audit reads shares, not sums of them; {all} (use -s algorithm.links=naive)");
            return Err(Error::value("algorithm.links", "\"running-sums\"", remedy));
        }
        Ok(())
    }

    /// The arena of an audit's game: the first rounds of the run, under its plan. Where noise cancels over time a few rounds
    /// of many tell next to nothing, so a short run is planned for the same claim and played from end to end.
    pub fn of_game(cell: &Cell) -> Self {
        let first = Self::of(cell, ROUNDS);
        if !first.correlated() {
            return first;
        }
        let mut whole = Self::of(cell, SHORT);
        if let Some(plan) = short_plan(cell).filter(|_| cell.split.rounds > SHORT) {
            whole.plan = Arc::new(plan);
            whole.claimed = Arc::clone(&whole.plan);
            whole.horizon = SHORT;
        }
        whole
    }

    /// How many rounds are played.
    pub fn played(&self) -> u64 {
        self.rounds.len() as u64 - 1
    }

    /// How many nodes own a block.
    pub fn nodes(&self) -> usize {
        self.blocks.nodes()
    }

    /// Whether duals are averaged: C and PS, in which a gradient is in the message of the round after.
    pub fn mixes(&self) -> bool {
        self.weights.is_some()
    }

    /// Whether decisions come from released values.
    pub fn publishes(&self) -> bool {
        self.claimed.decide() == Decide::Published
    }

    /// Whether the noise of one release depends on others.
    pub fn correlated(&self) -> bool {
        MECHANISMS.iter().any(|entry| entry.name == self.mechanism && entry.build.correlated)
    }

    /// The norm that the noise is priced in, by the mechanism's own entry.
    pub fn norm(&self) -> Option<Norm> {
        MECHANISMS.iter().find(|entry| entry.name == self.mechanism).map(|entry| entry.build.norm)
    }

    /// The learners of a run: one a node, or one that sees everything.
    pub fn learners(&self, seed: Seed) -> Vec<Box<dyn Learner>> {
        let learner = |node| {
            (self.build)(Setup {
                node,
                blocks: Arc::clone(&self.blocks),
                set: Arc::clone(&self.set),
                step: self.step,
                weights: self.weights.clone(),
                plan: Arc::clone(&self.plan),
                links: Links::Naive,
                feedback: Feedback::Gradient,
                gradient_error: 0.0,
                seed,
                key: None,
            })
        };
        (0..if self.central { 1 } else { self.nodes() }).map(learner).collect()
    }

    /// The block of node `i`.
    pub fn own(&self, i: usize) -> Range<usize> {
        self.blocks.range(i)
    }

    /// Which learner decides block `i`.
    pub(crate) fn learner_of(&self, i: usize) -> usize {
        if self.central { 0 } else { i }
    }

    /// The delta that epsilons are measured at: the plan's, or a usual one where noise has none of its own.
    pub fn delta(&self) -> f64 {
        let pure = self.claimed.joint_cost().as_pure().is_some();
        match self.claimed.delta() {
            _ if pure => 0.0,
            0.0 => 1e-5,
            delta => delta,
        }
    }

    /// What is claimed of one node's event, if anything is.
    pub fn claim_of(&self, i: usize) -> Option<f64> {
        self.publishes().then(|| self.claimed.cost(i).as_epsilon(self.delta())).flatten()
    }

    /// What is claimed of all nodes together, at the same delta: a pure price is not measured at one.
    pub fn claim(&self) -> Option<f64> {
        let sum = self.claimed.joint_cost();
        let stated = if sum.as_pure().is_some() || self.claimed.delta() == 0.0 {
            None
        } else {
            self.claimed.epsilon()
        };
        self.publishes().then(|| stated.or_else(|| sum.as_epsilon(self.delta()))).flatten()
    }
}

/// A plan for [`SHORT`] rounds with the clip, the event and the epsilon of the cell's.
fn short_plan(cell: &Cell) -> Option<Plan> {
    let mechanism = MECHANISMS.iter().find(|entry| entry.name == cell.spec.plan().mechanism().name())?;
    let bounds: Option<Vec<f64>> =
        (0..cell.spec.blocks().nodes()).map(|i| Some(cell.spec.plan().clip(i)?.bound as f64)).collect();
    let units = match mechanism.build.norm {
        Norm::L1 => bounds?.iter().sum::<f64>(),
        Norm::L2 => bounds?.iter().map(|b| b * b).sum::<f64>().sqrt(),
    };
    let clip = units / f64::from(cell.spec.plan().clip(0)?.bits).exp2();
    let delta = Some(cell.spec.plan().delta()).filter(|delta| *delta > 0.0);
    let wish = Wish {
        adjacency: cell.spec.plan().adjacency(),
        ..Wish::epsilon(mechanism, cell.spec.plan().epsilon()?, delta, clip)
    };
    let shape = Shape {
        averages: cell.spec.style().averages(),
        blocks: cell.spec.blocks(),
        rounds: SHORT,
        batch: cell.problem.batch as u64,
    };
    Plan::new(wish, &shape).ok()
}
