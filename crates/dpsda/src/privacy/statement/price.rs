//! Prices in words: of one release, of a person, of a lifetime, under every rule.

use crate::privacy::Cost;
use crate::privacy::mechanism::Build;
use crate::privacy::plan::{Adjacency, Decide, Plan};
use crate::privacy::rules::{Rule, rules};

impl Plan {
    /// What one release of one node costs.
    pub(super) fn prices(&self) -> Vec<String> {
        let one = |(i, count): (usize, u64)| {
            let nodes = if count == 1 { "node" } else { "nodes" };
            format!("{} ({count} {nodes} with {} coordinates)", self.price(self.cost(i)), self.sizes[i])
        };
        match self.joint_cost() {
            Cost::Unbounded => Vec::new(),
            _ => {
                let parts: Vec<String> = self.groups().into_iter().map(one).collect();
                vec![format!("One release of one node: {}.", parts.join("; "))]
            }
        }
    }

    /// The totals that a ledger keeps beside the one per event.
    pub(super) fn totals(&self) -> Vec<String> {
        let mut says = Vec::new();
        if self.joint_cost() == Cost::Unbounded || self.wish.decide == Decide::Private {
            return says;
        }
        let event = self.event();
        if let (Some(cost), Some(events)) = (self.person_cost(), self.wish.budget.events_per_person) {
            says.push(format!("A person behind at most {events} {event}s: {}.", self.price(cost)));
        }
        let lifetime = self.lifetime_cost();
        let ideal = matches!(self.wish.mechanism.build.build, Build::Ideal(_));
        let parts: Vec<(Cost, u64)> = if self.wish.mechanism.build.correlated {
            Vec::new()
        } else {
            self.parts().into_iter().map(|(cost, count)| (cost, count * self.rounds)).collect()
        };
        let found = rules(&parts, lifetime, self.delta(), ideal);
        let one = if self.wish.adjacency == Adjacency::Example {
            "one example of every round"
        } else {
            "every round"
        };
        says.push(format!("Lifetime, for whoever is behind {one} of {}: {}.", self.rounds, list(&found)));
        says
    }

    /// What composes: prices of one release and how many there are of each.
    pub(super) fn parts(&self) -> Vec<(Cost, u64)> {
        self.groups().into_iter().map(|(i, count)| (self.cost(i), count)).collect()
    }

    pub(super) fn price(&self, cost: Cost) -> String {
        let delta = self.delta();
        match cost {
            Cost::Pure { .. } => format!("eps {}", short(cost.as_pure().unwrap_or(f64::INFINITY))),
            Cost::Zcdp { .. } => {
                let rho = short(cost.as_rho().unwrap_or(f64::INFINITY));
                match cost.as_epsilon(delta) {
                    Some(eps) => format!("rho {rho}, eps {} at delta {}", short(eps), short(delta)),
                    None => format!("rho {rho}"),
                }
            }
            Cost::Unbounded => "unbounded".into(),
        }
    }
}

pub(super) fn smallest(rules: &[Rule]) -> Option<&Rule> {
    rules.iter().min_by(|a, b| a.epsilon.total_cmp(&b.epsilon))
}

pub(super) fn list(rules: &[Rule]) -> String {
    let least = smallest(rules).map(|rule| rule.name);
    let one = |rule: &Rule| {
        let delta = if rule.delta > 0.0 { format!(" at delta {}", short(rule.delta)) } else { String::new() };
        let mark = if rules.len() > 1 && Some(rule.name) == least { ", the smallest" } else { "" };
        format!("eps {}{delta} ({}{mark})", short(rule.epsilon), rule.name)
    };
    match rules {
        [] => "no epsilon without a delta (set e.g. privacy.delta = 1e-5)".into(),
        _ => rules.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

/// A number as short as it can be without losing what matters.
pub(super) fn short(x: f64) -> String {
    let s = format!("{x:.4e}").parse::<f64>().unwrap_or(x);
    if s != 0.0 && !(1e-4..1e7).contains(&s.abs()) { format!("{s:e}") } else { format!("{s}") }
}
