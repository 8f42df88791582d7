//! A guess: a statistic, a threshold, and the world that it names. It is chosen on one half of the runs and counted on the other.

use crate::bound::{self, Frequency};
use crate::evidence::handicap;

/// The values of a statistic in world 0 and in world 1, one number per run.
pub(crate) type ByWorld = [Vec<f32>; 2];

/// The number of thresholds tried per statistic and world.
const THRESHOLDS: usize = 256;

/// The rule "the statistic is on this side of the threshold, so it was this world".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guess {
    /// The index of the statistic.
    pub statistic: usize,
    /// The threshold.
    pub threshold: f32,
    /// Whether the statistic must be at least the threshold, or below it.
    pub above: bool,
    /// The world that it names.
    pub world: usize,
}

impl Guess {
    /// The guess with the best bound over these values, by normal approximation: the choice need not be exact, only the count
    /// must be. Another statistic must beat the likelihood ratio clearly. `None` if no guess tells the worlds apart.
    pub(crate) fn choose(statistics: &[ByWorld], delta: f64, doubt: f64) -> Option<Self> {
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
                        Frequency { hits: hits as u64, of: column.len() as u64 }
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
        best.map(|(_, guess)| guess)
    }

    /// How often the guess names its world, in that world and in the other.
    pub(crate) fn count(&self, statistics: &[ByWorld]) -> (Frequency, Frequency) {
        let says = |x: &&f32| (**x >= self.threshold) == self.above;
        let count = |column: &Vec<f32>| Frequency {
            hits: column.iter().filter(says).count() as u64,
            of: column.len() as u64,
        };
        let columns = &statistics[self.statistic];
        (count(&columns[self.world]), count(&columns[1 - self.world]))
    }
}

/// Quantiles of both worlds' values. A value that many runs share is among them.
fn thresholds(sorted: &ByWorld) -> Vec<f32> {
    let mut list: Vec<f32> = Vec::with_capacity(2 * THRESHOLDS);
    for column in sorted {
        let last = column.len().saturating_sub(1);
        list.extend((0..THRESHOLDS).filter_map(|k| column.get(k * last / (THRESHOLDS - 1))));
    }
    list.sort_by(f32::total_cmp);
    list.dedup();
    // Also just above each value, so that a value that many runs share can be left out.
    let above: Vec<f32> = list.iter().map(|x| x.next_up()).collect();
    list.extend(above);
    list
}

/// [`bound::epsilon`] with Wilson's interval instead of Clopper and Pearson's.
fn rough(more: Frequency, less: Frequency, delta: f64, doubt: f64) -> f64 {
    let z = (-2.0 * (doubt / 2.0).ln()).sqrt() * 0.95; // near enough to the normal quantile
    let end = |count: Frequency, sign: f64| {
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
        let guess = Guess::choose(&statistics, 0.0, 0.01).unwrap();
        assert_eq!((guess.statistic, guess.world, guess.above), (1, 1, true));
        let (more, less) = guess.count(&statistics);
        assert_eq!((more.hits, less.hits), (500, 100));
    }

    #[test]
    fn a_statistic_that_is_ahead_by_chance_is_not_named() {
        let column = |hits: usize| (0..1000).map(|k| if k < hits { 1.0 } else { 0.0 }).collect::<Vec<f32>>();
        let chosen = |hits| {
            let statistics = [[column(100), column(500)], [column(100), column(hits)]];
            Guess::choose(&statistics, 0.0, 0.01).unwrap().statistic
        };
        assert_eq!((chosen(510), chosen(700)), (0, 1));
    }
}
