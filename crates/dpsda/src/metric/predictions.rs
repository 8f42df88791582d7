//! Predictions of models, from which scores are computed.

use std::cell::OnceCell;

use super::{Id, MetricNumbers, Metrics, mean};
use crate::objective::Batch;

/// Which model of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// `x(T)`: the decision after the last round.
    Last,
    /// The mean of all decisions played.
    Averaged,
    /// The best fixed decision in hindsight.
    Best,
}

/// Which part of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataSplit {
    /// The data that nodes learned from.
    Train,
    /// The data held out.
    Test,
}

/// The data of a trial.
#[derive(Clone, Copy)]
pub struct TrialData<'a> {
    /// The data that nodes learned from.
    pub train: Batch<'a>,
    /// The data held out; it may have no rows.
    pub test: Batch<'a>,
}

/// The predictions of one model for some rows, computed when first needed.
///
/// ```
/// use dpsda::features::{Dense, Samples};
/// use dpsda::loss::Hinge;
/// use dpsda::metric::Predictions;
/// use dpsda::{objective::Batch, score};
/// let samples = Samples::new(Dense::new(vec![1.0, -1.0], 1)?, vec![1.0, 1.0])?;
/// let predictions = Predictions::new(Batch::new(&samples, &[0, 1], &Hinge)?, &[2.0]); // 2 and -2
/// assert_eq!(predictions.classes(score::accuracy), Some(0.5));
/// assert_eq!(predictions.loss(), Some(1.5));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Predictions<'a> {
    batch: Batch<'a>,
    x: &'a [f64],
    both: OnceCell<(Vec<f64>, Vec<f64>)>,
}

impl<'a> Predictions<'a> {
    /// The predictions of the model `x` for the rows of a batch.
    pub fn new(batch: Batch<'a>, x: &'a [f64]) -> Self {
        Self { batch, x, both: OnceCell::new() }
    }

    /// A score of a classifier, from predictions and labels; none if labels are not classes.
    pub fn classes(&self, score: impl Fn(&[f64], &[f64]) -> Option<f64>) -> Option<f64> {
        self.batch.loss.classifies().then(|| score(&self.both().0, &self.both().1))?
    }

    /// The mean loss; none without rows.
    pub fn loss(&self) -> Option<f64> {
        let (predicted, labels) = self.both();
        let losses = predicted.iter().zip(labels).map(|(s, b)| self.batch.loss.value(*s, *b));
        let losses: Vec<f64> = losses.collect();
        (!losses.is_empty()).then(|| mean(&losses))
    }

    fn both(&self) -> &(Vec<f64>, Vec<f64>) {
        let samples = self.batch.samples;
        let one = |&row: &usize| (samples.features.dot(row, self.x), samples.labels[row]);
        self.both.get_or_init(|| self.batch.rows.iter().map(one).unzip())
    }
}

/// All scores of these models. If every node has a model, a score is the mean over nodes. A score that some node does not
/// have is left out.
pub fn scores(metrics: &Metrics, models: &[(ModelKind, &[Vec<f64>])], data: TrialData<'_>) -> MetricNumbers {
    let parts = [(DataSplit::Train, data.train), (DataSplit::Test, data.test)];
    let mut values = Vec::new();
    for (model, each) in models {
        for (part, batch) in parts {
            let predictions: Vec<_> = each.iter().map(|x| Predictions::new(batch, x)).collect();
            for metric in metrics.iter() {
                let Some(score) = metric.score_of(*model, part) else { continue };
                let all: Option<Vec<f64>> = predictions.iter().map(score).collect();
                values.extend(all.filter(|all| !all.is_empty()).map(|all| (Id::from(metric), mean(&all))));
            }
        }
    }
    values.into_iter().collect()
}
