//! What the paper says of its experiments, and what we say of ours, decided by what was measured.

use dpsda_web::reproduction::{Statement, Verdict};

use super::parts::Arm;
use super::printed::LEVELS;
use super::rows::{Row, Spread};
use super::words;

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
/// Where accuracy says little.
pub(super) const AUC: Measure =
    Measure { column: "auc_test_averaged", name: "AUC on data held out", lower: false, percent: false };

impl Measure {
    fn of(&self, row: &Row) -> Option<Spread> {
        row.spread(self.column)
    }

    /// Whether `a` is better than `b`.
    fn better(&self, a: f64, b: f64) -> bool {
        if self.lower { a < b } else { a > b }
    }

    fn show(&self, s: Spread) -> String {
        let digits = |v: f64| if self.percent { format!("{:.1}", 100.0 * v) } else { format!("{v:.3}") };
        if s.trials == 1 {
            digits(s.mean)
        } else {
            format!("{} ({} to {})", digits(s.mean), digits(s.low), digits(s.high))
        }
    }

    /// By how much `a` is ahead of `b` in the mean; negative if it is behind.
    fn gap(&self, a: Spread, b: Spread) -> f64 {
        if self.lower { b.mean - a.mean } else { a.mean - b.mean }
    }

    /// Bands of one standard deviation to each side, as the figures draw them, do not touch.
    fn apart(&self, ahead: Spread, behind: Spread) -> bool {
        self.gap(ahead, behind) > ahead.sd + behind.sd
    }

    /// Three ways to be apart, for whoever holds with another: the means' bands of two standard errors, one standard
    /// deviation, and all trials.
    fn how(&self, ahead: Spread, behind: Spread) -> String {
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
    fn not_behind(&self, a: Spread, b: Spread) -> bool {
        let error = (a.sd * a.sd / a.trials as f64 + b.sd * b.sd / b.trials as f64).sqrt();
        !self.better(b.mean, a.mean) || (a.mean - b.mean).abs() <= 2.0 * error
    }
}

/// How bands are read, for the page.
pub(super) const BANDS: &str = "\"Ahead\" means that bands of one standard deviation over trials to each side, as the figures draw \
    them, do not touch. Two other readings stand with the figures of every comparison: bands of two standard errors of the mean, which are \
    narrower, and the ranges from the least to the most of all trials, which are wider and widen with the number of trials. \"Not behind\" means \
    no worse in the mean, or by less than two standard errors of the difference.";

fn find<'a>(rows: &[&'a Row], arm: Arm, algorithm: &str, level: f64) -> Option<&'a Row> {
    rows.iter().copied().find(|r| r.arm == arm && r.algorithm == algorithm && r.level == level)
}

/// One claim over several comparisons: it holds if all do, and cannot be decided if any is missing.
fn all(claim: String, found: Vec<Option<(bool, String)>>) -> Statement {
    let verdict = match found.iter().any(Option::is_none) || found.is_empty() {
        true => Verdict::Open,
        false if found.iter().flatten().all(|(holds, _)| *holds) => Verdict::Holds,
        false => Verdict::Fails,
    };
    Statement { claim, verdict, figures: found.into_iter().flatten().map(|(_, figures)| figures).collect() }
}

/// `who` is ahead of each of `rivals` at each level.
pub(super) fn ahead(
    rows: &[&Row],
    arm: Arm,
    (who, rivals): (&str, &[&str]),
    levels: &[f64],
    measure: &Measure,
) -> Statement {
    let at = |level: f64| {
        let own = measure.of(find(rows, arm, who, level)?)?;
        let mut holds = true;
        let mut parts =
            vec![format!("{}: {} {}", words::level(level), words::algorithm(who), measure.show(own))];
        for rival in rivals {
            let other = measure.of(find(rows, arm, rival, level)?)?;
            let apart = own.trials > 1 && measure.apart(own, other);
            holds &= apart;
            parts.push(format!(
                "{} {}: {}",
                words::algorithm(rival),
                measure.show(other),
                measure.how(own, other)
            ));
        }
        Some((holds, parts.join("; ")))
    };
    let names: Vec<String> = rivals.iter().map(|r| words::algorithm(r)).collect();
    let claim = format!(
        "{}, {}: {} is ahead of {} at {}.",
        capital(measure.name),
        arm.name(),
        words::algorithm(who),
        names.join(" and "),
        if levels.len() > 1 {
            "each noisy level".to_owned()
        } else {
            levels.first().map_or_else(String::new, |l| words::level(*l))
        },
    );
    all(claim, levels.iter().map(|level| at(*level)).collect())
}

/// `who` is not behind any of `rivals` without noise.
pub(super) fn not_behind(
    rows: &[&Row],
    arm: Arm,
    (who, rivals): (&str, &[&str]),
    measure: &Measure,
) -> Statement {
    let compare = |rival: &&str| {
        let own = measure.of(find(rows, arm, who, f64::INFINITY)?)?;
        let other = measure.of(find(rows, arm, rival, f64::INFINITY)?)?;
        let text = format!(
            "{} {}; {} {}",
            words::algorithm(who),
            measure.show(own),
            words::algorithm(rival),
            measure.show(other)
        );
        Some((measure.not_behind(own, other), text))
    };
    let claim = format!(
        "{}, {}: {} is not behind without noise.",
        capital(measure.name),
        arm.name(),
        words::algorithm(who)
    );
    all(claim, rivals.iter().map(compare).collect())
}

