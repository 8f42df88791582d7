//! What the paper says of its experiments, and what we say of ours, decided by what was measured.

use std::collections::BTreeSet;

use dpsda_web::reproduction::{Statement, Verdict};

use super::measure::Measure;
use super::parts::Arm;
use super::printed::LEVELS;
use super::rows::{Row, Spread};
use super::words;

/// From fewer trials nothing is decided: two have a standard deviation by name only.
pub(super) const TRIALS: usize = 3;

/// How bands are read, for the page.
pub(super) fn bands() -> String {
    format!(
        "\"Ahead\" is decided by bands of one standard deviation over trials to each side, as the figures draw them: they must not touch. \
         Two other readings stand with the figures of every comparison and decide nothing: bands of two standard errors of the mean, and the \
         ranges from the least to the most of all trials; which of the three is strictest depends on the number of trials. \"The more noise, \
         the worse\" holds where the bands of neighbouring levels are apart in that order, does not hold where two are apart in the other, and \
         is not decided where they touch. \"Not behind\" means no worse in the mean, or by less than two standard errors of the difference. \
         From fewer than {TRIALS} trials nothing is decided. A number after ± is one standard deviation; \"a to b\" in brackets or below a \
         mean is the least and the most of its trials."
    )
}

fn find<'a>(rows: &[&'a Row], arm: Arm, algorithm: &str, level: f64) -> Option<&'a Row> {
    rows.iter().copied().find(|r| r.arm == arm && r.algorithm == algorithm && r.level == level)
}

/// One comparison: whether it comes out as claimed, or why that cannot be said, and its figures.
pub(super) type Compared = (Result<bool, String>, String);

/// One claim over several comparisons: it holds if all do, does not if one does not, and else cannot be decided.
pub(super) fn all(claim: String, found: Vec<Option<Compared>>) -> Statement {
    let missing = found.is_empty() || found.iter().any(Option::is_none);
    let (decided, mut figures): (Vec<_>, Vec<String>) = found.into_iter().flatten().unzip();
    let verdict = match missing {
        true => Verdict::Open,
        false if decided.contains(&Ok(false)) => Verdict::Fails,
        false if decided.iter().any(Result::is_err) => Verdict::Open,
        false => Verdict::Holds,
    };
    let reasons: BTreeSet<String> = decided.into_iter().filter_map(Result::err).collect();
    if verdict == Verdict::Open {
        figures.extend(reasons.into_iter().map(|why| format!("Not decided: {why}.")));
    }
    Statement { claim, verdict, figures }
}

/// What was found, or, from too few trials, nothing and why.
fn from(trials: usize, (holds, text): (bool, String)) -> Compared {
    let holds = match trials {
        TRIALS.. => Ok(holds),
        1 => Err("1 trial has no deviation".into()),
        n => Err(format!("{n} trials, fewer than {TRIALS}")),
    };
    (holds, text)
}

/// Whether values get worse from first to last by the band rule; `None` where bands touch.
fn worsens(values: &[Spread], measure: &Measure) -> Option<bool> {
    let pairs = || values.windows(2).filter_map(|pair| Some((pair.first()?, pair.last()?)));
    if pairs().any(|(before, after)| measure.apart(*after, *before)) {
        return Some(false);
    }
    pairs().all(|(before, after)| measure.apart(*before, *after)).then_some(true)
}

/// Where some have other steps than others: which, read off their settings.
fn unlike(rows: &[&Row], arm: Arm, who: &str, rivals: &[&str]) -> Option<String> {
    let rule = |name: &str| rows.iter().find(|r| r.arm == arm && r.algorithm == name).map(|r| r.rule);
    let own = rule(who)?;
    let others: Vec<(&str, &str)> =
        rivals.iter().filter_map(|r| Some((*r, rule(r)?))).filter(|(_, rule)| *rule != own).collect();
    let (_, theirs) = others.first()?;
    let names: Vec<String> = others.iter().map(|(name, _)| words::algorithm(name)).collect();
    Some(format!("{} has {own}, {} {theirs}.", words::algorithm(who), names.join(" and ")))
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
        let mut trials = own.trials;
        let mut parts =
            vec![format!("{}: {} {}", words::level(level), words::algorithm(who), measure.show(own))];
        for rival in rivals {
            let other = measure.of(find(rows, arm, rival, level)?)?;
            holds &= measure.apart(own, other);
            trials = trials.min(other.trials);
            parts.push(format!(
                "{} {}: {}",
                words::algorithm(rival),
                measure.show(other),
                measure.how(own, other)
            ));
        }
        Some(from(trials, (holds, parts.join("; "))))
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
    let mut statement = all(claim, levels.iter().map(|level| at(*level)).collect());
    statement.figures.extend(unlike(rows, arm, who, rivals));
    statement
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
        Some(from(own.trials.min(other.trials), (measure.not_behind(own, other), text)))
    };
    let claim = format!(
        "{}, {}: {} is not behind without noise.",
        capital(measure.name),
        arm.name(),
        words::algorithm(who),
    );
    let mut statement = all(claim, rivals.iter().map(compare).collect());
    statement.figures.extend(unlike(rows, arm, who, rivals));
    statement
}

