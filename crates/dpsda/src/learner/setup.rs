//! The parts of every learner, and what all learners do alike.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rand_distr::{Distribution, Normal};

use super::{AutoBasis, Rule, Step};
use crate::network::weights::Weights;
use crate::objective::two_point::{Feedback, TwoPoint, direction};
use crate::privacy::{Guard, Plan, Seal, Sealed, Sensitive};
use crate::rng::{NoiseKey, Purpose, Seed};
use crate::set::ConvexSet;
use crate::{Blocks, Error};

/// How learners that mix keep account of what crosses a link.
///
/// ```
/// use dpsda::learner::Links;
/// use dpsda::network::delay::FixedDelay;
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(PushSum).rounds(9);
/// let links = |spec: Spec| Ok::<_, Error>(spec.check()?.network().map(|network| network.links));
/// assert_eq!(links(spec.clone())?, Some(Links::Naive));
/// assert_eq!(links(spec.delay(FixedDelay::new(2)?))?, Some(Links::RunningSums)); // messages may be late
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They treat what arrives as all that was sent: (12) (20) (21) as printed. A lost message then takes mass out of push-sum
    /// for good. Rows that sum to one do so whatever arrives.
    Naive,
    /// Messages carry running sums, so that later messages make up for late and lost ones.
    RunningSums,
}

/// The parts of a learner. The source of its noise is private: a learner that knew it could subtract the noise again.
///
/// ```compile_fail
/// fn noise(setup: &dpsda::learner::Setup) -> impl Sized {
///     setup.seed // private, as is the key
/// }
/// ```
///
/// ```compile_fail
/// fn known(setup: dpsda::learner::Setup) -> dpsda::learner::Setup {
///     setup.keyed(Some(dpsda::rng::NoiseKey::new([0; 32]))) // private: hosts set it, see `Checked::durable`
/// }
/// ```
///
/// Nor can it become another node, or put a plan of its own in the place of the run's:
///
/// ```compile_fail
/// fn another(setup: &mut dpsda::learner::Setup) {
///     setup.node = 1; // private: it would draw the noise of node 1
/// }
/// ```
///
/// ```compile_fail
/// fn silent(setup: &mut dpsda::learner::Setup, plan: dpsda::privacy::Plan) {
///     setup.plan = plan.into(); // private: its guard would open costs and add no noise
/// }
/// ```
#[derive(Clone)]
pub struct Setup {
    /// Which node it is; 0 for a central learner.
    pub(super) node: usize,
    /// The blocks, one per node.
    pub blocks: Arc<Blocks>,
    /// Where decisions must lie.
    pub set: Arc<dyn ConvexSet>,
    /// The steps.
    pub step: Step,
    /// The weight rule, for algorithms that mix.
    pub weights: Option<Arc<dyn Weights>>,
    /// A copy of the plan that opens nothing.
    pub(super) plan: Arc<Plan>,
    /// How algorithms that mix account for what crosses a link.
    pub links: Links,
    /// What it gets to know of a cost.
    pub feedback: Feedback,
    /// The variance of the gradient error xi.
    pub gradient_error: f64,
    /// What the costs of this learner are sealed with.
    seal: Seal,
    seed: Seed,
    /// The source of the noise in place of the seed, where noise must be secret.
    key: Option<NoiseKey>,
    rights: Rights,
    /// The blocks whose guards were handed out. Copies share this.
    given: Arc<Mutex<BTreeSet<usize>>>,
    /// What automatic steps rest on, if the run has worked it out.
    pub(super) basis: Option<Arc<AutoBasis>>,
}

/// What the learner of a run may do beyond noising its own block. A learner that wraps another has the rights of the run's
/// algorithm, which is its own: wrapping a baseline does not open a cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rights {
    /// Read gradients before the noise: the baselines of this crate decide from them.
    pub(crate) bare: bool,
    /// Noise the blocks of all nodes.
    pub(crate) central: bool,
}

impl Setup {
    /// A learner of this plan that gets gradients without error, steps as the paper does, and mixes nothing. An error if there
    /// is no such node, or if set or plan are for other blocks.
    ///
    /// ```
    /// use dpsda::prelude::*;
    /// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(3).check()?;
    /// let setup = |node| Setup::new(node, spec.shared_blocks(), spec.shared_set(), spec.shared_plan(), Seed::new(1));
    /// assert_eq!(setup(1)?.start(), [0.0; 4]);
    /// let error = setup(2).map(|_| ()).unwrap_err().to_string();
    /// assert_eq!(error, "node = 2: there are 2 nodes, counted from 0 (use at most 1)");
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn new(
        node: usize,
        blocks: Arc<Blocks>,
        set: Arc<dyn ConvexSet>,
        plan: Arc<Plan>,
        seed: Seed,
    ) -> Result<Self, Error> {
        let nodes = blocks.nodes();
        if node >= nodes {
            let remedy = format!("there are {nodes} nodes, counted from 0 (use at most {})", nodes - 1);
            return Err(Error::value("node", node, remedy));
        }
        set.fits(&blocks)?;
        if !plan.is_for(&blocks) {
            let remedy = "the blocks have other sizes (make the plan for these blocks)";
            return Err(Error::value("plan", "for other blocks", remedy));
        }
        Ok(Self::checked(node, blocks, set, plan, seed))
    }

