//! What the columns of `summary.csv` are called, and what they mean.

/// Which way is good.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Better {
    Lower,
    Higher,
    Neither,
}
use Better::{Higher, Lower, Neither};

/// A column of the table.
pub(crate) struct Column {
    pub(crate) key: &'static str,
    pub(crate) label: &'static str,
    pub(crate) note: &'static str,
    pub(crate) better: Better,
    /// Shown at once; the others wait behind "all columns" unless they are swept.
    pub(crate) main: bool,
}

const fn main(key: &'static str, label: &'static str, better: Better, note: &'static str) -> Column {
    Column { key, label, note, better, main: true }
}
const fn more(key: &'static str, label: &'static str, better: Better, note: &'static str) -> Column {
    Column { key, label, note, better, main: false }
}

/// In the order of the table: what was set, what was measured, the rest. Columns not named here follow under their
/// own name.
pub(crate) const COLUMNS: &[Column] = &[
    main("algorithm", "algorithm", Neither, "The learner that was run."),
    main(
        "level",
        "level",
        Neither,
        "The paper's label for the noise, the same signal-to-noise ratio for every DPSDA algorithm. It names a setting; it promises nothing.",
    ),
    main(
        "epsilon",
        "ε",
        Neither,
        "What the noise buys: for one event replaced (a round or an example, see the claim), whole run, all links and decisions. None without a clip.",
    ),
    main("delta", "δ", Neither, "The failure probability that goes with ε."),
    more("mechanism", "mechanism", Neither, "Where the noise comes from."),
    more("rounds", "rounds", Neither, "T, the rounds played."),
    more("trials", "trials", Neither, "Independent repetitions behind every mean."),
    main(
        "regret_per_round",
        "regret /\u{a0}T",
        Lower,
        "Regret (2) over T: cost beyond the best fixed constrained decision in hindsight. Mean ± standard deviation over trials.",
    ),
    main(
        "pseudo_regret_per_round",
        "pseudo /\u{a0}T",
        Lower,
        "Pseudo-regret (3) over T: against the best decision for the mean cost of all trials.",
    ),
    main(
        "regret_exponent",
        "p in regret\u{a0}~\u{a0}Tᵖ",
        Lower,
        "Slope of log regret (2) over log t by least squares, mean over trials, over the last decade and a half of rounds; from T = 1000 on.",
    ),
    more(
        "regret_exponent_se",
        "standard error of p",
        Neither,
        "By leaving out one trial after the other; none for a single trial.",
    ),
    main(
        "averaged_regret_per_round",
        "averaged /\u{a0}T",
        Lower,
        "Regret (19) over T, of the averaged decisions.",
    ),
    main("fitness", "avg. cost", Lower, "Average cost of the decisions played, over all rounds."),
    main(
        "accuracy_progressive",
        "progressive acc.\u{a0}%",
        Higher,
        "Share of samples classified correctly before they were learned from.",
    ),
    more(
        "accuracy_train_last",
        "train acc.\u{a0}%,\u{a0}last",
        Higher,
        "Accuracy of the last decision on the training data.",
    ),
    more(
        "accuracy_train_averaged",
        "train acc.\u{a0}%, averaged",
        Higher,
        "Accuracy of the averaged decision on the training data.",
    ),
    main(
        "accuracy_test_last",
        "test acc.\u{a0}%,\u{a0}last",
        Higher,
        "Accuracy of the last decision on data held out.",
    ),
    main(
        "accuracy_test_averaged",
        "test acc.\u{a0}%, averaged",
        Higher,
        "Accuracy of the averaged decision on data held out.",
    ),
    more(
        "balanced_accuracy_test_averaged",
        "balanced test acc.\u{a0}%, averaged",
        Higher,
        "Mean of the accuracies of the two classes, averaged decision, data held out.",
    ),
    main(
        "auc_test_averaged",
        "AUC",
        Higher,
        "Area under the ROC curve of the averaged decision, on data held out.",
    ),
    main(
        "disagreement",
        "disagreement",
        Lower,
        "Mean over rounds of how far the node farthest from the nodes' mean decision is from it.",
    ),
    main(
        "staleness_max",
        "staleness",
        Neither,
        "The most rounds by which any node's knowledge of another was out of date.",
    ),
    main("claim", "claim", Neither, "What the run may say about privacy, in short; in full under Privacy."),
    more("run", "run", Neither, "Number of the run in its folder; the same in series.csv."),
    more(
        "regret_per_round_sd",
        "sd of regret\u{a0}/\u{a0}T",
        Neither,
        "Standard deviation over trials of regret (2) over T.",
    ),
    more(
        "majority_test",
        "majority %",
        Neither,
        "What always naming the larger class would reach on the data held out.",
    ),
    more("violation_max", "violation", Neither, "The farthest that an assembled decision left the set."),
    more(
        "comparator_gap",
        "comparator gap",
        Neither,
        "Certified bound on how far the comparator is from the best decision, in cost.",
    ),
    more(
        "spent_event",
        "spent, event",
        Neither,
        "ε that the ledgers of all nodes charged the most expensive event, at the run's δ.",
    ),
    more(
        "spent_person",
        "spent, person",
        Neither,
        "ε charged to a person, where events per person are bounded.",
    ),
    more(
        "spent_lifetime",
        "spent, lifetime",
        Neither,
        "ε charged to whoever is behind an event of every round, by basic composition or zCDP.",
    ),
    more(
        "accuracy_train_best",
        "train acc.\u{a0}%, best",
        Neither,
        "Accuracy on the training data of the best fixed decision in hindsight: the ceiling by cost.",
    ),
    more(
        "accuracy_test_best",
        "test acc.\u{a0}%, best",
        Neither,
        "Accuracy on data held out of the best fixed decision in hindsight.",
    ),
    more(
        "auc_test_best",
        "AUC, best",
        Neither,
        "Area under the ROC curve of the best fixed decision in hindsight, on data held out.",
    ),
    more(
        "accuracy_progressive_sd",
        "sd of progressive acc.\u{a0}%",
        Neither,
        "Standard deviation over trials of the progressive accuracy.",
    ),
    more(
        "accuracy_test_last_sd",
        "sd of test acc.\u{a0}%,\u{a0}last",
        Neither,
        "Standard deviation over trials of the last decision's accuracy on data held out.",
    ),
    more(
        "accuracy_test_averaged_sd",
        "sd of test acc.\u{a0}%, averaged",
        Neither,
        "Standard deviation over trials of the averaged decision's accuracy on data held out.",
    ),
    more(
        "auc_test_averaged_sd",
        "sd of AUC",
        Neither,
        "Standard deviation over trials of the averaged decision's AUC on data held out.",
    ),
    more(
        "fitness_worst_node",
        "avg. cost, worst node",
        Lower,
        "Where every node has a model of its own: the average cost of the node that had the largest.",
    ),
    more(
        "regret_per_round_worst_node",
        "regret\u{a0}/\u{a0}T, worst node",
        Lower,
        "Where every node has a model of its own: regret (2) over T of the node that had the largest.",
    ),
];

