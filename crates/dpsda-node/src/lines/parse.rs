//! One line, read number by number. Nothing is kept beyond what a cost may have, and no message of the JSON reader is passed
//! on, for those quote what they found.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use super::{Count, Form, Wrong};

/// What a line says.
pub(super) struct Line {
    pub(super) round: Option<u64>,
    pub(super) rows: Rows,
    pub(super) labels: Vec<f64>,
}

/// Samples, in the way they were written.
pub(super) enum Rows {
    /// One after the other.
    Lists(Vec<f64>),
    /// As [`dpsda::features::sparse::Sparse`] has them.
    Objects { starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64> },
}

/// Where the reader is, so that it can be said what belongs there.
#[derive(Clone, Copy)]
enum Place {
    Line,
    Round,
    Samples,
    Sample(usize),
    Number(usize, usize),
    Labels,
    Label(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line => f.write_str("the line"),
            Self::Round => f.write_str("\"t\""),
            Self::Samples => f.write_str("\"x\""),
            Self::Sample(k) => write!(f, "sample {k}"),
            Self::Number(k, j) => write!(f, "sample {k}, number {j}"),
            Self::Labels => f.write_str("\"y\""),
            Self::Label(k) => write!(f, "label {k}"),
        }
    }
}

impl Place {
    fn wants(self) -> &'static str {
        match self {
            Self::Line => "an object such as {\"x\": [[0.5, 1]], \"y\": [1]}",
            Self::Round => "a whole number from 0 on, the round",
            Self::Samples => "a list of samples",
            Self::Sample(_) => "a list of numbers, or an object such as {\"3\": 0.5}",
            Self::Number(..) | Self::Label(_) => "a finite number",
            Self::Labels => "a list of labels",
        }
    }
}

/// What is known while a line is read.
struct Reader<'a> {
    form: &'a Form,
    at: Cell<Place>,
    wrong: RefCell<Option<Wrong>>,
}

/// Reads all of a line.
pub(super) fn line(form: &Form, bytes: &[u8]) -> Result<Line, Wrong> {
    let reader = Reader { form, at: Cell::new(Place::Line), wrong: RefCell::new(None) };
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = de::Deserializer::deserialize_map(&mut json, Whole(&reader)).and_then(|line| {
        reader.at.set(Place::Line);
        json.end().map(|()| line)
    });
    read.map_err(|error| {
        let place = reader.at.get();
        let found = reader.wrong.take();
        found.unwrap_or_else(|| match error.classify() {
            Category::Data => Wrong::Kind(format!("{place} is not {}", place.wants())),
            _ => Wrong::Json { column: error.column(), place: place.to_string() },
        })
    })
}

impl Reader<'_> {
    /// Remembers what is wrong; the JSON reader only has to stop.
    fn refuse<E: de::Error>(&self, wrong: Wrong) -> E {
        *self.wrong.borrow_mut() = Some(wrong);
        E::custom("")
    }
}

struct Whole<'a>(&'a Reader<'a>);

impl<'de> Visitor<'de> for Whole<'_> {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Place::Line.wants())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line, A::Error> {
        let (mut round, mut rows, mut labels) = (None, None, None);
        let twice = |key| Err(self.0.refuse(Wrong::Twice(key)));
        while let Some(key) = map.next_key_seed(Word(self.0))? {
            match key {
                Some('t') if round.is_some() => return twice("t"),
                Some('x') if rows.is_some() => return twice("x"),
                Some('y') if labels.is_some() => return twice("y"),
                Some('t') => {
                    self.0.at.set(Place::Round);
                    round = Some(map.next_value::<u64>()?);
                }
                Some('x') => {
                    self.0.at.set(Place::Samples);
                    rows = Some(map.next_value_seed(Matrix(self.0))?);
                }
                Some('y') => {
                    self.0.at.set(Place::Labels);
                    labels = Some(map.next_value_seed(Labels(self.0))?);
                }
                _ => return Err(self.0.refuse(Wrong::Key)),
            }
            self.0.at.set(Place::Line);
        }
        let (rows, samples) = rows.unwrap_or((Rows::Lists(Vec::new()), 0));
        let labels: Vec<f64> = labels.unwrap_or_default();
        if labels.len() != samples {
            return Err(self.0.refuse(Wrong::Labels { samples, labels: labels.len() }));
        }
        Ok(Line { round, rows, labels })
    }
}

