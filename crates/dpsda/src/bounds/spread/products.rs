//! The lags that the graphs of the run really cause: products of its weight matrices.

use super::{Lag, Spread};
use crate::bounds::{Missing, Perturbation, SignalMoments};
use crate::network::Topology;
use crate::network::weights::{self, Weights};

/// The most multiplications that we spend on products.
const WORK: u64 = 2_000_000_000;

/// Weights below this count as forgotten; a bound on them is added instead.
const FORGOTTEN: f64 = 1e-12;

/// The lags of an algorithm that mixes, from (17) and (23) minus (16).
///
/// The dual of node `i` is off by `n [M(t-1:s+1)]_ik / w_i(t) - 1` times what block `k` learned in round `s`, and by
/// `[M(t-1:s)]_ij / w_i(t) - 1/n` times the noise of node `j`. From every round we multiply backwards until these weights
/// are forgotten.
///
/// If columns sum to one, each factor replaces the entries of a row by means of them. So the range of a row only shrinks,
/// and it always contains `w_i(t)/n`. Once the range is small, it is small for all earlier rounds.
///
/// ```
/// use dpsda::bounds::spread::{Products, Spread};
/// use dpsda::bounds::{Perturbation, SignalMoments};
/// use dpsda::network::{Complete, Ring, Topology, weights::PushSumWeights};
/// let noise = Perturbation::Fresh { variance: 0.0, all: false, published: false };
/// let signal = SignalMoments { square: 1.0, bias: 0.0, noise };
/// let past = |graph: &dyn Topology| {
///     let mut spread = Products::new(graph, &PushSumWeights, &signal, &[1; 4]);
///     (0..9).map(|t| spread.round(t, &vec![1.0; t as usize]).unwrap()[0].past).last()
/// };
/// assert!(past(&Complete::new(4)?) < past(&Ring::new(4)?)); // better connected nodes are closer
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Products<'a> {
    topology: &'a dyn Topology,
    weights: &'a dyn Weights,
    /// The rows of the rounds seen; of one period if the graphs repeat.
    rows: Vec<Vec<Vec<(usize, f64)>>>,
    /// `w(t)`
    scalars: Vec<f64>,
    /// How many coordinates the noise of each node has.
    coordinates: Vec<f64>,
    published: bool,
    /// The longest `u(t)` so far.
    longest: f64,
    /// The products of the latest rounds, one period of them.
    known: Vec<RoundProducts>,
    work: u64,
}

/// The products that end in one round.
struct RoundProducts {
    scalars: Vec<f64>,
    /// `past[m][i]`: the weight at node `i` of a gradient learned `m` rounds before the last.
    past: Vec<Vec<f64>>,
    noise: Vec<f64>,
    /// Whether everything was forgotten before the product reached round 0.
    whole: bool,
}

impl RoundProducts {
    fn lags(&self, lengths: &[f64], longest: f64) -> Vec<Lag> {
        let forgotten = lengths.len().saturating_sub(self.past.len()) as f64;
        let rest = 2.0 * FORGOTTEN * forgotten * longest;
        let mut lags: Vec<Lag> = self.noise.iter().map(|noise| Lag { past: rest, noise: *noise }).collect();
        for (length, left) in lengths.iter().rev().zip(&self.past) {
            lags.iter_mut().zip(left).for_each(|(lag, left)| lag.past += left * length);
        }
        lags
    }
}

impl<'a> Products<'a> {
    /// The lags of an algorithm that mixes with these weights on these graphs, with blocks of these sizes.
    pub fn new(
        topology: &'a dyn Topology,
        weights: &'a dyn Weights,
        signal: &SignalMoments,
        sizes: &[usize],
    ) -> Self {
        Self {
            topology,
            weights,
            rows: Vec::new(),
            scalars: vec![1.0; topology.nodes()],
            coordinates: signal.noise.coordinates(sizes),
            published: matches!(signal.noise, Perturbation::Fresh { published: true, .. }),
            longest: 0.0,
            known: Vec::new(),
            work: 0,
        }
    }

    fn period(&self) -> usize {
        self.topology.period().and_then(|p| usize::try_from(p).ok()).unwrap_or(usize::MAX).max(1)
    }