    /// The same for parts that are known to fit.
    pub(crate) fn checked(
        node: usize,
        blocks: Arc<Blocks>,
        set: Arc<dyn ConvexSet>,
        plan: Arc<Plan>,
        seed: Seed,
    ) -> Self {
        Self {
            node,
            blocks,
            set,
            step: Step::decaying(1.0),
            weights: None,
            seal: plan.seal.clone(),
            plan: Arc::new(plan.blind()),
            links: Links::Naive,
            feedback: Feedback::Gradient,
            gradient_error: 0.0,
            seed,
            key: None,
            rights: Rights { bare: true, central: true },
            given: Arc::default(),
            basis: None,
        }
    }

    /// The same for a learner with these rights and no others.
    pub(crate) fn with(self, rights: Rights) -> Self {
        Self { rights, ..self }
    }

    /// Which node it is; 0 for a central learner.
    pub fn node(&self) -> usize {
        self.node
    }

    /// Clip, noise and claim. Guards made from this plan read every cost as zero: only [`Setup::guard`] opens costs.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The same, with noise drawn from `key`.
    pub(crate) fn keyed(self, key: Option<NoiseKey>) -> Self {
        Self { key, ..self }
    }

    /// What stands between this node's gradients and the world. There is one: asked again, also through a copy of the setup, it
    /// gives a guard that opens nothing and has other noise. Two guards with the same noise could be subtracted.
    pub fn guard(&self) -> Guard {
        self.guard_of(self.node)
    }

    /// The guard of block `i`, for a learner that sees everything.
    pub(super) fn guard_of(&self, i: usize) -> Guard {
        let guard = self.plan.guard(i, self.seed);
        let first = self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(i);
        if first && (i == self.node || self.rights.central) {
            guard.entrusted(self.seal.clone(), self.key.clone(), self.rights.bare)
        } else {
            guard.stranger()
        }
    }

    /// `Pi(0, 1)`: where every learner starts.
    pub fn start(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.blocks.dim()];
        self.set.prox(&vec![0.0; y.len()], 1.0, &mut y);
        y
    }

    /// (6) after round `t`: from the dual alone or, where every coordinate has its own step, from the sums of squares too. Automatic
    /// steps are those of the learners of this crate: here they are the paper's.
    pub fn decide(&self, t: u64, dual: &[f64], squares: Option<&[f64]>, y: &mut [f64]) {
        match (squares, self.set.each()) {
            (Some(squares), Some(set)) => set.prox_each(dual, &self.step.each(squares), y),
            _ => self.set.prox(dual, self.step.after(t), y),
        }
    }

    /// Whether every coordinate has its own step.
    pub fn steps_differ(&self) -> bool {
        self.step.rule == Rule::Coordinate && self.set.each().is_some()
    }

    /// (14) for block `i` at `y`.
    pub fn observe(&self, guard: &Guard, i: usize, t: u64, cost: &Sealed<'_>, y: &[f64]) -> Sensitive {
        let block = self.blocks.range(i);
        let error = self.error(i, t, block.len());
        match self.feedback {
            Feedback::Gradient => guard.observe(t, cost, y, block, &error),
            Feedback::TwoPoint { probe } => {
                let mut stream = self.seed.stream(Purpose::Direction, i as u64, t);
                let direction = direction(block.len(), &mut stream);
                let probed = TwoPoint { cost: cost.cost, probe, direction };
                let sealed = Sealed { cost: &probed, seal: cost.seal.clone() };
                guard.observe(t, &sealed, y, block, &error)
            }
        }
    }

    /// xi of node `i`: normal, with the variance that was set.
    pub(crate) fn error(&self, i: usize, t: u64, len: usize) -> Vec<f64> {
        match Normal::new(0.0, self.gradient_error.sqrt()) {
            Ok(law) if self.gradient_error > 0.0 => {
                law.sample_iter(self.seed.stream(Purpose::GradientError, i as u64, t)).take(len).collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Style;
    use crate::privacy::plan::{Extent, Privacy};
    use crate::set::free::Free;

    fn setup(gradient_error: f64) -> Setup {
        let blocks = Blocks::even(6, 2).unwrap();
        let extent = Extent { style: Style::Relay, blocks: &blocks, rounds: 1, batch: 1 };
        let plan = Plan::new(Privacy::none(), &extent).unwrap();
        let seed = Seed::new(4).trial(2);
        Setup { gradient_error, ..Setup::checked(0, Arc::new(blocks), Arc::new(Free), Arc::new(plan), seed) }
    }

    /// Assumption 2: no bias, the variance set, a draw of its own for every node and round.
    #[test]
    fn the_gradient_error_has_the_variance_set_and_no_bias() {
        let setup = setup(0.1);
        let xi: Vec<f64> = (0..10_000).flat_map(|k| setup.error(k % 2, k as u64 / 2, 3)).collect();
        let n = xi.len() as f64;
        let mean = xi.iter().sum::<f64>() / n;
        let variance = xi.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        // Six standard errors of the mean and of the variance of a normal sample.
        assert!(mean.abs() < 6.0 * (0.1 / n).sqrt(), "mean {mean}");
        assert!((variance - 0.1).abs() < 6.0 * 0.1 * (2.0 / n).sqrt(), "variance {variance}");
        let mut different = xi.clone();
        different.sort_by(f64::total_cmp);
        different.dedup();
        assert_eq!(different.len(), xi.len(), "nodes and rounds do not share draws");
        assert!(self::setup(0.0).error(0, 0, 3).is_empty());
    }
}
