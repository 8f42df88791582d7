//! The wall between what must not leave a host and what may.
//!
//! A gradient is born [`Sensitive`] and there is one door out of that type: [`Guard::release`], which needs a mechanism
//! and writes the ledger. Messages hold [`Released`] values only, so no program that compiles can send a gradient:
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
//!     println!("{gradient:?}"); // `Sensitive` has no `Debug`, no `Serialize`, no way to its numbers
//! }
//! ```

pub mod accounting;
pub mod clip;
mod cost;
mod guard;
pub mod ledger;
pub mod mechanism;
pub mod plan;
mod released;
mod rules;
pub mod sample;
mod statement;

pub use cost::Cost;
pub use guard::{Guard, Past};
pub use ledger::{Ledger, Spent};
pub use mechanism::Mechanism;
pub use plan::Plan;
pub use released::Released;

/// What depends on data and has not been noised. It cannot be printed, stored, compared or sent.
pub struct Sensitive {
    values: Values,
    /// The round whose cost it was computed from; `None` when it holds nothing.
    event: Option<u64>,
}

/// Numbers over the reals, or whole multiples of a unit.
#[derive(Debug, Clone, PartialEq)]
enum Values {
    Real(Vec<f64>),
    Grid { units: Vec<i64>, unit: f64 },
}

impl Values {
    fn to_reals(&self) -> Vec<f64> {
        match self {
            Self::Real(v) => v.clone(),
            Self::Grid { units, unit } => units.iter().map(|k| *k as f64 * unit).collect(),
        }
    }
}

impl Sensitive {
    /// The un-noised numbers, for `decide = "private"`: the paper's order, in which decisions are not protected. The
    /// ledger keeps that.
    pub(crate) fn unprotected(&self, ledger: &mut Ledger) -> Vec<f64> {
        ledger.note_unprotected();
        self.values.to_reals()
    }
}
