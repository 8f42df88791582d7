//! Clip, sensitivity, noise scale and claim, derived together: none can be set alone.

use std::sync::Arc;

use super::clip::{Clip, shares};
use super::guard::{moved, price};
use super::mechanism::{MAX_SCALE, Noise, Order, Scale};
use super::{Guard, Ledger, Mechanism, Price, Released, Seal};
use crate::learner::Style;
use crate::rng::Seed;
use crate::{Blocks, Error};

mod budget;
mod choices;
mod moments;
mod over_nodes;
mod scale;
mod sent;
mod wanted;

pub use budget::Budget;
pub use choices::{Adjacency, Arithmetic, Coverage, Decide, Target};
pub use scale::MAX_BITS;
pub use wanted::Privacy;

/// The run that a plan is made for.
///
/// ```
/// use dpsda::Blocks;
/// use dpsda::learner::Style;
/// use dpsda::privacy::{Plan, Privacy, mechanism::Laplace, plan::Extent};
/// let blocks = Blocks::even(8, 4)?;
/// let scale = |style| {
///     let extent = Extent { style, blocks: &blocks, rounds: 500, batch: 1 };
///     Ok::<_, dpsda::Error>(Plan::new(Privacy::level(0.5).mechanism(Laplace), &extent)?.scale())
/// };
/// assert_eq!(scale(Style::Average)?, 4.0 * scale(Style::Relay)?); // where duals are averaged, gradients count n = 4 times
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Extent<'a> {
    /// What the algorithm does with gradients. If it averages, they are multiplied by `n`.
    pub style: Style,
    /// The blocks, one per node.
    pub blocks: &'a Blocks,
    /// T.
    pub rounds: u64,
    /// Examples per round; public.
    pub batch: u64,
}

/// Everything that follows from the [`Privacy`] that was asked for, for one algorithm.
///
/// # Panics
///
/// Methods that take a node `i` panic if there is no such node, as a slice does.
///
/// ```
/// use dpsda::Blocks;
/// use dpsda::learner::Style;
/// use dpsda::privacy::{Plan, Privacy, mechanism::DiscreteGaussian, plan::Extent};
/// let asked = Privacy::epsilon(1.0).delta(1e-5).clip(1.0).mechanism(DiscreteGaussian);
/// let blocks = Blocks::even(21, 7)?;
/// let plan = Plan::new(asked, &Extent { style: Style::Relay, blocks: &blocks, rounds: 500, batch: 1 })?;
/// assert!(plan.epsilon().is_some_and(|epsilon| epsilon <= 1.0));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) wanted: Privacy,
    pub(crate) seal: Seal,
    pub(super) gain: f64,
    pub(super) rounds: u64,
    pub(super) batch: u64,
    pub(super) sizes: Arc<[usize]>,
    /// Where the blocks end.
    pub(crate) ends: Arc<[usize]>,
    /// One per node; all on the same grid.
    pub(super) clips: Option<Arc<[Clip]>>,
    /// What one grid unit of a release stands for in the dual.
    pub(super) unit: f64,
    pub(super) scale: Scale,
    /// The largest coordinate of a public part, in grid units.
    pub(super) room: i64,
}

impl Plan {
    /// Derives everything, or says what is missing or wrong. A level means the same signal-to-noise ratio for all algorithms: the
    /// noise on the gradient of a round has scale `1/(n level)`.
    pub fn new(wanted: Privacy, extent: &Extent<'_>) -> Result<Self, Error> {
        let plan = Self::metered(wanted, extent)?;
        plan.check_lifetime()?;
        Ok(plan)
    }

