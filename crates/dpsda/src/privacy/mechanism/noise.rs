//! The noise of one node: how it is ordered, what it can do, and the part of it that outlives a restart.

use crate::privacy::Price;
use crate::rng::Stream;

/// Past noise that a mechanism keeps because later releases take it back. It is a secret of its host: with it, a release reveals
/// the value. So it cannot be printed, and a host that stores it encrypts it.
///
/// ```
/// use dpsda::privacy::Mechanism;
/// use dpsda::privacy::mechanism::{Exact, Noise, Order, Tree};
/// use dpsda::rng::{Purpose, Seed};
/// let order = Order { node: 0, size: 1, rounds: 4, scale: 1000 };
/// let noise = || if let Noise::Exact(noise) = Mechanism::from(Tree).in_units(order) { noise } else { unreachable!() };
/// let release = |noise: &mut dyn Exact, t| {
///     let mut value = [0];
///     noise.perturb(&mut value, &mut Seed::new(1).stream(Purpose::Noise, 0, t));
///     value
/// };
/// let (mut before, mut after) = (noise(), noise());
/// release(&mut *before, 0);
/// assert!(after.resume(before.keep())); // a restart
/// assert_eq!(release(&mut *before, 1), release(&mut *after, 1)); // both take back the noise of release 0
/// ```
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
///
/// ```
/// use dpsda::privacy::Mechanism;
/// use dpsda::privacy::mechanism::{DiscreteLaplace, Noise, Order};
/// let order = Order { node: 0, size: 1, rounds: 10, scale: 1000 };
/// let Noise::Exact(noise) = Mechanism::from(DiscreteLaplace).in_units(order) else { unreachable!() };
/// assert_eq!(noise.cost(500, 1).as_pure(), Some(0.5)); // one release is moved by half the scale
/// assert_eq!(noise.cost(500, 10).as_pure(), Some(5.0)); // ten of them
/// assert!(noise.log_likelihood(&[vec![0]]) > noise.log_likelihood(&[vec![3000]])); // small noise is more likely
/// assert!(noise.prefix_deviation(4) > 1.99 * noise.prefix_deviation(1)); // independent noise grows as the root of the rounds
/// ```
pub trait Exact: Send {
    /// Adds the noise of one release, drawing from `stream` and nothing else.
    fn perturb(&mut self, value: &mut [i64], stream: &mut Stream);

    /// The price of all releases together, if the data of one person move `times` of them (in different rounds) by at most `moved`
    /// units each, in the norm of its [`Mechanism`](super::Mechanism).
    fn cost(&self, moved: u64, times: u64) -> Price;

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

    /// The share by which rounding raises the sensitivity, if an event moves one release by at most `moved` units. The
    /// price includes it already; plans choose a grid on which it is small.
    fn rounding(&self, _moved: u64) -> f64 {
        0.0
    }

    /// The standard deviation of one coordinate of the sum of the first `rounds` releases, in units.
    fn prefix_deviation(&self, rounds: u64) -> f64;

    /// The variances of its releases and of their sums, in order and without end, in units. Automatic steps ask for them.
    fn variances(&self) -> Option<Variances> {
        None
    }
}

