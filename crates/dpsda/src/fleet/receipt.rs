//! What was spent, in a sentence.

use std::fmt;

use crate::privacy::plan::Adjacency;
use crate::privacy::{Plan, Price, Spent};

/// What all ledgers of a fleet hold together. It prints as a sentence with unit and rule.
///
/// ```
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(2, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(4);
/// let mut fleet = spec.privacy(Privacy::epsilon(0.5).clip(1.0).mechanism(DiscreteLaplace)).fleet(Seed::new(1))?;
/// let cost = OwnCost::new(2, |x| x[0] + x[1], |_, g| g.fill(1.0));
/// (0..4).try_for_each(|t| fleet.round(t, &cost))?;
/// let said = "eps 0.5 per round, all links and decisions so far; eps 2 for someone who takes part in every round";
/// assert_eq!(fleet.spent().to_string(), said);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Receipt {
    /// The totals. `None` where decisions were computed from un-noised values, because no total covers those.
    pub spent: Option<Spent>,
    /// The delta that epsilons are given at.
    pub delta: f64,
    /// What an event is.
    pub event: Adjacency,
    /// Whether the noise was in floating point: the epsilons then hold over the reals only, and the sentence says "idealised".
    pub idealised: bool,
}

impl Receipt {
    pub(super) fn new(spent: Option<Spent>, plan: &Plan) -> Self {
        let idealised = plan.mechanism().is_ideal();
        Self { spent, delta: plan.delta(), event: plan.adjacency(), idealised }
    }

    /// The epsilon of the most expensive event so far, if one bounds it.
    pub fn epsilon(&self) -> Option<f64> {
        self.spent.and_then(|spent| spent.event.shown(self.delta))
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(spent) = self.spent else {
            return f.write_str("decisions came from un-noised values: nothing bounds what they reveal");
        };
        let event = self.event.unit();
        let at = |cost: Price| match cost.shown(self.delta) {
            Some(epsilon) => format!("eps {}", (epsilon * 1e4).round() / 1e4),
            None => "no bound".to_owned(),
        };
        write!(f, "{} per {event}, all links and decisions so far", at(spent.event))?;
        let pure = spent.event.as_pure().is_some();
        let at_delta = !pure && self.delta > 0.0 && spent.event != Price::Unbounded;
        match (at_delta, self.idealised) {
            (true, true) => write!(f, " (delta {:e}; idealised)", self.delta)?,
            (true, false) => write!(f, " (delta {:e})", self.delta)?,
            (false, true) => f.write_str(" (idealised)")?,
            (false, false) => {}
        }
        let always = match self.event {
            Adjacency::Agent => "someone behind one agent in every round",
            Adjacency::Round | Adjacency::Example => "someone who takes part in every round",
        };
        write!(f, "; {} for {always}", at(spent.lifetime))
    }
}
