//! Warnings for baselines: keys of a shared file that a baseline does not use.

use dpsda::Keys;
use dpsda::catalog::Listing;
use dpsda::learner::{Build, Noises};

/// One warning for every key of the file that does not apply to this baseline. The baseline still runs.
pub(crate) fn warnings(
    set: &Keys<'_>,
    privacy: &Keys<'_>,
    algorithm: &Listing<Build>,
    record: &[&str],
) -> Vec<String> {
    let (name, facts) = (algorithm.name, &algorithm.build.facts);
    let mut warnings = Vec::new();
    if !facts.keeps_to_set && !matches!(set.str("kind"), Ok(Some("free"))) {
        warnings.push(format!(
            "algorithm.name = {name:?}: it ignores the set and runs unconstrained, but its regret is against the best \
             decision in the set. violation_max says how far outside it went (use set.kind = \"free\" for a fair comparison)"
        ));
    }
    if facts.noises == Noises::Nothing && privacy.holds("epsilon") {
        warnings.push(format!(
            "privacy.epsilon: {name} adds no noise. It runs once, as the noise-free reference, and protects nothing"
        ));
    }
    if facts.style.splits_costs() && record.contains(&"bounds") {
        warnings
            .push(format!("record = [\"bounds\"]: no bound is known for {name}, so its series have none"));
    }
    warnings
}