    /// The same for hosts that ask [`Plan::affords`] before every release: the lifetime budget may end before the run does.
    pub fn metered(wanted: Privacy, extent: &Extent<'_>) -> Result<Self, Error> {
        let averages = extent.style.averages();
        wanted.check(averages)?;
        let sizes: Arc<[usize]> = extent.blocks.sizes().into();
        let ends = extent.blocks.iter().map(|block| block.end).collect();
        let gain = if averages { sizes.len() as f64 } else { 1.0 };
        let batch = if wanted.adjacency == Adjacency::Example { extent.batch.max(1) } else { 1 };
        let mut plan = Self {
            wanted,
            seal: Seal::default(),
            gain,
            rounds: extent.rounds,
            batch,
            sizes,
            ends,
            clips: None,
            unit: 1.0,
            scale: Scale::Real(1.0),
            room: 1 << 62,
        };
        if let Some(clip) = plan.wanted.clip {
            let bits = match plan.wanted.grid {
                Some(bits) => bits,
                None => plan.choose_grid(clip)?,
            };
            plan.set_grid(clip, bits)?;
        }
        plan.set_scale()?;
        plan.check_range()?;
        plan.check_budget()?;
        Ok(plan)
    }

    /// Whether it was made for blocks of these sizes.
    pub(crate) fn is_for(&self, blocks: &Blocks) -> bool {
        *self.sizes == *blocks.sizes()
    }

    /// Where noise goes.
    pub fn coverage(&self) -> Coverage {
        self.wanted.coverage
    }

    /// What decisions are computed from.
    pub fn decide(&self) -> Decide {
        self.wanted.decide
    }

    /// How duals are mixed.
    pub fn arithmetic(&self) -> Arithmetic {
        self.wanted.arithmetic
    }

    /// What an event is.
    pub fn adjacency(&self) -> Adjacency {
        self.wanted.adjacency
    }

    /// The delta that epsilons are given at; 0 if none is set.
    pub fn delta(&self) -> f64 {
        self.wanted.delta.unwrap_or(0.0)
    }

    /// What one unit on the grid of releases stands for in the dual; `None` without a grid.
    pub fn unit(&self) -> Option<f64> {
        self.clips.as_ref().map(|_| self.unit)
    }

    /// The clip of node `i`.
    pub fn clip(&self, i: usize) -> Option<Clip> {
        self.clips.as_ref().map(|clips| clips[i])
    }

    /// The scale of the noise on what is released, in the dual.
    pub fn scale(&self) -> f64 {
        match self.scale {
            Scale::Real(scale) => scale,
            Scale::Units(units) => units as f64 * self.unit,
        }
    }

    /// How far one event can move what node `i` releases, in the norm of the mechanism: one clipped gradient is replaced by
    /// another.
    pub fn sensitivity(&self, i: usize) -> Option<f64> {
        self.clip(i).map(|clip| moved(clip) as f64 * self.unit)
    }

    /// What one event costs at node `i`.
    pub fn cost(&self, i: usize) -> Price {
        self.cost_of(i, 1)
    }

    /// What one event costs at all nodes together. (15) and Theorem 2 are about one node; this is the sum over nodes. But an agent's
    /// event moves the release of one node only. Then this is the largest price that any node has.
    pub fn joint_cost(&self) -> Price {
        self.joint(|plan, i| plan.cost_of(i, 1))
    }

    /// The price for someone who is in an event of every round, at all nodes together. If events are agents', it is the price for
    /// someone behind one agent in every round.
    pub fn lifetime_cost(&self) -> Price {
        self.joint(|plan, i| plan.cost_of(i, plan.rounds))
    }

    /// What a person may be charged at all nodes together, if events per person are bounded.
    pub fn person_cost(&self) -> Option<Price> {
        self.person().map(|person| self.joint(|plan, i| person.price(plan.cost_of(i, 1))))
    }

    /// Epsilon of one event against all links and all decisions over the whole run, if there is one.
    pub fn epsilon(&self) -> Option<f64> {
        (self.wanted.decide == Decide::Published)
            .then(|| self.joint_cost().as_epsilon(self.delta()))
            .flatten()
    }

    /// The delta that [`Plan::epsilon`] holds at; none where it is pure.
    pub fn claimed_delta(&self) -> Option<f64> {
        let pure = self.joint_cost().as_pure().is_some();
        self.epsilon().filter(|_| !pure).map(|_| self.delta())
    }

