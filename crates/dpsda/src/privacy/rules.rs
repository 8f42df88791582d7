//! The rules by which prices compose, side by side.

use super::Price;
use super::accounting::pld::Pld;
use super::accounting::{gaussian, pure_composition, zcdp};

/// The epsilon that one rule gives.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CompositionRule {
    pub(super) name: &'static str,
    pub(super) epsilon: f64,
    pub(super) delta: f64,
    /// Why it holds.
    pub(super) because: &'static str,
}

/// Every rule that applies to these releases. `parts` are prices of single releases and how many there are of each; it is empty
/// where releases do not compose one by one. `total` is their plain sum. `ideal` says that the noise is Gaussian or Laplace over
/// the reals, not on a grid.
pub(super) fn rules(parts: &[(Price, u64)], total: Price, delta: f64, ideal: bool) -> Vec<CompositionRule> {
    let mut found = Vec::new();
    let pure: Option<Vec<(f64, u64)>> =
        parts.iter().map(|(cost, count)| Some((cost.as_pure()?, *count))).collect();
    if let Some(epsilon) = total.as_pure() {
        let because = "Pure prices add up (basic composition).";
        found.push(CompositionRule { name: "basic composition", epsilon, delta: 0.0, because });
    }
    if delta <= 0.0 {
        return found;
    }
    let rho = match &pure {
        Some(pure) if !pure.is_empty() => {
            Some(pure.iter().map(|(eps, count)| zcdp::of_pure(*eps) * *count as f64).sum())
        }
        _ => total.as_rho(),
    };
    if let Some(rho) = rho {
        let because = "Renyi divergences of every order add up, and the best order is taken (zCDP; Canonne, Kamath and \
                       Steinke 2020).";
        found.push(CompositionRule { name: "zCDP", epsilon: zcdp::epsilon(rho, delta), delta, because });
    }
    match (&pure, total) {
        (Some(pure), _) if pure.iter().map(|(_, count)| count).sum::<u64>() > 1 => {
            let because = "Each release is post-processing of randomised response, whose losses compose exactly (Kairouz, Oh and \
                           Viswanath 2015).";
            let name = "optimal composition of pure releases";
            found.push(CompositionRule { name, epsilon: optimal(pure, delta), delta, because });
        }
        (_, Price::Zcdp { .. }) if ideal => {
            let because = "Over the reals, Gaussian noise is the same in every direction, so one dimension is enough (Balle and \
                           Wang 2018).";
            let mu = (2.0 * total.as_rho().unwrap_or(f64::INFINITY)).sqrt();
            found.push(CompositionRule {
                name: "exact Gaussian curve",
                epsilon: gaussian::epsilon(mu, delta),
                delta,
                because,
            });
        }
        _ => {}
    }
    found
}

/// The least epsilon at `delta` for any releases of these pure prices.
fn optimal(parts: &[(f64, u64)], delta: f64) -> f64 {
    if let [(epsilon, count)] = parts {
        return pure_composition(*epsilon, *count, delta);
    }
    let least = parts.iter().map(|(eps, _)| *eps).filter(|eps| *eps > 0.0).fold(f64::INFINITY, f64::min);
    let step = if least.is_finite() { least / 256.0 } else { 1.0 };
    let all = parts.iter().map(|(eps, count)| Pld::pure(*eps, step).compose(*count));
    all.reduce(|a, b| a.and(&b)).map_or(0.0, |all| all.epsilon(delta))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rules: &[CompositionRule], name: &str) -> Option<f64> {
        rules.iter().find(|r| r.name.starts_with(name)).map(|r| r.epsilon)
    }

    #[test]
    fn every_rule_bounds_the_same_thing_and_optimal_is_never_beaten() {
        for (eps, count) in [(0.01, 7), (0.01, 10_000), (1.0, 7), (0.1, 500)] {
            let cost = Price::epsilon(eps);
            let found = rules(&[(cost, count)], cost.times(count), 1e-5, false);
            let [basic, zcdp, optimal] = ["basic", "zCDP", "optimal"].map(|name| of(&found, name).unwrap());
            assert!(
                optimal <= basic * (1.0 + 1e-9) && optimal <= zcdp * (1.0 + 1e-9),
                "{eps} {count}: {found:?}"
            );
            // Two groups of the same price are the same releases.
            let halves = [(cost, count / 2), (cost, count - count / 2)];
            let split = of(&rules(&halves, cost.times(count), 1e-5, false), "optimal").unwrap();
            assert!((split / optimal - 1.0).abs() < 1e-3, "{split} {optimal}");
        }
    }

    #[test]
    fn a_rule_is_used_only_where_it_is_valid() {
        let rho = Price::rho(0.1);
        assert_eq!(rules(&[(rho, 1)], rho, 0.0, false), []);
        let (exact, ideal) = (rules(&[(rho, 1)], rho, 1e-5, false), rules(&[(rho, 1)], rho, 1e-5, true));
        assert_eq!(
            (exact.len(), of(&exact, "exact Gaussian")),
            (1, None),
            "a discrete Gaussian is not a Gaussian"
        );
        assert!(of(&ideal, "exact Gaussian").unwrap() < of(&ideal, "zCDP").unwrap());
        let pure = Price::epsilon(1.0);
        assert_eq!(rules(&[(pure, 1)], pure, 0.0, false).len(), 1);
        assert_eq!(
            of(&rules(&[(pure, 1)], pure, 1e-5, false), "optimal"),
            None,
            "one release does not compose"
        );
    }
}
