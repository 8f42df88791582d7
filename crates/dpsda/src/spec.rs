//! The specification of a run: blocks, set, network, algorithm and privacy, put together and checked as a whole.

use std::sync::Arc;

use crate::fleet::Fleet;
use crate::learner::{Algorithm, Links, Step};
use crate::network::Topology;
use crate::network::delay::Delay;
use crate::network::outage::Outage;
use crate::network::transit::Transit;
use crate::network::weights::Weights;
use crate::objective::two_point::Feedback;
use crate::privacy::Privacy;
use crate::rng::Seed;
use crate::set::ConvexSet;
use crate::{Blocks, Error};

mod checked;
mod noise;
mod step;
mod wiring;
pub use checked::Checked;
pub use wiring::Network;

/// The specification of a run. The defaults are no noise, prompt messages and the paper's steps `1/sqrt(t+1)`. An error names the
/// method whose argument is wrong.
///
/// ```
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(21, 7)?)
///     .set(Cuboid::new(-5.0, 5.0)?)
///     .graph(PaperFig2)
///     .algorithm(Relay)
///     .privacy(Privacy::epsilon(1.0).delta(1e-5).clip(1.0).mechanism(Toeplitz))
///     .rounds(500);
/// assert!(spec.check()?.plan().epsilon().is_some_and(|epsilon| epsilon <= 1.0));
///
/// let seven = Spec::new(Blocks::even(21, 3)?).set(Free).graph(PaperFig2).algorithm(Relay).rounds(500);
/// let error = seven.check().map(|_| ()).unwrap_err().to_string();
/// assert!(error.starts_with("graph = 7 nodes"), "{error}");
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone)]
pub struct Spec {
    blocks: Arc<Blocks>,
    set: Option<Arc<dyn ConvexSet>>,
    algorithm: Option<Algorithm>,
    step: Step,
    privacy: Privacy,
    rounds: u64,
    batch: u64,
    feedback: Feedback,
    gradient_error: f64,
    metered: bool,
    topology: Option<Arc<dyn Topology>>,
    directed: bool,
    outage: Option<Arc<dyn Outage>>,
    transit: Transit,
    weights: Option<Arc<dyn Weights>>,
    links: Option<Links>,
}

impl Spec {
    /// The blocks, one per node. A set, an algorithm and a number of rounds must follow. So must a graph, unless the algorithm is
    /// centralised.
    pub fn new(blocks: Blocks) -> Self {
        Self {
            blocks: Arc::new(blocks),
            set: None,
            algorithm: None,
            step: Step::decaying(1.0),
            privacy: Privacy::none(),
            rounds: 0,
            batch: 1,
            feedback: Feedback::Gradient,
            gradient_error: 0.0,
            metered: false,
            topology: None,
            directed: true,
            outage: None,
            transit: Transit::default(),
            weights: None,
            links: None,
        }
    }

    /// Where decisions must lie.
    #[must_use]
    pub fn set(self, set: impl ConvexSet + 'static) -> Self {
        Self { set: Some(Arc::new(set)), ..self }
    }

    /// Who hears whom.
    #[must_use]
    pub fn graph(self, topology: impl Topology + 'static) -> Self {
        Self { topology: Some(Arc::new(topology)), ..self }
    }

    /// Drops the directions of all links.
    #[must_use]
    pub fn undirected(self) -> Self {
        Self { directed: false, ..self }
    }

    /// Links that are off. Both ends know it before weights are set.
    #[must_use]
    pub fn outage(self, outage: impl Outage + 'static) -> Self {
        Self { outage: Some(Arc::new(outage)), ..self }
    }

    /// Links that are off, which nobody knows: messages vanish.
    #[must_use]
    pub fn loss(self, lost: impl Outage + 'static) -> Self {
        Self { transit: Transit { lost: Some(Arc::new(lost)), ..self.transit }, ..self }
    }

    /// Messages that are late.
    #[must_use]
    pub fn delay(self, delay: impl Delay + 'static) -> Self {
        Self { transit: Transit { delay: Some(Arc::new(delay)), ..self.transit }, ..self }
    }

    /// The mixing weights, for algorithms that mix. Each algorithm has a default rule.
    #[must_use]
    pub fn weights(self, weights: impl Weights + 'static) -> Self {
        Self { weights: Some(Arc::new(weights)), ..self }
    }

    /// How nodes that mix account for what crosses a link.
    #[must_use]
    pub fn links(self, links: Links) -> Self {
        Self { links: Some(links), ..self }
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(self, algorithm: impl Into<Algorithm>) -> Self {
        Self { algorithm: Some(algorithm.into()), ..self }
    }

    /// The steps.
    #[must_use]
    pub fn step(self, step: Step) -> Self {
        Self { step, ..self }
    }

    /// What is protected, and how well.
    #[must_use]
    pub fn privacy(self, privacy: Privacy) -> Self {
        Self { privacy, ..self }
    }

    /// T, the number of rounds. Noise that cancels over time, sums on a grid and budgets are planned for it.
    #[must_use]
    pub fn rounds(self, rounds: u64) -> Self {
        Self { rounds, ..self }
    }

    /// The number of examples per round, where examples are protected one by one. It is public.
    #[must_use]
    pub fn batch(self, batch: u64) -> Self {
        Self { batch, ..self }
    }

    /// What nodes get to know of a cost: its gradient, or two of its values.
    #[must_use]
    pub fn feedback(self, feedback: Feedback) -> Self {
        Self { feedback, ..self }
    }

    /// The variance of the random error on every gradient.
    #[must_use]
    pub fn gradient_error(self, variance: f64) -> Self {
        Self { gradient_error: variance, ..self }
    }

    /// For hosts that check their budget before every release: the budget may then end before the run does.
    #[must_use]
    pub fn metered(self) -> Self {
        Self { metered: true, ..self }
    }

    /// All nodes, ready for their first decision.
    pub fn fleet(&self, seed: Seed) -> Result<Box<dyn Fleet>, Error> {
        Ok(self.check()?.fleet(seed))
    }
}
