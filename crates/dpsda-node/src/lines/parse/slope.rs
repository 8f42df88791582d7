//! A gradient, as a list or as an object, and a pair of values.

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::super::{HowMany, Wrong};
use super::place::Spot;
use super::rows::Number;
use super::{LineKey, Reader};

/// One number per coordinate of the node's block. Positions that an object leaves out are zero.
pub(super) struct BlockVector<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) key: LineKey,
}

impl BlockVector<'_> {
    fn len(&self) -> usize {
        self.reader.form.slope.map_or(0, |form| form.block)
    }
}

impl<'de> DeserializeSeed<'de> for BlockVector<'_> {
    type Value = Vec<f64>;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Vec<f64>, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BlockVector<'_> {
    type Value = Vec<f64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Spot::Vector("").wants())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<f64>, A::Error> {
        let (part, expected) = (self.key.name(), self.len());
        let wrong = |found| self.reader.refuse(Wrong::Length { part, found, expected });
        let mut numbers = Vec::new();
        loop {
            self.reader.at.set(Spot::Entry(part, numbers.len() + 1));
            let Some(number) = list.next_element_seed(Number)? else { break };
            if numbers.len() == expected {
                return Err(wrong(HowMany::Over(expected)));
            }
            numbers.push(number);
        }
        if numbers.len() < expected {
            return Err(wrong(HowMany::Exactly(numbers.len())));
        }
        Ok(numbers)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<f64>, A::Error> {
        let (part, reader) = (self.key.name(), self.reader);
        let mut numbers: Vec<Option<f64>> = vec![None; self.len()];
        let mut entry = 1;
        while let Some(position) = map.next_key_seed(PositionKey { reader, part, entry, len: numbers.len() })? {
            reader.at.set(Spot::Entry(part, entry));
            let number = map.next_value_seed(Number)?;
            match numbers.get_mut(position) {
                Some(place @ None) => *place = Some(number),
                _ => return Err(reader.refuse(Wrong::PositionTwice(part))),
            }
            reader.at.set(Spot::Vector(part));
            entry += 1;
        }
        Ok(numbers.into_iter().map(Option::unwrap_or_default).collect())
    }
}

/// The key of an entry: a position in the block.
struct PositionKey<'a> {
    reader: &'a Reader<'a>,
    part: &'static str,
    entry: usize,
    len: usize,
}

impl<'de> DeserializeSeed<'de> for PositionKey<'_> {
    type Value = usize;

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<usize, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for PositionKey<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a position")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<usize, E> {
        let Self { reader, part, entry, len } = self;
        let last = len.saturating_sub(1);
        let position = key.parse().ok().filter(|position| *position < len);
        position.ok_or_else(|| reader.refuse(Wrong::Position { part, entry, last }))
    }
}

/// The values at two points.
pub(super) struct TwoValues<'a>(pub(super) &'a Reader<'a>);

impl<'de> DeserializeSeed<'de> for TwoValues<'_> {
    type Value = [f64; 2];

    fn deserialize<D: de::Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for TwoValues<'_> {
    type Value = [f64; 2];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Spot::Values.wants())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = [0.0; 2];
        for (k, value) in (1..).zip(&mut values) {
            self.0.at.set(Spot::Value(k));
            let Some(number) = list.next_element_seed(Number)? else { return Err(self.unfit()) };
            *value = number;
        }
        self.0.at.set(Spot::Values);
        match list.next_element_seed(Number)? {
            None => Ok(values),
            Some(_) => Err(self.unfit()),
        }
    }
}

impl TwoValues<'_> {
    fn unfit<E: de::Error>(&self) -> E {
        self.0.refuse(Wrong::Kind(format!("{} is not {}", Spot::Values, Spot::Values.wants())))
    }
}
