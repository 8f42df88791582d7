//! Automatic steps of the nodes of a run: what they rest on, and the state of each node.

use std::ops::Range;
use std::sync::Arc;

use super::law::{NoiseLaw, NoiseSoFar};
use super::{AutoSeen, AutoState, Rule};
use crate::learner::Setup;
use crate::privacy::{Plan, Released};
use crate::set::ConvexSet;
use crate::{Blocks, Error};

/// What automatic steps of a run rest on: public, and the same at all nodes.
pub(crate) struct AutoBasis {
    set: Arc<dyn ConvexSet>,
    /// The blocks of the nodes.
    of: Arc<Blocks>,
    /// The blocks that are released and known as wholes: those of the nodes or, at a central learner, one.
    blocks: Vec<Range<usize>>,
    /// How many coordinates of each block a decision can differ in, and of all.
    sizes: Vec<f64>,
    size: f64,
    /// Where a node starts, and the largest distance from there.
    start: Vec<f64>,
    radius: f64,
    cap: Option<(f64, f64)>,
    /// None without noise.
    law: Option<NoiseLaw>,
    /// The rounds that are planned.
    rounds: u64,
}

impl Setup {
    /// The same, where automatic steps rest on this.
    pub(crate) fn resting_on(mut self, basis: Option<Arc<AutoBasis>>) -> Self {
        self.basis = basis;
        self
    }

    /// The automatic steps of this learner, if it has such. By hand a setup may ask for them where they cannot be: then there are none,
    /// and steps are the paper's. A specification refuses that.
    pub(crate) fn auto_steps(&self, central: bool) -> Option<AutoSteps> {
        if self.step.rule != Rule::Auto {
            return None;
        }
        let new = || AutoBasis::new(&self.set, &self.blocks, &self.plan, central).ok().map(Arc::new);
        let same = |basis: &Arc<AutoBasis>| {
            Arc::ptr_eq(&basis.set, &self.set) && Arc::ptr_eq(&basis.of, &self.blocks)
        };
        let basis = self.basis.clone().filter(same).or_else(new)?; // both are public, and may have been replaced
        Some(AutoSteps { basis, state: AutoState::default(), factor: self.step.c, restarted: false })
    }
}

/// What a node knows of a block when it decides.
pub(crate) struct HeardBlock {
    /// How many rounds it has taken in.
    pub(crate) version: u64,
    /// The sum of the squared lengths of its releases.
    pub(crate) energy: f64,
    /// The squared length of their sum.
    pub(crate) length: f64,
}

impl AutoBasis {
    /// For nodes that each release a block, or for a central learner. An error if the set has no largest distance, or the law of the
    /// noise is not known.
    pub(crate) fn new(
        set: &Arc<dyn ConvexSet>,
        of: &Arc<Blocks>,
        plan: &Plan,
        central: bool,
    ) -> Result<Self, Error> {
        let dim = of.dim();
        let refuse =
            |why: &str| Error::value("step", "\"auto\"", format!("{why} (use a number, such as 1.0)"));
        let radius = set.reach(dim).ok_or_else(|| {
            refuse("automatic steps need the largest distance in the set, and a proximal function |x|^2/2, and this set lacks one")
        })?;
        let law = plan.variances().map_err(|name| {
            refuse(&format!(
                "automatic steps need the law of the noise, and \"{name}\" does not state its variances"
            ))
        })?;
        let known = if central { Blocks::even(dim, 1)? } else { Blocks::clone(of) };
        let blocks: Vec<Range<usize>> = known.iter().collect();
        let felt = |block: &Range<usize>| set.tangent(dim, block.clone(), &mut vec![0.0; block.len()]) as f64;
        let sizes: Vec<f64> = blocks.iter().map(felt).collect();
        let mut start = vec![0.0; dim];
        set.prox(&vec![0.0; dim], 1.0, &mut start);
        Ok(Self {
            set: Arc::clone(set),
            of: Arc::clone(of),
            size: sizes.iter().sum(),
            sizes,
            blocks,
            start,
            radius,
            cap: plan.cap().filter(|_| law.is_some()),
            law: law.map(|(variances, unit)| NoiseLaw::new(variances, unit)),
            rounds: plan.rounds(),
        })
    }

    /// The squared length of the values of block `k`, without what the set cannot feel.
    pub(crate) fn square(&self, k: usize, values: &mut [f64]) -> f64 {
        self.set.tangent(self.start.len(), self.blocks[k].clone(), values);
        values.iter().map(|v| v * v).sum()
    }

    /// Adds the squared length of a release of block `k`.
    pub(crate) fn add_square(&self, k: usize, energy: &mut Released, v: &Released) {
        energy.add_one(v, |v| self.square(k, v));
    }

    /// What is seen of blocks before round `t` is decided. After a restart, blocks that were not heard again are not late.
    fn seen(&self, t: u64, heard: &[HeardBlock], restarted: bool) -> AutoSeen {
        let late = heard.iter().filter(|block| block.version > 0 || !restarted);
        let lag = late.map(|block| t.saturating_sub(block.version)).max().unwrap_or(0);
        let mut seen = AutoSeen { round: t, lag, size: self.size, cap: self.cap, ..AutoSeen::default() };
        // Rounds that were not planned, and versions that nobody can have, do not make the table long.
        let known = |version: u64| version.min(t.saturating_mul(2)).min(self.rounds);
        let mut add = |noise: &[NoiseSoFar]| {
            let so_far = |version| noise.get(known(version) as usize).copied().unwrap_or_default();
            for (block, size) in heard.iter().zip(&self.sizes) {
                let noise = so_far(block.version);
                seen.energy += block.energy - size * noise.each;
                seen.length += block.length;
                seen.noise += size * noise.sum;
                seen.variance += 2.0 * size * noise.squares;
            }
            seen.drift = self.size.sqrt() * so_far(t).drift;
        };
        match &self.law {
            Some(law) => law.upto(known(heard.iter().map(|block| block.version).fold(t, u64::max)), add),
            None => add(&[]),
        }
        seen
    }
}

/// One node with automatic steps.
pub(crate) struct AutoSteps {
    basis: Arc<AutoBasis>,
    state: AutoState,
    /// A factor of the radius.
    factor: f64,
    /// Whether all blocks were heard before a restart.
    restarted: bool,
}

impl AutoSteps {
    pub(crate) fn basis(&self) -> &Arc<AutoBasis> {
        &self.basis
    }

    pub(crate) fn state(&self) -> AutoState {
        self.state
    }

    /// Continues after a restart, with a block of this version. The others come again: until then they are not late, unless one of them
    /// was never heard. Then `lag` is as large as the round that was decided.
    pub(crate) fn restore(&mut self, state: AutoState, version: u64) {
        (self.state, self.restarted) = (state, state.lag.saturating_add(1) < version);
    }

    /// The decision of round `t`, from all blocks: the projection of `start - alpha dual`.
    pub(crate) fn decide(&mut self, t: u64, heard: &[HeardBlock], dual: &mut [f64], y: &mut [f64]) {
        let seen = self.basis.seen(t, heard, self.restarted);
        let alpha = self.state.after(self.factor * self.basis.radius, &seen);
        if alpha == 0.0 {
            y.copy_from_slice(&self.basis.start);
            return;
        }
        dual.iter_mut().zip(&self.basis.start).for_each(|(z, start)| *z = alpha * *z - start);
        self.basis.set.prox(dual, 1.0, y);
    }
}
