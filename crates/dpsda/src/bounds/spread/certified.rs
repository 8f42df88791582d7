//! Lags that follow from the certificate's constants alone: window B, smallest weight, smallest push-sum scalar, staleness.

use super::{Lag, Spread};
use crate::bounds::{Missing, SignalMoments};
use crate::network::certificate::Certificate;

/// The same lag for every node. It grows with the round up to a limit.
///
/// It is never below the lag that the graphs really cause:
///
/// ```
/// use dpsda::bounds::spread::{Certified, Products, Spread};
/// use dpsda::bounds::{Perturbation, SignalMoments};
/// use dpsda::network::certificate::certify;
/// use dpsda::network::weights::MetropolisWeights;
/// use dpsda::network::Complete;
/// let noise = Perturbation::Fresh { variance: 1.0, all: true, published: true };
/// let (signal, sizes) = (SignalMoments { square: 1.0, bias: 0.0, noise }, [1, 1, 1]);
/// let graph = Complete::new(3)?;
/// let certificate = certify(&graph, Some(&MetropolisWeights), true, 10);
/// let mut certified = Certified::mixing(&certificate, &signal, &sizes).unwrap();
/// let mut real = Products::new(&graph, &MetropolisWeights, &signal, &sizes);
/// for t in 0..10 {
///     let lengths = vec![1.0; t];
///     let (bound, found) = (certified.round(t as u64, &lengths), real.round(t as u64, &lengths));
///     assert!(found.unwrap()[0].past <= bound.unwrap()[0].past);
/// }
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Certified {
    nodes: usize,
    kind: Kind,
    longest: f64,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// A product of weight matrices forgets its start: `gain` times a geometric sequence.
    Mixing { rate: Rate, gain: f64, coordinates: f64 },
    /// No copy is older than `rounds`.
    Stale { rounds: u64, dim: f64 },
}

impl Certified {
    /// The lags of an algorithm that mixes.
    ///
    /// **Doubly stochastic weights (Lemma 3).** Over a whole window the variance of any vector shrinks by `1 - phi/(2n^2)`
    /// (Nedic, Olshevsky, Ozdaglar and Tsitsiklis 2009). So a row of a product over `q` whole windows is within `theta^q` of
    /// `1/n`.
    ///
    /// **Column-stochastic weights (Lemma 6).** Over `n - 1` whole windows every node reaches every other with a weight of at
    /// least `phi^((n-1)B)`. So the range of a row's entries shrinks by the factor `1 - n phi^((n-1)B)`.
    pub fn mixing(
        certificate: &Certificate,
        signal: &SignalMoments,
        sizes: &[usize],
    ) -> Result<Self, Missing> {
        let n = certificate.nodes;
        let window = certificate.connectivity.window().ok_or(Missing::Disconnected)?;
        let mixing = certificate.mixing.as_ref().ok_or(Missing::Algorithm)?;
        if !mixing.columns.is_one() {
            return Err(Missing::Columns);
        }
        let coordinates = signal.noise.coordinates(sizes);
        let kind = if mixing.row_stochastic {
            let rate = Rate { head: window, every: window, log: (-mixing.one_minus_theta).ln_1p() };
            let most = coordinates.iter().copied().fold(0.0, f64::max);
            Kind::Mixing { rate, gain: 1.0, coordinates: most }
        } else {
            let every = window.saturating_mul(n.saturating_sub(1).max(1) as u64);
            let met = n as f64 * (every as f64 * mixing.phi.ln()).exp(); // may underflow to 0: then nothing shrinks
            let rate = Rate { head: window, every, log: (-met.min(1.0)).ln_1p() };
            Kind::Mixing { rate, gain: 1.0 / mixing.gamma, coordinates: coordinates.iter().sum() }
        };
        Ok(Self { nodes: n, kind, longest: 0.0 })
    }

