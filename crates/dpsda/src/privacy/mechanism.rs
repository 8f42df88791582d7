//! Noise that knows its price.

use super::Cost;
use super::clip::Norm;
pub use super::sample::MAX_SCALE;
use crate::family;
use crate::rng::Stream;

/// What a mechanism keeps of past noise because later releases take it back. A secret of its host: with it, a release tells
/// the value. So it cannot be printed; whoever stores it encrypts it.
#[derive(Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PastNoise {
    /// Releases so far, where it counts them.
    pub(crate) done: u64,
    /// In the mechanism's own order.
    #[serde(with = "wide")]
    pub(crate) noise: Vec<Vec<i128>>,
}

/// Sixteen bytes a number, whatever the number: encryption does not hide a length.
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

    /// The price of all releases together, for one who moves `times` of them (in different rounds) by at most `moved`
    /// units each, in the norm of its [`Kind`].
    fn cost(&self, moved: u64, times: u64) -> Cost;

    /// The logarithm of the probability that its releases from the first on added exactly this noise, up to a constant:
    /// what a perfect adversary would compute.
    fn log_likelihood(&self, noise: &[Vec<i64>]) -> f64;

    /// What later releases depend on, for a restart. Nothing where every release has noise of its own.
    fn keep(&self) -> PastNoise {
        PastNoise::default()
    }

    /// Goes on from there; false, and nothing changed, if this mechanism cannot have kept it.
    #[must_use]
    fn resume(&mut self, kept: PastNoise) -> bool {
        kept == PastNoise::default()
    }

    /// By what share rounding raises the sensitivity, for one who moves one release by at most `moved` units. It is in
    /// the price already; plans choose a grid on which it is small.
    fn rounding(&self, _moved: u64) -> f64 {
        0.0
    }

    /// The standard deviation of one coordinate of the sum of the first `rounds` releases, in units.
    fn prefix_deviation(&self, rounds: u64) -> f64;
}

/// Noise over the real numbers, computed in floating point: for simulation and comparison only, and said so everywhere.
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

/// What a mechanism is.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// What its price is measured in.
    pub norm: Norm,
    /// Whether the noise of one release depends on earlier ones. That serves learners that work with the exact sum of
    /// their own releases.
    pub correlated: bool,
    /// Builds the mechanism of one node.
    pub build: Build,
}

/// Builds the mechanism of one node.
#[derive(Debug, Clone, Copy)]
pub enum Build {
    /// There is nothing to build: no noise.
    Nothing,
    /// Over the reals; the scale is in the unit of the values.
    Ideal(fn(Spec<f64>) -> Box<dyn Ideal>),
    /// In integers; the scale is in grid units, from 1 to [`MAX_SCALE`].
    Exact(fn(Spec<u64>) -> Box<dyn Exact>),
}

/// What a mechanism is made for.
#[derive(Debug, Clone, Copy)]
pub struct Spec<S> {
    /// The node whose releases it noises.
    pub node: usize,
    /// How many coordinates a release has.
    pub size: usize,
    /// How many releases there will be.
    pub rounds: u64,
    /// The scale of the noise.
    pub scale: S,
}

/// A mechanism, built.
pub enum Mechanism {
    /// No noise.
    Nothing,
    /// Over the reals.
    Ideal(Box<dyn Ideal>),
    /// In integers.
    Exact(Box<dyn Exact>),
}

family! {
    /// Every mechanism, by the name it has in `privacy.mechanism`.
    MECHANISMS: Kind = none, laplace, gaussian, discrete_laplace, discrete_gaussian, tree, toeplitz
}
