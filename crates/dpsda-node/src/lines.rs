//! Costs as JSON lines: `{"t": 12, "x": [[0.5, 0, 1], [0, 1, 0]], "y": [1, -1]}` is the cost of a round, one row per sample.
//!
//! `t`, the round, may be left out: the cost is then for the next round. A sample with many zeros may be written as
//! `{"2": 1}`, with columns counted from 0. Without samples (`{}`) the cost is zero.
//!
//! In place of samples a line may carry the node's own partial gradient at its estimate, `{"t": 12, "gradient": [0.5, 0]}` or
//! `{"t": 12, "gradient": {"0": 0.5}}`, with what depends on public data alone beside it as `"public"`; or, with two-point
//! feedback, the two values `{"t": 12, "values": [1.5, 1.25]}`. Such a line names its round, and may name the estimate, as `"at"`.
//!
//! Errors name the place in a line, never the value: a cost is the host's secret, and errors end up in logs.

mod form;
mod parse;
pub(crate) mod split;

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};
use tokio::sync::mpsc;

use crate::board::Board;
use crate::stream::{Arrival, GivenCost};
use split::{LinePiece, Splitter};

pub use form::{Form, SampleForm, SlopeForm};

/// Why a line is not a valid cost. Samples, numbers and labels are counted from 1. Messages never contain a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// The wrong kind of value at some place.
    #[error("{0}")]
    Kind(String),
    /// Not JSON.
    #[error(
        "not valid JSON from byte {column} on ({place}); JSON has no NaN and no infinity, and numbers go up to 1.8e308"
    )]
    Json {
        /// Where it stops being JSON.
        column: usize,
        /// What was being read.
        place: String,
    },
    /// An unknown key.
    #[error("a key other than \"t\", \"at\", \"x\", \"y\", \"gradient\", \"public\" and \"values\"")]
    Key,
    /// A key that another kind of run takes.
    #[error("\"{key}\" is not what this run takes: {remedy}")]
    Unwanted {
        /// The key.
        key: &'static str,
        /// What to send.
        remedy: &'static str,
    },
    /// Two kinds of costs in one line.
    #[error("\"{0}\" and \"{1}\" in one line: a line has samples, or a gradient, or two values")]
    Both(&'static str, &'static str),
    /// A public part, and nothing that it is a part of.
    #[error("\"public\" without \"gradient\": send an empty gradient, {{}}, if it is zero")]
    Alone,
    /// A gradient or values without a round.
    #[error(
        "\"t\" is missing: a gradient or two values name the round of the estimate that they were taken at"
    )]
    Roundless,
    /// None of the keys that make a cost.
    #[error("there is no cost in the line: {0}")]
    Empty(&'static str),
    /// An estimate, and nothing that was taken at it.
    #[error("\"at\" without a gradient or two values: only these are taken at an estimate (leave it out)")]
    AtAlone,
    /// Two values that are not a list.
    #[error("\"values\" is not a list of two numbers")]
    Pair,
    /// A row that is too long or too short.
    #[error("{row} has {found} numbers, expected {expected}{}", .row.what())]
    Numbers {
        /// Which row.
        row: RowName,
        /// How many numbers it has.
        found: HowMany,
        /// How many it should have.
        expected: usize,
    },
    /// An entry of a row at a place that does not exist.
    #[error("{row}, entry {entry}: its key is not a {}, a whole number from 0 to {last}", .row.place())]
    Place {
        /// Which row.
        row: RowName,
        /// Which of its entries.
        entry: usize,
        /// The last place.
        last: usize,
    },
    /// A place in a row with two values.
    #[error("{0} names a {place} twice", place = .0.place())]
    Twofold(RowName),
    /// The same key twice.
    #[error("the key \"{0}\" appears twice")]
    Twice(&'static str),
    /// More samples than a round may have.
    #[error("more than {0} samples, the most that a round may have (the manifest's batch)")]
    Samples(usize),
    /// Samples of both kinds.
    #[error("sample {0} is of another kind than the first: either all samples are lists, or all are objects")]
    Mixed(usize),
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

/// A row of numbers in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowName {
    /// A sample, counted from 1.
    Sample(usize),
    /// The value of this key: a gradient, its public part, or two values.
    Key(&'static str),
}

impl RowName {
    /// What a place in it is called.
    fn place(&self) -> &'static str {
        match self {
            Self::Sample(_) => "column",
            Self::Key(_) => "position in this node's block",
        }
    }

    /// What its numbers are, where that helps.
    fn what(&self) -> &'static str {
        match self {
            Self::Sample(_) => "",
            Self::Key("values") => ", one for each of the two points",
            Self::Key(_) => ", the coordinates of this node's block",
        }
    }
}

impl std::fmt::Display for RowName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sample(k) => write!(f, "sample {k}"),
            Self::Key(key) => write!(f, "\"{key}\""),
        }
    }
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
    pub(crate) fn read(&self, form: &Form) -> (u64, Result<(Option<u64>, GivenCost), Wrong>) {
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
mod tests;
