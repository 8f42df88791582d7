//! Clip, sensitivity, noise scale and claim, derived together: none can be set apart.

use super::clip::{Clip, shares};
use super::guard::{moved, price};
use super::ledger::Person;
use super::mechanism::{Build, MAX_SCALE, Mechanism, Spec};
use super::{Cost, Guard, Ledger, Released};
use crate::rng::Seed;
use crate::{Blocks, Error};

mod budget;
mod moments;
mod scale;
mod sent;
mod wish;

pub use budget::Budget;
pub use scale::MAX_BITS;
pub use wish::{Adjacency, Arithmetic, Decide, Noise, Target, Wish};

/// What the plan is made for, besides the wish.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// Whether gradients are multiplied by `n` before they are averaged: C and PS.
    pub averages: bool,
    /// Who owns what.
    pub blocks: &'a Blocks,
    /// T.
    pub rounds: u64,
    /// Examples a round; public.
    pub batch: u64,
}

/// Everything that follows from the wish, for one algorithm.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) wish: Wish,
    pub(super) gain: f64,
    pub(super) rounds: u64,
    pub(super) batch: u64,
    pub(super) sizes: Vec<usize>,
    /// One per node; all on the same grid.
    pub(super) clips: Option<Vec<Clip>>,
    /// What one grid unit of a release stands for in the dual.
    pub(super) unit: f64,
    pub(super) scale: Scale,
}

/// The scale of the noise on a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scale {
    Real(f64),
    Units(u64),
}

impl Plan {
    /// Derives everything, or says what is missing. `level` means the same signal-to-noise ratio for all algorithms: the
    /// noise on the gradient of a round has scale `1/(n level)`.
    pub fn new(wish: Wish, shape: &Shape<'_>) -> Result<Self, Error> {
        let plan = Self::metered(wish, shape)?;
        plan.check_lifetime()?;
        Ok(plan)
    }

