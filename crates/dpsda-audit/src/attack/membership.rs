//! Was this example learned from?

use std::ops::ControlFlow;

use dpsda::rng::Seed;
use rayon::prelude::*;

use super::Stream;
use crate::adversary::Adversary;
use crate::bound::Count;
use crate::evidence::{Evidence, Question};
use crate::game::Tick;
use crate::host::{Honest, Host};
use crate::{Arena, STATISTICS};

/// How well an adversary tells a run with the example from one in which another stands in its place. It knows both
/// examples and all other data, and sees everything that is emitted.
#[derive(Debug, Clone, Copy)]
pub struct Membership {
    /// Runs a world; half of them chose the statistic and the thresholds, the figures are of the other half.
    pub runs: u64,
    /// The statistic that it went by.
    pub statistic: &'static str,
    /// The share of right answers; 1/2 is a coin.
    pub accuracy: f64,
    /// How many of the runs with the example it found...
    pub found: f64,
    /// ...while wrongly accusing so many of those without (about one in a hundred).
    pub wrongly: f64,
}

impl Membership {
    /// Where the share of right answers is, with this confidence. (Two worlds of equal size vary less than one binomial.)
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        let of = self.runs / 2 * 2;
        let right = Count { hits: (self.accuracy * of as f64).round() as u64, of };
        let doubt = (1.0 - confidence) / 2.0;
        (right.low(doubt), right.high(doubt))
    }

    /// The share of right answers that an epsilon allows at most: `(e^eps + delta) / (e^eps + 1)`.
    pub fn ceiling(epsilon: f64, delta: f64) -> f64 {
        1.0 / (1.0 + (-epsilon).exp()) + delta / (1.0 + epsilon.exp())
    }
}

/// Plays `runs` runs a world over `data`, whose first row of round `event` is the example, or `other` in its place.
/// `None` if `tick` breaks off, or there is no such round.
pub fn membership(
    arena: &Arena,
    data: &Stream<'_>,
    other: usize,
    event: u64,
    (runs, seed): (u64, u64),
    tick: &Tick<'_>,
) -> Option<Membership> {
    let place = (event as usize).checked_mul(data.batch)?;
    let example = *data.rows.get(place)?;
    let mut without = data.clone();
    without.rows[place] = other;
    let worlds = [&without, data];
    let at: Vec<usize> = (0..arena.nodes()).map(|i| where_apart(arena, data, i, example, other)).collect();
    let rows: Option<Vec<Evidence>> = (0..2 * runs)
        .into_par_iter()
        .map(|run| {
            let seed = Seed { seed, trial: run as u32 };
            let seen = Honest.play(arena, worlds[run as usize % 2], event, seed);
            let adversary = Adversary::new(arena);
            let ask = Question { worlds: [&without, data], bland: data, event };
            let mut sum = Evidence::default();
            for (i, at) in at.iter().enumerate() {
                let node = adversary.evidence(&seen, &ask, i, *at);
                sum.iter_mut().zip(node).for_each(|(s, x)| *s += x);
            }
            match tick(1) {
                ControlFlow::Continue(()) => Some(sum),
                ControlFlow::Break(()) => None,
            }
        })
        .collect();
    Some(score(&rows?, runs))
}

/// The coordinate of node `i`'s block in which the two examples differ most.
fn where_apart(arena: &Arena, data: &Stream<'_>, i: usize, example: usize, other: usize) -> usize {
    let block = arena.own(i);
    let mut apart = vec![0.0; block.len()];
    data.samples.features.add_to(example, block.clone(), 1.0, &mut apart);
    data.samples.features.add_to(other, block, -1.0, &mut apart);
    (0..apart.len()).max_by(|a, b| apart[*a].abs().total_cmp(&apart[*b].abs())).unwrap_or(0)
}

/// Even rows are of the world without the example, odd ones of that with it.
fn score(rows: &[Evidence], runs: u64) -> Membership {
    let (first, second) = rows.split_at(rows.len() / 4 * 2);
    let column = |rows: &[Evidence], statistic: usize, world: usize| -> Vec<f64> {
        let mut column: Vec<f64> =
            rows.iter().skip(world).step_by(2).map(|row| row[statistic] as f32 as f64).collect();
        column.sort_by(f64::total_cmp);
        column
    };
    // The share of a sorted column that is at least `x`.
    let above = |column: &[f64], x: f64| {
        (column.len() - column.partition_point(|y| *y < x)) as f64 / column.len().max(1) as f64
    };
    // The likelihood ratio, unless another statistic is ahead by more than chance: three deviations of an advantage.
    let chance = 3.0 / (first.len().max(1) as f64).sqrt();
    let behind = |statistic: usize| if statistic == 0 { 0.0 } else { chance };
    let (mut best, mut rule) = (0.0, (0, f64::INFINITY));
    for statistic in 0..STATISTICS.len() {
        let (out, within) = (column(first, statistic, 0), column(first, statistic, 1));
        for x in within.iter().step_by((within.len() / 200).max(1)) {
            let advantage = above(&within, *x) - above(&out, *x) - behind(statistic);
            if advantage > best {
                (best, rule) = (advantage, (statistic, *x));
            }
        }
    }
    let (statistic, threshold) = rule;
    let (out, within) = (column(second, statistic, 0), column(second, statistic, 1));
    let strict = column(first, statistic, 0)
        .iter()
        .rev()
        .nth(first.len() / 200)
        .map_or(f64::INFINITY, |x| x.next_up());
    Membership {
        runs,
        statistic: STATISTICS[statistic],
        accuracy: 0.5 + 0.5 * (above(&within, threshold) - above(&out, threshold)),
        found: above(&within, strict),
        wrongly: above(&out, strict),
    }
}
