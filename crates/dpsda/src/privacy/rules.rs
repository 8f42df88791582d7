//! The rules by which prices compose, side by side.

use super::Cost;
use super::accounting::zcdp;

/// What one rule says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) epsilon: f64,
    pub(super) delta: f64,
    pub(super) because: &'static str,
}

/// Every rule that applies to these releases: `parts` are prices of single releases and how many there are of each (empty
/// where they do not compose one by one), `total` is their plain sum.
pub(super) fn rules(parts: &[(Cost, u64)], total: Cost, delta: f64, ideal: bool) -> Vec<Rule> {
    let _ = (parts, ideal);
    let mut found = Vec::new();
    if let Some(epsilon) = total.as_pure() {
        let because = "Pure prices add up (basic composition).";
        found.push(Rule { name: "basic composition", epsilon, delta: 0.0, because });
    }
    if let Some(rho) = total.as_rho().filter(|_| delta > 0.0) {
        let because = "Renyi divergences of all orders add up, and the best order is chosen (zCDP; Canonne, Kamath and Steinke 2020).";
        found.push(Rule { name: "zCDP", epsilon: zcdp::epsilon(rho, delta), delta, because });
    }
    found
}
