//! Mean and standard deviation over trials, round by round.

use std::collections::HashMap;

use dpsda::metric::{self, Metric};

use crate::{Series, plot::BandPoint};

/// One run's line for one column: only the rounds where every trial has a finite value. A line ends where the first trial
/// diverges, because a mean over the remaining trials would make a diverging run look better.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeanCurve {
    pub(crate) run: i64,
    pub(crate) t: Vec<i64>,
    pub(crate) mean: Vec<f64>,
    /// Sample standard deviation (n - 1); `None` where a single trial has a value.
    pub(crate) sd: Vec<Option<f64>>,
    /// Trials behind every point.
    pub(crate) trials: u32,
    /// The first round where some trial has a value that is not finite, or none while another has one.
    pub(crate) ends: Option<i64>,
}

/// All curves of one column, in order of run.
#[derive(Clone, Debug)]
pub(crate) struct Bands {
    pub(crate) column: String,
    pub(crate) curves: Vec<MeanCurve>,
}

/// Welford's running mean and sum of squares: no cancellation when the mean is large.
#[derive(Clone, Copy, Default)]
struct Moments {
    /// Trials with any value, infinite ones too.
    present: u32,
    /// Trials with a finite value.
    n: u32,
    mean: f64,
    square: f64,
}

impl Moments {
    fn add(&mut self, v: f64) {
        self.present += 1;
        if !v.is_finite() {
            return;
        }
        self.n += 1;
        let off = v - self.mean;
        self.mean += off / f64::from(self.n);
        self.square += off * (v - self.mean);
    }

    /// None for a single trial, and where the squares of very large values overflow.
    fn sd(self) -> Option<f64> {
        (self.n > 1).then(|| (self.square / f64::from(self.n - 1)).sqrt()).filter(|sd| sd.is_finite())
    }
}

impl Bands {
    /// The metric that the column is of; none for a column that the family does not know.
    pub(crate) fn metric(&self) -> Option<&'static Metric> {
        metric::all().named(&self.column).filter(|metric| metric.curve.is_some())
    }
}

/// The columns that say which run, which trial and how many rounds.
const KEYS: [&str; 3] = ["run", "trial", "t"];

/// Every column but those that say which run, which trial and how many rounds.
pub(crate) fn bands(series: &Series) -> Vec<Bands> {
    let [run, _, t] = KEYS.map(|name| series.column(name));
    let (Some(run_at), Some(t_at)) = (run, t) else { return Vec::new() };
    let measured = |i: &usize| series.columns.get(*i).is_some_and(|name| !KEYS.contains(&name.as_str()));
    let shown: Vec<usize> = (0..series.columns.len()).filter(measured).collect();

    let mut slots: HashMap<(i64, i64), usize> = HashMap::new();
    let mut moments: Vec<Vec<Moments>> = Vec::new();
    let mut rows_at: Vec<u32> = Vec::new();
    let mut trials: HashMap<i64, u32> = HashMap::new();
    for row in &series.rows {
        let at = |i: usize| row.get(i).copied().flatten();
        let (Some(run), Some(t)) = (at(run_at), at(t_at)) else { continue };
        let slot = *slots.entry((run as i64, t as i64)).or_insert(moments.len());
        if slot == moments.len() {
            moments.push(vec![Moments::default(); shown.len()]);
            rows_at.push(0);
        }
        let (Some(slot), Some(rows)) = (moments.get_mut(slot), rows_at.get_mut(slot)) else { continue };
        *rows += 1;
        // A run has as many trials as it has rows in its fullest round.
        trials.entry(run as i64).and_modify(|n| *n = (*n).max(*rows)).or_insert(*rows);
        for (m, &i) in slot.iter_mut().zip(&shown) {
            if let Some(v) = at(i) {
                m.add(v);
            }
        }
    }

    let mut order: Vec<((i64, i64), usize)> = slots.into_iter().collect();
    order.sort_unstable();
    shown
        .iter()
        .enumerate()
        .map(|(k, &i)| {
            let mut curves: Vec<MeanCurve> = Vec::new();
            for &((run, t), slot) in &order {
                let Some(&m) = moments.get(slot).and_then(|s| s.get(k)) else { continue };
                // Empty in every trial: this round was not recorded.
                if m.present == 0 {
                    continue;
                }
                let trials = trials.get(&run).copied().unwrap_or(0);
                if curves.last().is_none_or(|c| c.run != run) {
                    curves.push(MeanCurve { run, t: vec![], mean: vec![], sd: vec![], trials, ends: None });
                }
                let Some(curve) = curves.last_mut().filter(|c| c.ends.is_none()) else { continue };
                if m.n < trials || !m.mean.is_finite() {
                    curve.ends = Some(t);
                    continue;
                }
                curve.t.push(t);
                curve.mean.push(m.mean);
                curve.sd.push(m.sd());
            }
            Bands { column: series.columns.get(i).cloned().unwrap_or_default(), curves }
        })
        .collect()
}

impl MeanCurve {
    /// Round, mean, and one standard deviation to each side.
    pub(crate) fn points(&self) -> Vec<BandPoint> {
        let band = |(mean, sd): (&f64, &Option<f64>)| (*mean, sd.map(|sd| (mean - sd, mean + sd)));
        let bands = self.mean.iter().zip(&self.sd).map(band);
        self.t.iter().zip(bands).map(|(t, (mean, band))| (*t as f64, mean, band)).collect()
    }