    /// The rows of round `s`, for which [`Products::advance`] was called before.
    fn row(&self, s: u64) -> &[Vec<(usize, f64)>] {
        &self.rows[s as usize % self.period().min(self.rows.len().max(1))]
    }

    /// Adds the rows of round `s` and advances the push-sum scalars by that round.
    fn advance(&mut self, s: u64) -> Result<(), Missing> {
        if self.rows.len() < self.period() && self.rows.len() as u64 == s {
            let rows = weights::rows(self.weights, &self.topology.graph(s));
            let mut columns = vec![0.0; self.scalars.len()];
            rows.iter().flatten().for_each(|(j, a)| columns[*j] += a);
            if columns.iter().any(|sum: &f64| (sum - 1.0).abs() > 1e-9) {
                return Err(Missing::Columns);
            }
            self.work += rows.iter().map(|r| r.len() as u64).sum::<u64>();
            self.rows.push(rows);
        }
        if !self.weights.row_stochastic() {
            let sum = |row: &Vec<(usize, f64)>| row.iter().map(|(j, a)| a * self.scalars[*j]).sum(); // (21)
            self.scalars = self.row(s).iter().map(sum).collect();
        }
        Ok(())
    }

    fn multiply(&mut self, t: u64) -> Result<RoundProducts, Missing> {
        let n = self.scalars.len();
        let mut known = RoundProducts {
            scalars: self.scalars.clone(),
            past: Vec::new(),
            noise: vec![0.0; n],
            whole: false,
        };
        let mut product: Vec<Vec<f64>> = (0..n).map(|i| unit(n, i)).collect();
        for s in (0..=t).rev() {
            let mut left = Vec::with_capacity(n);
            for ((row, w), noise) in product.iter().zip(&self.scalars).zip(&mut known.noise) {
                let (mut most, mut squares) = (0.0_f64, 0.0);
                for (q, c) in row.iter().zip(&self.coordinates) {
                    let off = q / w - 1.0 / n as f64;
                    most = most.max(off.abs());
                    squares += c * off * off;
                }
                // u(s-1) and eta(s) are both multiplied by the factors from s on. eta(t) counts only if decisions are made from
                // published duals.
                *noise += if s < t || self.published { squares } else { 0.0 };
                left.push(n as f64 * most);
            }
            known.whole = left.iter().all(|left| *left < FORGOTTEN);
            if known.whole || s == 0 {
                break;
            }
            known.past.push(left);
            let factor = self.row(s - 1);
            let size: usize = factor.iter().map(Vec::len).sum();
            let next = |row: &Vec<f64>| {
                let mut next = vec![0.0; n];
                for (q, entries) in row.iter().zip(factor) {
                    entries.iter().for_each(|(j, a)| next[*j] += q * a);
                }
                next
            };
            product = product.iter().map(next).collect();
            self.work += (n * (size + n)) as u64;
            if self.work > WORK {
                return Err(Missing::Work);
            }
        }
        Ok(known)
    }
}

impl Spread for Products<'_> {
    fn round(&mut self, t: u64, lengths: &[f64]) -> Result<Vec<Lag>, Missing> {
        if t > 0 {
            self.advance(t - 1)?;
        }
        if self.scalars.len() == 1 {
            return Ok(vec![Lag::default()]); // a single node knows everything
        }
        self.longest = lengths.last().copied().unwrap_or(0.0).max(self.longest);
        let slot = self.topology.period().map(|p| (t % p.max(1)) as usize);
        if let Some(known) = slot.and_then(|slot| self.known.get(slot)) {
            // The same graphs came before, and the start is forgotten.
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-14 * b;
            if known.whole && known.scalars.iter().zip(&self.scalars).all(close) {
                return Ok(known.lags(lengths, self.longest));
            }
        }
        let known = self.multiply(t)?;
        let lags = known.lags(lengths, self.longest);
        if let Some(slot) = slot {
            match self.known.get_mut(slot) {
                Some(old) => *old = known,
                None => self.known.push(known), // rounds come in order
            }
        }
        Ok(lags)
    }

    fn own_is_exact(&self) -> bool {
        false
    }
}

fn unit(n: usize, i: usize) -> Vec<f64> {
    (0..n).map(|j| f64::from(u8::from(i == j))).collect()
}
