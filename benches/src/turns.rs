//! Measuring several things in turns.

use std::time::Duration;

/// The quartiles of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The lower quartile.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub high: f64,
}

impl Spread {
    /// Of at least one number; else of NaN.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
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

/// Does something this many times. Seconds for each.
pub type Turn<'a> = Box<dyn FnMut(u64) -> Result<f64, String> + 'a>;

/// Seconds of each thing in each turn.
pub struct Times(pub Vec<Vec<f64>>);

impl Times {
    /// Seconds of one thing.
    pub fn seconds(&self, which: usize) -> Spread {
        Spread::of(self.0.iter().filter_map(|turn| turn.get(which).copied()))
    }

    /// How many times as long `a` takes as `b`, turn by turn.
    pub fn ratio(&self, a: usize, b: usize) -> Spread {
        Spread::of(self.0.iter().filter_map(|turn| Some(turn.get(a)? / turn.get(b)?)))
    }
}

/// How long one turn of one thing takes, about, if it is not longer by itself.
const TURN: f64 = 0.08;

/// All in turns, for about as long as `budget`, three to fifteen turns each. What does not fit into the budget twice has one turn.
pub fn turns(works: &mut [Turn<'_>], budget: Duration) -> Result<Times, String> {
    let mut times = Vec::new();
    for work in works.iter_mut() {
        work(1)?; // work that is done only once
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
pub fn runs(works: &mut [Turn<'_>], budget: Duration) -> Result<Times, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_neighbours_and_nothing_has_none() {
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0, 5.0]), Spread { low: 2.0, median: 3.0, high: 4.0 });
        assert_eq!(Spread::of([1.0, 2.0]), Spread { low: 1.25, median: 1.5, high: 1.75 });
        assert!(Spread::of([]).median.is_nan());
    }

    #[test]
    fn ratios_are_of_the_same_turn() {
        let times = Times(vec![vec![1.0, 2.0], vec![10.0, 30.0], vec![5.0, 20.0]]);
        assert_eq!(times.ratio(1, 0).median, 3.0);
        assert_eq!((times.seconds(0).median, times.seconds(1).median), (5.0, 20.0));
        assert!(times.seconds(2).median.is_nan());
    }

    #[test]
    fn all_things_have_as_many_turns_and_what_is_quick_is_done_often() {
        let (mut quick, mut slow) = (0, 0);
        let mut works: [Turn<'_>; 2] = [
            Box::new(|times| {
                quick += times;
                Ok(0.001)
            }),
            Box::new(|times| {
                slow += times;
                Ok(1.0)
            }),
        ];
        let times = turns(&mut works, Duration::from_secs(60)).unwrap();
        assert!(times.0.len() == 15 && times.0.iter().all(|turn| turn == &[0.001, 1.0]));
        drop(works);
        assert!(quick > 1000 && slow == 2 + 15, "{quick} {slow}");
        let mut failing: [Turn<'_>; 1] = [Box::new(|_| Err("no".into()))];
        assert!(turns(&mut failing, Duration::ZERO).is_err() && runs(&mut failing, Duration::ZERO).is_err());
    }
}
