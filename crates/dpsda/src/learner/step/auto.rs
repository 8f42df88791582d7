//! The mathematics of automatic steps: six running numbers, and the step that follows from them.
//!
//! Additions, multiplications, divisions, square roots, least and largest, in a fixed order: the same bits on every processor.

use serde::{Deserialize, Serialize};

/// The share of the radius that is trusted at first is `TRUST^4 = 1/16`.
const TRUST: f64 = 0.5;
/// So many times what chance explains the squared length of the sums must be to earn all trust.
const EVIDENCE: f64 = 5.0;
/// Energies count for `1 + CAUTION/t` times as much.
const CAUTION: f64 = 4.0;
/// The price of a round of delay.
const DELAY: f64 = 0.5;
/// The weight of the cost of deciding from noisy sums.
const DRIFT: f64 = 0.25;

/// The running numbers of a node with automatic steps. They follow from released values and public laws alone, and they never
/// fall: a step can grow through trust alone, and there is no more trust than 1.
///
/// ```
/// use dpsda::learner::{AutoSeen, AutoState};
/// let seen = |t: u64| AutoSeen { round: t, energy: 4.0 * t as f64, length: 4.0 * (t * t) as f64, ..AutoSeen::default() };
/// let mut state = AutoState::default();
/// let steps: Vec<f64> = (1..=30).map(|t| state.after(5.0, &seen(t))).collect();
/// assert_eq!(state.trust, 1.0); // gradients that never turn are evidence that the optimum is far away
/// assert!(steps[9] > steps[0] && steps[29] < steps[28]); // steps grow with the trust, and then fall
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AutoState {
    /// L: the most rounds that a block was late.
    pub lag: u64,
    /// M: the most that the squared length of the sums, less the energy of its noise, was per round.
    pub reached: f64,
    /// The energy of what was released, with its price for delay and caution.
    pub energy: f64,
    /// The energy of the noise.
    pub noise: f64,
    /// What chance explains of the squared length of the sums.
    pub evidence: f64,
    /// The fourth root of the share of the radius that is trusted: from 1/2 to 1.
    pub trust: f64,
}

impl Default for AutoState {
    fn default() -> Self {
        Self { lag: 0, reached: 0.0, energy: 0.0, noise: 0.0, evidence: 0.0, trust: TRUST }
    }
}

/// What a node with automatic steps sees when it decides. All of it is released or public.
///
/// ```
/// use dpsda::learner::{AutoSeen, AutoState};
/// let nothing = AutoSeen { round: 1, ..AutoSeen::default() };
/// assert_eq!(AutoState::default().after(5.0, &nothing), 0.0); // nothing was released: any step will do
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AutoSeen {
    /// t: the round that is decided, from 1.
    pub round: u64,
    /// The most rounds that a block is late.
    pub lag: u64,
    /// The sum of the squared lengths of all releases known here, less the energy of their noise.
    pub energy: f64,
    /// The variance of that sum, as far as noise causes it.
    pub variance: f64,
    /// The squared length of the sums known here.
    pub length: f64,
    /// The energy of the noise in these sums.
    pub noise: f64,
    /// The sum, over the rounds before, of the root of the energy of the noise in all sums.
    pub drift: f64,
    /// How many coordinates a decision can differ in.
    pub size: f64,
    /// The squared clip, and how many examples a release is the mean of, if there is noise and the clip bounds all of it.
    pub cap: Option<(f64, f64)>,
}

impl AutoState {
    /// Takes in what is seen and gives the step, for a set of this radius around its start. 0 while there is nothing to step by.
    pub fn after(&mut self, radius: f64, seen: &AutoSeen) -> f64 {
        let t = seen.round as f64;
        self.lag = self.lag.max(seen.lag);
        let length = (seen.length - seen.noise).max(0.0);
        let measured = seen.energy.max(0.0);
        let deviation = seen.variance.sqrt();
        let (energy, upper) = match seen.cap {
            Some((square, batch)) => {
                self.reached = self.reached.max(length / t);
                let independent = self.reached + t * square / batch;
                let likely = self.reached.max(measured + 2.0 * deviation);
                let energy = (t * square).min(independent).min(likely);
                (energy, energy)
            }
            None => (measured, measured + deviation),
        };
        let caution = 1.0 + CAUTION / t;
        self.energy = self.energy.max((1.0 + DELAY * self.lag as f64) * caution * energy);
        self.noise = self.noise.max(seen.noise + DRIFT * (energy / t).sqrt() * seen.drift);
        self.evidence = self.evidence.max(caution * upper + seen.noise * (2.0 / seen.size.max(1.0)).sqrt());
        if self.evidence > 0.0 {
            let trust = (1.0 + (length / self.evidence) / EVIDENCE) * TRUST;
            self.trust = self.trust.max(trust.min(1.0));
        }
        let square = self.trust * self.trust;
        let share = square * square;
        // Noise counts by the power 3/2 of the share: more boldness where it is loud.
        let total = self.energy / (share * share) + self.noise / (share * square);
        let step = radius / total.sqrt();
        if total > 0.0 && step.is_finite() { step } else { 0.0 }
    }
}

#[cfg(test)]
#[path = "auto/tests.rs"]
mod tests;
