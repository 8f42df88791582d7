//! (12) and (20), computed from messages as the node itself computes them.

use std::ops::Range;

use dpsda::learner::Body;
use dpsda::privacy::Released;
use dpsda::privacy::plan::Arithmetic;

use crate::{Arena, Transcript};

/// A node's dual after mixing, before it adds its gradient.
pub(super) enum Mixed {
    Reals(Vec<f64>),
    Units(Vec<i64>),
}

impl Mixed {
    pub(super) fn to_reals(&self, unit: f64) -> Vec<f64> {
        match self {
            Self::Reals(v) => v.clone(),
            Self::Units(units) => units.iter().map(|k| *k as f64 * unit).collect(),
        }
    }
}

/// The coordinates `range` of node `i`'s dual after mixing in round `t`, and the share that it kept of its own dual.
pub(super) fn mixed(
    arena: &Arena,
    seen: &Transcript,
    t: u64,
    i: usize,
    range: Range<usize>,
) -> Option<(Mixed, f64)> {
    let weights = arena.spec.network()?.weights.as_ref()?;
    let wires = arena.timetable.wires(t)?;
    let heard = &wires.heard[i];
    let degrees: Vec<_> = heard.iter().map(|j| wires.degrees[*j]).collect();
    let mut row = vec![0.0; heard.len()];
    weights.row(wires.degrees[i], &degrees, &mut row);
    let kept = heard.iter().zip(&row).find(|(j, _)| **j == i).map_or(0.0, |(_, a)| *a);
    if let Some(mixed) = seen.mixed.get(t as usize) {
        let (units, _) = mixed.get(i)?.as_ref()?.units()?;
        return Some((Mixed::Units(units[range].to_vec()), kept));
    }
    let said = seen.said.get(t as usize)?;
    let duals: Option<Vec<&Released>> = heard.iter().map(|j| dual(said, *j)).collect();
    let duals = duals?;
    let units: Option<Vec<&[i64]>> =
        duals.iter().map(|d| d.units().map(|(u, _)| &u[range.clone()])).collect();
    if let (Arithmetic::Grid, Some(units)) = (arena.claimed.arithmetic(), units) {
        let mine_at = heard.iter().position(|j| *j == i)?;
        let circulates = weights.row_stochastic();
        let mut sum = units[mine_at].to_vec();
        for (j, theirs) in units.iter().enumerate() {
            let parts =
                if circulates { degrees[mine_at].heard.max(degrees[j].heard) } else { degrees[j].told };
            let parts = parts.max(1) as i64;
            for ((s, mine), theirs) in sum.iter_mut().zip(units[mine_at]).zip(*theirs) {
                *s += match (circulates, j == mine_at) {
                    (true, _) => ((i128::from(*theirs) - i128::from(*mine)) / i128::from(parts)) as i64,
                    (false, true) => -(parts - 1) * theirs.div_euclid(parts), // keeps the rest
                    (false, false) => theirs.div_euclid(parts),
                };
            }
        }
        return Some((Mixed::Units(sum), kept));
    }
    let mut sum = vec![0.0; range.len()];
    for (a, dual) in row.iter().zip(duals) {
        // In the order of senders, so that it rounds as the node does.
        match dual.units() {
            Some((units, unit)) => {
                sum.iter_mut().zip(&units[range.clone()]).for_each(|(s, k)| *s += a * (*k as f64 * unit));
            }
            None => sum.iter_mut().zip(&dual.to_reals()[range.clone()]).for_each(|(s, h)| *s += a * h),
        }
    }
    Some((Mixed::Reals(sum), kept))
}

fn dual(said: &[dpsda::learner::Message], j: usize) -> Option<&Released> {
    match &said.get(j)?.body {
        Body::Dual { dual, .. } => Some(dual),
        _ => None,
    }
}
