//! Membership inference: did the nodes learn from this example?

use std::ops::ControlFlow;

use dpsda::Error;
use dpsda::rng::Seed;
use rayon::prelude::*;

use super::DataStream;
use crate::adversary::Adversary;
use crate::bound::Frequency;
use crate::evidence::{Evidence, Question};
use crate::game::RunsDone;
use crate::host::{Honest, Host, Playing};
use crate::{Arena, STATISTICS, Unfinished};

/// How well an adversary distinguishes a run with the example from a run with another example in its place. It knows both
/// examples and all other data, and sees everything that is emitted.
#[derive(Debug, Clone, Copy)]
pub struct Membership {
    /// Runs per world. One half chooses the statistic and the thresholds; the figures are from the other half.
    pub runs: u64,
    /// The statistic that the adversary used.
    pub statistic: &'static str,
    /// The share of right answers. A coin has 1/2.
    pub accuracy: f64,
    /// The true positive rate at a strict threshold.
    pub found: f64,
    /// The false positive rate at the same threshold (about 1 in 100).
    pub wrongly: f64,
}

impl Membership {
    /// A confidence interval for the share of right answers. (It is conservative: two worlds of equal size vary less than one
    /// binomial.)
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        let of = self.runs / 2 * 2;
        let right = Frequency { hits: (self.accuracy * of as f64).round() as u64, of };
        let doubt = (1.0 - confidence) / 2.0;
        (right.low(doubt), right.high(doubt))
    }

    /// The largest share of right answers that an epsilon allows: `(e^eps + delta) / (e^eps + 1)`.
    pub fn ceiling(epsilon: f64, delta: f64) -> f64 {
        1.0 / (1.0 + (-epsilon).exp()) + delta / (1.0 + epsilon.exp())
    }
}

/// Plays `runs` runs per world over `data`. The first row of round `event` is the example; in the other world, row `other`
/// replaces it. `done` is told how many runs are done, and may stop the attack.
pub fn membership(
    arena: &Arena,
    data: &DataStream<'_>,
    other: usize,
    event: u64,
    (runs, seed): (u64, u64),
    done: &RunsDone<'_>,
) -> Result<Membership, Unfinished> {
    data.fits(arena)?;
    data.has(other)?;
    let place = (event as usize).saturating_mul(data.batch);
    let example = *data.rows.get(place).ok_or_else(|| {
        Error::value("event", event, "the data end before this round (choose an earlier one)")
    })?;
    let mut without = data.clone();
    without.rows[place] = other;
    let worlds = [&without, data];
    let at: Vec<usize> = (0..arena.nodes()).map(|i| where_apart(arena, data, i, example, other)).collect();
    let rows: Result<Vec<Evidence>, Unfinished> = (0..2 * runs)
        .into_par_iter()
        .map(|run| {
            let seed = Seed::new(seed).trial(run as u32);
            let seen = Honest.play(Playing { arena, costs: worlds[run as usize % 2], event, seed })?;
            let adversary = Adversary::new(arena);
            let ask = Question { worlds: [&without, data], bland: data, event };
            let mut sum = Evidence::default();
            for (i, at) in at.iter().enumerate() {
                let node = adversary.evidence(&seen, &ask, i, *at);
                sum.iter_mut().zip(node).for_each(|(s, x)| *s += x);
            }
            match done(1) {
                ControlFlow::Continue(()) => Ok(sum),
                ControlFlow::Break(()) => Err(Unfinished::Stopped),
            }
        })
        .collect();
    Ok(score(&rows?, runs))
}

/// The coordinate of node `i`'s block in which the two examples differ most.
fn where_apart(arena: &Arena, data: &DataStream<'_>, i: usize, example: usize, other: usize) -> usize {
    let block = arena.own(i);
    let mut apart = vec![0.0; block.len()];
    data.samples.features.add_to(example, block.clone(), 1.0, &mut apart);
    data.samples.features.add_to(other, block, -1.0, &mut apart);
    (0..apart.len()).max_by(|a, b| apart[*a].abs().total_cmp(&apart[*b].abs())).unwrap_or(0)
}

/// Even rows are from the world without the example, odd rows from the world with it.
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
    // The likelihood ratio, unless another statistic is ahead by more than chance: by three deviations of an advantage.
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
