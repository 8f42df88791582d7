//! What a baseline makes of a file that was written for others too.

use dpsda::Keys;
use dpsda::catalog::Listing;
use dpsda::learner::{Build, Noises};

/// What stands in the file, does not stop a baseline, and is not for it.
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
            "algorithm.name = {name:?}: it knows no set and runs unconstrained, beside a best decision that lies in the set; \
             violation_max says how far outside it was (use set.kind = \"free\" to compare it on its own ground)"
        ));
    }
    if facts.noises == Noises::Nothing && privacy.holds("epsilon") {
        warnings.push(format!(
            "privacy.epsilon: {name} never noises; it runs once, as the noise-free reference, and nothing is protected"
        ));
    }
    if facts.style.splits_costs() && record.contains(&"bounds") {
        warnings
            .push(format!("record = [\"bounds\"]: no bound is known for {name}, and its series have none"));
    }
    warnings
}