/// The paper's "higher when the privacy level is lower": the more noise, the worse, in the mean.
pub(super) fn ordered(rows: &[&Row], arm: Arm, algorithms: &[&str], measure: &Measure) -> Statement {
    let one = |algorithm: &&str| {
        let means: Option<Vec<f64>> =
            LEVELS.iter().map(|level| Some(measure.of(find(rows, arm, algorithm, *level)?)?.mean)).collect();
        let means = means?;
        let holds = means.windows(2).all(|pair| !measure.better(pair[1], pair[0]));
        let shown = means.iter().zip(LEVELS).map(|(m, level)| {
            let value = if measure.percent { format!("{:.1} %", 100.0 * m) } else { format!("{m:.3}") };
            format!("{} {value}", words::level(level))
        });
        Some((holds, format!("{}: {}", words::algorithm(algorithm), shown.collect::<Vec<_>>().join(", "))))
    };
    let claim = format!("{}, {}: the more noise, the worse.", capital(measure.name), arm.name());
    all(claim, algorithms.iter().map(one).collect())
}

/// An accuracy that DPSDA-R shall reach without noise.
pub(super) struct Goal {
    pub(super) arm: Arm,
    pub(super) column: &'static str,
    pub(super) name: &'static str,
    pub(super) percent: f64,
    pub(super) why: &'static str,
}

/// Whether it does, in the mean over trials.
pub(super) fn reaches(rows: &[&Row], goal: &Goal) -> Statement {
    let found = find(rows, goal.arm, "dpsda-r", f64::INFINITY).and_then(|row| row.spread(goal.column));
    let one = found.map(|s| {
        let (mean, low, high) = (100.0 * s.mean, 100.0 * s.low, 100.0 * s.high);
        (mean >= goal.percent, format!("{mean:.2} % over {} trials, {low:.2} to {high:.2}", s.trials))
    });
    let claim = format!(
        "DPSDA-R without noise, {}, reaches {} % {}: {}.",
        goal.arm.name(),
        goal.percent,
        goal.name,
        goal.why
    );
    all(claim, vec![one])
}

/// A curve of `(t, value)` that falls: least squares of `log value` on `log t` from `t = 10` on.
pub(super) fn falls(claim: String, curves: &[(String, Vec<(f64, f64)>)]) -> Statement {
    let one = |(name, points): &(String, Vec<(f64, f64)>)| {
        let slope = slope(points)?;
        let (last, value) = points.last()?;
        Some((slope < 0.0, format!("{name}: {value:.3} at T = {last:.0}, falls as T^{slope:.2}")))
    };
    all(claim, curves.iter().map(one).collect())
}

fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(t, v)| *t >= 10.0 && *v > 0.0).map(|(t, v)| (t.ln(), v.ln())).collect();
    let n = logs.len() as f64;
    let (mt, mv) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let (cross, square) = logs.iter().fold((0.0, 0.0), |(cross, square), (t, v)| {
        (cross + (t - mt) * (v - mv), square + (t - mt) * (t - mt))
    });
    (logs.len() > 1 && square > 0.0).then_some(cross / square)
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(values: &[f64]) -> Spread {
        Spread::of(values).unwrap()
    }

    #[test]
    fn ahead_means_that_bands_do_not_touch_and_every_reading_is_told() {
        let (a, b) = (spread(&[1.0, 2.0, 1.5]), spread(&[3.0, 3.5, 4.0]));
        assert!(REGRET.apart(a, b) && !REGRET.apart(b, a));
        assert!(TEST.apart(b, a) && !TEST.apart(a, b));
        assert_eq!(REGRET.how(a, b), "apart by two standard errors, one standard deviation, ranges");
        assert_eq!(REGRET.how(b, a), "not ahead");
        let near = spread(&[1.5, 2.0, 2.5]);
        assert!(!REGRET.apart(a, near));
        assert_eq!(REGRET.how(a, near), "ahead in the mean, apart by none of the three");
    }

    #[test]
    fn not_behind_allows_for_chance_and_no_more() {
        let far = spread(&[10.0, 10.1]);
        assert!(REGRET.not_behind(spread(&[1.0, 1.1]), far) && !REGRET.not_behind(far, spread(&[1.0, 1.1])));
        assert!(REGRET.not_behind(spread(&[1.0, 1.4]), spread(&[0.9, 1.3])), "within two standard errors");
    }

    #[test]
    fn a_claim_that_lacks_a_comparison_is_not_decided() {
        let verdict = |found| all(String::new(), found).verdict;
        assert_eq!(verdict(vec![]), Verdict::Open);
        assert_eq!(verdict(vec![Some((true, String::new())), None]), Verdict::Open);
        assert_eq!(verdict(vec![Some((true, String::new())), Some((false, String::new()))]), Verdict::Fails);
        assert_eq!(verdict(vec![Some((true, String::new()))]), Verdict::Holds);
    }

    #[test]
    fn the_slope_is_that_of_a_power() {
        let points: Vec<(f64, f64)> =
            (1..100).map(|t| (f64::from(t), 3.0 * f64::from(t).powf(-0.5))).collect();
        assert!((slope(&points).unwrap() + 0.5).abs() < 1e-9);
        assert_eq!(slope(&points[..9]), None);
    }
}