    /// What a user should be warned of.
    pub fn warnings(&self) -> Vec<String> {
        let agents = if self.by_agent() { self.sizes.len() as f64 } else { 1.0 };
        let events = self.rounds as f64 * self.batch as f64 * agents;
        let large = self.claimed_delta().filter(|delta| delta * events >= 1.0);
        let warning = |delta: f64| {
            format!(
                "delta = {delta:e} for {events} events: such a delta allows publishing one of them in full (use far less than \
                 {:e})",
                1.0 / events
            )
        };
        let ends = self.lasts().zip(self.wanted.budget.lifetime).map(|(lasts, limit)| {
            format!(
                "budget.lifetime = {limit} is spent after {lasts} of {} rounds: then nothing more is released, and nothing \
                 learned (allow more, or ask for a smaller epsilon)",
                self.rounds
            )
        });
        large.map(warning).into_iter().chain(ends).collect()
    }

    /// An empty ledger for a node.
    pub fn ledger(&self) -> Ledger {
        Ledger::new(self.person())
    }

    /// The zero a node's sums start from.
    pub fn zeros(&self, len: usize) -> Released {
        match self.scale {
            Scale::Units(_) => Released::zeros_on_grid(len, self.unit),
            Scale::Real(_) => Released::zeros(len),
        }
    }

    /// The guard of node `i`.
    pub fn guard(&self, i: usize, seed: Seed) -> Guard {
        Guard {
            node: i as u64,
            ends: Arc::clone(&self.ends),
            clip: self.clip(i),
            adjacency: self.wanted.adjacency,
            gain: self.gain,
            unit: self.unit,
            room: self.room,
            noise: self.noise(i),
            seed,
            key: None,
            past: Default::default(),
            seal: self.seal.clone(),
            bare: false,
        }
    }

    /// The same plan for a learner, which may know everything about it: guards made from it read every cost as zero.
    pub(crate) fn blind(&self) -> Self {
        Self { seal: Seal::default(), ..self.clone() }
    }

    /// What was asked for.
    pub fn asked(&self) -> &Privacy {
        &self.wanted
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Mechanism {
        &self.wanted.mechanism
    }

    /// The noise of node `i`.
    pub fn noise(&self, i: usize) -> Noise {
        self.noise_at(i, self.scale)
    }

    fn noise_at(&self, i: usize, scale: Scale) -> Noise {
        let order = Order { node: i, size: self.sizes[i], rounds: self.rounds, scale };
        self.wanted.mechanism.noise(order, self.unit)
    }

    fn cost_of(&self, i: usize, times: u64) -> Price {
        price(&self.noise(i), self.clip(i), self.unit, times)
    }

    fn set_grid(&mut self, clip: f64, bits: u32) -> Result<(), Error> {
        let per_unit = f64::from(bits).exp2();
        let bound = clip * per_unit;
        if bound >= MAX_SCALE as f64 && bits == 0 {
            let remedy =
                format!("the coarsest grid, 2^-0, has room for {:e} (use a smaller clip)", MAX_SCALE as f64);
            return Err(Error::value("clip", format!("{clip:e}"), remedy));
        }
        if bound >= MAX_SCALE as f64 {
            let most = (MAX_SCALE as f64 / clip).log2().floor();
            let remedy = format!("a clip of {clip} has too many units of 2^-{bits} (use at most {most})");
            return Err(Error::value("grid", bits, remedy));
        }
        let norm = self.wanted.mechanism.norm();
        let bounds = match self.by_agent() {
            true => vec![bound as u64; self.sizes.len()],
            false => shares(norm, bound as u64, &self.sizes),
        };
        if bounds.contains(&0) {
            let remedy =
                "a node's share of the clip is less than one unit (use a finer grid, or leave it out)";
            return Err(Error::value("grid", bits, remedy));
        }
        self.clips = Some(bounds.into_iter().map(|bound| Clip { norm, bound, bits }).collect());
        self.unit = self.gain / (per_unit * self.batch as f64);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
