//! Where a game is played: the learners, the network and the plan of a specification, without its data.

use std::ops::Range;
use std::sync::Arc;

use dpsda::Error;
use dpsda::fleet::Each;
use dpsda::learner::{Algorithm, Learner, Links};
use dpsda::network::{Topology, Transit};
use dpsda::objective::two_point::Feedback;
use dpsda::privacy::Plan;
use dpsda::privacy::plan::Decide;
use dpsda::rng::Seed;
use dpsda::spec::Checked;
use dpsda_config::RunConfig;

use crate::audit::{ROUNDS, SHORT};

mod obstacle;
mod short;
mod timetable;

use obstacle::Obstacle;
use timetable::Timetable;

/// What runs, and what is claimed of it.
///
/// ```
/// use std::ops::ControlFlow;
/// use dpsda::prelude::*;
/// use dpsda_audit::Arena;
/// use dpsda_audit::audit::{AuditOptions, honest};
///
/// let spec = Spec::new(Blocks::even(4, 2)?)
///     .set(Free)
///     .graph(Complete::new(2)?)
///     .algorithm(Relay)
///     .privacy(Privacy::epsilon(2.0).clip(1.0).mechanism(DiscreteLaplace))
///     .rounds(50);
/// let arena = Arena::game(&spec.check()?)?;
/// let options = AuditOptions { runs: Some(200), ..AuditOptions::default() };
/// let found = honest(&arena, &options, &|_| ControlFlow::Continue(()))?;
/// assert!(found.findings.iter().all(|finding| !finding.accuses()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Arena {
    /// What runs.
    pub spec: Checked,
    /// What is claimed, and what the adversary takes the program to be. It is the plan of what runs, unless the auditor itself
    /// is being audited.
    pub claimed: Arc<Plan>,
    pub(crate) timetable: Arc<Timetable>,
}

impl Arena {
    /// The arena of a specification, for games of at most `rounds` rounds. What an adversary sees of the first rounds is a part
    /// of what it sees of the run, so the claim about the run bounds it; the plan is that of the whole run. Errors name the
    /// method of [`Spec`](dpsda::Spec) whose choice cannot be played.
    pub fn new(spec: &Checked, rounds: u64) -> Result<Self, Error> {
        Obstacle::of(spec).map_or(Ok(()), |obstacle| Err(obstacle.by_method()))?;
        Ok(Self::unchecked(spec, rounds))
    }

    /// The arena of an audit's game: the first rounds of the run, under its plan. Where noise cancels over time a few rounds
    /// of many tell next to nothing; there a short run is planned for the same claim and played from end to end.
    pub fn game(spec: &Checked) -> Result<Self, Error> {
        Self::new(spec, ROUNDS).map(Self::whole_if_correlated)
    }

    /// The arena of a cell, as [`Arena::new`]. It does not ask whether the auditor can play the cell by itself
    /// ([`Arena::plays`]): a host that brings its own network may.
    pub fn of(cell: &RunConfig, rounds: u64) -> Self {
        Self::unchecked(&cell.spec, rounds)
    }

    /// The arena of an audit's game, as [`Arena::game`].
    pub fn of_game(cell: &RunConfig) -> Self {
        Self::of(cell, ROUNDS).whole_if_correlated()
    }

    /// Refuses a cell that the auditor cannot play; the error names its key.
    pub fn plays(cell: &RunConfig) -> Result<(), Error> {
        Obstacle::of(&cell.spec).map_or(Ok(()), |obstacle| Err(obstacle.by_key()))
    }

    fn unchecked(spec: &Checked, rounds: u64) -> Self {
        let rounds = rounds.clamp(1, spec.rounds().max(1));
        let timetable = Timetable::new(spec.network().map(|network| &*network.topology), rounds);
        Self { spec: spec.clone(), claimed: spec.shared_plan(), timetable: Arc::new(timetable) }
    }

    fn whole_if_correlated(self) -> Self {
        if !self.correlated() {
            return self;
        }
        let whole = Self::unchecked(&self.spec, SHORT);
        match short::plan(&self.spec).map(Arc::new) {
            Some(plan) => {
                Self { claimed: Arc::clone(&plan), ..whole.running(plan, self.spec.algorithm().clone()) }
            }
            None => whole,
        }
    }

    /// The same claim of another program.
    #[must_use]
    pub fn running(self, plan: Arc<Plan>, algorithm: Algorithm) -> Self {
        Self { spec: self.spec.replaced(plan, algorithm), ..self }
    }

    /// How many rounds are played.
    pub fn played(&self) -> u64 {
        self.timetable.played()
    }

    /// How many nodes own a block.
    pub fn nodes(&self) -> usize {
        self.spec.blocks().nodes()
    }

    /// Whether decisions come from released values.
    pub fn publishes(&self) -> bool {
        self.claimed.decide() == Decide::Published
    }

    /// Whether the noise of one release depends on others.
    pub fn correlated(&self) -> bool {
        self.claimed.mechanism().is_correlated()
    }

    /// All nodes, ready for their first decision. Messages arrive in the round they are sent in: what is released is the same on
    /// every network. Nodes are told gradients without error: the clip is behind whatever a node makes of a cost, and an event
    /// may be any gradient at all.
    pub fn fleet(&self, seed: Seed) -> Each {
        let style = self.spec.style();
        let learner = |node| -> Box<dyn Learner> {
            let mut setup = self.spec.setup(node, seed, None);
            (setup.links, setup.feedback, setup.gradient_error) = (Links::Naive, Feedback::Gradient, 0.0);
            self.spec.algorithm().learner(setup)
        };
        let learners = (0..style.learners(self.nodes())).map(learner).collect();
        let topology = || Arc::clone(&self.timetable) as Arc<dyn Topology>;
        let network = self.spec.network().map(|_| (topology(), Transit::prompt()));
        Each::of(learners, style, self.spec.shared_blocks(), self.spec.shared_plan(), network)
    }

    /// The block of node `i`.
    pub fn own(&self, i: usize) -> Range<usize> {
        self.spec.blocks().range(i)
    }

    /// Which learner decides block `i`.
    pub(crate) fn learner_of(&self, i: usize) -> usize {
        if self.spec.style().is_central() { 0 } else { i }
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

    /// What is claimed of the event at node `i` alone, if anything is.
    pub fn claim_of(&self, i: usize) -> Option<f64> {
        self.publishes().then(|| self.claimed.cost(i).as_epsilon(self.delta())).flatten()
    }

    /// What is claimed of the event at all nodes together, at the same delta: a pure price is not measured at one.
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
