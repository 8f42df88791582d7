//! Noise that knows its price.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::Cost;
use super::clip::Norm;
pub use super::sample::MAX_SCALE;
use crate::catalog::find;
use crate::rng::Stream;
use crate::{Error, Keys, family};

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

/// A mechanism: the norm that its price is measured in, and how the noise of one node is made. It is a value, so your own works
/// like those of the table.
///
/// ```
/// use dpsda::privacy::mechanism::{Ideal, Order};
/// use dpsda::privacy::{Cost, Mechanism, clip::Norm};
/// use dpsda::rng::Stream;
///
/// /// It adds nothing, and says so.
/// struct Nothing;
/// impl Ideal for Nothing {
///     fn perturb(&mut self, _value: &mut [f64], _stream: &mut Stream) {}
///     fn cost(&self, _moved: f64, _times: u64) -> Cost {
///         Cost::Unbounded
///     }
/// }
/// let own = Mechanism::ideal("nothing", Norm::L2, |_: Order<f64>| Nothing);
/// assert_eq!((own.name(), own.is_correlated()), ("nothing", false));
/// ```
#[derive(Clone)]
pub struct Mechanism {
    name: Cow<'static, str>,
    norm: Norm,
    correlated: bool,
    make: MakeNoise,
}

/// Makes the noise of one node.
#[derive(Clone)]
enum MakeNoise {
    /// No mechanism was chosen yet.
    Unset,
    Nothing,
    Ideal(Arc<dyn Fn(Order<f64>) -> Box<dyn Ideal> + Send + Sync>),
    Exact(Arc<dyn Fn(Order<u64>) -> Box<dyn Exact> + Send + Sync>),
}

impl Mechanism {
    /// No noise at all.
    pub const fn none() -> Self {
        Self { name: Cow::Borrowed("none"), norm: Norm::L1, correlated: false, make: MakeNoise::Nothing }
    }

    /// The placeholder in a level or an epsilon whose user has not chosen a mechanism yet. A plan refuses it, so that a user who
    /// asks for noise never runs without.
    pub(super) fn unset() -> Self {
        Self { make: MakeNoise::Unset, ..Self::none() }
    }

    /// Noise over the reals; the scale of an order is in the unit of the values.
    pub fn ideal<N: Ideal + 'static>(
        name: impl Into<Cow<'static, str>>,
        norm: Norm,
        make: impl Fn(Order<f64>) -> N + Send + Sync + 'static,
    ) -> Self {
        let make = MakeNoise::Ideal(Arc::new(move |order| Box::new(make(order))));
        Self { name: name.into(), norm, correlated: false, make }
    }

    /// Noise in integers; the scale of an order is in grid units, from 1 to [`MAX_SCALE`].
    pub fn exact<N: Exact + 'static>(
        name: impl Into<Cow<'static, str>>,
        norm: Norm,
        make: impl Fn(Order<u64>) -> N + Send + Sync + 'static,
    ) -> Self {
        let make = MakeNoise::Exact(Arc::new(move |order| Box::new(make(order))));
        Self { name: name.into(), norm, correlated: false, make }
    }

    /// The same, where the noise of one release depends on earlier ones. Only learners that work with the exact sum of their own
    /// releases can use it.
    #[must_use]
    pub fn correlated(self) -> Self {
        Self { correlated: true, ..self }
    }

    /// The mechanism of the table that is called `name`, with its defaults.
    ///
    /// ```
    /// use dpsda::privacy::Mechanism;
    /// assert!(Mechanism::named("toeplitz")?.is_exact());
    /// let error = Mechanism::named("toeplits").unwrap_err().to_string();
    /// assert!(error.contains("did you mean `toeplitz`?"), "{error}");
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Self, Error> {
        (find(MECHANISMS, "mechanism", name)?.build)(&Keys::none())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The norm that its price is measured in.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// Whether the noise of one release depends on earlier ones.
    pub fn is_correlated(&self) -> bool {
        self.correlated
    }

    /// Whether it adds nothing at all.
    pub fn is_silent(&self) -> bool {
        matches!(self.make, MakeNoise::Nothing | MakeNoise::Unset)
    }

    /// Whether no mechanism was chosen.
    pub(super) fn is_unset(&self) -> bool {
        matches!(self.make, MakeNoise::Unset)
    }

    /// Whether it is computed in floating point, and so for simulation only.
    pub fn is_ideal(&self) -> bool {
        matches!(self.make, MakeNoise::Ideal(_))
    }

    /// Whether it is in integers, and so may be sent.
    pub fn is_exact(&self) -> bool {
        matches!(self.make, MakeNoise::Exact(_))
    }

    /// The noise of one node without a plan: to measure a mechanism, or to build one on it. The scale is in units, and one unit
    /// stands for 1.
    ///
    /// ```
    /// use dpsda::privacy::Mechanism;
    /// use dpsda::privacy::mechanism::{DiscreteLaplace, Noise, Order};
    /// use dpsda::rng::{Purpose, Seed};
    /// let order = Order { node: 0, size: 2, rounds: 1, scale: 1000 };
    /// let Noise::Exact(mut noise) = Mechanism::from(DiscreteLaplace).in_units(order) else { unreachable!() };
    /// let mut value = [0, 0];
    /// noise.perturb(&mut value, &mut Seed::new(1).stream(Purpose::Noise, 0, 0));
    /// assert_ne!(value, [0, 0]);
    /// ```
    pub fn in_units(&self, order: Order<u64>) -> Noise {
        let Order { node, size, rounds, scale } = order;
        self.noise(Order { node, size, rounds, scale: Scale::Units(scale) }, 1.0)
    }

    /// The noise of one node. `unit` is what one grid unit stands for: it turns a scale over the reals into one in units.
    pub(super) fn noise(&self, order: Order<Scale>, unit: f64) -> Noise {
        let Order { node, size, rounds, scale } = order;
        match &self.make {
            MakeNoise::Nothing | MakeNoise::Unset => Noise::Nothing,
            MakeNoise::Ideal(make) => {
                let scale = match scale {
                    Scale::Real(scale) => scale,
                    Scale::Units(units) => units as f64 * unit,
                };
                Noise::Ideal(make(Order { node, size, rounds, scale }))
            }
            MakeNoise::Exact(make) => {
                let scale = match scale {
                    Scale::Real(scale) => (scale / unit).ceil() as u64,
                    Scale::Units(units) => units,
                };
                Noise::Exact(make(Order { node, size, rounds, scale: scale.clamp(1, MAX_SCALE) }))
            }
        }
    }
}

impl fmt::Debug for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
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

/// The scale of the noise on a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    Real(f64),
    Units(u64),
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

pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use gaussian::Gaussian;
pub use laplace::Laplace;
pub use toeplitz::Toeplitz;
pub use tree::Tree;

/// Builds a mechanism from its own keys in `[privacy]`.
pub type Build = fn(&Keys<'_>) -> Result<Mechanism, Error>;

family! {
    /// Every mechanism, by the name it has in `privacy.mechanism`.
    MECHANISMS: Build = none, laplace, gaussian, discrete_laplace, discrete_gaussian, tree, toeplitz
}