    /// The lags of relay: no copy is older than `nB - 1` rounds.
    pub fn relay(certificate: &Certificate, dim: usize) -> Result<Self, Missing> {
        let rounds = certificate.staleness_bound().ok_or(Missing::Disconnected)?;
        let kind = Kind::Stale { rounds, dim: dim as f64 };
        Ok(Self { nodes: certificate.nodes, kind, longest: 0.0 })
    }
}

impl Spread for Certified {
    /// Every gradient counts as the longest so far.
    fn round(&mut self, t: u64, lengths: &[f64]) -> Result<Vec<Lag>, Missing> {
        self.longest = lengths.last().copied().unwrap_or(0.0).max(self.longest);
        let n = self.nodes as f64;
        let lag = match &self.kind {
            _ if self.nodes == 1 => Lag::default(),
            Kind::Mixing { rate, gain, coordinates } => Lag {
                past: self.longest * n * gain * rate.sum(t, 1.0),
                noise: coordinates * gain * gain * rate.sum(t.saturating_add(1), 2.0),
            },
            Kind::Stale { rounds, dim } => {
                let late = t.min(*rounds) as f64;
                Lag { past: self.longest * late, noise: dim * late }
            }
        };
        Ok(vec![lag; self.nodes])
    }

    fn own_is_exact(&self) -> bool {
        matches!(self.kind, Kind::Stale { .. })
    }
}

/// A product of `m` matrices has shrunk by `exp(log q)`, where `q = floor((m - head)/every)`: of any `m` consecutive rounds,
/// up to `head` may belong to incomplete windows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rate {
    head: u64,
    every: u64,
    log: f64,
}

impl Rate {
    /// The sum over `m < count` of the shrinkage, raised to `power`. It uses the logarithm because the factor rounds to 1.
    fn sum(&self, count: u64, power: f64) -> f64 {
        let head = count.min(self.head);
        let (whole, rest) = ((count - head) / self.every.max(1), (count - head) % self.every.max(1));
        let log = power * self.log;
        let steps = match log {
            0.0 => whole as f64,
            f64::NEG_INFINITY => f64::from(u8::from(whole > 0)),
            _ => (log * whole as f64).exp_m1() / log.exp_m1(),
        };
        let last = if whole == 0 { 1.0 } else { (log * whole as f64).exp() };
        head as f64 + self.every as f64 * steps + rest as f64 * last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_form_is_the_sum_term_by_term() {
        for (head, every, log, power) in [
            (3, 3, -0.4, 1.0),
            (2, 8, -1e-3, 2.0),
            (1, 1, -2.0, 1.0),
            (4, 4, 0.0, 1.0),
            (1, 1, f64::NEG_INFINITY, 2.0),
        ] {
            let rate = Rate { head, every, log };
            let term = |m: u64| {
                let q = m.saturating_sub(head) / every;
                if q == 0 { 1.0 } else { (power * log * q as f64).exp() }
            };
            for count in 0..60 {
                let plain: f64 = (0..count).map(term).sum();
                let sum = rate.sum(count, power);
                assert!((sum - plain).abs() < 1e-9 * (1.0 + plain), "{rate:?} {count}: {sum} {plain}");
            }
        }
    }

    /// For n = 7 and B = 4 a factor would round to 1, and the sum over all rounds would be infinite.
    #[test]
    fn nothing_cancels_where_the_factor_rounds_to_one() {
        let mass = 7_f64.powi(-27) * 7.0;
        assert_eq!(1.0 - mass, 1.0);
        let rate = Rate { head: 4, every: 24, log: (-mass).ln_1p() };
        let all = rate.sum(u64::MAX, 1.0) / 24.0;
        let few = u64::MAX as f64 / 24.0;
        assert!((all / few - 1.0).abs() < 1e-3, "{all} {few}");
        let rate = Rate { head: 4, every: 1, log: (-1e-17_f64).ln_1p() };
        assert!((rate.sum(u64::MAX, 1.0) / 1e17 - 1.0).abs() < 1e-9, "the whole series is 1/(1 - factor)");
    }
}
