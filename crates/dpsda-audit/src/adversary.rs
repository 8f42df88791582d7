//! The adversary knows the program, the plan and every cost except one. It reads everything that was emitted, and draws no noise.

use std::ops::Range;

use dpsda::learner::{Body, Message, Style};
use dpsda::objective::Objective;
use dpsda::privacy::plan::Adjacency;

use crate::{Arena, Transcript};

mod clip;
mod law;
mod mixing;

use clip::ClaimedClip;
pub(crate) use law::Law;

/// One adversary. It knows the program as claimed (Kerckhoffs).
pub struct Adversary<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) laws: Vec<Law>,
    /// The value of one unit of a release in the dual.
    pub(crate) unit: f64,
}

/// A release of one node, computed from what was emitted.
pub struct Release {
    /// `v_i(t)` in units of the grid. Without a grid, as reals.
    pub value: Vec<f64>,
    /// The node's own block of its dual before the release, in the dual's unit.
    pub before: Vec<f64>,
    /// The same after the release, as it was sent.
    pub after: Vec<f64>,
    /// The share of its own dual that the node kept while mixing.
    pub kept: f64,
}

impl<'a> Adversary<'a> {
    /// The adversary of the program in this arena.
    pub fn new(arena: &'a Arena) -> Self {
        let unit = arena.claimed.unit().unwrap_or(1.0);
        let laws = (0..arena.nodes()).map(|i| Law::of(arena, i, unit)).collect();
        Self { arena, laws, unit }
    }

    /// The clipped gradient of node `i` for cost `f` and estimate `y`, in units. The noise is added to this. Where an event is an
    /// agent's, the clipped part of the agent and the public part.
    pub fn secret(&self, i: usize, f: &dyn Objective, y: &[f64]) -> Vec<f64> {
        let block = self.arena.own(i);
        let mut g = vec![0.0; block.len()];
        let Some(clip) = self.arena.claimed.clip(i) else {
            f.partial(y, block, &mut g);
            let averages = self.arena.spec.style().averages();
            let gain = if averages { self.arena.nodes() as f64 } else { 1.0 };
            g.iter_mut().for_each(|g| *g *= gain);
            return g;
        };
        let norm = self.arena.claimed.mechanism().norm();
        let claimed = ClaimedClip { norm, bound: clip.bound, bits: clip.bits };
        let mut units = vec![0.0; g.len()];
        match self.arena.claimed.adjacency() {
            Adjacency::Round => {
                f.partial(y, block, &mut g);
                claimed.add(&g, &mut units);
            }
            Adjacency::Example => {
                for k in 0..f.examples() {
                    f.example(k, y, block.clone(), &mut g);
                    claimed.add(&g, &mut units);
                }
            }
            Adjacency::Agent => {
                let mut public = vec![0.0; g.len()];
                if f.agent(y, block, &mut g, &mut public) {
                    claimed.add(&g, &mut units);
                    let most = self.arena.claimed.public_bound().unwrap_or(0);
                    claimed.add_public(&public, most, &mut units);
                }
            }
        }
        units
    }

    /// The release of node `i` in round `t`. `instead` is a copy to read in place of the message that was sent.
    pub fn release(&self, seen: &Transcript, i: usize, t: u64, instead: Option<&Message>) -> Option<Release> {
        match self.arena.spec.style() {
            Style::Relay => self.relayed(seen, i, t, instead),
            Style::Average => self.averaged(seen, i, t, instead),
            Style::Central => {
                let own = self.arena.own(i);
                let before = self.solved(seen, t, own.clone())?;
                Some(self.difference(before, self.solved(seen, t + 1, own)?, 1.0))
            }
            Style::Model => None, // it releases models, and no plan bounds what they reveal
        }
    }

