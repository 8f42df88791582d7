//! What algorithms are compared by, and when one is ahead.

use super::rows::{Row, Spread};

/// A column by which algorithms are compared.
pub(super) struct Measure {
    pub(super) column: &'static str,
    pub(super) name: &'static str,
    pub(super) lower: bool,
    pub(super) percent: bool,
}

/// Regret (2) over T.
pub(super) const REGRET: Measure =
    Measure { column: "regret_per_round", name: "regret per round", lower: true, percent: false };
/// The paper's average fitness.
pub(super) const COST: Measure =
    Measure { column: "fitness", name: "average cost", lower: true, percent: false };
/// Progressive.
pub(super) const TRAIN: Measure =
    Measure { column: "accuracy_progressive", name: "training accuracy", lower: false, percent: true };
/// Of the averaged model.
pub(super) const TEST: Measure = Measure {
    column: "accuracy_test_averaged",
    name: "test accuracy of the averaged model",
    lower: false,
    percent: true,
};
/// Of the last model.
pub(super) const TEST_LAST: Measure = Measure {
    column: "accuracy_test_last",
    name: "test accuracy of the last model",
    lower: false,
    percent: true,
};
/// Of two worlds; a smaller level is said to bring a smaller one, "worse" for whoever looks.
pub(super) const DIFFERENCE: Measure =
    Measure { column: "", name: "difference", lower: false, percent: false };
/// Where accuracy says little.
pub(super) const AUC: Measure =
    Measure { column: "auc_test_averaged", name: "AUC on data held out", lower: false, percent: false };

impl Measure {
    pub(super) fn of(&self, row: &Row) -> Option<Spread> {
        row.spread(self.column)
    }

    /// Whether `a` is better than `b`.
    pub(super) fn better(&self, a: f64, b: f64) -> bool {
        if self.lower { a < b } else { a > b }
    }

    pub(super) fn show(&self, s: Spread) -> String {
        let digits = |v: f64| if self.percent { format!("{:.1}", 100.0 * v) } else { format!("{v:.3}") };
        if s.trials == 1 {
            digits(s.mean)
        } else {
            format!("{} ± {} ({} to {})", digits(s.mean), digits(s.sd), digits(s.low), digits(s.high))
        }
    }

    /// By how much `a` is ahead of `b` in the mean; negative if it is behind.
    pub(super) fn gap(&self, a: Spread, b: Spread) -> f64 {
        if self.lower { b.mean - a.mean } else { a.mean - b.mean }
    }

    /// Bands of one standard deviation to each side, as the figures draw them, do not touch.
    pub(super) fn apart(&self, ahead: Spread, behind: Spread) -> bool {
        self.gap(ahead, behind) > ahead.sd + behind.sd
    }

    /// Three ways to be apart, for whoever holds with another: the means' bands of two standard errors, one standard
    /// deviation, and all trials.
    pub(super) fn how(&self, ahead: Spread, behind: Spread) -> String {
        let gap = self.gap(ahead, behind);
        let error = |s: Spread| 2.0 * s.sd / (s.trials as f64).sqrt();
        let all = if self.lower { ahead.high < behind.low } else { ahead.low > behind.high };
        let ways = [
            ("two standard errors", gap > error(ahead) + error(behind)),
            ("one standard deviation", self.apart(ahead, behind)),
            ("ranges", all),
        ];
        let apart: Vec<&str> = ways.iter().filter(|(_, apart)| *apart).map(|(name, _)| *name).collect();
        match (gap > 0.0, apart.is_empty()) {
            (false, _) => "not ahead".into(),
            (true, true) => "ahead in the mean, apart by none of the three".into(),
            (true, false) => format!("apart by {}", apart.join(", ")),
        }
    }

    /// No worse in the mean, or by less than two standard errors of the difference.
    pub(super) fn not_behind(&self, a: Spread, b: Spread) -> bool {
        let error = (a.sd * a.sd / a.trials as f64 + b.sd * b.sd / b.trials as f64).sqrt();
        !self.better(b.mean, a.mean) || (a.mean - b.mean).abs() <= 2.0 * error
    }
}
