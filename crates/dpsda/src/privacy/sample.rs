//! placeholder
use rand::{Rng, RngExt};
pub struct DiscreteLaplace(u64);
impl DiscreteLaplace {
    pub fn new(scale: u64) -> Self {
        Self(scale.max(1))
    }
    pub fn sample<R: Rng>(&self, r: &mut R) -> i64 {
        let s = self.0;
        loop {
            let u = r.random_range(0..s);
            if !bern_exp(u, s, r) {
                continue;
            }
            let mut v = 0;
            while bern_exp(1, 1, r) {
                v += 1;
            }
            let x = (u + s * v) as i64;
            let neg: bool = r.random();
            if neg && x == 0 {
                continue;
            }
            return if neg { -x } else { x };
        }
    }
    pub fn add_to<R: Rng>(&self, v: &mut [i64], r: &mut R) {
        for x in v {
            *x = x.saturating_add(self.sample(r));
        }
    }
}
fn bern_exp<R: Rng>(p: u64, q: u64, r: &mut R) -> bool {
    let mut k = 1u64;
    while r.random_range(0..u128::from(q) * u128::from(k)) < u128::from(p) {
        k += 1;
    }
    k % 2 == 1
}
pub struct DiscreteGaussian(u64, DiscreteLaplace);
impl DiscreteGaussian {
    pub fn new(s: u64) -> Self {
        Self(s.max(1), DiscreteLaplace::new(s))
    }
    pub fn sample<R: Rng>(&self, r: &mut R) -> i64 {
        loop {
            let y = self.1.sample(r);
            let d = (y.unsigned_abs() as f64 - self.0 as f64) / self.0 as f64;
            if r.random::<f64>() < (-d * d / 2.0).exp() {
                return y;
            }
        }
    }
    pub fn add_to<R: Rng>(&self, v: &mut [i64], r: &mut R) {
        for x in v {
            *x = x.saturating_add(self.sample(r));
        }
    }
}
