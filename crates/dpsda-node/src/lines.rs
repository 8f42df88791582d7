//! Costs as JSON lines: `{"t": 12, "x": [[0.5, 0, 1], [0, 1, 0]], "y": [1, -1]}` is the cost of a round, one row per sample.
//!
//! `t`, the round, may be left out: the cost is then for the next round. A sample with many zeros may be written as
//! `{"2": 1}`, with columns counted from 0. Without samples (`{}`) the cost is zero. Errors name the place in a line, never
//! the value: a cost is the host's secret, and errors end up in logs.

mod parse;
pub(crate) mod split;

use std::io;
use std::sync::Arc;

use dpsda::features::{Features, Samples, Scaling, dense::Dense, sparse::Sparse};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};
use tokio::sync::mpsc;

use crate::board::Board;
use crate::stream::{Arrival, SampleCost};
use parse::SampleRows;
use split::{LinePiece, Splitter};

/// The required form of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// Numbers per sample, before they are scaled and without a constant feature.
    pub dim: usize,
    /// Samples per line, at most.
    pub batch: usize,
    /// Whether labels are classes: -1 or 1.
    pub classifies: bool,
    /// What is done to the samples of a line.
    pub scaling: Scaling,
}

/// Why a line is not a valid cost. Samples, numbers and labels are counted from 1. Messages never contain a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// The wrong kind of value at some place.
    #[error("{0}")]
    Kind(String),
    /// Not JSON.
    #[error("not valid JSON from byte {column} on ({place}); JSON has no NaN and no infinity")]
    Json {
        /// Where it stops being JSON.
        column: usize,
        /// What was being read.
        place: String,
    },
    /// An unknown key.
    #[error("a key other than \"t\", \"x\" and \"y\"")]
    Key,
    /// The same key twice.
    #[error("the key \"{0}\" appears twice")]
    Twice(&'static str),
    /// More samples than a round may have.
    #[error("more than {0} samples, the most that a round may have (the manifest's batch)")]
    Samples(usize),
    /// A row that is too long or too short.
    #[error("sample {sample} has {found} numbers, expected {expected}")]
    Numbers {
        /// Which sample.
        sample: usize,
        /// How many numbers it has.
        found: HowMany,
        /// How many it should have.
        expected: usize,
    },
    /// Samples of both kinds.
    #[error("sample {0} is of another kind than the first: either all samples are lists, or all are objects")]
    Mixed(usize),
    /// A column that does not exist.
    #[error("sample {sample}, entry {entry}: its key is not a column, a whole number from 0 to {last}")]
    Column {
        /// Which sample.
        sample: usize,
        /// Which of its entries.
        entry: usize,
        /// The last column.
        last: usize,
    },
    /// A column with two values.
    #[error("sample {0} names a column twice")]
    ColumnTwice(usize),
    /// Not as many labels as samples.
    #[error("{samples} samples in \"x\" and {labels} labels in \"y\": every sample has one label")]
    Labels {
        /// How many samples.
        samples: usize,
        /// How many labels.
        labels: usize,
    },
    /// A label that is not a class.
    #[error("label {0} is neither -1 nor 1, which the loss needs")]
    Class(usize),
    /// More bytes than any cost needs.
    #[error("the line is longer than {0} bytes, which no cost of this run needs")]
    Long(usize),
}

/// A count that stops at the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HowMany {
    /// Exactly this many.
    Exactly(usize),
    /// More than this many.
    Over(usize),
}

impl std::fmt::Display for HowMany {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exactly(count) => write!(f, "{count}"),
            Self::Over(count) => write!(f, "more than {count}"),
        }
    }
}

impl Form {
    /// Reads a line: the round that it names, and the cost.
    pub fn read(&self, line: &[u8]) -> Result<(Option<u64>, SampleCost), Wrong> {
        if line.len() > self.longest() {
            return Err(Wrong::Long(self.longest()));
        }
        let parse::CostLine { round, rows, labels } = parse::line(self, line)?;
        let impossible = |_| Wrong::Kind(format!("{} columns cannot be stored", self.dim));
        let features: Box<dyn Features> = match rows {
            SampleRows::Lists(values) => Box::new(Dense::new(values, self.dim).map_err(impossible)?),
            SampleRows::Objects { starts, columns, values } => {
                Box::new(Sparse::new(starts, columns, values, self.dim).map_err(impossible)?)
            }
        };
        let rows = (0..labels.len()).collect();
        let samples = self.scaling.apply(Arc::new(Samples { features, labels })).map_err(impossible)?;
        Ok((round, SampleCost { samples, rows }))
    }

    /// The longest line, in bytes: every number in its longest spelling, with its column.
    pub fn longest(&self) -> usize {
        const ENTRY: usize = 40; // "4294967295": -2.2250738585072014e-308,
        self.dim.saturating_mul(ENTRY).saturating_add(ENTRY).saturating_mul(self.batch).saturating_add(128)
    }
}

/// Reads costs until the input ends or the receiver is gone. Waits while the channel is full, so that the writer waits too.
/// Lines that are not a valid cost are counted, logged and skipped.
pub async fn read_lines(
    mut reader: impl AsyncBufRead + Unpin,
    form: Form,
    to: mpsc::Sender<Arrival>,
    board: Board,
) -> io::Result<()> {
    let mut lines = Splitter::new(form.longest());
    loop {
        let mut some = reader.fill_buf().await?;
        let (length, ended) = (some.len(), some.is_empty());
        while let Some(piece) = if ended { lines.end() } else { lines.next(&mut some) } {
            match piece.read(&form) {
                (_, Ok((round, cost))) => {
                    if to.send(Arrival { round, cost, answer: None }).await.is_err() {
                        return Ok(());
                    }
                }
                (line, Err(wrong)) => note_malformed(&board, line, &wrong),
            }
        }
        if ended {
            return Ok(());
        }
        reader.consume(length);
    }
}

impl LinePiece<'_> {
    /// The number of the line, and its cost.
    pub(crate) fn read(&self, form: &Form) -> (u64, Result<(Option<u64>, SampleCost), Wrong>) {
        match self {
            Self::Line(number, line) => (*number, form.read(line)),
            Self::Long(number) => (*number, Err(Wrong::Long(form.longest()))),
        }
    }
}

/// Counts and logs a malformed line. Many malformed lines do not fill the disk with logs.
pub(crate) fn note_malformed(board: &Board, line: u64, wrong: &Wrong) {
    let mut count = 0;
    board.change(|now| {
        now.stream.malformed += 1;
        count = now.stream.malformed;
    });
    if count <= 16 || count.is_power_of_two() {
        let more = if count == 16 { " (from now on only the 32nd, 64th and so on are logged)" } else { "" };
        tracing::warn!(line, malformed = count, "skipped a line that is not a valid cost: {wrong}{more}");
    }
}

#[cfg(test)]
#[path = "lines/tests.rs"]
mod tests;
