//! The best sequence of decisions that changes a few times: what dynamic regret is measured against.

use std::ops::ControlFlow;

use crate::Error;
use crate::cost::CostSequence;
use crate::set::ConvexSet;

use super::{Comparator, Precision};

/// The most steps of the grid on which borders lie. Every pair of points of the grid is one problem to solve.
pub const MAX_BORDERS: usize = 64;

/// The best sequence of decisions that is constant on a few segments.
///
/// ```
/// use dpsda::cost::tracking::Tracking;
/// use dpsda::regret::{Segments, TOLERANCE};
/// use dpsda::set::Cuboid;
/// // One agent follows 1 for ten rounds, then 3 for ten rounds.
/// let reference: Vec<f64> = (0..20).map(|t| if t < 10 { 1.0 } else { 3.0 }).collect();
/// let costs = Tracking::new(reference, vec![vec![0.0]; 20])?.weights(1.0, 0.0)?;
/// let set = Cuboid::new(-5.0, 5.0)?;
/// let one = Segments::best(&costs, &set, 20, 1, 4, TOLERANCE)?;
/// let two = Segments::best(&costs, &set, 20, 2, 4, TOLERANCE)?;
/// assert_eq!(two.starts, [0, 10]);
/// assert!((one.value - 1.0).abs() < 1e-5 && two.value < 1e-5);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Segments {
    /// The first round of each segment.
    pub starts: Vec<u64>,
    /// The mean cost of the sequence over all rounds.
    pub value: f64,
    /// No such sequence has a mean cost below `value - gap`.
    pub gap: f64,
    /// Whether the decisions between all borders are known as well as was asked for.
    pub certified: bool,
}

impl Segments {
    /// The best of all sequences with at most `count` segments. The borders of segments lie on a grid of `borders` equal steps over
    /// `rounds` rounds.
    pub fn best(
        costs: &dyn CostSequence,
        set: &dyn ConvexSet,
        rounds: u64,
        count: usize,
        borders: usize,
        precision: impl Into<Precision>,
    ) -> Result<Self, Error> {
        let go_on = || ControlFlow::Continue(());
        let found = Self::best_unless_stopped(
            costs,
            &mut || Comparator::new(set),
            rounds,
            (count, borders),
            precision.into(),
            &go_on,
        )?;
        found.ok_or_else(|| Error::value("segments", count, "the search was stopped"))
    }

    /// The same for `(count, borders)`, with solvers that `comparator` makes. `tick` is asked before each problem; if it says
    /// stop, the result is `None`.
    pub fn best_unless_stopped<'a>(
        costs: &dyn CostSequence,
        comparator: &mut dyn FnMut() -> Comparator<'a>,
        rounds: u64,
        (count, borders): (usize, usize),
        precision: Precision,
        tick: &dyn Fn() -> ControlFlow<()>,
    ) -> Result<Option<Self>, Error> {
        if !(1..=MAX_BORDERS).contains(&borders) {
            return Err(Error::value("borders", borders, format!("expected 1 to {MAX_BORDERS}")));
        }
        if !(1..=borders).contains(&count) {
            let remedy = format!("expected 1 to {borders}, the number of steps of the grid");
            return Err(Error::value("segments", count, remedy));
        }
        let steps = (borders as u64).min(rounds).max(1);
        let grid: Vec<u64> = (0..=steps).map(|k| k * rounds / steps).collect();
        let Some(pieces) = Pieces::solve(costs, comparator, &grid, precision, tick) else { return Ok(None) };
        let (value, starts) = pieces.cheapest(count, |piece| piece.0);
        let lower = |(value, gap): (f64, f64)| if gap.is_finite() { value - gap } else { f64::NEG_INFINITY };
        let (lower, _) = pieces.cheapest(count, lower);
        let all = rounds.max(1) as f64;
        let starts = starts.into_iter().map(|k| grid[k]).collect();
        let gap = (value - lower) / all;
        let gap = if gap.is_nan() { f64::INFINITY } else { gap.max(0.0) };
        Ok(Some(Self { starts, value: value / all, gap, certified: pieces.certified }))
    }
}

/// For each point of the grid and each later one: the total cost of the best decision between them, and how far that cost may be from
/// the least.
struct Pieces {
    points: usize,
    /// By first and last point.
    each: Vec<(f64, f64)>,
    /// Whether all are known as well as was asked for.
    certified: bool,
}

impl Pieces {
    fn solve<'a>(
        costs: &dyn CostSequence,
        comparator: &mut dyn FnMut() -> Comparator<'a>,
        grid: &[u64],
        precision: Precision,
        tick: &dyn Fn() -> ControlFlow<()>,
    ) -> Option<Self> {
        let points = grid.len();
        let (mut each, mut certified) = (vec![(0.0, 0.0); points * points], true);
        for first in 0..points {
            let mut comparator = comparator();
            let mut start = vec![0.0; costs.dim()];
            for last in first + 1..points {
                if tick().is_break() {
                    return None;
                }
                let best = comparator.best(&[&*costs.mean(grid[first]..grid[last])], &start, precision);
                certified &= best.certified;
                let length = (grid[last] - grid[first]) as f64;
                each[first * points + last] = (length * best.value, length * best.gap);
                start = best.x; // the next problem has one step more, so its answer is near
            }
        }
        Some(Self { points, each, certified })
    }

    /// The cheapest way from the first point to the last in at most `count` pieces, and the first points of its pieces.
    fn cheapest(&self, count: usize, price: impl Fn((f64, f64)) -> f64) -> (f64, Vec<usize>) {
        let mut best: Vec<(f64, Vec<usize>)> = (0..self.points)
            .map(|last| if last == 0 { (0.0, Vec::new()) } else { (price(self.each[last]), vec![0]) })
            .collect();
        for _ in 1..count {
            let before = best.clone();
            for (last, way) in best.iter_mut().enumerate().skip(1) {
                for (first, (so_far, starts)) in before.iter().enumerate().take(last).skip(1) {
                    let total = so_far + price(self.each[first * self.points + last]);
                    if total < way.0 {
                        *way = (total, [&starts[..], &[first]].concat());
                    }
                }
            }
        }
        best.pop().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::cost::tracking::Tracking;
    use crate::regret::TOLERANCE;
    use crate::set::Cuboid;

    #[test]
    fn a_search_stops_when_it_is_told_to() {
        let costs = Tracking::new(vec![1.0; 8], vec![vec![0.0]; 8]).unwrap();
        let (set, asked) = (Cuboid::new(-1.0, 1.0).unwrap(), Cell::new(0));
        let within = |most: usize| {
            asked.set(0);
            let tick = || {
                asked.set(asked.get() + 1);
                if asked.get() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut comparator = || Comparator::new(&set);
            Segments::best_unless_stopped(&costs, &mut comparator, 8, (2, 4), TOLERANCE.into(), &tick)
                .unwrap()
        };
        assert_eq!(within(3), None);
        assert_eq!(asked.get(), 4);
        assert_eq!(within(10), Some(Segments::best(&costs, &set, 8, 2, 4, TOLERANCE).unwrap()));
        assert_eq!(asked.get(), 10, "one problem for each pair of points");
    }
}
