//! Predictions of models, from which scores are computed.

use std::cell::OnceCell;

use super::{Id, MetricNumbers, Metrics, mean};
use crate::objective::Batch;

/// Which model of a trial.
///
/// ```
/// use dpsda::metric::{Metrics, ModelKind, TrialData, accuracy_train_averaged, accuracy_train_last, scores};
/// # use dpsda::features::{Dense, Samples};
/// # use dpsda::{loss::Hinge, objective::Batch};
/// # let samples = Samples::new(Dense::new(vec![1.0, -1.0, 2.0], 1)?, vec![1.0, -1.0, -1.0])?;
/// # let (train, test) = (Batch::new(&samples, &[0, 1], &Hinge)?, Batch::new(&samples, &[2], &Hinge)?);
/// # let data = TrialData { train, test };
/// let (last, averaged) = ([vec![2.0]], [vec![-1.0]]); // the label is the sign of the feature in both rows
/// let models: [(ModelKind, &[Vec<f64>]); 2] = [(ModelKind::Last, &last), (ModelKind::Averaged, &averaged)];
/// let found = scores(&Metrics::default(), &models, data);
/// assert_eq!(found.get(&accuracy_train_last::LISTING), Some(1.0));
/// assert_eq!(found.get(&accuracy_train_averaged::LISTING), Some(0.0));
/// # Ok::<(), dpsda::Error>(())
/// ```
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
///
/// ```
/// use dpsda::metric::{DataSplit, Metric, Metrics, ModelKind, TrialData, scores};
/// # use dpsda::features::{Dense, Samples};
/// # use dpsda::{loss::Hinge, objective::Batch};
/// # let samples = Samples::new(Dense::new(vec![1.0, -1.0, 2.0], 1)?, vec![1.0, -1.0, -1.0])?;
/// # let (train, test) = (Batch::new(&samples, &[0, 1], &Hinge)?, Batch::new(&samples, &[2], &Hinge)?);
/// # let data = TrialData { train, test };
/// let loss = |part| Metric::score(ModelKind::Last, part, |predictions| predictions.loss()).label("Mean loss");
/// let train = loss(DataSplit::Train).named("loss_train", "Mean loss on the data learned from.");
/// let test = loss(DataSplit::Test).named("loss_test", "Mean loss on the data held out.");
/// let metrics = Metrics::default().with(train.clone())?.with(test.clone())?;
/// let found = scores(&metrics, &[(ModelKind::Last, &[vec![1.0]])], data);
/// assert_eq!((found.get(&train), found.get(&test)), (Some(0.0), Some(3.0)));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataSplit {
    /// The data that nodes learned from.
    Train,
    /// The data held out.
    Test,
}

/// The data of a trial.
///
/// ```
/// use dpsda::features::{Dense, Samples};
/// use dpsda::metric::{ModelKind, TrialData, accuracy_test_last, accuracy_train_last, all, scores};
/// use dpsda::{loss::Hinge, objective::Batch};
/// let samples = Samples::new(Dense::new(vec![1.0, -1.0, 2.0], 1)?, vec![1.0, -1.0, -1.0])?;
/// let rows = |rows| Batch { samples: &samples, rows, loss: &Hinge };
/// let data = TrialData { train: rows(&[0, 1]), test: rows(&[2]) };
/// let found = scores(all(), &[(ModelKind::Last, &[vec![1.0]])], data);
/// assert_eq!(found.get(&accuracy_train_last::LISTING), Some(1.0));
/// assert_eq!(found.get(&accuracy_test_last::LISTING), Some(0.0));
/// let nothing_held_out = TrialData { test: rows(&[]), ..data };
/// let found = scores(all(), &[(ModelKind::Last, &[vec![1.0]])], nothing_held_out);
/// assert_eq!(found.get(&accuracy_test_last::LISTING), None);
/// # Ok::<(), dpsda::Error>(())
/// ```
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
        let Batch { samples, rows, .. } = self.batch;
        self.both.get_or_init(|| {
            let mut predicted = vec![0.0; rows.len()];
            samples.features.dots(rows, self.x, &mut predicted);
            (predicted, rows.iter().map(|row| samples.labels[*row]).collect())
        })
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
