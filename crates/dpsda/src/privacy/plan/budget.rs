//! What must not be exceeded.

use super::{Decide, Plan};
use crate::Error;
use crate::privacy::Cost;

/// Limits on the three totals, each as an epsilon at the plan's delta, for all nodes together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    /// For one event.
    pub event: Option<f64>,
    /// For one person.
    pub person: Option<f64>,
    /// How many events one person may stand behind.
    pub events_per_person: Option<u64>,
    /// For whoever is in an event of every round.
    pub lifetime: Option<f64>,
}

impl Plan {
    /// Refuses a run that would spend more than it may. All of it is known before the first round.
    pub(super) fn check_budget(&self) -> Result<(), Error> {
        let budget = self.wish.budget;
        let private = self.wish.decide == Decide::Private;
        let person = self.person_cost().unwrap_or(Cost::Unbounded);
        for (key, limit, cost, less) in [
            ("event", budget.event, self.joint_cost(), "ask for a smaller epsilon"),
            ("person", budget.person, person, "ask for a smaller epsilon, or allow fewer events a person"),
            (
                "lifetime",
                budget.lifetime,
                self.lifetime_cost(),
                "ask for a smaller epsilon, or run fewer rounds",
            ),
        ] {
            let Some(limit) = limit else { continue };
            let key = format!("privacy.budget.{key}");
            if private {
                let remedy = "with decide = \"private\" decisions are not protected, and no budget holds \
                              (use decide = \"published\")";
                return Err(Error::value(key, limit, remedy));
            }
            match cost.as_epsilon(self.delta()) {
                Some(spent) if spent <= limit * (1.0 + 1e-9) => {}
                Some(spent) => {
                    let rule = if cost.as_pure().is_some() { "basic composition" } else { "zCDP" };
                    let remedy =
                        format!("the run would spend {spent:.4} by {rule} (allow that much, or {less})");
                    return Err(Error::value(key, limit, remedy));
                }
                None => {
                    let remedy = "nothing bounds what the run would spend (use a noise that has an epsilon, with a \
                                  clip, and a delta if it is Gaussian)";
                    return Err(Error::value(key, limit, remedy));
                }
            }
        }
        Ok(())
    }
}
