//! A guess: a statistic, a threshold, and which world it speaks for. Chosen on one half of the runs, counted on the other.

use crate::bound::{self, Count};
use crate::evidence::handicap;

/// The columns of a statistic in either world, one number a run.
pub(crate) type Columns = [Vec<f32>; 2];

/// How many thresholds are tried for a statistic.
const THRESHOLDS: usize = 256;

/// "The statistic is on this side of the threshold, so it was this world."
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Which statistic.
    pub statistic: usize,
    /// The threshold.
    pub threshold: f32,
    /// Whether it must be at least the threshold, or below it.
    pub above: bool,
    /// The world it speaks for.
    pub world: usize,
}

impl Rule {
    /// The rule with the best bound over the values given, by normal approximation: choosing needs no rigour, counting
    /// does. Another statistic than the likelihood ratio must beat it clearly. `None` where no rule tells anything.
    pub(crate) fn choose(statistics: &[Columns], delta: f64, doubt: f64) -> Option<Self> {
        let mut best: Option<(f64, Self)> = None;
        for (statistic, columns) in statistics.iter().enumerate() {
            let sorted = columns.each_ref().map(|column| {
                let mut sorted = column.clone();
                sorted.sort_by(f32::total_cmp);
                sorted
            });
            for threshold in thresholds(&sorted) {
                for above in [true, false] {
                    let counts = sorted.each_ref().map(|column| {
                        let below = column.partition_point(|x| *x < threshold);
                        let hits = if above { column.len() - below } else { below };
                        Count { hits: hits as u64, of: column.len() as u64 }
                    });
                    for world in [0, 1] {
                        let found =
                            rough(counts[world], counts[1 - world], delta, doubt) / handicap(statistic);
                        if found > best.map_or(0.0, |(most, _)| most) {
                            best = Some((found, Self { statistic, threshold, above, world }));
                        }
                    }
                }
            }
        }
        best.map(|(_, rule)| rule)
    }

    /// How often it says its world in that world, and in the other.
    pub(crate) fn count(&self, statistics: &[Columns]) -> (Count, Count) {
        let says = |x: &&f32| (**x >= self.threshold) == self.above;
        let count = |column: &Vec<f32>| Count {
            hits: column.iter().filter(says).count() as u64,
            of: column.len() as u64,
        };
        let columns = &statistics[self.statistic];
        (count(&columns[self.world]), count(&columns[1 - self.world]))
    }
}

/// Values at even shares of both worlds' runs: where many runs agree, that value is among them.
fn thresholds(sorted: &Columns) -> Vec<f32> {
    let mut list: Vec<f32> = Vec::with_capacity(2 * THRESHOLDS);
    for column in sorted {
        let last = column.len().saturating_sub(1);
        list.extend((0..THRESHOLDS).filter_map(|k| column.get(k * last / (THRESHOLDS - 1))));
    }
    list.sort_by(f32::total_cmp);
    list.dedup();
    // Just above a plateau too, so that it can be left out.
    let above: Vec<f32> = list.iter().map(|x| x.next_up()).collect();
    list.extend(above);
    list
}

/// [`bound::epsilon`] with Wilson's interval in place of Clopper's and Pearson's.
fn rough(more: Count, less: Count, delta: f64, doubt: f64) -> f64 {
    let z = (-2.0 * (doubt / 2.0).ln()).sqrt() * 0.95; // near enough to the normal quantile
    let end = |count: Count, sign: f64| {
        let (n, p) = (count.of.max(1) as f64, count.share());
        let middle = p + z * z / (2.0 * n);
        (middle + sign * z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt()) / (1.0 + z * z / n)
    };
    bound::ratio(end(more, -1.0) - delta, end(less, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistic_that_tells_is_found_and_so_is_its_plateau() {
        let noise: Vec<f32> = (0..1000).map(|k| (k * 7919 % 1000) as f32).collect();
        // 1 in half of the runs of world 1 and in a tenth of those of world 0.
        let plateau = |every: usize| (0..1000).map(|k| if k % every == 0 { 1.0 } else { -1.0 }).collect();
        let statistics = [[noise.clone(), noise], [plateau(10), plateau(2)]];
        let rule = Rule::choose(&statistics, 0.0, 0.01).unwrap();
        assert_eq!((rule.statistic, rule.world, rule.above), (1, 1, true));
        let (more, less) = rule.count(&statistics);
        assert_eq!((more.hits, less.hits), (500, 100));
    }

    #[test]
    fn a_statistic_that_is_ahead_by_chance_is_not_named() {
        let column = |hits: usize| (0..1000).map(|k| if k < hits { 1.0 } else { 0.0 }).collect::<Vec<f32>>();
        let chosen = |hits| {
            let statistics = [[column(100), column(500)], [column(100), column(hits)]];
            Rule::choose(&statistics, 0.0, 0.01).unwrap().statistic
        };
        assert_eq!((chosen(510), chosen(700)), (0, 1));
    }
}
