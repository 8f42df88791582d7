//! The noise of one node: how it is ordered, what it can do, and the part of it that outlives a restart.

use crate::privacy::Cost;
use crate::rng::Stream;

/// Past noise that a mechanism keeps because later releases take it back. It is a secret of its host: with it, a release reveals
/// the value. So it cannot be printed, and a host that stores it encrypts it.
#[derive(Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PastNoise {
    /// Releases so far, where it counts them.
    pub(crate) done: u64,
    /// In the mechanism's own order.
    #[serde(with = "wide")]
    pub(crate) noise: Vec<Vec<i128>>,
}

/// Sixteen bytes for every number, large or small: encryption does not hide a length.
mod wide {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<S: Serializer>(noise: &[Vec<i128>], to: S) -> Result<S::Ok, S::Error> {
        let row = |row: &Vec<i128>| row.iter().map(|w| w.to_le_bytes()).collect();
        noise.iter().map(row).collect::<Vec<Vec<[u8; 16]>>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<i128>>, D::Error> {
        let noise = Vec::<Vec<[u8; 16]>>::deserialize(from)?;
        Ok(noise.into_iter().map(|row| row.into_iter().map(i128::from_le_bytes).collect()).collect())
    }
}

/// Noise in integers on a grid: what may be sent. It may keep state from release to release, as correlated noise must.
pub trait Exact: Send {
    /// Adds the noise of one release, drawing from `stream` and nothing else.
    fn perturb(&mut self, value: &mut [i64], stream: &mut Stream);

    /// The price of all releases together, for someone who moves `times` of them (in different rounds) by at most `moved`
    /// units each, in the norm of its [`Mechanism`].
    fn cost(&self, moved: u64, times: u64) -> Cost;

    /// The logarithm of the probability that its releases from the first on added exactly this noise, up to a constant:
    /// what a perfect adversary would compute.
    fn log_likelihood(&self, noise: &[Vec<i64>]) -> f64;

    /// The noise that later releases depend on, for a restart. Empty where every release has noise of its own.
    fn keep(&self) -> PastNoise {
        PastNoise::default()
    }

    /// Continues from there. False, with nothing changed, if this mechanism cannot have kept it.
    #[must_use]
    fn resume(&mut self, kept: PastNoise) -> bool {
        kept == PastNoise::default()
    }

    /// The share by which rounding raises the sensitivity, for someone who moves one release by at most `moved` units. The
    /// price includes it already; plans choose a grid on which it is small.
    fn rounding(&self, _moved: u64) -> f64 {
        0.0
    }

    /// The standard deviation of one coordinate of the sum of the first `rounds` releases, in units.
    fn prefix_deviation(&self, rounds: u64) -> f64;
}

/// Noise over the real numbers, computed in floating point: for simulation and comparison only, as every output says.
pub trait Ideal: Send {
    /// As [`Exact::perturb`].
    fn perturb(&mut self, value: &mut [f64], stream: &mut Stream);

    /// As [`Exact::cost`], over the reals.
    fn cost(&self, moved: f64, times: u64) -> Cost;

    /// As [`Exact::prefix_deviation`], if it is known: bounds on regret ask for it.
    fn prefix_deviation(&self, _rounds: u64) -> Option<f64> {
        None
    }
}

/// The order for the noise of one node.
#[derive(Debug, Clone, Copy)]
pub struct Order<S> {
    /// The node whose releases it noises.
    pub node: usize,
    /// How many coordinates a release has.
    pub size: usize,
    /// How many releases there will be.
    pub rounds: u64,
    /// The scale of the noise.
    pub scale: S,
}

/// The noise of one node, made.
pub enum Noise {
    /// None.
    Nothing,
    /// Over the reals.
    Ideal(Box<dyn Ideal>),
    /// In integers.
    Exact(Box<dyn Exact>),
}