/// Noise over the real numbers, computed in floating point: for simulation and comparison only, as every output says.
///
/// ```
/// use dpsda::prelude::*;
/// use dpsda::privacy::{Price, Mechanism, clip::Norm, mechanism::{Ideal, Order}};
/// use dpsda::rng::Stream;
/// use rand::RngExt;
///
/// /// Laplace noise, as the difference of two exponential draws.
/// struct Difference(f64);
/// impl Ideal for Difference {
///     fn perturb(&mut self, value: &mut [f64], stream: &mut Stream) {
///         let mut exponential = || -(-stream.random::<f64>()).ln_1p();
///         value.iter_mut().for_each(|v| *v += self.0 * (exponential() - exponential()));
///     }
///     fn cost(&self, moved: f64, times: u64) -> Price {
///         Price::epsilon(moved / self.0).times(times)
///     }
/// }
/// let own = Mechanism::ideal("difference", Norm::L1, |order: Order<f64>| Difference(order.scale));
/// let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).rounds(9);
/// let checked = spec.privacy(Privacy::epsilon(0.5).clip(1.0).mechanism(own)).check()?;
/// assert!((checked.plan().scale() - 4.0).abs() < 1e-6); // an event moves a release by 2, and 2/4 = 0.5
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait Ideal: Send {
    /// As [`Exact::perturb`].
    fn perturb(&mut self, value: &mut [f64], stream: &mut Stream);

    /// As [`Exact::cost`], over the reals.
    fn cost(&self, moved: f64, times: u64) -> Price;

    /// Whether many values may come in pieces: the noise of all is that of the first piece, then that of the next from the same
    /// stream. Large fleets noise a few columns at a time.
    fn in_pieces(&self) -> bool {
        false
    }

    /// As [`Exact::prefix_deviation`], if it is known: bounds on regret ask for it.
    fn prefix_deviation(&self, _rounds: u64) -> Option<f64> {
        None
    }

    /// As [`Exact::variances`], over the reals.
    fn variances(&self) -> Option<Variances> {
        None
    }
}

/// How loud the noise of one release is.
///
/// ```
/// use dpsda::privacy::Mechanism;
/// use dpsda::privacy::mechanism::{Noise, Order, Tree, Variance};
/// let order = Order { node: 0, size: 1, rounds: 8, scale: 10 };
/// let Noise::Exact(noise) = Mechanism::from(Tree).in_units(order) else { unreachable!() };
/// let first: Vec<Variance> = noise.variances().into_iter().flatten().take(3).collect();
/// assert_eq!(first[1], Variance { release: 200.0, sum: 100.0 }); // it takes back the noise of the first
/// assert_eq!(first[2], Variance { release: 100.0, sum: 200.0 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variance {
    /// Of one coordinate of this release.
    pub release: f64,
    /// Of one coordinate of the sum of this release and all before.
    pub sum: f64,
}

/// Variances, release by release.
///
/// ```
/// use dpsda::privacy::mechanism::{Variance, Variances};
/// let mut loud: Variances = Variance::independent(4.0);
/// assert_eq!(loud.nth(2), Some(Variance { release: 4.0, sum: 12.0 }));
/// ```
pub type Variances = Box<dyn Iterator<Item = Variance> + Send + Sync>;

impl Variance {
    /// Of releases whose noise is independent and has this variance.
    pub fn independent(variance: f64) -> Variances {
        Box::new((1_u64..).map(move |releases| Self { release: variance, sum: variance * releases as f64 }))
    }
}

/// The order for the noise of one node.
///
/// ```
/// use dpsda::privacy::{Price, Mechanism};
/// use dpsda::privacy::mechanism::{Noise, Order, Tree};
/// let price = |rounds| {
///     let order = Order { node: 0, size: 3, rounds, scale: 1000 };
///     if let Noise::Exact(noise) = Mechanism::from(Tree).in_units(order) { noise.cost(1000, 1) } else { Price::Unbounded }
/// };
/// assert_eq!(price(1), Price::rho(0.5)); // a tree of one release has one level...
/// assert_eq!(price(100), Price::rho(3.5)); // ...and a tree of a hundred has seven
/// ```
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
///
/// ```
/// use dpsda::privacy::Mechanism;
/// use dpsda::privacy::mechanism::{DiscreteLaplace, Laplace, Noise, Order};
/// let made = |mechanism: Mechanism| mechanism.in_units(Order { node: 0, size: 2, rounds: 1, scale: 1000 });
/// assert!(matches!(made(Laplace.into()), Noise::Ideal(_)));
/// assert!(matches!(made(DiscreteLaplace.into()), Noise::Exact(_)));
/// assert!(matches!(made(Mechanism::none()), Noise::Nothing));
/// ```
pub enum Noise {
    /// None.
    Nothing,
    /// Over the reals.
    Ideal(Box<dyn Ideal>),
    /// In integers.
    Exact(Box<dyn Exact>),
}
