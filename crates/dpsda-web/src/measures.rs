//! What the columns of `series.csv` are called, what they mean, and between which values they lie.

/// A column of `series.csv` that is known by name.
pub(crate) struct Measure {
    pub(crate) key: &'static str,
    pub(crate) label: &'static str,
    pub(crate) note: &'static str,
    /// Regret has a guide, `t^-1/2`, and a cumulative form with the guide `t^1/2`.
    pub(crate) regret: bool,
    /// No value is below; a band that would be is cut there.
    pub(crate) floor: Option<f64>,
    /// No value is above.
    pub(crate) ceiling: Option<f64>,
}

const fn regret(key: &'static str, label: &'static str, note: &'static str) -> Measure {
    Measure { key, label, note, regret: true, floor: None, ceiling: None }
}
const fn positive(key: &'static str, label: &'static str, note: &'static str) -> Measure {
    Measure { key, label, note, regret: false, floor: Some(0.0), ceiling: None }
}

/// In the order of the page; the first with data is the headline.
pub(crate) const MEASURES: &[Measure] = &[
    regret(
        "regret_per_round",
        "Regret per round",
        "Cost beyond the best fixed decision in hindsight, (2) over t.",
    ),
    regret(
        "averaged_regret_per_round",
        "Regret per round of the averaged model",
        "Regret (19) over t, of the decisions averaged so far.",
    ),
    // No loss here is ever negative.
    positive("fitness", "Average cost", "Mean cost of the decisions played so far."),
    Measure {
        ceiling: Some(1.0),
        ..positive(
            "accuracy_progressive",
            "Progressive accuracy",
            "Share of samples so far that were classified correctly before they were learned from.",
        )
    },
    positive(
        "disagreement",
        "Disagreement",
        "How far the node farthest from the nodes' mean decision is from it.",
    ),
    positive(
        "staleness",
        "Staleness",
        "Rounds by which the oldest knowledge of another node is out of date.",
    ),
    positive(
        "consensus_error",
        "Consensus error",
        "Sum over nodes of the squared distance of the dual decided from to the one in the middle: what Lemmas 3 and 6 bound.",
    ),
    positive("violation", "Violation", "How far the assembled decision is outside the set."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_has_one_entry_with_a_label_and_a_note() {
        let mut keys: Vec<_> = MEASURES.iter().map(|m| m.key).collect();
        assert!(MEASURES.iter().all(|m| !m.label.is_empty() && m.note.ends_with('.')));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), MEASURES.len());
    }
}
