//! The labels of a line.

use std::fmt;

use serde::de::{self, DeserializeSeed, SeqAccess, Visitor};

use super::super::{SampleForm, Wrong};
use super::LineReader;
use super::place::Spot;
use super::row::Number;

/// The labels.
pub(super) struct LabelList<'a>(pub(super) &'a LineReader<'a>);

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
        let SampleForm { batch, classifies, .. } = self.0.sample_form();
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
