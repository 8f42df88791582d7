//! The arguments of `dpsda tune`.

use super::{KeyArgs, WorkArgs};

/// How to choose steps.
#[derive(clap::Args)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    /// The steps to try
    #[arg(long, value_name = "C,...", value_delimiter = ',', default_values_t = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0])]
    pub(crate) steps: Vec<f64>,
    /// The share of training rounds to hold out, taken from the end
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    pub(crate) hold_out: f64,
    /// The score to choose by
    #[arg(long, value_enum, default_value_t = Measure::Last)]
    pub(crate) by: Measure,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Print all scores as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The score that a step is chosen by.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Measure {
    /// Mean cost of the decisions made while learning
    Online,
    /// Accuracy of the decisions made while learning
    AccuracyOnline,
    /// Mean cost of the held-out rounds under the last decision
    Last,
    /// Mean cost of the held-out rounds under the averaged decision
    Averaged,
    /// Accuracy of the last decision on the held-out rounds
    AccuracyLast,
    /// Accuracy of the averaged decision on the held-out rounds
    AccuracyAveraged,
    /// Area under the ROC curve of the averaged decision on the held-out rounds
    AucAveraged,
}

impl From<Measure> for dpsda_sim::tune::By {
    fn from(measure: Measure) -> Self {
        match measure {
            Measure::Online => Self::Online,
            Measure::AccuracyOnline => Self::AccuracyOnline,
            Measure::Last => Self::Last,
            Measure::Averaged => Self::Averaged,
            Measure::AccuracyLast => Self::AccuracyLast,
            Measure::AccuracyAveraged => Self::AccuracyAveraged,
            Measure::AucAveraged => Self::AucAveraged,
        }
    }
}
