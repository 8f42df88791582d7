//! The exact laws, to the accuracy of f64.

use std::f64::consts::PI;
use std::sync::LazyLock;

use dpsda::privacy::sample::{GaussianSampler, LaplaceSampler};
use dpsda::rng::{Purpose, Seed};

/// What a sampler should follow.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Law {
    Laplace(u64),
    Gaussian(u64),
}

/// A million draws of both laws at every scale, made once for all tests.
pub(crate) static DRAWN: LazyLock<Vec<(Law, Vec<i64>)>> = LazyLock::new(|| {
    let laws = [1, 2, 3, 10, 1000, 1 << 20].into_iter().flat_map(|s| [Law::Laplace(s), Law::Gaussian(s)]);
    laws.map(|law| (law, law.draws(DRAWS))).collect()
});

pub(crate) const DRAWS: usize = 1_000_000;

impl Law {
    pub(crate) fn scale(self) -> u64 {
        let (Self::Laplace(s) | Self::Gaussian(s)) = self;
        s
    }

    /// `n` draws of the product's sampler.
    pub(crate) fn draws(self, n: usize) -> Vec<i64> {
        let mut noise = vec![0; n];
        let mut rng = Seed::new(3).stream(Purpose::Noise, self.scale(), 0);
        match self {
            Self::Laplace(s) => LaplaceSampler::new(s).add_to(&mut noise, &mut rng),
            Self::Gaussian(s) => GaussianSampler::new(s).add_to(&mut noise, &mut rng),
        }
        noise
    }

    /// P(k) times a constant.
    fn weight(self, k: i64) -> f64 {
        let x = k as f64 / self.scale() as f64;
        match self {
            Self::Laplace(_) => (-x.abs()).exp(),
            Self::Gaussian(_) => (-x * x / 2.0).exp(),
        }
    }

    /// Beyond this lies less than 1e-15 of all.
    fn reach(self) -> i64 {
        self.scale() as i64 * if matches!(self, Self::Laplace(_)) { 36 } else { 9 }
    }

    /// P(K <= k) at ascending `points`.
    pub(crate) fn cumulative(self, points: &[i64]) -> Vec<f64> {
        if let Self::Laplace(s) = self {
            let tail = |k: i64| (-(k as f64) / s as f64).exp() / (1.0 + (-1.0 / s as f64).exp());
            return points.iter().map(|&k| if k < 0 { tail(-k) } else { 1.0 - tail(k + 1) }).collect();
        }
        // Poisson's summation: what is left out is below 1e-33.
        let s = self.scale() as f64;
        let sum = (2.0 * PI).sqrt() * s * (1.0 + 2.0 * (-2.0 * PI * PI * s * s).exp());
        let (mut below, mut next) = (0.0, -self.reach());
        let up_to = |k: &i64| {
            below += (next..=*k.min(&self.reach())).map(|k| self.weight(k)).sum::<f64>();
            next = next.max(k + 1);
            below / sum
        };
        points.iter().map(up_to).collect()
    }

    /// P(|K| > k)
    pub(crate) fn beyond(self, k: i64) -> f64 {
        2.0 * self.cumulative(&[-k - 1])[0]
    }

    /// The mean of `f(K)`.
    pub(crate) fn mean(self, f: impl Fn(i64) -> f64) -> f64 {
        let (mut sum, mut all) = (0.0, 0.0);
        for k in -self.reach()..=self.reach() {
            sum += self.weight(k) * f(k);
            all += self.weight(k);
        }
        sum / all
    }
}

#[test]
fn the_laws_sum_to_one_and_agree_with_their_own_sums() {
    for law in [Law::Laplace(1), Law::Laplace(10), Law::Gaussian(1), Law::Gaussian(10)] {
        let points = [-25, -3, -1, 0, 1, 2, 40];
        for (k, p) in points.iter().zip(law.cumulative(&points)) {
            let sum = law.mean(|j| f64::from(j <= *k));
            assert!((p - sum).abs() < 1e-12, "{law:?} at {k}: {p} and {sum}");
        }
        assert!((law.beyond(5) - law.mean(|j| f64::from(j.abs() > 5))).abs() < 1e-12);
    }
}
