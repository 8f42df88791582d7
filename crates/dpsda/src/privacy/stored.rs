//! How released values are written down, and how a host reads back what it has saved itself.
//!
//! Any code can write [`Released`] values. Only [`Saved`](crate::learner::Saved) can read them back, because a host wrote it
//! after the release.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Numbers, Released};
use crate::learner::{Replica, Sum};

/// Released values as they are written.
#[derive(Serialize)]
enum WrittenNumbers<'a> {
    Real(&'a [f64]),
    Grid(&'a [i64], f64),
}

/// The same, read back.
#[derive(Deserialize)]
enum ReadNumbers {
    Real(Vec<f64>),
    Grid(Vec<i64>, f64),
}

impl Serialize for Released {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Numbers::Real(v) => WrittenNumbers::Real(v).serialize(to),
            Numbers::Grid { units, unit } => WrittenNumbers::Grid(units, *unit).serialize(to),
        }
    }
}

impl From<ReadNumbers> for Released {
    fn from(read: ReadNumbers) -> Self {
        Self(match read {
            ReadNumbers::Real(v) => Numbers::Real(v),
            ReadNumbers::Grid(units, unit) => Numbers::Grid { units, unit },
        })
    }
}

pub(crate) fn released<'de, D: Deserializer<'de>>(from: D) -> Result<Released, D::Error> {
    ReadNumbers::deserialize(from).map(Released::from)
}

pub(crate) fn replica<'de, D: Deserializer<'de>>(from: D) -> Result<Replica, D::Error> {
    #[derive(Deserialize)]
    struct Fields {
        version: u64,
        sum: ReadNumbers,
        squares: Option<ReadNumbers>,
    }
    let Fields { version, sum, squares } = Fields::deserialize(from)?;
    let shared = |read: ReadNumbers| Arc::new(Released::from(read));
    Ok(Replica { version, sum: shared(sum), squares: squares.map(shared) })
}

pub(crate) fn sums<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Sum>, D::Error> {
    #[derive(Deserialize)]
    struct Fields {
        to: usize,
        dual: ReadNumbers,
        weight: i64,
    }
    let sum = |Fields { to, dual, weight }| Sum { to, dual: Arc::new(dual.into()), weight };
    Ok(Vec::<Fields>::deserialize(from)?.into_iter().map(sum).collect())
}

/// The sender, the round, the sum and the weight.
pub(crate) type Heard = (usize, u64, Released, i64);

pub(crate) fn heard<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Heard>, D::Error> {
    let all = Vec::<(usize, u64, ReadNumbers, i64)>::deserialize(from)?;
    Ok(all.into_iter().map(|(from, round, dual, weight)| (from, round, dual.into(), weight)).collect())
}
