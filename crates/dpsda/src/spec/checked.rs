//! A specification that can run: all its parts fit together.

use std::sync::Arc;

use super::{Network, Spec, noise, step, wiring};
use crate::fleet::{DenseFleet, Each, Fleet, HistoryFleet};
use crate::learner::{Algorithm, AutoBasis, Durable, Learner, Rule, Setup, Step, Style};
use crate::objective::two_point::Feedback;
use crate::privacy::Plan;
use crate::privacy::plan::{Arithmetic, Extent};
use crate::rng::{NoiseKey, Seed};
use crate::set::ConvexSet;
use crate::{Blocks, Error};

/// A [`Spec`] with everything that follows from it: the network, the plan, the learners.
///
/// ```
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(3).check()?;
/// assert_eq!((spec.blocks().nodes(), spec.rounds(), spec.plan().epsilon()), (2, 3, None));
/// assert_eq!(spec.learner(1, Seed::new(1)).estimate(), [0.0; 4]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone)]
pub struct Checked {
    blocks: Arc<Blocks>,
    set: Arc<dyn ConvexSet>,
    algorithm: Algorithm,
    step: Step,
    plan: Arc<Plan>,
    network: Option<Network>,
    feedback: Feedback,
    gradient_error: f64,
    rounds: u64,
    batch: u64,
    /// What automatic steps rest on.
    auto: Option<Arc<AutoBasis>>,
}

/// The most nodes whose push-sum weights, in whole units, add up exactly in f64.
const MOST_ON_GRID: usize = 4096;

impl Spec {
    /// Derives network, plan and learners from the specification, or says which argument is wrong and what would be right.
    pub fn check(&self) -> Result<Checked, Error> {
        let algorithm = self.algorithm.clone().ok_or_else(|| {
            Error::missing("algorithm", "what nodes do (e.g. .algorithm(dpsda::learner::Relay))")
        })?;
        let set = self
            .set
            .clone()
            .ok_or_else(|| Error::missing("set", "where decisions lie (e.g. .set(dpsda::set::Free))"))?;
        set.fits(&self.blocks)?;
        for (argument, zero) in [("rounds", self.rounds == 0), ("batch", self.batch == 0)] {
            if zero {
                return Err(Error::value(argument, 0, "expected a whole number of at least 1"));
            }
        }
        if !(self.gradient_error >= 0.0 && self.gradient_error.is_finite()) {
            let remedy = "expected a variance: a finite number of at least 0";
            return Err(Error::value("gradient_error", self.gradient_error, remedy));
        }
        let network = wiring::network(self, &algorithm)?;
        noise::told(&algorithm, self.feedback)?;
        let asked = noise::adapt(&algorithm, self.privacy.clone())?;
        noise::divides(&asked, self.feedback)?;
        step::check(&algorithm, self.step, &*set)?;
        let extent =
            Extent { style: algorithm.style(), blocks: &self.blocks, rounds: self.rounds, batch: self.batch };
        let plan = if self.metered { Plan::metered(asked, &extent)? } else { Plan::new(asked, &extent)? };
        let auto = step::auto(&algorithm, self.step, &set, &self.blocks, &plan)?;
        let weights = network.as_ref().and_then(|network| network.weights.as_ref());
        if let (Arithmetic::Grid, Some(rule)) =
            (plan.arithmetic(), weights.filter(|rule| rule.on_grid().is_none()))
        {
            let name = rule.name();
            let remedy = format!(
                "whole units are split as \"metropolis\" or \"push-sum\" do, not as \"{name}\" (use one of those)"
            );
            return Err(Error::value("arithmetic", "\"grid\"", remedy));
        }
        if plan.arithmetic() == Arithmetic::Grid && self.blocks.nodes() > MOST_ON_GRID {
            let remedy = format!(
                "there are {} nodes, and whole weights of more than {MOST_ON_GRID} do not add up exactly (use \"real\", or fewer \
                 nodes)",
                self.blocks.nodes()
            );
            return Err(Error::value("arithmetic", "\"grid\"", remedy));
        }
        Ok(Checked {
            blocks: Arc::clone(&self.blocks),
            set,
            algorithm,
            step: self.step,
            plan: Arc::new(plan),
            network,
            feedback: self.feedback,
            gradient_error: self.gradient_error,
            rounds: self.rounds,
            batch: self.batch,
            auto,
        })
    }
}

