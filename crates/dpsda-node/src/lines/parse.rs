//! Reads one line, number by number. Nothing is kept beyond what a cost may have. Messages of the JSON reader are not passed on,
//! because they quote the values they found.

mod rows;

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use super::{Form, Wrong};
pub(super) use rows::SampleRows;
use rows::{Matrix, Number};

/// The content of a line.
pub(super) struct CostLine {
    pub(super) round: Option<u64>,
    pub(super) rows: SampleRows,
    pub(super) labels: Vec<f64>,
}

/// Where the reader is, so that an error can say what is expected there.
#[derive(Clone, Copy)]
enum Spot {
    Line,
    Round,
    Samples,
    Sample(usize),
    Number(usize, usize),
    Labels,
    Label(usize),
}

impl fmt::Display for Spot {
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

impl Spot {
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

/// The state while a line is read.
struct Reader<'a> {
    form: &'a Form,
    at: Cell<Spot>,
    wrong: RefCell<Option<Wrong>>,
}

/// Reads all of a line.
pub(super) fn line(form: &Form, bytes: &[u8]) -> Result<CostLine, Wrong> {
    let reader = Reader { form, at: Cell::new(Spot::Line), wrong: RefCell::new(None) };
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = de::Deserializer::deserialize_map(&mut json, LineVisitor(&reader)).and_then(|line| {
        reader.at.set(Spot::Line);
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
    /// Records the error. The error that is returned only stops the JSON reader.
    fn refuse<E: de::Error>(&self, wrong: Wrong) -> E {
        *self.wrong.borrow_mut() = Some(wrong);
        E::custom("")
    }
}

struct LineVisitor<'a>(&'a Reader<'a>);

impl<'de> Visitor<'de> for LineVisitor<'_> {
    type Value = CostLine;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Spot::Line.wants())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CostLine, A::Error> {
        let (mut round, mut rows, mut labels) = (None, None, None);
        let twice = |key| Err(self.0.refuse(Wrong::Twice(key)));
        while let Some(key) = map.next_key_seed(Word(self.0))? {
            match key {
                Some('t') if round.is_some() => return twice("t"),
                Some('x') if rows.is_some() => return twice("x"),
                Some('y') if labels.is_some() => return twice("y"),
                Some('t') => {
                    self.0.at.set(Spot::Round);
                    round = Some(map.next_value::<u64>()?);
                }
                Some('x') => {
                    self.0.at.set(Spot::Samples);
                    rows = Some(map.next_value_seed(Matrix(self.0))?);
                }
                Some('y') => {
                    self.0.at.set(Spot::Labels);
                    labels = Some(map.next_value_seed(LabelList(self.0))?);
                }
                _ => return Err(self.0.refuse(Wrong::Key)),
            }
            self.0.at.set(Spot::Line);
        }
        let (rows, samples) = rows.unwrap_or((SampleRows::Lists(Vec::new()), 0));
        let labels: Vec<f64> = labels.unwrap_or_default();
        if labels.len() != samples {
            return Err(self.0.refuse(Wrong::Labels { samples, labels: labels.len() }));
        }
        Ok(CostLine { round, rows, labels })
    }
}

/// A key of the line: its letter, or None for an unknown key.
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
        self.0.at.set(Spot::Line);
        Ok(match key {
            "t" => Some('t'),
            "x" => Some('x'),
            "y" => Some('y'),
            _ => None,
        })
    }
}

/// The labels.
struct LabelList<'a>(&'a Reader<'a>);

impl<'de> DeserializeSeed<'de> for LabelList<'_> {
    type Value = Vec<f64>;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for LabelList<'_> {
    type Value = Vec<f64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Spot::Labels.wants())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let Form { batch, classifies, .. } = *self.0.form;
        let mut labels: Vec<f64> = Vec::new();
        loop {
            self.0.at.set(Spot::Label(labels.len() + 1));
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