    /// At most so many points, half of them evenly and half geometrically spaced, so that both linear and log
    /// axes stay smooth. First and last are kept.
    pub(crate) fn thin(&self, most: usize) -> MeanCurve {
        let n = self.t.len();
        if n <= most || most < 4 {
            return self.clone();
        }
        let (half, last) = ((most / 2) as f64, (n - 1) as f64);
        let mut keep: Vec<usize> = (0..most / 2)
            .flat_map(|k| {
                let part = k as f64 / (half - 1.0);
                [part * last, (n as f64).powf(part) - 1.0]
            })
            .map(|x| (x.round() as usize).min(n - 1))
            .collect();
        keep.sort_unstable();
        keep.dedup();
        fn pick<T: Copy>(from: &[T], keep: &[usize]) -> Vec<T> {
            keep.iter().filter_map(|&i| from.get(i).copied()).collect()
        }
        MeanCurve {
            run: self.run,
            t: pick(&self.t, &keep),
            mean: pick(&self.mean, &keep),
            sd: pick(&self.sd, &keep),
            trials: self.trials,
            ends: self.ends,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(rows: &[[Option<f64>; 4]]) -> Series {
        Series {
            columns: ["run", "trial", "t", "fitness"].map(String::from).to_vec(),
            rows: rows.iter().map(|r| r.to_vec()).collect(),
        }
    }

    #[test]
    fn a_band_is_the_sample_standard_deviation_over_trials() {
        let one = |trial, v| [Some(0.0), Some(trial), Some(1.0), Some(v)];
        let bands = bands(&series(&[one(0.0, 1.0), one(1.0, 2.0), one(2.0, 6.0)]));
        let curve = &bands[0].curves[0];
        assert_eq!((curve.t.as_slice(), curve.mean.as_slice(), curve.trials), (&[1][..], &[3.0][..], 3));
        assert!((curve.sd[0].unwrap() - 7f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_round_that_no_trial_records_is_passed_over_and_one_trial_has_no_band() {
        let bands = bands(&series(&[
            [Some(0.0), Some(0.0), Some(2.0), Some(5.0)],
            [Some(0.0), Some(0.0), Some(1.0), None],
            [Some(0.0), Some(0.0), Some(3.0), Some(f64::INFINITY)],
            [Some(0.0), Some(0.0), None, Some(5.0)],
            [None, None, None, None],
        ]));
        assert_eq!(
            bands[0].curves,
            [MeanCurve { run: 0, t: vec![2], mean: vec![5.0], sd: vec![None], trials: 1, ends: Some(3) }]
        );
    }

    #[test]
    fn a_curve_ends_where_a_trial_is_lost_and_never_averages_the_survivors() {
        let lost = [Some(f64::INFINITY), Some(f64::NAN), None];
        for lost in lost {
            let mut rows = Vec::new();
            for t in 1..=4 {
                // Trial 1 is lost in round 3; a finite value after that does not bring the curve back.
                rows.push([Some(0.0), Some(0.0), Some(f64::from(t)), Some(1.0)]);
                rows.push([Some(0.0), Some(1.0), Some(f64::from(t)), if t == 3 { lost } else { Some(9.0) }]);
                rows.push([Some(1.0), Some(0.0), Some(f64::from(t)), Some(2.0)]);
            }
            let curves = &bands(&series(&rows))[0].curves;
            assert_eq!((curves[0].t.as_slice(), curves[0].ends), (&[1, 2][..], Some(3)));
            assert_eq!(curves[0].mean, [5.0, 5.0]);
            assert_eq!((curves[1].t.len(), curves[1].ends), (4, None), "another run goes on");
        }
    }

    #[test]
    fn a_trial_whose_rows_stop_ends_the_curve_and_one_lost_at_once_leaves_no_point() {
        let row = |run: f64, trial: f64, t: f64, v: f64| [Some(run), Some(trial), Some(t), Some(v)];
        let rows = [
            row(0.0, 0.0, 1.0, 1.0),
            row(0.0, 1.0, 1.0, 1.0),
            row(0.0, 0.0, 2.0, 1.0),
            row(1.0, 0.0, 1.0, f64::INFINITY),
        ];
        let curves = &bands(&series(&rows))[0].curves;
        assert_eq!((curves[0].t.as_slice(), curves[0].ends), (&[1][..], Some(2)));
        assert_eq!((curves[1].t.len(), curves[1].ends), (0, Some(1)));
    }

    #[test]
    fn a_spread_too_large_for_a_number_has_no_band() {
        let one = |trial, v| [Some(0.0), Some(trial), Some(1.0), Some(v)];
        let curve = &bands(&series(&[one(0.0, 1e200), one(1.0, 3e200)]))[0].curves[0];
        assert_eq!((curve.mean[0], curve.sd[0], curve.ends), (2e200, None, None));
    }

    #[test]
    fn thinning_keeps_the_ends_and_the_early_rounds() {
        let t: Vec<i64> = (1..=10_000).collect();
        let mean: Vec<f64> = t.iter().map(|&t| t as f64).collect();
        let thin = MeanCurve { run: 0, sd: vec![None; t.len()], t, mean, trials: 1, ends: None }.thin(160);
        assert!(thin.t.len() <= 160 && thin.t.len() == thin.mean.len() && thin.t.len() == thin.sd.len());
        assert_eq!((thin.t.first(), thin.t.last()), (Some(&1), Some(&10_000)));
        assert!(thin.t.iter().filter(|&&t| t <= 100).count() > 20);
    }

    #[test]
    fn a_series_without_its_key_columns_has_no_bands() {
        assert!(bands(&Series::default()).is_empty());
        assert!(bands(&Series { columns: vec!["run".into()], rows: vec![vec![Some(1.0)]] }).is_empty());
    }
}
