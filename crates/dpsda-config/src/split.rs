//! How many samples to learn from and to hold out, and how many rounds they give.

use crate::ResolvedData;
use dpsda::Error;

/// The most numbers that may be drawn (8 GiB): all samples and costs of a trial are drawn before its first round.
const MAX_DRAWN: u128 = 1 << 30;

/// The sizes of a run. Only the first `rounds * batch` of the `train` samples are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Samples to learn from.
    pub train: usize,
    /// Samples held out.
    pub test: usize,
    /// T.
    pub rounds: u64,
}

/// Fills in the sizes that were left out: `train` is every sample that is not held out, `rounds` is one pass over `train`. Drawn
/// data have no size of their own, so one of the two must be given.
pub fn split(
    data: &ResolvedData,
    train: Option<usize>,
    test: usize,
    rounds: Option<u64>,
    batch: usize,
) -> Result<Split, Error> {
    for (key, zero) in
        [("problem.batch", batch == 0), ("problem.train", train == Some(0)), ("rounds", rounds == Some(0))]
    {
        if zero {
            return Err(Error::value(key, 0, "expected a whole number of at least 1"));
        }
    }
    let split = match data.samples {
        Some(len) => {
            let train = part(len, train, test)?;
            Split { train, test, rounds: whole(train, rounds, batch, held_out(test))? }
        }
        None => drawn(train, test, rounds, batch)?,
    };
    let numbers = (split.train as u128 + test as u128) * data.dim as u128;
    if data.samples.is_none() && numbers > MAX_DRAWN {
        let (key, found) = match train {
            _ if test > split.train => ("problem.test", test as u64),
            Some(train) => ("problem.train", train as u64),
            None => ("rounds", split.rounds),
        };
        let samples = split.train as u128 + test as u128;
        let most = MAX_DRAWN / data.dim.max(1) as u128;
        let remedy =
            format!("{samples} samples of {} features would be drawn (use at most {most})", data.dim);
        return Err(Error::value(key, found, remedy));
    }
    Ok(split)
}

/// The number of rounds of costs that have `all` rounds; `None`: as many as asked for. A trial draws `drawn` numbers per round.
pub(crate) fn whole_run(all: Option<u64>, drawn: usize, rounds: Option<u64>) -> Result<u64, Error> {
    let rounds = match (all, rounds) {
        (Some(all), Some(rounds)) if rounds > all => {
            let remedy =
                format!("the costs have {all} rounds (use at most {all}, or leave it out for all of them)");
            return Err(Error::value("rounds", rounds, remedy));
        }
        (Some(0), None) => return Err(Error::missing("rounds", "the costs have no rounds")),
        (None, None) => {
            let remedy = "these costs have no end of their own (say how many rounds, e.g. rounds = 500)";
            return Err(Error::missing("rounds", remedy));
        }
        (all, rounds) => rounds.or(all).unwrap_or(1),
    };
    if u128::from(rounds) * drawn as u128 > MAX_DRAWN {
        let most = MAX_DRAWN / drawn as u128;
        let remedy = format!("{drawn} numbers would be drawn for every round (use at most {most} rounds)");
        return Err(Error::value("rounds", rounds, remedy));
    }
    Ok(rounds)
}

/// How many of `len` samples are learned from.
fn part(len: usize, train: Option<usize>, test: usize) -> Result<usize, Error> {
    let Some(left) = len.checked_sub(test).filter(|left| *left > 0) else {
        let remedy =
            format!("the data have {len} samples, and some must be left to learn from (use {})", below(len));
        return Err(Error::value("problem.test", test, remedy));
    };
    match train {
        Some(train) if train > left && test > 0 => {
            let remedy =
                format!("problem.test = {test} leaves {left} of the {len} samples (use at most {left})");
            Err(Error::value("problem.train", train, remedy))
        }
        Some(train) if train > left => Err(Error::value(
            "problem.train",
            train,
            format!("the data have {len} samples (use at most {len})"),
        )),
        train => Ok(train.unwrap_or(left)),
    }
}

/// The sizes for drawn data, which have no size of their own.
fn drawn(train: Option<usize>, test: usize, rounds: Option<u64>, batch: usize) -> Result<Split, Error> {
    match (train, rounds) {
        (Some(train), rounds) => {
            Ok(Split { train, test, rounds: whole(train, rounds, batch, String::new())? })
        }
        (None, None) => Err(Error::missing(
            "rounds",
            "drawn data have no size of their own (say how many rounds, e.g. rounds = 500)",
        )),
        (None, Some(rounds)) => {
            let train = usize::try_from(rounds).ok().and_then(|rounds| rounds.checked_mul(batch));
            let remedy =
                || format!("{rounds} rounds of {batch} samples are more than can be counted (use fewer)");
            Ok(Split { train: train.ok_or_else(|| Error::value("rounds", rounds, remedy()))?, test, rounds })
        }
    }
}

/// The number of whole batches. A last batch that is not full is dropped.
fn whole(train: usize, rounds: Option<u64>, batch: usize, besides: String) -> Result<u64, Error> {
    let most = (train / batch) as u64;
    if most == 0 {
        let remedy = format!("there are {train} samples to learn from{besides} (use at most {train})");
        return Err(Error::value("problem.batch", batch, remedy));
    }
    match rounds {
        Some(rounds) if rounds > most => {
            let remedy = format!(
                "the {train} samples to learn from{besides} give {most} rounds of {batch} in one pass \
                 (use at most {most}, or leave it out for all of them)"
            );
            Err(Error::value("rounds", rounds, remedy))
        }
        rounds => Ok(rounds.unwrap_or(most)),
    }
}

fn held_out(test: usize) -> String {
    if test == 0 { String::new() } else { format!(" beside the {test} held out") }
}

fn below(len: usize) -> String {
    if len > 1 { format!("at most {}", len - 1) } else { "0".into() }
}
