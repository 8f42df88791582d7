//! Values over trials: their mean and spread, and whether one algorithm is ahead of another.
//!
//! The argument `lower` says that lower values are better.

use super::average::{deviation, mean};

/// Mean and spread over trials.
///
/// ```
/// use dpsda::metric::OverTrials;
/// let (ours, theirs) = (OverTrials::of(&[1.0, 2.0]).unwrap(), OverTrials::of(&[8.0, 9.0]).unwrap());
/// assert!(ours.apart(theirs, true)); // lower is better
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverTrials {
    /// The mean.
    pub mean: f64,
    /// Sample standard deviation; 0 for a single trial.
    pub sd: f64,
    /// The least.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// How many trials.
    pub trials: usize,
}

impl OverTrials {
    /// From the values of all trials; none if there are no values or some are not finite.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        Some(Self {
            mean: mean(values),
            sd: deviation(values).unwrap_or(0.0),
            low: values.iter().copied().fold(f64::INFINITY, f64::min),
            high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            trials: values.len(),
        })
    }

    /// How far its mean is ahead of another's; negative if it is behind.
    pub fn lead(self, other: Self, lower: bool) -> f64 {
        if lower { other.mean - self.mean } else { self.mean - other.mean }
    }

    /// Whether it is ahead and the bands of one standard deviation to each side, as in figures, do not touch.
    pub fn apart(self, other: Self, lower: bool) -> bool {
        self.lead(other, lower) > self.sd + other.sd
    }

    /// Whether its mean is no worse, or worse by less than two standard errors of the difference.
    pub fn not_behind(self, other: Self, lower: bool) -> bool {
        let variance = |s: Self| s.sd * s.sd / s.trials as f64;
        let lead = self.lead(other, lower);
        lead >= 0.0 || lead.abs() <= 2.0 * (variance(self) + variance(other)).sqrt()
    }

    /// In words, by which of three criteria it is ahead. Bands of two standard errors of the mean do not touch; bands of one
    /// standard deviation do not touch; every trial is better than every trial of the other.
    pub fn readings(self, other: Self, lower: bool) -> String {
        let lead = self.lead(other, lower);
        let error = |s: Self| 2.0 * s.sd / (s.trials as f64).sqrt();
        let ways = [
            ("two standard errors", lead > error(self) + error(other)),
            ("one standard deviation", self.apart(other, lower)),
            ("ranges", if lower { self.high < other.low } else { self.low > other.high }),
        ];
        let apart: Vec<&str> = ways.iter().filter(|(_, apart)| *apart).map(|(name, _)| *name).collect();
        match (lead > 0.0, apart.is_empty()) {
            (false, _) => "not ahead".into(),
            (true, true) => "ahead in the mean, apart by none of the three".into(),
            (true, false) => format!("apart by {}", apart.join(", ")),
        }
    }

    /// Whether values get worse from first to last, with neighbours [`apart`](Self::apart); `None` if bands touch.
    pub fn worsens(values: &[Self], lower: bool) -> Option<bool> {
        let pairs = || values.iter().zip(values.iter().skip(1));
        if pairs().any(|(before, after)| after.apart(*before, lower)) {
            return Some(false);
        }
        pairs().all(|(before, after)| before.apart(*after, lower)).then_some(true)
    }
}

/// The power of t that a curve of `(t, value)` follows: least squares on logarithms, from t = 10 on.
pub fn power(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(t, v)| *t >= 10.0 && *v > 0.0).map(|(t, v)| (t.ln(), v.ln())).collect();
    let n = logs.len() as f64;
    let (mt, mv) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let (cross, square) = logs.iter().fold((0.0, 0.0), |(cross, square), (t, v)| {
        (cross + (t - mt) * (v - mv), square + (t - mt) * (t - mt))
    });
    (logs.len() > 1 && square > 0.0).then_some(cross / square)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(values: &[f64]) -> OverTrials {
        OverTrials::of(values).unwrap()
    }

    #[test]
    fn mean_and_spread_are_those_of_the_trials() {
        let found = spread(&[1.0, 2.0, 6.0]);
        assert_eq!((found.mean, found.low, found.high, found.trials), (3.0, 1.0, 6.0, 3));
        assert!((found.sd - 7f64.sqrt()).abs() < 1e-12);
        assert_eq!(OverTrials::of(&[4.0]).map(|s| s.sd), Some(0.0));
        assert_eq!(OverTrials::of(&[]), None);
        assert_eq!(OverTrials::of(&[1.0, f64::INFINITY]), None);
    }

    #[test]
    fn ahead_means_that_bands_do_not_touch_and_every_criterion_is_named() {
        let (a, b) = (spread(&[1.0, 2.0, 1.5]), spread(&[3.0, 3.5, 4.0]));
        assert!(a.apart(b, true) && !b.apart(a, true));
        assert!(b.apart(a, false) && !a.apart(b, false));
        assert_eq!(a.readings(b, true), "apart by two standard errors, one standard deviation, ranges");
        assert_eq!(b.readings(a, true), "not ahead");
        let near = spread(&[1.5, 2.0, 2.5]);
        assert!(!a.apart(near, true));
        assert_eq!(a.readings(near, true), "ahead in the mean, apart by none of the three");
    }

    #[test]
    fn not_behind_allows_for_chance_and_no_more() {
        let (near, far) = (spread(&[1.0, 1.1]), spread(&[10.0, 10.1]));
        assert!(near.not_behind(far, true) && !far.not_behind(near, true));
        let other = spread(&[0.9, 1.3]);
        assert!(spread(&[1.0, 1.4]).not_behind(other, true), "within two standard errors");
    }

    #[test]
    fn an_order_is_decided_by_bands_and_not_by_means_alone() {
        let (low, near, far) = (spread(&[1.0, 1.2, 1.4]), spread(&[1.1, 1.3, 1.5]), spread(&[5.0, 5.2, 5.4]));
        assert_eq!(OverTrials::worsens(&[low, far], true), Some(true));
        assert_eq!(OverTrials::worsens(&[far, low], true), Some(false));
        assert_eq!(OverTrials::worsens(&[low, near, far], true), None, "bands touch");
        assert_eq!(OverTrials::worsens(&[near, low], true), None);
    }

    #[test]
    fn a_power_is_found() {
        let points: Vec<(f64, f64)> =
            (1..100).map(|t| (f64::from(t), 3.0 * f64::from(t).powf(-0.5))).collect();
        assert!((power(&points).unwrap() + 0.5).abs() < 1e-9);
        assert_eq!(power(&points[..9]), None);
    }
}
