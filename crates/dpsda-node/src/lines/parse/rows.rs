//! The samples of a line, as lists or as objects.

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::super::{HowMany, Wrong};
use super::Reader;
use super::place::Spot;

/// Samples, dense or sparse as in the line.
pub(in crate::lines) enum SampleRows {
    /// All numbers, one row after the other.
    Lists(Vec<f64>),
    /// As [`dpsda::features::sparse::Sparse`] has them.
    Objects { starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64> },
}

/// The samples and their number.
pub(super) struct Matrix<'a>(pub(super) &'a Reader<'a>);

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
            self.0.at.set(Spot::Sample(samples + 1));
            if list
                .next_element_seed(SampleSeed { reader: self.0, sample: samples + 1, rows: &mut rows })?
                .is_none()
            {
                return Ok((rows.unwrap_or(SampleRows::Lists(Vec::new())), samples));
            }
            samples += 1;
        }
    }
}

/// A sample, added to the earlier ones.
struct SampleSeed<'a> {
    reader: &'a Reader<'a>,
    sample: usize,
    rows: &'a mut Option<SampleRows>,
}

impl<'de> DeserializeSeed<'de> for SampleSeed<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        let batch = self.reader.sample_form().batch;
        if self.sample > batch {
            return Err(self.reader.refuse(Wrong::Samples(batch)));
        }
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SampleSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Spot::Sample(0).wants())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { reader, sample, rows } = self;
        let SampleRows::Lists(values) = rows.get_or_insert_with(|| SampleRows::Lists(Vec::new())) else {
            return Err(reader.refuse(Wrong::Mixed(sample)));
        };
        let (mut found, expected) = (0, reader.sample_form().dim);
        loop {
            reader.at.set(Spot::Number(sample, found + 1));
            let Some(value) = list.next_element_seed(Number)? else { break };
            if found == expected {
                return Err(reader.refuse(Wrong::Numbers {
                    sample,
                    found: HowMany::Over(expected),
                    expected,
                }));
            }
            values.push(value);
            found += 1;
        }
        if found < expected {
            return Err(reader.refuse(Wrong::Numbers { sample, found: HowMany::Exactly(found), expected }));
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { reader, sample, rows } = self;
        let none = || SampleRows::Objects { starts: vec![0], columns: Vec::new(), values: Vec::new() };
        let SampleRows::Objects { starts, columns, values } = rows.get_or_insert_with(none) else {
            return Err(reader.refuse(Wrong::Mixed(sample)));
        };
        let mut row: Vec<(u32, f64)> = Vec::new();
        while let Some(column) = map.next_key_seed(ColumnKey { reader, sample, entry: row.len() + 1 })? {
            reader.at.set(Spot::Number(sample, row.len() + 1));
            let value = map.next_value_seed(Number)?;
            if row.len() == reader.sample_form().dim {
                return Err(reader.refuse(Wrong::ColumnTwice(sample))); // there are not that many columns
            }
            row.push((column, value));
            reader.at.set(Spot::Sample(sample));
        }
        row.sort_unstable_by_key(|(column, _)| *column);
        if !row.is_sorted_by(|(a, _), (b, _)| a < b) {
            return Err(reader.refuse(Wrong::ColumnTwice(sample)));
        }
        for (column, value) in row {
            columns.push(column);
            values.push(value);
        }
        starts.push(columns.len());
        Ok(())
    }
}

/// A number. JSON has finite numbers only, but they can be too large for f64.
pub(super) struct Number;

impl<'de> DeserializeSeed<'de> for Number {
    type Value = f64;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<f64, D::Error> {
        json.deserialize_f64(self)
    }
}

impl Visitor<'_> for Number {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a finite number")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
        if value.is_finite() { Ok(value) } else { Err(E::custom("")) }
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }
}

/// The key of an entry.
struct ColumnKey<'a> {
    reader: &'a Reader<'a>,
    sample: usize,
    entry: usize,
}

impl<'de> DeserializeSeed<'de> for ColumnKey<'_> {
    type Value = u32;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<u32, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for ColumnKey<'_> {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a column")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<u32, E> {
        let Self { reader, sample, entry } = self;
        let dim = reader.sample_form().dim;
        key.parse()
            .ok()
            .filter(|column| (*column as usize) < dim)
            .ok_or_else(|| reader.refuse(Wrong::Column { sample, entry, last: dim.saturating_sub(1) }))
    }
}
