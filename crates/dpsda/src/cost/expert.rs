//! Prediction with expert advice: linear costs on a simplex.
//!
//! ```text
//!     f_t(x) = <l_t, x>        x_k >= 0, sum x_k = 1
//! ```
//!
//! `x_k` is the trust in expert `k`, and `l_t` has the experts' losses in round `t`. The best decision in hindsight trusts only the
//! expert with the least total loss.
//!
//! With losses between 0 and 1 theory says how large the regret can be. Exponentiated gradients (`set.psi = "entropic"`) with the steps
//! `sqrt(ln N / t)` have a regret of at most `2 sqrt(T ln N)` after any number `T` of rounds, whatever the losses of the `N` experts
//! are. No algorithm can be better by more than a constant factor.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rand::RngExt;

use super::by_round::ByRound;
use super::round_numbers::{Asked, COLUMNS, FileOrDrawn, RoundNumbers, check_count};
use super::{Build, CostModel, CostSequence, TableReader, UsedColumns};
use crate::catalog::{Key, Listing};
use crate::objective::Objective;
use crate::rng::{Purpose, Seed};
use crate::set::{ConvexSet, Simplex, simplex};
use crate::{Error, Keys};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "expert",
    about: "prediction with expert advice: linear costs on a simplex",
    keys: &[
        Key {
            name: "path",
            about: "a CSV file of losses, one row per round and one column per expert; default drawn",
        },
        COLUMNS,
        Key { name: "experts", about: "drawn losses: the number of experts; required without `path`" },
        Key {
            name: "gap",
            about: "drawn losses: all experts err with probability 1/2, the best with 1/2 - gap; default 0.1",
        },
    ],
    build: Build::Model(build),
};

/// Where the losses of experts come from.
///
/// ```
/// use dpsda::cost::{CostModel, expert::Expert};
/// use dpsda::rng::Seed;
/// let given = Expert::new(&[vec![1.0, 0.0], vec![0.5, 0.5]])?; // two rounds, two experts
/// let costs = given.draw(Seed::new(1), 2);
/// assert_eq!(costs.mean(0..2).value(&[0.0, 1.0]), 0.25);
/// // Nodes that own parts of a simplex may leave it together. Then the parts are shares of what they have.
/// assert_eq!(*costs.mean(0..2).enacted(&[0.6, 0.6]), [0.5, 0.5]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Expert {
    /// Drawn with a gap.
    losses: RoundNumbers<f64>,
}

const KEYS: FileOrDrawn = FileOrDrawn {
    role: "losses",
    count: "experts",
    drawn: &["gap"],
    what: "a finite loss",
    fits: f64::is_finite,
};

impl Expert {
    /// These losses, by round and then by expert.
    pub fn new(losses: &[Vec<f64>]) -> Result<Self, Error> {
        let losses = ByRound::new("losses", losses, "finite losses", f64::is_finite)?;
        Ok(Self { losses: RoundNumbers::given(losses) })
    }

    /// Losses of 0 or 1, drawn in every round. One expert errs with probability `1/2 - gap`, all others with probability 1/2. The
    /// run's seed decides which expert is the best. It is the same in all trials.
    pub fn drawn(experts: usize, gap: f64) -> Result<Self, Error> {
        check_count("experts", experts)?;
        if !(0.0..=0.5).contains(&gap) {
            return Err(Error::value(
                "gap",
                gap,
                "expected a number from 0 to 0.5 (the best errs with 1/2 - gap)",
            ));
        }
        Ok(Self { losses: RoundNumbers::Drawn(experts, gap) })
    }
}

fn build(keys: &Keys<'_>, read: &TableReader<'_>) -> Result<Box<dyn CostModel>, Error> {
    let gap = keys.f64("gap")?.unwrap_or(0.1);
    Ok(Box::new(match KEYS.read(keys, read)? {
        Asked::File(losses) => Expert { losses: RoundNumbers::given(losses) },
        Asked::Drawn(experts) => Expert::drawn(experts, gap).map_err(|error| keys.locate(error))?,
    }))
}

impl CostModel for Expert {
    fn dim(&self) -> usize {
        self.losses.width()
    }

