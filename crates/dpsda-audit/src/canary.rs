//! The costs of a game: bland costs that the adversary knows, and one event that it must not detect.

use std::ops::Range;

use dpsda::objective::Objective;
use dpsda::privacy::plan::Adjacency;

use crate::Arena;

/// The event in the two worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Canary {
    /// A gradient of exactly the clip, up or down: as far apart as two events can be.
    AtTheClip,
    /// 100 times the clip in every coordinate, up or down. It reveals a clip in the wrong norm, which lets more pass when many
    /// coordinates are large.
    Dense,
    /// Not a number in one world, the clip in the other.
    NotANumber,
}

impl Canary {
    /// All canaries.
    pub const ALL: [Self; 3] = [Self::AtTheClip, Self::Dense, Self::NotANumber];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Self::AtTheClip => "at the clip",
            Self::Dense => "100x, dense",
            Self::NotANumber => "NaN",
        }
    }

    /// The gradient in one world, for a node with clip `clip`. Only one coordinate is not zero, so that both norms agree and
    /// nothing is lost to rounding. Only the dense canary uses all coordinates.
    fn put(self, world: bool, clip: f64, at: usize, gradient: &mut [f64]) {
        gradient.fill(0.0);
        match self {
            Self::NotANumber if world => {
                gradient.fill(f64::INFINITY);
                gradient[at] = f64::NAN;
            }
            Self::NotANumber => gradient[at] = clip,
            Self::AtTheClip => gradient[at] = if world { clip } else { -clip },
            Self::Dense => gradient.fill(if world { 100.0 * clip } else { -100.0 * clip }),
        }
    }
}

/// The costs of one run, round by round.
pub trait CostStream: Sync {
    /// Shows the cost of round `t` to `see`, unless the round has none.
    fn reveal(&self, t: u64, see: &mut dyn FnMut(&dyn Objective));
}

/// The costs of a game. In the event's round the cost is the canary; if an event is one example, the canary is one example of
/// many. In all other rounds the cost is `<c, x> + k |x|^2 / 2`. Its gradient depends on decisions, so that a leak shows again
/// later. If an event is an agent's, all this is the agents' own part, and there is a public part beside it.
pub struct Bait<'a> {
    arena: &'a Arena,
    /// The event's round. Without an event all rounds are bland.
    pub event: Option<u64>,
    /// The event's gradient.
    gradient: Vec<f64>,
}

/// The slope and the curvature of bland costs, as shares of a node's clip over its coordinates.
const BLAND: (f64, f64) = (0.3, 0.01);

/// The slope and the curvature of the public part, likewise, where an event is an agent's. It is longer than the clip, so that a
/// program that clips it too, or adds something else in its place, is not the program that the adversary knows.
const PUBLIC: (f64, f64) = (7.3, 0.02);

impl<'a> Bait<'a> {
    /// Bland costs in every round.
    pub fn bland(arena: &'a Arena) -> Self {
        Self { arena, event: None, gradient: Vec::new() }
    }

    /// A canary in round `event`. Node `i` is in world `worlds(i)`, and its canary is on coordinate `at(i)` of its block.
    pub fn new(
        arena: &'a Arena,
        canary: Canary,
        event: u64,
        worlds: impl Fn(usize) -> bool,
        at: impl Fn(usize) -> usize,
    ) -> Self {
        let blocks = arena.spec.blocks();
        let mut gradient = vec![0.0; blocks.dim()];
        for (i, block) in blocks.iter().enumerate() {
            canary.put(worlds(i), clip(arena, i), at(i), &mut gradient[block]);
        }
        Self { arena, event: Some(event), gradient }
    }

    /// The gradient of a bland cost at node `i`'s own decision `x`. The adversary computes it too.
    pub fn bland_gradient(arena: &Arena, i: usize, x: &[f64], g: &mut [f64]) {
        linear(arena, i, BLAND, x, g);
    }
}

/// The gradient of a cost with this slope and curvature at node `i`'s own decision `x`.
fn linear(arena: &Arena, i: usize, (slope, curvature): (f64, f64), x: &[f64], g: &mut [f64]) {
    let share = clip(arena, i) / x.len().max(1) as f64;
    g.iter_mut().zip(x).for_each(|(g, x)| *g = share * (slope + curvature * x));
}

/// The exact claimed clip, or 1 if there is none.
fn clip(arena: &Arena, i: usize) -> f64 {
    arena.claimed.clip(i).map_or(1.0, |clip| clip.bound as f64 / f64::from(clip.bits).exp2())
}

impl CostStream for Bait<'_> {
    fn reveal(&self, t: u64, see: &mut dyn FnMut(&dyn Objective)) {
        let event = (self.event == Some(t)).then_some(&self.gradient[..]);
        see(&RoundCost { arena: self.arena, event });
    }
}

/// The cost of one round.
struct RoundCost<'a> {
    arena: &'a Arena,
    event: Option<&'a [f64]>,
}

impl RoundCost<'_> {
    fn bland(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        Bait::bland_gradient(self.arena, self.owner(&block), &x[block], g);
    }

    /// Learners ask for whole blocks, so the start of a block tells its owner.
    fn owner(&self, block: &Range<usize>) -> usize {
        self.arena.spec.blocks().iter().position(|own| own.start == block.start).unwrap_or(0)
    }

    /// The part of the gradient in which the event is.
    fn own(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        match self.event {
            Some(event) => g.copy_from_slice(&event[block]),
            None => self.bland(x, block, g),
        }
    }
}

impl Objective for RoundCost<'_> {
    fn dim(&self) -> usize {
        self.arena.spec.blocks().dim()
    }

    fn value(&self, _x: &[f64]) -> f64 {
        0.0 // learners never use it
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let mut public = vec![0.0; g.len()];
        if self.agent(x, block, g, &mut public) {
            g.iter_mut().zip(&public).for_each(|(g, public)| *g += public);
        }
    }

    fn agent(&self, x: &[f64], block: Range<usize>, own: &mut [f64], public: &mut [f64]) -> bool {
        self.own(x, block.clone(), own);
        let agents = self.arena.by_agent();
        if agents {
            linear(self.arena, self.owner(&block), PUBLIC, &x[block], public);
        }
        agents
    }

    fn examples(&self) -> usize {
        if self.arena.claimed.adjacency() == Adjacency::Example {
            self.arena.spec.batch() as usize
        } else {
            1
        }
    }

    fn example(&self, k: usize, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        if k == 0 { self.partial(x, block, g) } else { self.bland(x, block, g) }
    }
}
