//! The samples of a line, all as lists or all as objects.

use std::fmt;

use serde::de::{self, DeserializeSeed, SeqAccess, Visitor};

use super::super::{RowName, Wrong};
use super::LineReader;
use super::place::Spot;
use super::row::{Row, RowSeed};

/// Samples, dense or sparse as in the line.
pub(in crate::lines) enum SampleRows {
    /// All numbers, one row after the other.
    Lists(Vec<f64>),
    /// As [`dpsda::features::sparse::Sparse`] has them.
    Objects { starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64> },
}

/// The samples and their number.
pub(super) struct Matrix<'a>(pub(super) &'a LineReader<'a>);

impl<'de> DeserializeSeed<'de> for Matrix<'_> {
    type Value = (SampleRows, usize);

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Matrix<'_> {
    type Value = (SampleRows, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Spot::Samples.wants())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let (mut rows, mut samples) = (None, 0);
        loop {
            self.0.at.set(Spot::Row(RowName::Sample(samples + 1)));
            let Some(row) = list.next_element_seed(SampleSeed { reader: self.0, sample: samples + 1 })?
            else {
                return Ok((rows.unwrap_or(SampleRows::Lists(Vec::new())), samples));
            };
            samples += 1;
            if !add(&mut rows, row) {
                return Err(self.0.refuse(Wrong::Mixed(samples)));
            }
        }
    }
}

/// Adds a row to the earlier ones. False if it is of another kind.
fn add(rows: &mut Option<SampleRows>, row: Row) -> bool {
    let none = match row {
        Row::List(_) => SampleRows::Lists(Vec::new()),
        Row::Object(_) => SampleRows::Objects { starts: vec![0], columns: Vec::new(), values: Vec::new() },
    };
    match (rows.get_or_insert(none), row) {
        (SampleRows::Lists(all), Row::List(numbers)) => all.extend(numbers),
        (SampleRows::Objects { starts, columns, values }, Row::Object(entries)) => {
            for (column, value) in entries {
                columns.push(column);
                values.push(value);
            }
            starts.push(columns.len());
        }
        _ => return false,
    }
    true
}

/// One sample, if the line may have that many.
struct SampleSeed<'a> {
    reader: &'a LineReader<'a>,
    sample: usize,
}

impl<'de> DeserializeSeed<'de> for SampleSeed<'_> {
    type Value = Row;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Row, D::Error> {
        let Self { reader, sample } = self;
        let form = reader.sample_form();
        if sample > form.batch {
            return Err(reader.refuse(Wrong::Samples(form.batch)));
        }
        RowSeed { reader, name: RowName::Sample(sample), len: form.dim }.deserialize(json)
    }
}