    /// Relays send running sums, and the differences of these are the releases.
    fn relayed(&self, seen: &Transcript, i: usize, t: u64, instead: Option<&Message>) -> Option<Release> {
        let after = block(instead.or(seen.message(t, i))?, i)?;
        let before = t.checked_sub(1).and_then(|t| block(seen.message(t, i)?, i));
        let kept = 1.0;
        if let (Some((now, _)), Some((old, _))) =
            (after.units(), before.map_or(Some((&[][..], 0.0)), |b| b.units()))
        {
            let value = now.iter().enumerate().map(|(k, v)| (v - old.get(k).copied().unwrap_or(0)) as f64);
            let before = old.iter().map(|k| *k as f64 * self.unit).collect();
            return Some(Release { value: value.collect(), before, after: after.to_reals(), kept });
        }
        let before = before.map_or_else(|| vec![0.0; self.arena.own(i).len()], |b| b.to_reals());
        Some(self.difference(before, after.to_reals(), kept))
    }

    /// Nodes that average send `mixed + v`. The adversary computes `mixed` as the node does.
    fn averaged(&self, seen: &Transcript, i: usize, t: u64, instead: Option<&Message>) -> Option<Release> {
        let own = self.arena.own(i);
        let Body::Dual { dual, .. } = &instead.or(seen.message(t + 1, i))?.body else { return None };
        let (mixed, kept) = mixing::mixed(self.arena, seen, t, i, own.clone())?;
        let after = dual.to_reals()[own.clone()].to_vec();
        let (mixing::Mixed::Units(units), Some((sent, unit))) = (&mixed, dual.units()) else {
            return Some(self.difference(mixed.to_reals(self.unit), after, kept));
        };
        let value = sent[own].iter().zip(units).map(|(h, z)| (h - z) as f64).collect();
        Some(Release { value, before: units.iter().map(|k| *k as f64 * unit).collect(), after, kept })
    }

    /// The whole dual from which node `i` decides round `t + 1`, without its own release of round `t`, and the weight that
    /// divides the dual.
    pub fn dual_without(&self, seen: &Transcript, i: usize, t: u64) -> Option<(Vec<f64>, f64)> {
        let arena = self.arena;
        let all = 0..arena.spec.blocks().dim();
        match arena.spec.style() {
            Style::Central => {
                let mut dual = self.solved(seen, t + 1, all)?;
                let own = arena.own(i);
                dual[own.clone()].copy_from_slice(&self.solved(seen, t, own)?);
                Some((dual, 1.0))
            }
            Style::Average => {
                let Body::Dual { weight, .. } = &seen.message(t + 1, i)?.body else { return None };
                let (mixed, _) = mixing::mixed(arena, seen, t, i, all)?;
                Some((mixed.to_reals(self.unit), *weight))
            }
            Style::Relay => {
                // A relay's next message shows what it knows of other blocks.
                let Body::Blocks(copies) = &seen.message(t + 1, i)?.body else { return None };
                let before = t.checked_sub(1).and_then(|t| block(seen.message(t, i)?, i));
                let mut dual = vec![0.0; all.end];
                for (k, copy) in copies.iter().enumerate() {
                    let sum = if k == i { before.map(|b| b.to_reals()) } else { Some(copy.sum.to_reals()) };
                    if let Some(sum) = sum {
                        dual[arena.own(k)].copy_from_slice(&sum);
                    }
                }
                Some((dual, 1.0))
            }
            Style::Model => None,
        }
    }

    /// (7) solved for the dual: `z = -y/alpha`. This holds where the projection is inactive. A central learner sends nothing, but
    /// its decisions reveal its dual in this way.
    fn solved(&self, seen: &Transcript, t: u64, range: Range<usize>) -> Option<Vec<f64>> {
        let y = seen.estimate(t, 0)?;
        let Some(last) = t.checked_sub(1) else { return Some(vec![0.0; range.len()]) };
        let alpha = self.arena.spec.step().after(last);
        Some(y[range].iter().map(|y| -y / alpha).collect())
    }

    fn difference(&self, before: Vec<f64>, after: Vec<f64>, kept: f64) -> Release {
        let value = after.iter().zip(&before).map(|(a, b)| (a - b) / self.unit);
        let exact = self.laws.first().is_some_and(Law::is_exact);
        let value = if exact { value.map(f64::round).collect() } else { value.collect() };
        Release { value, before, after, kept }
    }
}

/// The sum of block `i` in a relay's message.
fn block(message: &Message, i: usize) -> Option<&dpsda::privacy::Released> {
    match &message.body {
        Body::Blocks(copies) => copies.get(i).map(|copy| &*copy.sum),
        _ => None,
    }
}
