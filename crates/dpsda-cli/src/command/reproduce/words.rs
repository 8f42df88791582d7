//! Names and numbers as a reader of the paper knows them.

use dpsda_web::reproduction::{Cell, Ink};

use super::printed::LEVELS;
use super::rows::Spread;

/// As the paper writes it.
pub(super) fn algorithm(name: &str) -> String {
    name.to_uppercase()
}

/// As the paper writes it: "Non-private", or a label.
pub(super) fn level(level: f64) -> String {
    if level.is_infinite() { "non-private".into() } else { format!("level {level}") }
}

/// The colour of an algorithm, the same on the whole page.
pub(super) fn hue(name: &str) -> Ink {
    match name {
        "dpsda-c" => Ink::Hue(0),
        "dpsda-ps" => Ink::Hue(1),
        "dpsda-r" => Ink::Hue(2),
        "dpdola" => Ink::Hue(3),
        "dpps" => Ink::Hue(4),
        "dpsr" => Ink::Hue(6),
        _ => Ink::Floor,
    }
}

/// The colour of a level: from none to the most noise along one ramp.
pub(super) fn ramp(level: f64) -> Ink {
    let at = LEVELS.iter().position(|l| *l == level).unwrap_or(0);
    Ink::Ramp(at as f64 / (LEVELS.len() - 1) as f64)
}

/// A number of the paper's, or nothing.
pub(super) fn printed(value: Option<f64>, places: usize) -> Cell {
    Cell {
        text: value.map_or_else(String::new, |v| format!("{v:.places$}")),
        printed: value.is_some(),
        ..Cell::default()
    }
}

/// A share as percent with its spread over trials, and the least and the most below.
pub(super) fn percent(found: Option<Spread>) -> Cell {
    let Some(s) = found else { return Cell::default() };
    let text = match s.trials {
        1 => format!("{:.2}", 100.0 * s.mean),
        _ => format!("{:.2} ± {:.2}", 100.0 * s.mean, 100.0 * s.sd),
    };
    let small =
        if s.trials > 1 { format!("{:.2} to {:.2}", 100.0 * s.low, 100.0 * s.high) } else { String::new() };
    Cell { text, small, printed: false }
}

/// A number likewise.
pub(super) fn number(found: Option<Spread>, places: usize) -> Cell {
    let Some(s) = found else { return Cell::default() };
    let shown = |v: f64| digits(v, places);
    let text = if s.trials == 1 { shown(s.mean) } else { format!("{} ± {}", shown(s.mean), shown(s.sd)) };
    let small = if s.trials > 1 { format!("{} to {}", shown(s.low), shown(s.high)) } else { String::new() };
    Cell { text, small, printed: false }
}

/// A number in so many places, or by its power of ten where they would show too little of it.
pub(super) fn digits(v: f64, places: usize) -> String {
    if v == 0.0 {
        "0".into()
    } else if v.abs() < 10f64.powi(-(places as i32)) {
        format!("{v:.1e}")
    } else {
        format!("{v:.places$}")
    }
}

/// So many of something.
pub(super) fn count(n: usize, of: &str) -> String {
    if n == 1 { format!("1 {of}") } else { format!("{n} {of}s") }
}

/// Plain text.
pub(super) fn plain(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), ..Cell::default() }
}