/// Shown in percent.
pub(crate) fn percent(key: &str) -> bool {
    key.contains("accuracy") || key.starts_with("majority")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_of_the_summary_is_explained() {
        let written = "run, algorithm, mechanism, level, epsilon, delta, rounds, trials, regret_per_round, \
            regret_per_round_sd, pseudo_regret_per_round, averaged_regret_per_round, fitness, accuracy_progressive, \
            accuracy_train_last, accuracy_test_last, accuracy_train_averaged, accuracy_test_averaged, \
            balanced_accuracy_test_averaged, auc_test_averaged, majority_test, disagreement, violation_max, \
            staleness_max, claim, comparator_gap, spent_event, spent_person, spent_lifetime, accuracy_train_best, \
            accuracy_test_best, auc_test_best, accuracy_progressive_sd, accuracy_test_last_sd, \
            accuracy_test_averaged_sd, auc_test_averaged_sd, fitness_worst_node, \
            regret_per_round_worst_node, regret_exponent, regret_exponent_se";
        let known = crate::columns();
        for key in written.split(", ") {
            assert!(known.iter().any(|(k, note)| *k == key && !note.contains('\n')), "{key}");
        }
        assert_eq!(known.len(), written.split(", ").count());
    }

    #[test]
    fn every_column_has_one_entry_with_a_label_and_a_note() {
        let mut keys: Vec<_> = COLUMNS.iter().map(|c| c.key).collect();
        assert!(COLUMNS.iter().all(|c| !c.label.is_empty() && c.note.ends_with('.')));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), COLUMNS.len());
    }
}