/// A key of the line by its letter; nothing for another.
struct Word<'a>(&'a Reader<'a>);

impl<'de> DeserializeSeed<'de> for Word<'_> {
    type Value = Option<char>;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Word<'_> {
    type Value = Option<char>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        self.0.at.set(Place::Line);
        Ok(match key {
            "t" => Some('t'),
            "x" => Some('x'),
            "y" => Some('y'),
            _ => None,
        })
    }
}

/// The samples, and how many.
struct Matrix<'a>(&'a Reader<'a>);

impl<'de> DeserializeSeed<'de> for Matrix<'_> {
    type Value = (Rows, usize);

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Matrix<'_> {
    type Value = (Rows, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Place::Samples.wants())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let (mut rows, mut samples) = (None, 0);
        loop {
            self.0.at.set(Place::Sample(samples + 1));
            if list.next_element_seed(Row { reader: self.0, sample: samples + 1, rows: &mut rows })?.is_none()
            {
                return Ok((rows.unwrap_or(Rows::Lists(Vec::new())), samples));
            }
            samples += 1;
        }
    }
}

/// A sample, added to those before it.
struct Row<'a> {
    reader: &'a Reader<'a>,
    sample: usize,
    rows: &'a mut Option<Rows>,
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        if self.sample > self.reader.form.batch {
            return Err(self.reader.refuse(Wrong::Samples(self.reader.form.batch)));
        }
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Place::Sample(0).wants())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { reader, sample, rows } = self;
        let Rows::Lists(values) = rows.get_or_insert_with(|| Rows::Lists(Vec::new())) else {
            return Err(reader.refuse(Wrong::Mixed(sample)));
        };
        let (mut found, expected) = (0, reader.form.dim);
        loop {
            reader.at.set(Place::Number(sample, found + 1));
            let Some(value) = list.next_element_seed(Number)? else { break };
            if found == expected {
                return Err(reader.refuse(Wrong::Numbers { sample, found: Count::Over(expected), expected }));
            }
            values.push(value);
            found += 1;
        }
        if found < expected {
            return Err(reader.refuse(Wrong::Numbers { sample, found: Count::Exactly(found), expected }));
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { reader, sample, rows } = self;
        let none = || Rows::Objects { starts: vec![0], columns: Vec::new(), values: Vec::new() };
        let Rows::Objects { starts, columns, values } = rows.get_or_insert_with(none) else {
            return Err(reader.refuse(Wrong::Mixed(sample)));
        };
        let mut row: Vec<(u32, f64)> = Vec::new();
        while let Some(column) = map.next_key_seed(Column { reader, sample, entry: row.len() + 1 })? {
            reader.at.set(Place::Number(sample, row.len() + 1));
            let value = map.next_value_seed(Number)?;
            if row.len() == reader.form.dim {
                return Err(reader.refuse(Wrong::ColumnTwice(sample))); // for there are no more columns than that
            }
            row.push((column, value));
            reader.at.set(Place::Sample(sample));
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

/// A number. JSON has no others than finite ones, but may spell those that f64 does not have.
struct Number;

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
struct Column<'a> {
    reader: &'a Reader<'a>,
    sample: usize,
    entry: usize,
}

impl<'de> DeserializeSeed<'de> for Column<'_> {
    type Value = u32;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<u32, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Column<'_> {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a column")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<u32, E> {
        let Self { reader, sample, entry } = self;
        let dim = reader.form.dim;
        key.parse()
            .ok()
            .filter(|column| (*column as usize) < dim)
            .ok_or_else(|| reader.refuse(Wrong::Column { sample, entry, last: dim.saturating_sub(1) }))
    }
}

/// The labels.
struct Labels<'a>(&'a Reader<'a>);

impl<'de> DeserializeSeed<'de> for Labels<'_> {
    type Value = Vec<f64>;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Labels<'_> {
    type Value = Vec<f64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Place::Labels.wants())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let Form { batch, classifies, .. } = *self.0.form;
        let mut labels: Vec<f64> = Vec::new();
        loop {
            self.0.at.set(Place::Label(labels.len() + 1));
            let Some(label) = list.next_element_seed(Number)? else { break };
            if labels.len() == batch {
                return Err(self.0.refuse(Wrong::Samples(batch)));
            }
            if classifies && label.abs() != 1.0 {
                return Err(self.0.refuse(Wrong::Class(labels.len() + 1)));
            }
            labels.push(label);
        }
        Ok(labels)
    }
}