/// The paper's "higher when the privacy level is lower": the more noise, the worse, from level to level.
pub(super) fn ordered(
    rows: &[&Row],
    (data, arm): (&str, Arm),
    algorithms: &[&str],
    measure: &Measure,
) -> Statement {
    let one = |algorithm: &&str| {
        let at = |level: &f64| measure.of(find(rows, arm, algorithm, *level)?);
        let found: Vec<Spread> = LEVELS.iter().map(at).collect::<Option<_>>()?;
        let shown: Vec<String> = found
            .iter()
            .zip(LEVELS)
            .map(|(s, level)| format!("{} {}", words::level(level), measure.show(*s)))
            .collect();
        Some(in_order(&found, measure, format!("{}: {}", words::algorithm(algorithm), shown.join(", "))))
    };
    let claim = format!("{} on {data}, {}: the more noise, the worse.", capital(measure.name), arm.name());
    all(claim, algorithms.iter().map(one).collect())
}

/// [`worsens`] with its figures and, where it is not decided, the reason.
pub(super) fn in_order(found: &[Spread], measure: &Measure, text: String) -> Compared {
    let trials = found.iter().map(|s| s.trials).min().unwrap_or(0);
    match worsens(found, measure) {
        None if trials >= TRIALS => {
            (Err("bands of neighbouring levels touch".into()), format!("{text}: bands touch"))
        }
        holds => from(trials, (holds == Some(true), text)),
    }
}

/// An accuracy that DPSDA-R shall reach without noise.
pub(super) struct Goal {
    pub(super) arm: Arm,
    pub(super) column: &'static str,
    pub(super) name: &'static str,
    pub(super) percent: f64,
    /// Whose figure it is; without it, it is measured by the best decision in hindsight.
    pub(super) why: Option<&'static str>,
}

/// Whether it does, in the mean over trials.
pub(super) fn reaches(rows: &[&Row], goal: &Goal) -> Statement {
    let row = find(rows, goal.arm, "dpsda-r", f64::INFINITY);
    let found = row.and_then(|row| row.spread(goal.column));
    let best = row.and_then(|row| row.spread(&goal.column.replace("_last", "_best")));
    let why = goal.why.map(str::to_owned).or_else(|| {
        Some(format!("the best decision of the set in hindsight has {:.1} %", 100.0 * best?.mean))
    });
    let one = found.map(|s| {
        let (mean, low, high) = (100.0 * s.mean, 100.0 * s.low, 100.0 * s.high);
        let text = format!("{mean:.2} % over {}, {low:.2} to {high:.2}", words::count(s.trials, "trial"));
        from(s.trials, (mean >= goal.percent, text))
    });
    let claim = format!(
        "DPSDA-R without noise, {}, reaches {} % {}{}.",
        goal.arm.name(),
        goal.percent,
        goal.name,
        why.map_or_else(String::new, |why| format!(": {why}"))
    );
    all(claim, vec![one])
}

/// A curve of `(t, value)` that falls: least squares of `log value` on `log t` from `t = 10` on.
pub(super) fn falls(claim: String, curves: &[(String, Vec<(f64, f64)>)], trials: usize) -> Statement {
    let one = |(name, points): &(String, Vec<(f64, f64)>)| {
        let slope = slope(points)?;
        let (last, value) = points.last()?;
        let does = if slope < 0.0 { "falls" } else { "grows" };
        Some(from(
            trials,
            (
                slope < 0.0,
                format!(
                    "{name}: {value:.3} at T = {last:.0}, {does} as T^{slope:.2} (fitted from T = 10 on)"
                ),
            ),
        ))
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
    use crate::command::reproduce::measure::{REGRET, TEST};

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
        let one = |holds| Some((holds, String::new()));
        let unknown = || one(Err("few".into()));
        assert_eq!(verdict(vec![one(Ok(true)), None]), Verdict::Open);
        assert_eq!(verdict(vec![one(Ok(true)), unknown()]), Verdict::Open);
        assert_eq!(verdict(vec![unknown(), one(Ok(false))]), Verdict::Fails);
        assert_eq!(verdict(vec![one(Ok(true))]), Verdict::Holds);
        assert_eq!(
            all(String::new(), vec![unknown(), unknown()]).figures.last().unwrap(),
            "Not decided: few."
        );
    }

    #[test]
    fn one_or_two_trials_decide_nothing_and_say_so() {
        for (trials, why) in [(1, "1 trial has no deviation"), (2, "2 trials, fewer than 3")] {
            assert_eq!(from(trials, (true, String::new())).0, Err(why.to_owned()));
        }
        assert_eq!(from(3, (false, String::new())).0, Ok(false));
    }

    #[test]
    fn an_order_is_decided_by_bands_and_not_by_bare_means() {
        let (low, near, far) = (spread(&[1.0, 1.2, 1.4]), spread(&[1.1, 1.3, 1.5]), spread(&[5.0, 5.2, 5.4]));
        assert_eq!(worsens(&[low, far], &REGRET), Some(true));
        assert_eq!(worsens(&[far, low], &REGRET), Some(false));
        assert_eq!(worsens(&[low, near, far], &REGRET), None, "bands touch");
        assert_eq!(worsens(&[near, low], &REGRET), None);
    }

    #[test]
    fn the_slope_is_that_of_a_power() {
        let points: Vec<(f64, f64)> =
            (1..100).map(|t| (f64::from(t), 3.0 * f64::from(t).powf(-0.5))).collect();
        assert!((slope(&points).unwrap() + 0.5).abs() < 1e-9);
        assert_eq!(slope(&points[..9]), None);
    }
}
