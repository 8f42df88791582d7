//! How fast regret grows: p in `R(t) ~ t^p`.

/// Only checkpoints from round `last / SPAN` on are fitted: the last decade and a half.
pub const SPAN: f64 = 31.6;

/// A slope needs at least this many checkpoints.
pub const FEWEST: usize = 4;

/// Runs of fewer rounds get no slope: the span would hold little but their start.
pub const SHORTEST: u64 = 1000;

/// The slope of `log R` over `log t`, fitted by least squares to the points `(t, R(t))` of the last [`SPAN`].
///
/// There is no slope if
///
/// - a regret in the span is not positive, so it has no logarithm;
/// - the span has fewer than [`FEWEST`] points or covers less than a decade;
/// - the last point is before round [`SHORTEST`].
pub fn slope(points: &[(u64, f64)]) -> Option<f64> {
    let last = points.iter().map(|(t, _)| *t).max().filter(|last| *last >= SHORTEST)? as f64;
    let late: Vec<_> = points.iter().filter(|(t, _)| *t as f64 * SPAN >= last).collect();
    let first = late.iter().map(|(t, _)| *t).min()? as f64;
    if late.len() < FEWEST || first * 10.0 > last || late.iter().any(|(_, r)| !(*r > 0.0 && r.is_finite())) {
        return None;
    }
    let x: Vec<f64> = late.iter().map(|(t, _)| (*t as f64).ln()).collect();
    let y: Vec<f64> = late.iter().map(|(_, r)| r.ln()).collect();
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(&x), mean(&y));
    let over: f64 = x.iter().map(|x| (x - mx) * (x - mx)).sum();
    let with: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    Some(with / over)
}

/// The slope of the mean curve of several trials, and its standard error. A single trial has no error.
///
/// The error is the jackknife's: leave out each trial in turn. The scatter of the points around the line would say little,
/// because the points of one curve are sums over the same rounds.
pub fn of_trials(curves: &[Vec<(u64, f64)>]) -> Option<(f64, Option<f64>)> {
    let without = |left_out: Option<usize>| {
        let kept: Vec<_> =
            curves.iter().enumerate().filter(|(k, _)| Some(*k) != left_out).map(|(_, c)| c).collect();
        let first = kept.first()?;
        let mean = |k: usize| {
            kept.iter().map(|c| c.get(k).map_or(f64::NAN, |p| p.1)).sum::<f64>() / kept.len() as f64
        };
        slope(&first.iter().enumerate().map(|(k, (t, _))| (*t, mean(k))).collect::<Vec<_>>())
    };
    let all = without(None)?;
    let parts: Option<Vec<f64>> = (0..curves.len()).map(|k| without(Some(k))).collect();
    let error = parts.filter(|parts| parts.len() > 1).map(|parts| {
        let n = parts.len() as f64;
        let mean = parts.iter().sum::<f64>() / n;
        (parts.iter().map(|p| (p - mean) * (p - mean)).sum::<f64>() * (n - 1.0) / n).sqrt()
    });
    Some((all, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(power: f64, factor: f64) -> Vec<(u64, f64)> {
        crate::regret::checkpoints(100_000, 20)
            .into_iter()
            .map(|t| (t, factor * (t as f64).powf(power)))
            .collect()
    }

    #[test]
    fn the_power_is_found_and_points_before_the_span_do_not_matter() {
        for power in [0.0, 0.3, 0.5, 1.0] {
            let mut points = curve(power, 3.0);
            assert!((slope(&points).unwrap() - power).abs() < 1e-12);
            points[0].1 = -7.0;
            assert!((slope(&points).unwrap() - power).abs() < 1e-12);
            points[19].1 = -7.0;
            assert_eq!(slope(&points), None, "no logarithm, no slope");
        }
        let short = |by: u64| slope(&[1, 2, 4, 7, 10].map(|t| (t * by, t as f64)));
        assert!((short(100).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(short(99), None, "the run is too short");
        assert_eq!(slope(&[1000, 1200, 1500, 2000, 3000].map(|t| (t, 1.0))), None, "less than a decade");
        assert_eq!(slope(&[]), None);
    }

    #[test]
    fn the_error_is_that_of_the_mean_over_trials() {
        let same = vec![curve(0.5, 2.0); 3];
        let (power, error) = of_trials(&same).unwrap();
        assert!((power - 0.5).abs() < 1e-12 && error.unwrap() < 1e-12);
        let (_, error) = of_trials(&[curve(0.4, 2.0), curve(0.5, 2.0), curve(0.6, 2.0)]).unwrap();
        assert!(error.unwrap() > 0.03 && error.unwrap() < 0.12, "{error:?}");
        assert_eq!(of_trials(&same[..1]).unwrap().1, None);
        assert_eq!(of_trials(&[]), None);
    }
}