    fn rounds(&self) -> Option<u64> {
        self.losses.rounds()
    }

    fn draw(&self, seed: Seed, rounds: u64) -> Arc<dyn CostSequence> {
        let experts = self.losses.width();
        let best = seed.trial(0).stream(Purpose::Truth, 0, 0).random_range(0..experts);
        let losses = self.losses.of_trial(rounds, |gap, t, losses| {
            let mut stream = seed.stream(Purpose::Data, 0, t);
            losses.extend((0..experts).map(|k| {
                let errs = if k == best { 0.5 - gap } else { 0.5 };
                f64::from(u8::from(stream.random::<f64>() < errs))
            }));
        });
        Arc::new(ExpertLosses { losses })
    }

    fn columns(&self) -> Vec<UsedColumns> {
        self.losses.columns()
    }

    fn drawn(&self) -> usize {
        self.losses.drawn()
    }

    fn set(&self) -> Option<Arc<dyn ConvexSet>> {
        Some(Arc::new(Simplex::default()))
    }

    fn set_kind(&self) -> Option<&'static str> {
        Some("simplex")
    }
}

/// The losses of one trial.
struct ExpertLosses {
    losses: Arc<ByRound>,
}

impl CostSequence for ExpertLosses {
    fn dim(&self) -> usize {
        self.losses.width()
    }

    fn rounds(&self) -> u64 {
        self.losses.rounds()
    }

    fn cost(&self, t: u64) -> Option<Box<dyn Objective + '_>> {
        Some(Box::new(LinearCost { slopes: Cow::Borrowed(self.losses.at(t)?) }))
    }

    /// The mean of linear costs is linear.
    fn mean(&self, rounds: Range<u64>) -> Box<dyn Objective + '_> {
        let mut slopes = vec![0.0; self.losses.width()];
        let rows = self.losses.rows(rounds);
        let count = rows.len().max(1) as f64;
        rows.for_each(|row| slopes.iter_mut().zip(row).for_each(|(slope, loss)| *slope += loss));
        slopes.iter_mut().for_each(|slope| *slope /= count);
        Box::new(LinearCost { slopes: Cow::Owned(slopes) })
    }
}

/// `<slopes, x>` on a simplex.
struct LinearCost<'a> {
    slopes: Cow<'a, [f64]>,
}

impl Objective for LinearCost<'_> {
    fn dim(&self) -> usize {
        self.slopes.len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.slopes.iter().zip(x).map(|(slope, x)| slope * x).sum()
    }

    fn partial(&self, _: &[f64], block: Range<usize>, g: &mut [f64]) {
        g.copy_from_slice(&self.slopes[block]);
    }

    fn enacted<'x>(&self, x: &'x [f64]) -> Cow<'x, [f64]> {
        simplex::shares(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_experts_err_as_often_as_asked_and_one_is_better() {
        let costs = Expert::drawn(5, 0.2).unwrap().draw(Seed::new(3), 20_000);
        let mut losses = vec![0.0; 5];
        costs.mean(0..20_000).partial(&[0.2; 5], 0..5, &mut losses);
        losses.sort_by(f64::total_cmp);
        assert!((losses[0] - 0.3).abs() < 0.015, "{losses:?}");
        assert!(losses[1..].iter().all(|loss| (loss - 0.5).abs() < 0.015), "{losses:?}");
    }

    #[test]
    fn wrong_losses_are_refused_by_name() {
        for (error, words) in [
            (Expert::new(&[]).unwrap_err(), "losses = []: expected at least one round"),
            (Expert::new(&[vec![1.0], vec![]]).unwrap_err(), "losses[1] = 0 numbers: round 0 has 1"),
            (Expert::new(&[vec![f64::NAN]]).unwrap_err(), "losses[0][0] = NaN: expected finite losses"),
            (Expert::drawn(0, 0.1).unwrap_err(), "experts = 0: expected at least 1"),
            (Expert::drawn(2, 0.7).unwrap_err(), "gap = 0.7: expected a number from 0 to 0.5"),
        ] {
            assert!(error.to_string().starts_with(words), "{error}");
        }
    }
}
