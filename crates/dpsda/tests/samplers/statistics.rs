//! The probability that draws of the right law are at least as far off. A test raises an alarm below `ALARM`.

use crate::law::Law;
use crate::tails;

/// One false alarm in a million, for each statistic.
pub(crate) const ALARM: f64 = 1e-6;

/// Pearson's statistic over cells of about a quarter of the scale, with -1, 0 and 1 on their own.
pub(crate) fn chi_square(draws: &[i64], law: Law) -> f64 {
    let quarter = |c: i64| (c as f64 / 4.0 * law.scale() as f64).round() as i64;
    let mut cuts: Vec<i64> = (-40..=40).map(quarter).chain([-2, -1, 0, 1]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    // Cell j is (cuts[j-1], cuts[j]]; the first and the last have no end.
    let mut expected = law.cumulative(&cuts);
    expected.push(1.0);
    (1..expected.len()).rev().for_each(|j| expected[j] -= expected[j - 1]);
    expected.iter_mut().for_each(|e| *e *= draws.len() as f64);
    let mut counts = vec![0.0; expected.len()];
    draws.iter().for_each(|k| counts[cuts.partition_point(|c| c < k)] += 1.0);
    let mut cells: Vec<(f64, f64)> = counts.into_iter().zip(expected).collect();
    // Cells of few are joined from the ends inwards, and one more if their number is even.
    let small = |cells: &[(f64, f64)]| cells.iter().position(|c| c.1 < 20.0);
    while let Some(j) = small(&cells).or_else(|| cells.len().is_multiple_of(2).then_some(0)) {
        let (count, expected) = cells.remove(j);
        let to = if j < cells.len() / 2 { j } else { j - 1 };
        cells[to].0 += count;
        cells[to].1 += expected;
    }
    tails::chi_square(cells.iter().map(|(c, e)| (c - e).powi(2) / e).sum(), cells.len() - 1)
}

/// The largest distance between the distribution functions.
pub(crate) fn kolmogorov_smirnov(draws: &[i64], law: Law) -> f64 {
    let mut sorted = draws.to_vec();
    sorted.sort_unstable();
    let n = sorted.len() as f64;
    // Between two draws the one function stands still and the other climbs: the largest distance is at a draw or just
    // below one.
    let (mut points, mut empirical, mut seen) = (Vec::new(), Vec::new(), 0);
    for run in sorted.chunk_by(|a, b| a == b) {
        points.extend([run[0] - 1, run[0]]);
        empirical.extend([seen as f64 / n, (seen + run.len()) as f64 / n]);
        seen += run.len();
    }
    let exact = law.cumulative(&points);
    let d = exact.iter().zip(empirical).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    tails::kolmogorov_smirnov(d, n)
}

/// Twice the smaller tail of `count` successes in `n` with probability `p`, summed exactly.
pub(crate) fn binomial(count: usize, n: usize, p: f64) -> f64 {
    let mut log = n as f64 * (-p).ln_1p();
    let (mut up_to, mut here) = (0.0, 0.0);
    for i in 0..=count {
        here = log.exp();
        up_to += here;
        log += ((n - i) as f64 * p / ((i + 1) as f64 * (1.0 - p))).ln();
    }
    (2.0 * up_to.min(1.0 - up_to + here)).clamp(0.0, 1.0)
}

/// As many draws satisfy `event` as should.
pub(crate) fn happens(draws: &[i64], law: Law, event: impl Fn(i64) -> bool) -> f64 {
    let count = draws.iter().filter(|k| event(**k)).count();
    binomial(count, draws.len(), law.mean(|k| f64::from(event(k))))
}

/// As many lie beyond that many scales.
pub(crate) fn far_out(draws: &[i64], law: Law, scales: i64) -> f64 {
    let far = scales * law.scale() as i64;
    binomial(draws.iter().filter(|k| k.abs() > far).count(), draws.len(), law.beyond(far))
}

/// As many are positive as are negative.
pub(crate) fn signs(draws: &[i64]) -> f64 {
    let positive = draws.iter().filter(|k| **k > 0).count();
    let negative = draws.iter().filter(|k| **k < 0).count();
    binomial(positive, positive + negative, 0.5)
}

/// The mean, how far from `expected` in standard errors as the values themselves show them.
pub(crate) fn errors_off(values: impl Iterator<Item = f64> + Clone, expected: f64) -> f64 {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    (mean - expected).abs() / (variance / n).sqrt()
}

/// Largest of the correlations of neighbours' values, sizes and signs, in standard errors of independent draws.
pub(crate) fn dependence(draws: &[i64]) -> f64 {
    let features: [fn(i64) -> f64; 3] = [|k| k as f64, |k| k.abs() as f64, |k| k.signum() as f64];
    let n = draws.len() as f64;
    let standard = features.map(|f| {
        let mean = draws.iter().map(|k| f(*k)).sum::<f64>() / n;
        let sd = (draws.iter().map(|k| (f(*k) - mean).powi(2)).sum::<f64>() / n).sqrt();
        draws.iter().map(|k| (f(*k) - mean) / sd).collect::<Vec<_>>()
    });
    let correlation =
        |a: &[f64], b: &[f64]| a.iter().zip(&b[1..]).map(|(a, b)| a * b).sum::<f64>() / n.sqrt();
    standard.iter().flat_map(|a| standard.iter().map(move |b| correlation(a, b).abs())).fold(0.0, f64::max)
}

#[test]
fn binomial_tails_have_the_values_of_the_tables() {
    // P(X <= 2) = 56/1024 and P(X >= 9) = 11/1024 for ten fair coins.
    assert!((binomial(2, 10, 0.5) - 112.0 / 1024.0).abs() < 1e-12);
    assert!((binomial(9, 10, 0.5) - 22.0 / 1024.0).abs() < 1e-12);
    assert!((binomial(0, 1000, 0.01) - 2.0 * 0.99_f64.powi(1000)).abs() < 1e-12);
}
