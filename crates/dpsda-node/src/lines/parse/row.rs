//! A row of numbers, as a list or as an object: a sample, a gradient, or two values.

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::super::{HowMany, RowName, Wrong};
use super::LineReader;
use super::place::Spot;

/// Reads a row of `len` numbers.
#[derive(Clone, Copy)]
pub(super) struct RowSeed<'a> {
    pub(super) reader: &'a LineReader<'a>,
    pub(super) name: RowName,
    pub(super) len: usize,
}

/// A row as it is written.
pub(super) enum Row {
    /// All its numbers.
    List(Vec<f64>),
    /// The numbers that it names, by rising place.
    Object(Vec<(u32, f64)>),
}

impl RowSeed<'_> {
    fn wrong<E: de::Error>(&self, found: HowMany) -> E {
        self.reader.refuse(Wrong::Numbers { row: self.name, found, expected: self.len })
    }

    /// The row with all its numbers.
    pub(super) fn filled(&self, row: Row) -> Vec<f64> {
        match row {
            Row::List(numbers) => numbers,
            Row::Object(entries) => {
                let mut numbers = vec![0.0; self.len];
                for (place, number) in entries {
                    numbers[place as usize] = number; // places were checked
                }
                numbers
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = Row;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Row, D::Error> {
        self.reader.at.set(Spot::Row(self.name));
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = Row;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Spot::Row(self.name).wants())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Row, A::Error> {
        let mut numbers = Vec::new();
        loop {
            self.reader.at.set(Spot::Number(self.name, numbers.len() + 1));
            let Some(number) = list.next_element_seed(Number)? else { break };
            if numbers.len() == self.len {
                return Err(self.wrong(HowMany::Over(self.len)));
            }
            numbers.push(number);
        }
        if numbers.len() < self.len {
            return Err(self.wrong(HowMany::Exactly(numbers.len())));
        }
        Ok(Row::List(numbers))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
        let twice = || self.reader.refuse(Wrong::Twofold(self.name));
        let mut entries: Vec<(u32, f64)> = Vec::new();
        while let Some(place) = map.next_key_seed(PlaceKey { row: self, entry: entries.len() + 1 })? {
            self.reader.at.set(Spot::Number(self.name, entries.len() + 1));
            let number = map.next_value_seed(Number)?;
            if entries.len() == self.len {
                return Err(twice()); // there are not that many places
            }
            entries.push((place, number));
            self.reader.at.set(Spot::Row(self.name));
        }
        entries.sort_unstable_by_key(|(place, _)| *place);
        if !entries.is_sorted_by(|(a, _), (b, _)| a < b) {
            return Err(twice());
        }
        Ok(Row::Object(entries))
    }
}

/// The key of an entry: its place in the row.
struct PlaceKey<'a> {
    row: RowSeed<'a>,
    entry: usize,
}

impl<'de> DeserializeSeed<'de> for PlaceKey<'_> {
    type Value = u32;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<u32, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for PlaceKey<'_> {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a place in the row")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<u32, E> {
        let RowSeed { reader, name, len } = self.row;
        let place = key.parse().ok().filter(|place| (*place as usize) < len);
        let last = len.saturating_sub(1);
        place.ok_or_else(|| reader.refuse(Wrong::Place { row: name, entry: self.entry, last }))
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