    /// The same for hosts that ask [`Plan::affords`] before every release: the lifetime's budget may end before the run does.
    pub fn metered(wish: Wish, shape: &Shape<'_>) -> Result<Self, Error> {
        wish.check(shape.averages)?;
        let sizes = shape.blocks.sizes();
        let gain = if shape.averages { sizes.len() as f64 } else { 1.0 };
        let batch = if wish.adjacency == Adjacency::Example { shape.batch.max(1) } else { 1 };
        let mut plan = Self {
            wish,
            gain,
            rounds: shape.rounds,
            batch,
            sizes,
            clips: None,
            unit: 1.0,
            scale: Scale::Real(1.0),
        };
        if let Some(clip) = wish.clip {
            let bits = match wish.grid {
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

    /// Where noise goes.
    pub fn noise(&self) -> Noise {
        self.wish.noise
    }

    /// What decisions are computed from.
    pub fn decide(&self) -> Decide {
        self.wish.decide
    }

    /// How duals are mixed.
    pub fn arithmetic(&self) -> Arithmetic {
        self.wish.arithmetic
    }

    /// What an event is.
    pub fn adjacency(&self) -> Adjacency {
        self.wish.adjacency
    }

    /// The delta that epsilons are given at; 0 if none is set.
    pub fn delta(&self) -> f64 {
        self.wish.delta.unwrap_or(0.0)
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

    /// How far one event can move what node `i` releases, in the norm of the mechanism: by replacing a clipped gradient
    /// by another.
    pub fn sensitivity(&self, i: usize) -> Option<f64> {
        self.clip(i).map(|clip| moved(clip) as f64 * self.unit)
    }

    /// What one event costs at node `i`.
    pub fn cost(&self, i: usize) -> Cost {
        self.cost_of(i, 1)
    }

    /// What one event costs at all nodes together. (15) and Theorem 2 are about one node; this is the sum.
    pub fn joint_cost(&self) -> Cost {
        self.joint(|plan, i| plan.cost_of(i, 1))
    }

    /// What it costs whoever is in an event of every round, at all nodes together.
    pub fn lifetime_cost(&self) -> Cost {
        self.joint(|plan, i| plan.cost_of(i, plan.rounds))
    }

    /// What a person may be charged at all nodes together, if events per person are bounded.
    pub fn person_cost(&self) -> Option<Cost> {
        self.person().map(|person| self.joint(|plan, i| person.price(plan.cost_of(i, 1))))
    }

    /// Epsilon of one event against all links and all decisions over the whole run, if there is one.
    pub fn epsilon(&self) -> Option<f64> {
        (self.wish.decide == Decide::Published).then(|| self.joint_cost().as_epsilon(self.delta())).flatten()
    }

    /// The delta that [`Plan::epsilon`] holds at; none where it is pure.
    pub fn claimed_delta(&self) -> Option<f64> {
        let pure = self.joint_cost().as_pure().is_some();
        self.epsilon().filter(|_| !pure).map(|_| self.delta())
    }

    /// What a user should be warned of.
    pub fn warnings(&self) -> Vec<String> {
        let events = self.rounds as f64 * self.batch as f64;
        let large = self.claimed_delta().filter(|delta| delta * events >= 1.0);
        let warning = |delta: f64| {
            format!(
                "privacy.delta = {delta:e} for {events} events: publishing one of them whole would be allowed (use far less than \
                 {:e})",
                1.0 / events
            )
        };
        let ends = self.lasts().zip(self.wish.budget.lifetime).map(|(lasts, limit)| {
            format!(
                "privacy.budget.lifetime = {limit} is spent after {lasts} of {} rounds: then nothing more is released, and nothing \
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
            clip: self.clip(i),
            adjacency: self.wish.adjacency,
            gain: self.gain,
            unit: self.unit,
            mechanism: self.mechanism(i),
            seed,
            key: None,
            past: Default::default(),
        }
    }

    /// The mechanism of node `i`.
    pub fn mechanism(&self, i: usize) -> Mechanism {
        self.build(i, self.scale)
    }

    fn build(&self, i: usize, scale: Scale) -> Mechanism {
        let (node, size, rounds) = (i, self.sizes[i], self.rounds);
        match (self.wish.mechanism.build.build, scale) {
            (Build::Nothing, _) => Mechanism::Nothing,
            (Build::Ideal(build), scale) => {
                let scale = match scale {
                    Scale::Real(scale) => scale,
                    Scale::Units(units) => units as f64 * self.unit,
                };
                Mechanism::Ideal(build(Spec { node, size, rounds, scale }))
            }
            (Build::Exact(build), scale) => {
                let scale = match scale {
                    Scale::Real(scale) => (scale / self.unit).ceil() as u64,
                    Scale::Units(units) => units,
                };
                Mechanism::Exact(build(Spec { node, size, rounds, scale: scale.clamp(1, MAX_SCALE) }))
            }
        }
    }

    fn cost_of(&self, i: usize, times: u64) -> Cost {
        price(&self.mechanism(i), self.clip(i), self.unit, times)
    }

    /// The sum over nodes. Nodes with blocks of the same size pay the same.
    fn joint(&self, of: impl Fn(&Self, usize) -> Cost) -> Cost {
        self.groups().into_iter().fold(Cost::default(), |sum, (i, count)| sum.and(of(self, i).times(count)))
    }

    /// The first node of every size of block, and how many nodes have that size.
    pub(super) fn groups(&self) -> Vec<(usize, u64)> {
        let mut groups: Vec<(usize, u64)> = Vec::new();
        for (i, size) in self.sizes.iter().enumerate() {
            match groups.iter_mut().find(|(first, _)| self.sizes[*first] == *size) {
                Some((_, count)) => *count += 1,
                None => groups.push((i, 1)),
            }
        }
        groups
    }

    pub(super) fn person(&self) -> Option<Person> {
        let apart = self.wish.adjacency == Adjacency::Round && !self.wish.mechanism.build.correlated;
        // Nobody is behind more rounds than there are.
        let most = if self.wish.adjacency == Adjacency::Round { self.rounds } else { u64::MAX };
        self.wish.budget.events_per_person.map(|events| Person { events: events.min(most), apart })
    }

    fn set_grid(&mut self, clip: f64, bits: u32) -> Result<(), Error> {
        let per_unit = f64::from(bits).exp2();
        let bound = clip * per_unit;
        if bound >= MAX_SCALE as f64 && bits == 0 {
            let remedy =
                format!("the coarsest grid, 2^-0, has room for {:e} (use a smaller clip)", MAX_SCALE as f64);
            return Err(Error::value("privacy.clip", format!("{clip:e}"), remedy));
        }
        if bound >= MAX_SCALE as f64 {
            let most = (MAX_SCALE as f64 / clip).log2().floor();
            let remedy = format!("a clip of {clip} has too many units of 2^-{bits} (use at most {most})");
            return Err(Error::value("privacy.grid", bits, remedy));
        }
        let norm = self.wish.mechanism.build.norm;
        let bounds = shares(norm, bound as u64, &self.sizes);
        if bounds.contains(&0) {
            let remedy =
                "a node's share of the clip is less than one unit (use a finer grid, or leave it out)";
            return Err(Error::value("privacy.grid", bits, remedy));
        }
        self.clips = Some(bounds.into_iter().map(|bound| Clip { norm, bound, bits }).collect());
        self.unit = self.gain / (per_unit * self.batch as f64);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
