//! Axes: the place of a value, and which values are labelled.

use crate::{
    frame::Tick,
    text::{count, number, superscript},
};

/// From values to pixels.
pub(crate) struct Axis {
    log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Covers all values that it can show; none if there are none. A linear axis starts at zero if its values are near zero,
    /// compared with their spread.
    pub(crate) fn new(values: impl Iterator<Item = f64>, log: bool, (from, to): (f64, f64)) -> Option<Self> {
        let shown = values.filter(|v| v.is_finite() && (!log || *v > 0.0));
        let (low, high) =
            shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return None;
        }
        let one = low == high;
        let (low, high) = match (one, log) {
            (true, true) => (low / 2.0, high * 2.0),
            (true, false) => (low - 0.5 * low.abs().max(1.0), high + 0.5 * high.abs().max(1.0)),
            (false, _) => (low, high),
        };
        let low = if !one && !log && low > 0.0 && low < 0.4 * high { 0.0 } else { low };
        Some(Self::between((low, high), log, (from, to)))
    }

    /// Between two values, the smaller one first.
    pub(crate) fn between((low, high): (f64, f64), log: bool, (from, to): (f64, f64)) -> Self {
        Self { log, low, high, from, to }
    }

    pub(crate) fn is_log(&self) -> bool {
        self.log
    }

    /// The smallest and the largest value on the axis.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Whether a value has a place.
    pub(crate) fn shows(&self, v: f64) -> bool {
        v.is_finite() && (!self.log || v > 0.0)
    }

    /// Its place. Values beyond the ends are moved to the ends.
    pub(crate) fn at(&self, v: f64) -> f64 {
        let f = |v: f64| if self.log { v.max(self.low * 1e-3).ln() } else { v };
        let share = (f(v) - f(self.low)) / (f(self.high) - f(self.low));
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// The places of the values that are labelled, about so many at most, and their labels.
    pub(crate) fn ticks(&self, most: usize) -> Vec<Tick> {
        let values = if self.log { self.log_ticks(most) } else { self.even_ticks(most) };
        values.into_iter().map(|v| (self.at(v), name(v))).collect()
    }

    fn log_ticks(&self, most: usize) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let grid = |steps: &[f64]| -> Vec<f64> {
            let all = (first..=last).flat_map(|k| steps.iter().map(move |m| m * 10f64.powi(k)));
            all.filter(|v| *v >= self.low * 0.9999 && *v <= self.high * 1.0001).collect()
        };
        for steps in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0]] {
            let ticks = grid(steps);
            if (2..=most + 1).contains(&ticks.len()) {
                return ticks;
            }
        }
        let tens = grid(&[1.0]);
        if tens.len() < 2 {
            return self.even_ticks(most);
        }
        let skip = tens.len().div_ceil(most.max(1) + 1);
        tens.into_iter().step_by(skip).collect()
    }

    /// Steps of 1, 2 or 5 times a power of ten.
    fn even_ticks(&self, most: usize) -> Vec<f64> {
        let span = self.high - self.low;
        let power = 10f64.powf((span / most.max(2) as f64).log10().floor());
        let fits = |step: &f64| (span / step).floor() < most.max(2) as f64 + 1.0;
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(fits).unwrap_or(span);
        let (first, last) =
            ((self.low / step - 1e-9).ceil() as i64, (self.high / step + 1e-9).floor() as i64);
        (first..=last).map(|k| k as f64 * step).filter(|v| !self.log || *v > 0.0).collect()
    }
}

/// A label: no zeros at the end, and a power of ten for very small or large values.
fn name(v: f64) -> String {
    let size = v.abs();
    if size < 1e-12 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&size) {
        let power = size.log10().floor();
        let lead = size / 10f64.powf(power);
        let ten = format!("10{}", superscript(&format!("{power}")));
        let sign = if v < 0.0 { "−" } else { "" };
        return if (lead - 1.0).abs() < 1e-6 {
            format!("{sign}{ten}")
        } else {
            format!("{sign}{}·{ten}", number(lead, 2))
        };
    }
    if size >= 1e3 && size.fract() == 0.0 {
        let sign = if v < 0.0 { "−" } else { "" };
        return format!("{sign}{}", count(size as u64));
    }
    let text = number(v, 3);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(values: [f64; 2], log: bool) -> Vec<String> {
        let axis = Axis::new(values.into_iter(), log, (0.0, 100.0)).unwrap();
        axis.ticks(5).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(names([0.0, 500.0], false), ["0", "100", "200", "300", "400", "500"]);
        assert_eq!(names([1.0, 500.0], true), ["1", "3", "10", "30", "100", "300"]);
        assert_eq!(names([0.0, 2000.0], false).last().map(String::as_str), Some("2,000"));
        assert_eq!(names([0.2, 6.0], true), ["0.2", "0.5", "1", "2", "5"]);
        assert_eq!(names([-0.021, 0.019], false), ["−0.02", "−0.01", "0", "0.01"]);
        assert_eq!(names([2e-6, 9e-6], false).first().map(String::as_str), Some("0"));
    }

    #[test]
    fn an_axis_without_values_is_none_and_one_value_has_room() {
        assert!(Axis::new([f64::NAN, -1.0].into_iter(), true, (0.0, 1.0)).is_none());
        let axis = Axis::new([3.0].into_iter(), false, (0.0, 100.0)).unwrap();
        assert_eq!(axis.at(3.0), 50.0);
        assert_eq!((axis.at(-1e9), axis.at(1e9)), (0.0, 100.0));
    }
}
