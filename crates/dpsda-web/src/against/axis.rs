//! The axes of a figure: values of a swept key, as numbers in order or as names side by side; and measured values.

use serde_json::Value;

use crate::{axis::Axis, text::label};

/// Places of a key's values, as parts of the length.
pub(super) enum SweepAxis {
    /// Numbers on a linear or log scale. Infinity has its own place beyond them.
    Numbers { scale: Axis, values: Vec<f64>, infinite: bool },
    /// Anything else, in order of appearance.
    Names(Vec<Value>),
}

/// The part of the axis for finite numbers, if infinity has a place too.
const ROOM: f64 = 0.86;

impl SweepAxis {
    /// The axis of a swept key.
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a Value>) -> Self {
        let mut all: Vec<Value> = Vec::new();
        for value in values {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
        let numbers: Option<Vec<f64>> = all.iter().map(quantity).collect();
        let Some(mut numbers) = numbers.filter(|n| n.iter().filter(|x| x.is_finite()).count() > 1) else {
            return Self::Names(all);
        };
        numbers.sort_by(f64::total_cmp);
        let infinite = numbers.pop_if(|x| x.is_infinite()).is_some();
        let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
        let log = low > 0.0 && widest(&numbers, f64::ln) < widest(&numbers, |x| x);
        Self::Numbers { scale: Axis::between((low, high), log, (0.0, 1.0)), values: numbers, infinite }
    }

    pub(super) fn values(&self) -> usize {
        match self {
            Self::Numbers { values, infinite, .. } => values.len() + usize::from(*infinite),
            Self::Names(names) => names.len(),
        }
    }

    pub(super) fn is_ordered(&self) -> bool {
        matches!(self, Self::Numbers { .. })
    }

    pub(super) fn is_log(&self) -> bool {
        matches!(self, Self::Numbers { scale, .. } if scale.is_log())
    }

    /// The place of a value, a little inside both ends.
    pub(super) fn part(&self, value: &Value) -> Option<f64> {
        let part = match self {
            Self::Numbers { scale, infinite, .. } => match quantity(value)? {
                x if x.is_infinite() => 1.0,
                x => scale.at(x) * if *infinite { ROOM } else { 1.0 },
            },
            Self::Names(names) => {
                (names.iter().position(|name| name == value)? as f64 + 0.5) / names.len() as f64
            }
        };
        Some(0.03 + 0.94 * part)
    }

    /// Places and labels of the values. Labels that would overlap are left out.
    pub(super) fn marks(&self) -> Vec<(f64, String)> {
        let place = |value: Value| Some((self.part(&value)?, label(&value)));
        match self {
            Self::Names(names) => names.iter().cloned().filter_map(place).collect(),
            Self::Numbers { values, infinite, .. } => {
                let last = infinite.then(|| place("inf".into())).flatten();
                let mut marks: Vec<(f64, String)> = Vec::new();
                for mark in values.iter().filter_map(|x| place((*x).into())).chain(last) {
                    if marks.last().is_none_or(|(before, _)| mark.0 - before > 0.05) {
                        marks.push(mark);
                    }
                }
                marks
            }
        }
    }
}

/// The ends of the axis of measured values, and whether it is logarithmic; none without values.
pub(super) fn heights(values: impl Iterator<Item = f64>) -> Option<((f64, f64), bool)> {
    let (low, high) = values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return None;
    }
    let log = low > 0.0 && high / low > 12.0;
    let (low, high) = if log { (low / 1.3, high * 1.15) } else { (low.min(0.0), high.max(0.0) * 1.05) };
    Some(((low, if high > low { high } else { low + 1.0 }), log))
}

/// The largest step between neighbours, as a part of the whole.
fn widest(values: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    let whole = of(values[values.len() - 1]) - of(values[0]);
    values.windows(2).map(|pair| (of(pair[1]) - of(pair[0])) / whole).fold(0.0, f64::max)
}

fn quantity(value: &Value) -> Option<f64> {
    if value == "inf" { Some(f64::INFINITY) } else { value.as_f64() }
}
