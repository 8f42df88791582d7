//! The arena of a game: the learners, the network and the plan of a specification, without its data.

use std::ops::Range;
use std::sync::Arc;

use dpsda::Error;
use dpsda::fleet::Each;
use dpsda::learner::{Algorithm, Learner, Links};
use dpsda::network::{Topology, Transit};
use dpsda::objective::two_point::Feedback;
use dpsda::privacy::Plan;
use dpsda::privacy::plan::{Adjacency, Decide};
use dpsda::rng::{Generator, Seed};
use dpsda::spec::Checked;
use dpsda_config::RunConfig;

use crate::audit::{ROUNDS, SHORT};

mod obstacle;
mod short;
mod timetable;

use obstacle::Obstacle;
use timetable::Timetable;

/// The program under audit, and the claim about it.
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
    /// The specification that runs.
    pub spec: Checked,
    /// The claimed plan, from which the adversary models the program. It is the plan of the specification, unless the auditor
    /// itself is being tested.
    pub claimed: Arc<Plan>,
    pub(crate) timetable: Arc<Timetable>,
    /// That of the rules of the run.
    generator: Generator,
}

impl Arena {
    /// The arena of a specification, for games of at most `rounds` rounds. The plan is that of the whole run. The first rounds
    /// are a part of what an adversary sees of the whole run, so the claim covers them. Errors name the method of
    /// [`Spec`](dpsda::Spec) whose choice cannot be played.
    pub fn new(spec: &Checked, rounds: u64) -> Result<Self, Error> {
        Obstacle::of(spec).map_or(Ok(()), |obstacle| Err(obstacle.by_method()))?;
        Ok(Self::unchecked(spec, rounds))
    }

    /// The arena of an audit's game: the first rounds of the run, under its plan. If noise cancels over time, the first rounds
    /// of a long run tell almost nothing. Then a short run is planned for the same claim and played to its end.
    pub fn game(spec: &Checked) -> Result<Self, Error> {
        Self::new(spec, ROUNDS).map(Self::whole_if_correlated)
    }

    /// The arena of an experiment's run, as [`Arena::new`]. It does not check whether the auditor can play it
    /// ([`Arena::plays`]): a host with its own network may be able to.
    pub fn of(run: &RunConfig, rounds: u64) -> Self {
        Self { generator: run.rules.generator(), ..Self::unchecked(&run.spec, rounds) }
    }

    /// The arena of an audit's game, as [`Arena::game`].
    pub fn of_game(run: &RunConfig) -> Self {
        Self::of(run, ROUNDS).whole_if_correlated()
    }

    /// Refuses a run that the auditor cannot play. The error names its key.
    pub fn plays(run: &RunConfig) -> Result<(), Error> {
        Obstacle::of(&run.spec).map_or(Ok(()), |obstacle| Err(obstacle.by_key()))
    }

    fn unchecked(spec: &Checked, rounds: u64) -> Self {
        let rounds = rounds.clamp(1, spec.rounds().max(1));
        let timetable = Timetable::new(spec.network().map(|network| &*network.topology), rounds);
        Self {
            spec: spec.clone(),
            claimed: spec.shared_plan(),
            timetable: Arc::new(timetable),
            generator: Generator::NEWEST,
        }
    }

    fn whole_if_correlated(self) -> Self {
        if !self.correlated() {
            return self;
        }
        let whole = Self { generator: self.generator, ..Self::unchecked(&self.spec, SHORT) };
        match short::plan(&self.spec).map(Arc::new) {
            Some(plan) => {
                Self { claimed: Arc::clone(&plan), ..whole.running(plan, self.spec.algorithm().clone()) }
            }
            None => whole,
        }
    }

    /// The same claim about another program.
    #[must_use]
    pub fn running(self, plan: Arc<Plan>, algorithm: Algorithm) -> Self {
        Self { spec: self.spec.replaced(plan, algorithm), ..self }
    }

    /// Whether an event is one agent's own part of a round: it is at one node only.
    pub fn by_agent(&self) -> bool {
        self.claimed.adjacency() == Adjacency::Agent
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

    /// All nodes, ready for their first decision. Messages arrive in the round in which they are sent: releases are the same on
    /// every network. Nodes get gradients without error: the clip comes after any error, and an event may be any gradient.
    pub fn fleet(&self, seed: Seed) -> Result<Each, Error> {
        let style = self.spec.style();
        let learner = |node| -> Box<dyn Learner> {
            let mut setup = self.spec.setup(node, seed.with(self.generator), None);
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

    /// The learner that decides block `i`.
    pub(crate) fn learner_of(&self, i: usize) -> usize {
        if self.spec.style().is_central() { 0 } else { i }
    }

    /// The delta for which epsilons are measured: 0 if charges are pure, otherwise the plan's delta, or 1e-5 if the plan has
    /// none.
    pub fn delta(&self) -> f64 {
        let pure = self.claimed.joint_cost().as_pure().is_some();
        match self.claimed.delta() {
            _ if pure => 0.0,
            0.0 => 1e-5,
            delta => delta,
        }
    }

    /// The claimed epsilon for the event at node `i` alone, if there is a claim.
    pub fn claim_of(&self, i: usize) -> Option<f64> {
        self.publishes().then(|| self.claimed.cost(i).as_epsilon(self.delta())).flatten()
    }

    /// The claimed epsilon for the event at all nodes together, or at any one node if it is an agent's, for the same delta. A pure cost has no delta.
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
