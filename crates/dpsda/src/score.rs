//! How well scores separate two classes. A score above zero predicts +1, any other score -1.

/// The share of samples predicted correctly; none without samples.
///
/// ```
/// # use dpsda::score::accuracy;
/// assert_eq!(accuracy(&[2.0, -1.0, 0.5], &[1.0, -1.0, -1.0]), Some(2.0 / 3.0));
/// assert_eq!(accuracy(&[], &[]), None);
/// ```
pub fn accuracy(scores: &[f64], labels: &[f64]) -> Option<f64> {
    let tally = ClassCounts::of(scores, labels);
    share(tally.right[0] + tally.right[1], tally.all[0] + tally.all[1])
}

/// The mean of the accuracies on the two classes; none unless both occur.
///
/// ```
/// # use dpsda::score::balanced_accuracy;
/// assert_eq!(balanced_accuracy(&[1.0, 1.0, 1.0], &[1.0, 1.0, -1.0]), Some(0.5));
/// ```
pub fn balanced_accuracy(scores: &[f64], labels: &[f64]) -> Option<f64> {
    let tally = ClassCounts::of(scores, labels);
    Some((share(tally.right[0], tally.all[0])? + share(tally.right[1], tally.all[1])?) / 2.0)
}

/// The accuracy of always predicting the larger class; none without samples.
///
/// ```
/// # use dpsda::score::majority_rate;
/// assert_eq!(majority_rate(&[1.0, -1.0, -1.0, -1.0]), Some(0.75));
/// ```
pub fn majority_rate(labels: &[f64]) -> Option<f64> {
    let positive = labels.iter().filter(|b| **b > 0.0).count();
    share(positive.max(labels.len() - positive), labels.len())
}

/// The area under the ROC curve: how often a random +1 scores above a random -1, ties counting half; none unless both
/// classes occur.
///
/// ```
/// # use dpsda::score::auc;
/// assert_eq!(auc(&[3.0, 2.0, 1.0], &[1.0, -1.0, 1.0]), Some(0.5));
/// ```
pub fn auc(scores: &[f64], labels: &[f64]) -> Option<f64> {
    // Adding zero turns -0 into 0, so that the two tie.
    let mut ranked: Vec<_> = scores.iter().zip(labels).map(|(s, b)| (s + 0.0, *b > 0.0)).collect();
    ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    // Pairs are counted in halves, as whole numbers, so the count is exact.
    let (mut below, mut positives, mut halves) = (0_u64, 0_u64, 0_u128);
    for ties in ranked.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let up = ties.iter().filter(|t| t.1).count() as u64;
        let down = ties.len() as u64 - up;
        halves += u128::from(up) * u128::from(2 * below + down);
        (below, positives) = (below + down, positives + up);
    }
    let pairs = u128::from(below) * u128::from(positives);
    (pairs > 0).then(|| halves as f64 / (2 * pairs) as f64)
}

/// Samples and correct predictions of the classes -1 and +1.
struct ClassCounts {
    all: [usize; 2],
    right: [usize; 2],
}

impl ClassCounts {
    fn of(scores: &[f64], labels: &[f64]) -> Self {
        let mut tally = Self { all: [0; 2], right: [0; 2] };
        for (score, label) in scores.iter().zip(labels) {
            let class = usize::from(*label > 0.0);
            tally.all[class] += 1;
            tally.right[class] += usize::from(usize::from(*score > 0.0) == class);
        }
        tally
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::rng::{Purpose, Seed};

    #[test]
    fn auc_is_the_share_of_ordered_pairs() {
        for case in 0..50 {
            let mut rng = Seed::new(5).trial(case).stream(Purpose::Data, 0, 0);
            let n = rng.random_range(2..40);
            // Few distinct scores: many ties, and both zeros.
            let scores: Vec<f64> = (0..n).map(|_| f64::from(rng.random_range(-3..4)) * -0.5).collect();
            let labels: Vec<f64> = (0..n).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect();
            let (mut won, mut pairs) = (0.0, 0.0);
            for i in 0..n {
                for j in 0..n {
                    if labels[i] > 0.0 && labels[j] < 0.0 {
                        pairs += 1.0;
                        won +=
                            if scores[i] > scores[j] { 1.0 } else { 0.5 * f64::from(scores[i] == scores[j]) };
                    }
                }
            }
            assert_eq!(auc(&scores, &labels), (pairs > 0.0).then(|| won / pairs));
        }
    }

    #[test]
    fn a_score_of_zero_predicts_minus_one() {
        let (scores, labels) = ([0.0, -0.0, 1.0, -1.0], [-1.0, 1.0, 1.0, -1.0]);
        assert_eq!(accuracy(&scores, &labels), Some(0.75));
        assert_eq!(balanced_accuracy(&scores, &labels), Some(0.75));
        assert_eq!(majority_rate(&[1.0, -1.0, -1.0]), Some(2.0 / 3.0));
    }

    #[test]
    fn balanced_accuracy_gives_both_classes_the_same_weight() {
        let (scores, labels) = ([-1.0; 10], [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 1.0]);
        assert_eq!(accuracy(&scores, &labels), Some(0.9));
        assert_eq!(balanced_accuracy(&scores, &labels), Some(0.5));
        assert_eq!(auc(&scores, &labels), Some(0.5));
    }

    #[test]
    fn an_undefined_score_is_none() {
        assert_eq!((accuracy(&[], &[]), majority_rate(&[]), auc(&[], &[])), (None, None, None));
        assert_eq!((auc(&[1.0, 2.0], &[1.0; 2]), balanced_accuracy(&[1.0], &[1.0])), (None, None));
        assert_eq!(accuracy(&[1.0], &[1.0]), Some(1.0));
    }
}
