//! Reads one line, number by number. Nothing is kept beyond what a cost may have. Messages of the JSON reader are not passed on,
//! because they quote the values they found.

mod labels;
mod place;
mod row;
mod rows;

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, Visitor};
use serde_json::error::Category;

use super::{Form, RowName, SampleForm, Wrong};
use crate::stream::EstimateDigest;
use labels::LabelList;
use place::Spot;
use row::{Row, RowSeed};
use rows::Matrix;
pub(super) use rows::SampleRows;

/// The content of a line.
pub(super) struct CostLine {
    pub(super) round: Option<u64>,
    /// The estimate that a gradient or two values were taken at.
    pub(super) at: Option<EstimateDigest>,
    pub(super) content: CostContent,
}

/// What a line says about the cost.
pub(super) enum CostContent {
    /// Samples and their labels.
    Samples(SampleRows, Vec<f64>),
    /// A gradient; an empty `public` is zero.
    Gradient { own: Vec<f64>, public: Vec<f64> },
    /// Values at two points.
    Values([f64; 2]),
}

/// The state while a line is read.
struct LineReader<'a> {
    form: &'a Form,
    at: Cell<Spot>,
    wrong: RefCell<Option<Wrong>>,
}

/// Reads all of a line.
pub(super) fn line(form: &Form, bytes: &[u8]) -> Result<CostLine, Wrong> {
    let reader = LineReader { form, at: Cell::new(Spot::Line), wrong: RefCell::new(None) };
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = de::Deserializer::deserialize_map(&mut json, LineVisitor(&reader)).and_then(|line| {
        reader.at.set(Spot::Line);
        json.end().map(|()| line)
    });
    let read = read.map_err(|error| {
        let place = reader.at.get();
        let found = reader.wrong.take();
        found.unwrap_or_else(|| match error.classify() {
            Category::Data => Wrong::Kind(format!("{place} is not {}", place.wants())),
            _ => Wrong::Json { column: error.column(), place: place.to_string() },
        })
    });
    read?.whole(form)
}

impl LineReader<'_> {
    /// The form of samples. Keys are checked first, so a run without samples never asks.
    fn sample_form(&self) -> SampleForm {
        self.form.samples.unwrap_or(SampleForm { dim: 0, batch: 0, classifies: false })
    }

    /// One number per coordinate of the node's block. Places that an object leaves out are zero.
    fn block(&self, key: LineKey) -> RowSeed<'_> {
        let len = self.form.slope.map_or(0, |form| form.block);
        RowSeed { reader: self, name: RowName::Key(key.name()), len }
    }

    /// Records the error. The error that is returned only stops the JSON reader.
    fn refuse<E: de::Error>(&self, wrong: Wrong) -> E {
        *self.wrong.borrow_mut() = Some(wrong);
        E::custom("")
    }
}

/// The keys of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKey {
    Round,
    Estimate,
    Samples,
    Labels,
    Gradient,
    Public,
    Values,
}

impl LineKey {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Round, "t"),
        (Self::Estimate, "at"),
        (Self::Samples, "x"),
        (Self::Labels, "y"),
        (Self::Gradient, "gradient"),
        (Self::Public, "public"),
        (Self::Values, "values"),
    ];

    fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name)| *name == word).map(|(key, _)| *key)
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(key, _)| *key == self).map_or("", |(_, name)| name)
    }

    /// Whether lines of this form may have the key.
    fn check(self, form: &Form) -> Result<(), Wrong> {
        let two_point = form.slope.map(|slope| slope.two_point);
        let (taken, remedy) = match self {
            Self::Round => (true, ""),
            Self::Estimate => (form.slope.is_some(), form.not_slope()),
            Self::Samples | Self::Labels => (form.samples.is_some(), form.not_samples()),
            Self::Gradient | Self::Public => (two_point == Some(false), form.not_slope()),
            Self::Values => (two_point == Some(true), form.not_slope()),
        };
        if taken { Ok(()) } else { Err(Wrong::Unwanted { key: self.name(), remedy }) }
    }
}

/// What the keys of a line held.
#[derive(Default)]
struct LineParts {
    round: Option<u64>,
    at: Option<EstimateDigest>,
    rows: Option<(SampleRows, usize)>,
    labels: Option<Vec<f64>>,
    gradient: Option<Vec<f64>>,
    public: Option<Vec<f64>>,
    values: Option<[f64; 2]>,
}

