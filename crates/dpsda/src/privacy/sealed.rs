//! A cost that learners hold and cannot read.

use std::fmt;
use std::sync::Arc;

use super::Plan;
use crate::objective::{Objective, Slopes};

/// The mark that a plan shares with everything made from it.
#[derive(Clone, Default)]
pub(crate) struct Seal(Arc<()>);

impl Seal {
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal")
    }
}

/// The cost of a round, sealed for one plan. A learner is given this and no other cost: it has no way to a value or a
/// gradient. Only a [`Guard`](super::Guard) of the same plan opens it, and what a guard takes out is
/// [`Sensitive`](super::Sensitive) until it is released. To a guard of another plan the cost is zero.
///
/// ```compile_fail
/// use dpsda::{objective::Objective, privacy::Sealed};
/// fn read(cost: &Sealed<'_>, x: &[f64]) -> f64 {
///     cost.value(x) // `Sealed` is no `Objective`
/// }
/// ```
///
/// ```compile_fail
/// use dpsda::{objective::Objective, privacy::Sealed};
/// fn open<'a>(cost: &Sealed<'a>) -> &'a dyn Objective {
///     cost.cost // private
/// }
/// ```
///
/// Code that has the cost itself may seal it:
///
/// ```
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).rounds(1).check()?;
/// let cost = OwnCost::new(2, |x| x[0] + x[1], |_, g| g.fill(1.0));
/// let sealed = spec.plan().seal(&cost);
/// let mut learner = spec.learner(0, Seed::new(1));
/// learner.learn(0, &sealed);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone)]
pub struct Sealed<'a> {
    pub(crate) cost: &'a dyn Objective,
    pub(crate) seal: Seal,
}

impl<'a> Sealed<'a> {
    /// What all gradients at `y` have in common, if the cost has linear predictions.
    pub(crate) fn known(&self, plan: &Plan, y: &[f64]) -> Option<Slopes<'a>> {
        Slopes::at(self.cost, &plan.ends, y)
    }

    /// The same seal on a cost that answers like this one where it is asked, if there is one.
    pub(crate) fn in_place<'b>(&self, known: Option<&'b Slopes<'a>>) -> Sealed<'b>
    where
        'a: 'b,
    {
        Sealed { cost: known.map_or(self.cost, |known| known), seal: self.seal.clone() }
    }
}

impl Plan {
    /// The cost of a round, for learners of this plan.
    pub fn seal<'a>(&self, cost: &'a dyn Objective) -> Sealed<'a> {
        Sealed { cost, seal: self.seal.clone() }
    }
}
