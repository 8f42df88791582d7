//! What may leave the host: noised values and whatever is computed from them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Values;

/// What may leave the host. Whole multiples of a unit stay so as long as they are only added up; mixing by real weights
/// makes real numbers of them. Everything here is post-processing: it looks at released values alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Numbers", into = "Numbers")]
pub struct Released(pub(super) Values);

/// The same, as it is stored and sent: what a host hears or reads back was released, whoever released it.
#[derive(Serialize, Deserialize)]
enum Numbers {
    Real(Vec<f64>),
    Grid(Vec<i64>, f64),
}

impl From<Released> for Numbers {
    fn from(released: Released) -> Self {
        match released.0 {
            Values::Real(v) => Self::Real(v),
            Values::Grid { units, unit } => Self::Grid(units, unit),
        }
    }
}

impl From<Numbers> for Released {
    fn from(numbers: Numbers) -> Self {
        Self(match numbers {
            Numbers::Real(v) => Values::Real(v),
            Numbers::Grid(units, unit) => Values::Grid { units, unit },
        })
    }
}

impl Released {
    /// The zero vector, which depends on no data.
    pub fn zeros(len: usize) -> Self {
        Self(Values::Real(vec![0.0; len]))
    }

    /// The zero vector on the grid of multiples of `unit`.
    pub fn zeros_on_grid(len: usize, unit: f64) -> Self {
        Self(Values::Grid { units: vec![0; len], unit })
    }

    /// These numbers, which were released: by this host, or by whoever sent them.
    pub fn reals(numbers: Vec<f64>) -> Self {
        Self(Values::Real(numbers))
    }

    /// These multiples of `unit`, which were released: by this host, or by whoever sent them.
    pub fn on_grid(units: Vec<i64>, unit: f64) -> Self {
        Self(Values::Grid { units, unit })
    }

    /// How many numbers.
    pub fn len(&self) -> usize {
        match &self.0 {
            Values::Real(v) => v.len(),
            Values::Grid { units, .. } => units.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As real numbers.
    pub fn to_reals(&self) -> Vec<f64> {
        self.0.to_reals()
    }

    /// As multiples of a unit, and that unit, if it is on a grid.
    pub fn units(&self) -> Option<(&[i64], f64)> {
        match &self.0 {
            Values::Real(_) => None,
            Values::Grid { units, unit } => Some((units, *unit)),
        }
    }

    /// `self += c other`, over the reals.
    pub fn add(&mut self, c: f64, other: &Self) {
        let all = 0..self.len();
        self.add_reals(all, c, &other.0);
    }

    /// `self[block] += other`. Exact where both are on the same grid (a sum beyond 63 bits stays at the end of the
    /// range; plans keep well below it).
    pub fn add_block(&mut self, block: Range<usize>, other: &Self) {
        match (&mut self.0, &other.0) {
            (Values::Grid { units, unit }, Values::Grid { units: more, unit: same }) if *unit == *same => {
                units[block].iter_mut().zip(more).for_each(|(s, o)| *s = s.saturating_add(*o));
            }
            _ => self.add_reals(block, 1.0, &other.0),
        }
    }

    /// `self[block] += other^2`, coordinate by coordinate, over the reals.
    pub fn add_squares(&mut self, block: Range<usize>, other: &Self) {
        let squares = other.to_reals().into_iter().map(|v| v * v).collect();
        self.add_reals(block, 1.0, &Values::Real(squares));
    }

    fn add_reals(&mut self, block: Range<usize>, c: f64, other: &Values) {
        if let Values::Grid { .. } = self.0 {
            self.0 = Values::Real(self.to_reals());
        }
        let Values::Real(mine) = &mut self.0 else { return };
        let mine = mine[block].iter_mut();
        match other {
            Values::Real(v) => mine.zip(v).for_each(|(s, o)| *s += c * o),
            Values::Grid { units, unit } => mine.zip(units).for_each(|(s, k)| *s += c * (*k as f64 * unit)),
        }
    }
}
