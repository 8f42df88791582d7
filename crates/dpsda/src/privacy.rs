//! The wall between values that must not leave a host and values that may.
//!
//! A learner is given a [`Sealed`] cost, which only a [`Guard`] opens. What the guard takes out is [`Sensitive`]. Only
//! [`Guard::release`] turns it into something that can be sent; it needs a mechanism and writes the ledger. Messages hold
//! [`Released`] values only. So a learner or a transport that sends a gradient without noise does not compile:
//!
//! ```compile_fail
//! use dpsda::{learner::{Body, Message}, privacy::Sensitive};
//! fn leak(gradient: Sensitive) -> Body {
//!     Body::Dual { dual: gradient, weight: 1.0 } // expected `Released`, found `Sensitive`
//! }
//! ```
//!
//! ```compile_fail
//! fn log(gradient: &dpsda::privacy::Sensitive) {
//!     println!("{gradient:?}"); // `Sensitive` has no `Debug`
//! }
//! ```
//!
//! ```compile_fail
//! fn file(gradient: &dpsda::privacy::Sensitive) -> String {
//!     serde_json::to_string(gradient).unwrap() // nor `Serialize`
//! }
//! ```
//!
//! ```compile_fail
//! fn twice(gradient: &dpsda::privacy::Sensitive) -> [dpsda::privacy::Sensitive; 2] {
//!     [gradient.clone(), gradient.clone()] // nor `Clone`: one gradient, one release
//! }
//! ```
//!
//! ```compile_fail
//! fn numbers(gradient: dpsda::privacy::Sensitive) -> Vec<f64> {
//!     gradient.values // nor any other way to its numbers
//! }
//! ```
//!
//! ```compile_fail
//! fn peek(gradient: &dpsda::privacy::Sensitive, ledger: &mut dpsda::privacy::Ledger) -> Vec<f64> {
//!     gradient.unprotected(ledger) // the paper's order, for the learners of this crate only
//! }
//! ```
//!
//! ```compile_fail
//! use dpsda::{learner::Learner, objective::Objective};
//! fn teach(learner: &mut dyn Learner, cost: &dyn Objective) {
//!     learner.learn(0, cost); // expected `Sealed`: learners never see a cost
//! }
//! ```
//!
//! A learner may make a plan of its own, with a mechanism that looks at what it should hide. It learns nothing: the guards of
//! that plan do not open costs that were sealed for another plan. Guards that it makes from the plan in its
//! [`Setup`](crate::learner::Setup) do not open them either, because it could draw their noise again.
//!
//! ```
//! use dpsda::prelude::*;
//! use dpsda::privacy::Privacy;
//! let spec = |privacy| Spec::new(Blocks::even(1, 1).unwrap()).set(Free).algorithm(Central).privacy(privacy).rounds(1).check();
//! let (plan, own) = (spec(Privacy::level(1.0).mechanism(Laplace))?, spec(Privacy::none())?);
//! let cost = OwnCost::new(1, |x| 7.0 * x[0], |_, g| g.fill(7.0));
//! let sealed = plan.plan().seal(&cost);
//! let mut guard = own.plan().guard(0, Seed::new(1));
//! let seen = guard.observe(0, &sealed, &[0.0], 0..1, &[]);
//! assert_eq!(guard.release(seen, 0, &mut own.plan().ledger()).to_reals(), [0.0]);
//! # Ok::<(), dpsda::Error>(())
//! ```
//!
//! A node has one guard. If its setup is asked for another, that one opens nothing and has other noise. Baselines decide from
//! gradients before the noise. A learner that wraps a baseline reads zeros through it, unless the run itself names that baseline.
//!
//! Types do not stop a learner that tries to leak. It can let its guard draw the noise of a round twice and subtract (the
//! ledger that it gives to [`Guard::release`] then has no bound). It can charge a ledger that it does not show, or read the noise
//! it saves. So read the code of a learner before you run it, and let `dpsda-audit` test what it sends.

pub mod accounting;
mod agent;
pub mod clip;
mod guard;
pub mod ledger;
pub mod mechanism;
pub mod plan;
mod price;
mod released;
mod rules;
pub mod sample;
mod sealed;
mod statement;
pub(crate) mod stored;

pub use guard::{Guard, Past};
pub use ledger::{Ledger, Spent};
pub use mechanism::Mechanism;
pub use plan::{Plan, Privacy};
pub use price::Price;
pub use released::{Released, Verified};
pub(crate) use sealed::Seal;
pub use sealed::Sealed;

/// Values that depend on data and have not been noised. They cannot be printed, stored, compared or sent.
///
/// ```
/// use dpsda::prelude::*;
/// use dpsda::privacy::{Price, Sensitive};
/// let spec = Spec::new(Blocks::even(1, 1)?).set(Free).algorithm(Central).privacy(Privacy::none()).rounds(1).check()?;
/// let (mut guard, mut ledger) = (spec.plan().guard(0, Seed::new(1)), spec.plan().ledger());
/// let cost = OwnCost::new(1, |x| 7.0 * x[0], |_, g| g.fill(7.0));
/// let gradient: Sensitive = guard.observe(0, &spec.plan().seal(&cost), &[0.0], 0..1, &[]);
/// assert_eq!(ledger.per_event(), Price::default()); // nothing has left
/// assert_eq!(guard.release(gradient, 0, &mut ledger).to_reals(), [7.0]); // without noise, as this plan asks...
/// assert_eq!(ledger.per_event(), Price::Unbounded); // ...and the ledger says so
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Sensitive {
    values: Numbers,
    /// A public part that is added after the noise: as long as the values, on their grid.
    public: Option<Released>,
    /// The round whose cost it was computed from; `None` when it holds nothing.
    event: Option<u64>,
}

/// Numbers over the reals, or whole multiples of a unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Numbers {
    Real(Vec<f64>),
    Grid { units: Vec<i64>, unit: f64 },
}

impl Numbers {
    fn to_reals(&self) -> Vec<f64> {
        match self {
            Self::Real(v) => v.clone(),
            Self::Grid { units, unit } => units.iter().map(|k| *k as f64 * unit).collect(),
        }
    }

    fn into_reals(self) -> Vec<f64> {
        match self {
            Self::Real(v) => v,
            on_grid => on_grid.to_reals(),
        }
    }

    /// `reals += c self`
    fn add_to(&self, c: f64, reals: &mut [f64]) {
        let reals = reals.iter_mut();
        match self {
            Self::Real(v) => reals.zip(v).for_each(|(s, o)| *s += c * o),
            Self::Grid { units, unit } => reals.zip(units).for_each(|(s, k)| *s += c * (*k as f64 * unit)),
        }
    }
}

impl Sensitive {
    /// The un-noised numbers, for `decide = "private"`: the paper's order, in which decisions are not protected. The
    /// ledger records that.
    pub(crate) fn unprotected(&self, ledger: &mut Ledger) -> Vec<f64> {
        ledger.note_unprotected();
        let Some(public) = &self.public else { return self.values.to_reals() };
        let mut all = Released(self.values.clone());
        all.add_block(0..public.len(), public);
        all.to_reals()
    }
}
