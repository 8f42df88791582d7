//! Benchmarks of dpsda, and comparisons with OpenDP: a crate of its own, so that neither reaches users.
//!
//! `cargo bench -p dpsda-benches --bench samplers` prints a table, and `--bench nodes` another; `cargo xtask bench` prints all. The tests
//! compare what the two draw.

pub mod turns;

use std::time::{Duration, Instant};

/// Work that is measured: it does some and says how much.
pub type Work<'a> = Box<dyn FnMut() -> u64 + 'a>;

/// Units of work per second, of each.
///
/// All take many short turns, one after the other, so that a slow moment of the machine meets all of them. Other programs
/// can only slow a turn: the rate is that of the better ones.
pub fn rates(works: &mut [Work<'_>], turns: usize, turn: Duration) -> Vec<f64> {
    let mut rates = vec![Vec::with_capacity(turns); works.len()];
    for _ in 0..turns {
        for (work, rates) in works.iter_mut().zip(&mut rates) {
            let (start, mut done) = (Instant::now(), 0);
            while start.elapsed() < turn {
                done += work();
            }
            rates.push(done as f64 / start.elapsed().as_secs_f64());
        }
    }
    rates.into_iter().map(better).collect()
}

/// The rate that nine turns in ten do not reach. Not the very best, because a clock may have flattered it.
fn better(mut rates: Vec<f64>) -> f64 {
    rates.sort_unstable_by(f64::total_cmp);
    rates.get(rates.len() * 9 / 10).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_that_were_disturbed_do_not_count_nor_does_a_single_wonder() {
        let mut turns = vec![100.0; 20];
        turns[..10].fill(30.0);
        turns[19] = 900.0;
        assert_eq!(better(turns), 100.0);
        assert!(better(Vec::new()).is_nan());
    }

    #[test]
    fn each_work_has_a_rate() {
        let rates = rates(&mut [Box::new(|| 1), Box::new(|| 1000)], 10, Duration::from_micros(50));
        assert!(rates.len() == 2 && rates[0] > 0.0 && rates[1] > 10.0 * rates[0], "{rates:?}");
    }
}
