//! Metrics of an application: what its costs [measure](crate::objective::Objective::measure) at the decisions that are carried out.

use super::{Metric, Observer, Round};

/// The mean over rounds of what costs measure under `name`.
pub(super) fn mean(name: &'static str) -> Metric {
    Metric::mean(move |round| round.mean(|x| at(round, name, x)))
        .when(move |start| start.measures.contains(&name))
}

/// The root of the mean square over rounds of what costs measure under `name`.
pub(super) fn root_mean_square(name: &'static str) -> Metric {
    Metric::online(move |_| Box::new(RootMeanSquare { name, squares: 0.0, rounds: 0 }))
        .when(move |start| start.measures.contains(&name))
}

/// At the decision that is carried out.
fn at(round: &Round<'_>, name: &str, x: &[f64]) -> f64 {
    round.f.measure(name, &round.f.enacted(x)).unwrap_or(f64::NAN)
}

struct RootMeanSquare {
    name: &'static str,
    squares: f64,
    rounds: u64,
}

impl Observer for RootMeanSquare {
    fn round(&mut self, round: &Round<'_>) {
        self.squares += round.mean(|x| at(round, self.name, x).powi(2));
        self.rounds += 1;
    }

    fn so_far(&self) -> f64 {
        (self.squares / self.rounds as f64).sqrt()
    }
}
