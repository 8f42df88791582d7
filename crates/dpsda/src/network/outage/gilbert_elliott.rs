//! Outages in bursts: every link is a two-state Markov chain.

use rand::RngExt;

use super::{Build, Outage, given, link, probability};
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed, Stream};
use crate::{Error, Keys};

/// A link is always up in its good state, and off with probability `rate_bad` in its bad state. The chain is stationary from
/// round 0 on.
///
/// ```
/// use dpsda::network::outage::{GilbertElliott, Outage};
/// use dpsda::rng::Seed;
/// let bursts = GilbertElliott::new(0.05, 0.2, 1.0, Seed::new(1))?; // off in a fifth of the rounds, for 5 rounds on average
/// let off = (0..10_000).filter(|t| !bursts.up(*t, 0, 1)).count();
/// assert!((1500..2500).contains(&off));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GilbertElliott {
    to_bad: f64,
    to_good: f64,
    rate_bad: f64,
    seed: Seed,
}

/// The uniforms of this many rounds share a stream, so that looking back draws whole streams, not single numbers.
const RUN: u64 = 32;

/// The stream that draws the state before round 0; no round uses it.
const BEFORE: u64 = u64::MAX;

/// What the uniform of one round does to the state.
#[derive(Clone, Copy, PartialEq)]
enum Transition {
    /// Bad, whatever the state was.
    Bad,
    /// Good, whatever the state was.
    Good,
    /// The state stays.
    Keep,
    /// The other state.
    Flip,
}

impl GilbertElliott {
    /// Links that change from good to bad and from bad to good with the probabilities `to_bad` and `to_good` per round. A bad
    /// link is off with probability `rate_bad`. All of it is drawn from `seed`.
    pub fn new(to_bad: f64, to_good: f64, rate_bad: f64, seed: Seed) -> Result<Self, Error> {
        let (to_bad, to_good) = (probability("to_bad", to_bad)?, probability("to_good", to_good)?);
        let rate_bad = probability("rate_bad", rate_bad)?;
        if to_bad + to_good == 0.0 {
            let remedy = "to_good is 0 as well: a link never changes its state and has no stationary law (raise one of them)";
            return Err(Error::value("to_bad", to_bad, remedy));
        }
        Ok(Self { to_bad, to_good, rate_bad, seed })
    }

    /// One uniform moves either state: from good to bad if `u < to_bad`, from bad to good if `u >= 1 - to_good`.
    fn step(&self, u: f64) -> Transition {
        match (u < self.to_bad, u < 1.0 - self.to_good) {
            (true, true) => Transition::Bad,
            (false, false) => Transition::Good,
            (false, true) => Transition::Keep, // only if to_bad + to_good < 1
            (true, false) => Transition::Flip, // only if to_bad + to_good > 1
        }
    }

    fn stream(&self, link: u64, run: u64) -> Stream {
        self.seed.stream(Purpose::Outage, link, run)
    }

    /// Whether the link is bad in round `t`. We look back to the last uniform that sets the state whatever it was before, or
    /// else to the stationary draw before round 0. No state is kept, so rounds may be asked for in any order.
    fn bad(&self, link: u64, t: u64) -> bool {
        let mut flipped = false;
        let mut steps = [Transition::Keep; RUN as usize];
        let mut from = t % RUN + 1;
        for run in (0..=t / RUN).rev() {
            let mut draws = self.stream(link, run);
            steps.fill_with(|| self.step(draws.random()));
            for step in steps.iter().take(from as usize).rev() {
                match step {
                    Transition::Bad => return !flipped,
                    Transition::Good => return flipped,
                    Transition::Keep => {}
                    Transition::Flip => flipped = !flipped,
                }
            }
            from = RUN;
        }
        let stationary = self.to_bad / (self.to_bad + self.to_good);
        (self.stream(link, BEFORE).random::<f64>() < stationary) != flipped
    }

    /// Whether a bad link is off in round `t`. The uniform for this comes after those of the states in the stream.
    fn lost(&self, link: u64, t: u64) -> bool {
        let mut draws = self.stream(link, t / RUN);
        let behind = RUN + t % RUN;
        for _ in 0..behind {
            let _: f64 = draws.random();
        }
        draws.random::<f64>() < self.rate_bad
    }
}

impl Outage for GilbertElliott {
    fn up(&self, t: u64, from: usize, to: usize) -> bool {
        let link = link(from, to);
        !(self.bad(link, t) && self.lost(link, t))
    }
}

fn build(keys: &Keys<'_>, seed: Seed) -> Result<Box<dyn Outage>, Error> {
    let (to_bad, to_good) = (given(keys, "to_bad")?, given(keys, "to_good")?);
    let rate_bad = keys.f64("rate_bad")?.unwrap_or(1.0);
    let outage = GilbertElliott::new(to_bad, to_good, rate_bad, seed);
    Ok(Box::new(outage.map_err(|error| keys.locate(error))?))
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "gilbert-elliott",
    about: "links fail in bursts: a link has a good and a bad state, and is off only in the bad one",
    keys: &[
        Key { name: "to_bad", about: "probability of good -> bad in a round, 0 to 1; must be given" },
        Key { name: "to_good", about: "probability of bad -> good in a round, 0 to 1; must be given" },
        Key { name: "rate_bad", about: "probability that a bad link is off in a round, 0 to 1; default 1" },
    ],
    build,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_back_agrees_with_walking_forward() {
        for (to_bad, to_good) in [(0.05, 0.2), (0.01, 0.01), (0.9, 0.7), (1.0, 1.0), (0.0, 0.3), (0.4, 0.6)] {
            let chain = GilbertElliott { to_bad, to_good, rate_bad: 1.0, seed: Seed::new(7) };
            for link in 0..20 {
                let mut bad = chain.stream(link, BEFORE).random::<f64>() < to_bad / (to_bad + to_good);
                for t in 0..200 {
                    let u: f64 = (0..=t % RUN)
                        .fold((chain.stream(link, t / RUN), 0.0), |(mut s, _), _| {
                            let u = s.random();
                            (s, u)
                        })
                        .1;
                    bad = if bad { u < 1.0 - to_good } else { u < to_bad };
                    assert_eq!(
                        chain.bad(link, t),
                        bad,
                        "to_bad {to_bad}, to_good {to_good}, link {link}, round {t}"
                    );
                }
            }
        }
    }
}
