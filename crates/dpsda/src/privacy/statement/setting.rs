//! How much noise there is, on which value, and how far one event can move that value.

use super::price::{coordinates, short, up};
use crate::privacy::clip::{Clip, Norm};
use crate::privacy::guard::moved;
use crate::privacy::mechanism::Scale;
use crate::privacy::plan::{Adjacency, Plan, Target};

impl Plan {
    pub(super) fn noise_sentence(&self) -> String {
        let name = self.wanted.mechanism.name();
        let mean = match self.wanted.adjacency {
            Adjacency::Agent if self.divides() => "the agent's own part of the gradient",
            Adjacency::Round | Adjacency::Agent => "the gradient",
            Adjacency::Example => "the mean gradient of a round's examples",
        };
        let on = if self.gain > 1.0 { format!("{} times {mean}", self.gain) } else { mean.into() };
        let scale = match self.scale {
            Scale::Real(scale) => format!("scale {}", short(scale)),
            Scale::Units(units) => format!("scale {units} units, which is {}", short(self.scale())),
        };
        let why = match self.wanted.target {
            Target::Level(level) => format!("level {}: the paper's label, not an epsilon", short(level)),
            Target::Epsilon(epsilon) => {
                let delta = self.wanted.delta.map_or(String::new(), |d| format!(" at delta {}", short(d)));
                let (event, adjacency) = (self.wanted.adjacency.unit(), self.wanted.adjacency);
                let nodes = if adjacency == Adjacency::Agent { "" } else { ", all nodes" };
                let rule = if self.joint_cost().as_pure().is_some() { "" } else { " by zCDP" };
                format!("the least for eps {}{delta}{rule} per {event}{nodes}, whole run", up(epsilon))
            }
        };
        format!("Every release carries {name} noise of {scale} on {on} ({why}).")
    }

    pub(super) fn clip_sentences(&self) -> Vec<String> {
        let (Some(clip), Some(clips)) = (self.wanted.clip, &self.clips) else {
            return vec![
                "Sensitivity: unbounded. Nothing limits the gradient (no `privacy.clip`), so no epsilon can be promised, \
                 whatever the scale."
                    .into(),
            ];
        };
        let (norm, rule) = match self.wanted.mechanism.norm() {
            Norm::L1 => ("L1", "C d_i/d, which add up to C"),
            Norm::L2 => ("L2", "C sqrt(d_i/d), whose squares add up to C^2"),
        };
        let bits = clips[0].bits;
        let per_unit = f64::from(bits).exp2();
        if let Some(room) = self.public_bound() {
            return agent_sentences(norm, clip, clips[0], room);
        }
        let who = |i: usize| format!("every node with {}", coordinates(self.sizes[i]));
        let share = |(i, _): (usize, u64)| {
            let units = clips[i].bound;
            format!("{} {} ({units} units)", who(i), short(units as f64 / per_unit))
        };
        let shares: Vec<String> = self.groups().into_iter().map(share).collect();
        let moves = |(i, _): (usize, u64)| {
            let units = moved(clips[i]);
            format!("{} by {} ({units} units)", who(i), short(units as f64 / per_unit))
        };
        let moves: Vec<String> = self.groups().into_iter().map(moves).collect();
        let (one, summed) = match self.wanted.adjacency {
            Adjacency::Round | Adjacency::Agent => ("a round's", String::new()),
            Adjacency::Example => {
                let batch = self.batch;
                let then =
                    " The clipped examples of a round are summed and released; only then the sum is divided";
                ("each example's", format!("{then} by {batch}."))
            }
        };
        vec![
            format!(
                "Clip: {one} gradient is rounded towards zero to multiples of 2^-{bits} and clipped in integers to an {norm} norm \
                 of {}, each node enforcing its share, {rule}: {}. What is not a number becomes 0.{summed}",
                short(clip),
                shares.join("; ")
            ),
            format!(
                "Sensitivity: replacing one {} moves what is released by at most 2 C_i in {norm}: {}.",
                self.event(),
                moves.join("; ")
            ),
        ]
    }
}

/// The same where an event is an agent's own part of a round and the rest is public.
fn agent_sentences(norm: &str, wanted: f64, clip: Clip, room: i64) -> Vec<String> {
    let Clip { bound, bits, .. } = clip;
    let per_unit = f64::from(bits).exp2();
    let moves = moved(clip);
    vec![
        format!(
            "Clip: the part of a node's gradient that depends on its agent's own data is rounded towards zero to multiples of \
             2^-{bits} and clipped in integers to an {norm} norm of {} ({bound} units). Every node has the whole clip, because an \
             event moves the release of one node only. What is not a number becomes 0.",
            short(wanted)
        ),
        format!(
            "Public: the rest of the gradient depends on public data and released values. It is rounded to the same grid and added \
             after the noise, neither clipped nor noised. A coordinate beyond {} is cut off there.",
            short(room as f64 / per_unit)
        ),
        format!(
            "Sensitivity: replacing one agent's round moves what its node releases by at most 2 C in {norm}: {} ({moves} units). \
             No other release depends on it.",
            short(moves as f64 / per_unit)
        ),
    ]
}
