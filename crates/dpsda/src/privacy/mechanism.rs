//! Noise that knows its price.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::clip::Norm;
pub use super::sample::MAX_SCALE;
use crate::catalog::find;
use crate::{Error, Keys, family};

mod noise;
pub use noise::{Exact, Ideal, Noise, Order, PastNoise, Variance, Variances};

/// A mechanism: the norm that its price is measured in, and how the noise of one node is made. It is a value, so your own works
/// like those of the table.
///
/// ```
/// use dpsda::privacy::mechanism::{Ideal, Order};
/// use dpsda::privacy::{Price, Mechanism, clip::Norm};
/// use dpsda::rng::Stream;
///
/// /// It adds nothing, and says so.
/// struct Nothing;
/// impl Ideal for Nothing {
///     fn perturb(&mut self, _value: &mut [f64], _stream: &mut Stream) {}
///     fn cost(&self, _moved: f64, _times: u64) -> Price {
///         Price::Unbounded
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

    /// No noise, but the norm of this mechanism. So a run without noise is clipped like the runs that it is compared with.
    ///
    /// ```
    /// use dpsda::privacy::{Mechanism, mechanism::DiscreteGaussian};
    /// let noise = Mechanism::from(DiscreteGaussian);
    /// let silent = noise.clone().silenced();
    /// assert!(silent.is_silent() && silent.norm() == noise.norm() && silent.norm() != Mechanism::none().norm());
    /// ```
    #[must_use]
    pub fn silenced(self) -> Self {
        Self { norm: self.norm, ..Self::none() }
    }

    /// The placeholder for a mechanism that the user has not chosen yet. A plan refuses it, so that nobody who asks for noise runs
    /// without it.
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

/// The scale of the noise on a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    Real(f64),
    Units(u64),
}

pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use gaussian::Gaussian;
pub use laplace::Laplace;
pub use toeplitz::Toeplitz;
pub use tree::Tree;

/// Builds a mechanism from its own keys in `[privacy]`.
///
/// ```
/// use dpsda::Keys;
/// use dpsda::privacy::mechanism::MECHANISMS;
/// assert!((MECHANISMS[0].build)(&Keys::none())?.is_silent()); // the first is "none"
/// # Ok::<(), dpsda::Error>(())
/// ```
pub type Build = fn(&Keys<'_>) -> Result<Mechanism, Error>;

family! {
    /// Every mechanism, by the name it has in `privacy.mechanism`.
    MECHANISMS: Build = none, laplace, gaussian, discrete_laplace, discrete_gaussian, tree, toeplitz
}