impl LineParts {
    fn holds(&self, key: LineKey) -> bool {
        match key {
            LineKey::Round => self.round.is_some(),
            LineKey::Estimate => self.at.is_some(),
            LineKey::Samples => self.rows.is_some(),
            LineKey::Labels => self.labels.is_some(),
            LineKey::Gradient => self.gradient.is_some(),
            LineKey::Public => self.public.is_some(),
            LineKey::Values => self.values.is_some(),
        }
    }

    /// The line, if its keys go together.
    fn whole(self, form: &Form) -> Result<CostLine, Wrong> {
        use LineKey::{Gradient, Labels, Public, Samples, Values};
        let first = |keys: &[LineKey]| keys.iter().find(|key| self.holds(**key)).map(|key| key.name());
        let kinds = [first(&[Samples, Labels]), first(&[Gradient, Public]), first(&[Values])];
        if let [one, other, ..] = kinds.into_iter().flatten().collect::<Vec<_>>()[..] {
            return Err(Wrong::Both(one, other));
        }
        let slope = self.holds(Gradient) || self.holds(Public) || self.holds(Values);
        if slope && self.round.is_none() {
            return Err(Wrong::Roundless);
        }
        if self.at.is_some() && !slope {
            return Err(Wrong::AtAlone);
        }
        let (round, at) = (self.round, self.at);
        let content = match (self.gradient, self.public, self.values) {
            (Some(own), public, _) => CostContent::Gradient { own, public: public.unwrap_or_default() },
            (None, Some(_), _) => return Err(Wrong::Alone),
            (None, None, Some(values)) => CostContent::Values(values),
            (None, None, None) if form.samples.is_none() => return Err(Wrong::Empty(form.not_samples())),
            (None, None, None) => {
                let (rows, samples) = self.rows.unwrap_or((SampleRows::Lists(Vec::new()), 0));
                let labels = self.labels.unwrap_or_default();
                if labels.len() != samples {
                    return Err(Wrong::Labels { samples, labels: labels.len() });
                }
                CostContent::Samples(rows, labels)
            }
        };
        Ok(CostLine { round, at, content })
    }
}

struct LineVisitor<'a>(&'a LineReader<'a>);

impl<'de> Visitor<'de> for LineVisitor<'_> {
    type Value = LineParts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Spot::Line.wants())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LineParts, A::Error> {
        let reader = self.0;
        let mut parts = LineParts::default();
        while let Some(key) = map.next_key_seed(Word(reader))? {
            let Some(key) = key else { return Err(reader.refuse(Wrong::Key)) };
            if parts.holds(key) {
                return Err(reader.refuse(Wrong::Twice(key.name())));
            }
            key.check(reader.form).map_err(|wrong| reader.refuse(wrong))?;
            reader.at.set(Spot::of(key));
            match key {
                LineKey::Round => parts.round = Some(map.next_value::<u64>()?),
                LineKey::Samples => parts.rows = Some(map.next_value_seed(Matrix(reader))?),
                LineKey::Labels => parts.labels = Some(map.next_value_seed(LabelList(reader))?),
                LineKey::Estimate => parts.at = Some(map.next_value_seed(WrittenDigits)?),
                LineKey::Gradient | LineKey::Public => {
                    let seed = reader.block(key);
                    let numbers = Some(seed.filled(map.next_value_seed(seed)?));
                    if key == LineKey::Gradient { parts.gradient = numbers } else { parts.public = numbers }
                }
                LineKey::Values => {
                    let seed = RowSeed { len: 2, ..reader.block(key) };
                    parts.values = match map.next_value_seed(seed)? {
                        Row::List(values) => <[f64; 2]>::try_from(values).ok(),
                        Row::Object(_) => return Err(reader.refuse(Wrong::Pair)),
                    };
                }
            }
            reader.at.set(Spot::Line);
        }
        Ok(parts)
    }
}

/// A key of the line; None for an unknown one.
struct Word<'a>(&'a LineReader<'a>);

impl<'de> DeserializeSeed<'de> for Word<'_> {
    type Value = Option<LineKey>;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Word<'_> {
    type Value = Option<LineKey>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        self.0.at.set(Spot::Line);
        Ok(LineKey::named(key))
    }
}

/// The digest of an estimate.
struct WrittenDigits;

impl<'de> DeserializeSeed<'de> for WrittenDigits {
    type Value = EstimateDigest;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for WrittenDigits {
    type Value = EstimateDigest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Spot::Estimate.wants())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        EstimateDigest::parse(text).ok_or_else(|| E::custom(""))
    }
}
