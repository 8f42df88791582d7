//! Prices in words: of one release, of a person, of a lifetime, under every rule.

use crate::privacy::Price;
use crate::privacy::plan::{Adjacency, Decide, Plan};
use crate::privacy::rules::{CompositionRule, rules};

impl Plan {
    /// What one release of one node costs.
    pub(super) fn prices(&self) -> Vec<String> {
        let one = |(i, count): (usize, u64)| {
            let nodes = if count == 1 { "node" } else { "nodes" };
            format!("{} ({count} {nodes} with {})", self.price(self.cost(i)), coordinates(self.sizes[i]))
        };
        match self.joint_cost() {
            Price::Unbounded => Vec::new(),
            _ => {
                let parts: Vec<String> = self.groups().into_iter().map(one).collect();
                vec![format!("One release of one node: {}.", parts.join("; "))]
            }
        }
    }

    /// The totals that a ledger keeps beside the one per event.
    pub(super) fn totals(&self) -> Vec<String> {
        let mut says = Vec::new();
        if self.joint_cost() == Price::Unbounded || self.wanted.decide == Decide::Private {
            return says;
        }
        let adjacency = self.wanted.adjacency;
        if let (Some(cost), Some(events)) = (self.person_cost(), self.wanted.budget.events_per_person) {
            let many = adjacency.events();
            says.push(format!("A person behind at most {events} {many}: {}.", self.price(cost)));
        }
        let lifetime = self.lifetime_cost();
        let parts: Vec<(Price, u64)> = if self.wanted.mechanism.is_correlated() {
            Vec::new()
        } else {
            self.parts().into_iter().map(|(cost, count)| (cost, count * self.rounds)).collect()
        };
        let found = rules(&parts, lifetime, self.delta(), self.is_ideal());
        let one = match adjacency {
            Adjacency::Round => "every round",
            Adjacency::Example => "one example of every round",
            Adjacency::Agent => "one agent's part of every round",
        };
        let delta = self.delta();
        says.push(format!(
            "Lifetime, for someone behind {one} of {}: {}.{}",
            self.rounds,
            list(&found, delta),
            if found.len() > 1 { " Budgets and ledgers count the first." } else { "" }
        ));
        says
    }

    /// What composes: prices of one release and how many there are of each. An agent's event is in one release only.
    pub(super) fn parts(&self) -> Vec<(Price, u64)> {
        if self.wanted.adjacency == Adjacency::Agent {
            return vec![(self.joint_cost(), 1)];
        }
        self.groups().into_iter().map(|(i, count)| (self.cost(i), count)).collect()
    }

    pub(super) fn price(&self, cost: Price) -> String {
        let delta = self.delta();
        match cost {
            Price::Pure { .. } => format!("eps {} (pure)", up(cost.as_pure().unwrap_or(f64::INFINITY))),
            Price::Zcdp { .. } => {
                let rho = up(cost.as_rho().unwrap_or(f64::INFINITY));
                match cost.as_epsilon(delta) {
                    Some(eps) => format!("rho {rho}, by zCDP eps {} at delta {}", up(eps), short(delta)),
                    None => format!("rho {rho}"),
                }
            }
            Price::Unbounded => "unbounded".into(),
        }
    }
}

/// How many coordinates, in words.
pub(super) fn coordinates(d: usize) -> String {
    if d == 1 { "1 coordinate".into() } else { format!("{d} coordinates") }
}

/// The smallest epsilon at this delta: epsilons at different deltas are different promises.
pub(super) fn smallest(rules: &[CompositionRule], delta: f64) -> Option<&CompositionRule> {
    rules.iter().filter(|rule| rule.delta == delta).min_by(|a, b| a.epsilon.total_cmp(&b.epsilon))
}

/// All rules, with a mark at the smallest for its delta.
pub(super) fn list(rules: &[CompositionRule], delta: f64) -> String {
    let least = smallest(rules, delta).map(|rule| rule.name);
    let one = |rule: &CompositionRule| {
        let delta = if rule.delta > 0.0 { format!(" at delta {}", short(rule.delta)) } else { String::new() };
        let alike = rules.iter().filter(|other| other.delta == rule.delta).count();
        let mark = if alike > 1 && Some(rule.name) == least { ", the smallest" } else { "" };
        format!("eps {}{delta} ({}{mark})", up(rule.epsilon), rule.name)
    };
    match rules {
        [] if delta > 0.0 => "more than can be counted".into(),
        [] => "no epsilon without a delta (set e.g. privacy.delta = 1e-5)".into(),
        _ => rules.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

/// A price: short, and rounded up.
pub(super) fn up(x: f64) -> String {
    let unit = 10_f64.powi(x.max(1e-300).log10().floor() as i32 - 4);
    // A number that misses a multiple by the last bits only is shown as that multiple.
    short(if x.is_finite() { (x / unit * (1.0 - 1e-13)).ceil() * unit } else { x })
}

/// A number as short as it can be without losing what matters.
pub(super) fn short(x: f64) -> String {
    let s = format!("{x:.4e}").parse::<f64>().unwrap_or(x);
    if s != 0.0 && !(1e-4..1e7).contains(&s.abs()) { format!("{s:e}") } else { format!("{s}") }
}