impl Checked {
    /// The blocks, one per node.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// The same, shared.
    pub fn shared_blocks(&self) -> Arc<Blocks> {
        Arc::clone(&self.blocks)
    }

    /// Where decisions must lie.
    pub fn set(&self) -> &dyn ConvexSet {
        &*self.set
    }

    /// The same, shared.
    pub fn shared_set(&self) -> Arc<dyn ConvexSet> {
        Arc::clone(&self.set)
    }

    /// The algorithm.
    pub fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }

    /// What kind of algorithm it is.
    pub fn style(&self) -> Style {
        self.algorithm.style()
    }

    /// Its steps.
    pub fn step(&self) -> Step {
        self.step
    }

    /// Clip, noise and claim.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The same, shared.
    pub fn shared_plan(&self) -> Arc<Plan> {
        Arc::clone(&self.plan)
    }

    /// The network, unless the algorithm is centralised.
    pub fn network(&self) -> Option<&Network> {
        self.network.as_ref()
    }

    /// What nodes get to know of a cost.
    pub fn feedback(&self) -> Feedback {
        self.feedback
    }

    /// T.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Examples per round.
    pub fn batch(&self) -> u64 {
        self.batch
    }

    /// The parts of one node's learner. Its noise is drawn from `key` if there is one, and is then secret; otherwise from the
    /// seed.
    pub fn setup(&self, node: usize, seed: Seed, key: Option<NoiseKey>) -> Setup {
        let (blocks, set, plan) = (self.shared_blocks(), self.shared_set(), self.shared_plan());
        let setup = Setup::checked(node, blocks, set, plan, seed).keyed(key).with(self.algorithm.rights());
        let mut setup = setup.resting_on(self.auto.clone());
        setup.step = self.step;
        if let Some(network) = &self.network {
            (setup.weights, setup.links) = (network.weights.clone(), network.links);
        }
        (setup.feedback, setup.gradient_error) = (self.feedback, self.gradient_error);
        setup
    }

    /// The same with another `c` in `alpha(t) = c/sqrt(t+1)`. Automatic steps become such steps.
    #[must_use]
    pub fn stepping(self, c: f64) -> Self {
        let rule = if self.step.rule == Rule::Auto { Rule::Decaying } else { self.step.rule };
        Self { step: Step { c, rule }, auto: None, ..self }
    }

    /// The same with another plan and another algorithm: an auditor plays a broken program against the promise of a correct one.
    #[must_use]
    pub fn replaced(self, plan: Arc<Plan>, algorithm: Algorithm) -> Self {
        Self { plan, algorithm, ..self }
    }

    /// The learner of one node.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    pub fn learner(&self, node: usize, seed: Seed) -> Box<dyn Learner> {
        self.algorithm.learner(self.setup(node, seed, None))
    }

    /// The learner of one node as a host runs it, if the algorithm supports that. Its noise is drawn from `key`, which is fresh
    /// randomness in every life of the host. Without a key it is drawn from the seed and is no secret.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    pub fn durable(&self, node: usize, seed: Seed, key: Option<NoiseKey>) -> Option<Box<dyn Durable>> {
        self.algorithm.durable_learner(self.setup(node, seed, key))
    }

    /// About how many bytes a fleet of these nodes takes.
    pub fn memory(&self) -> u128 {
        let (nodes, dim) = (self.blocks.nodes() as u128, 8 * self.blocks.dim() as u128);
        let vectors = |count: u128| count * nodes * dim;
        let each = 2048 * nodes; // guards, ledgers, streams
        each + match self.style() {
            Style::Central => 4 * dim,
            Style::Model => vectors(8),
            Style::Average if DenseFleet::serves(self) => vectors(3),
            Style::Relay if HistoryFleet::serves(self) => {
                let rows = if self.set.is_separable() && self.auto.is_none() { 0 } else { vectors(1) };
                rows + HistoryFleet::versions(self)
            }
            Style::Average | Style::Relay => vectors(4),
        }
    }

    /// All nodes, ready for their first decision: in the fastest fleet that computes what [`Each`] computes. The specification alone
    /// decides which.
    pub fn fleet(&self, seed: Seed) -> Box<dyn Fleet> {
        if let Some(fleet) = DenseFleet::new(self, seed) {
            return Box::new(fleet);
        }
        if let Some(fleet) = HistoryFleet::new(self, seed) {
            return Box::new(fleet);
        }
        Box::new(Each::new(self, seed))
    }
}
