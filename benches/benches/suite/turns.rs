//! Measuring several things in turns.

use std::time::Duration;

/// The quartiles of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// Of at least one number; else of NaN.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * values.len().saturating_sub(1) as f64;
            let value = |k: f64| values.get(k as usize).copied().unwrap_or(f64::NAN);
            value(place.floor()) + place.fract() * (value(place.ceil()) - value(place.floor()))
        };
        Self { low: at(0.25), median: at(0.5), high: at(0.75) }
    }
}

/// Does something so many times. Seconds for each.
pub(crate) type Turn<'a> = Box<dyn FnMut(u64) -> Result<f64, String> + 'a>;

/// Seconds of each thing in each turn.
pub(crate) struct Times(pub(crate) Vec<Vec<f64>>);

impl Times {
    pub(crate) fn seconds(&self, which: usize) -> Spread {
        Spread::of(self.0.iter().map(|turn| turn[which]))
    }

    /// How many times as long `a` takes as `b`, turn by turn.
    pub(crate) fn ratio(&self, a: usize, b: usize) -> Spread {
        Spread::of(self.0.iter().map(|turn| turn[a] / turn[b]))
    }
}

/// How long one turn of one thing takes, about, if it is not longer by itself.
const TURN: f64 = 0.08;

/// All in turns, for about as long as `budget`, three to fifteen turns each. What does not fit into the budget twice has one turn.
pub(crate) fn turns(works: &mut [Turn<'_>], budget: Duration) -> Result<Times, String> {
    let mut times = Vec::new();
    for work in works.iter_mut() {
        work(1)?; // what is done once
        let first = work(1)?;
        let again = if first < TURN { work((0.2 * TURN / first).ceil() as u64)? } else { first };
        times.push((TURN / again).ceil().max(1.0));
    }
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let start = std::time::Instant::now();
    loop {
        let row: Result<_, String> = works.iter_mut().zip(&times).map(|(work, k)| work(*k as u64)).collect();
        rows.push(row?);
        let (done, spent) = (rows.len(), start.elapsed());
        let least = if spent > budget { 1 } else { 3 };
        if done >= 15 || (done >= least && spent + spent / done as u32 > budget) {
            return Ok(Times(rows));
        }
    }
}

/// The same for what takes a process: nothing is done beforehand.
pub(crate) fn runs(works: &mut [Turn<'_>], budget: Duration) -> Result<Times, String> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let start = std::time::Instant::now();
    loop {
        let row: Result<_, String> = works.iter_mut().map(|work| work(1)).collect();
        rows.push(row?);
        let spent = start.elapsed();
        if rows.len() >= 9 || spent + spent / rows.len() as u32 > budget {
            return Ok(Times(rows));
        }
    }
}
