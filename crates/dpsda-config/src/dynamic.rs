//! `dynamic`: the sequence of decisions that dynamic regret is measured against.

use std::sync::Arc;

use dpsda::regret::MAX_BORDERS;
use dpsda::set::ConvexSet;
use dpsda::{Error, Keys};

use crate::resolver::RunTables;

/// The usual number of steps of the grid on which borders lie.
const BORDERS: u64 = 16;

/// A sequence of decisions that changes over time.
#[derive(Debug, Clone, PartialEq)]
pub enum Dynamic {
    /// The best sequence with at most so many segments, whose borders lie on a grid of so many steps.
    Best {
        /// Segments.
        segments: usize,
        /// Steps of the grid.
        borders: usize,
    },
    /// A given sequence: the first round of each decision, and the decision, in order.
    Given(Arc<[(u64, Vec<f64>)]>),
}

impl Dynamic {
    /// Refuses a given decision that is outside the set, or that comes after the last round.
    pub(crate) fn check(&self, set: &dyn ConvexSet, rounds: u64) -> Result<(), Error> {
        let Self::Given(each) = self else { return Ok(()) };
        for (first, x) in each.iter() {
            let mut inside = x.clone();
            set.project(&mut inside);
            let away = inside.iter().zip(x).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            if away > 1e-9 * (1.0 + x.iter().map(|x| x * x).sum::<f64>().sqrt()) {
                let remedy =
                    "move it inside; with `problem.start`, coordinates are deviations from the start";
                let problem =
                    format!("the decision from round {first} on is {away} outside the set ({remedy})");
                return Err(Error::data("dynamic.path", problem));
            }
            if *first >= rounds {
                let rounds = format!("the run has {rounds} rounds, counted from 0");
                let problem = format!("a decision begins in round {first}, but {rounds} (remove it)");
                return Err(Error::data("dynamic.path", problem));
            }
        }
        Ok(())
    }
}

/// Reads the table `dynamic`, if there is one.
pub(crate) fn read(top: &Keys<'_>, dim: usize, tables: &RunTables<'_>) -> Result<Option<Dynamic>, Error> {
    let expected = "expected a table: { segments = 4 }, or { path = \"sequence.csv\" }";
    let Some(keys) = top.table("dynamic").map_err(|_| top.bad("dynamic", expected))? else { return Ok(None) };
    let (segments, path) = (keys.count("segments", 1)?, keys.path("path")?);
    let borders = keys.count("borders", 1)?;
    let dynamic = match (segments, path) {
        (Some(_), Some(_)) => {
            return Err(keys.bad(
                "path",
                "`segments` asks for the best sequence, `path` gives one (keep one of the two)",
            ));
        }
        (None, None) => {
            keys.known()?; // a misspelt key
            return Err(
                keys.bad("segments", "say how many segments the best sequence may have, e.g. segments = 4")
            );
        }
        (None, Some(_)) if borders.is_some() => {
            return Err(keys.bad("borders", "a sequence from `path` has its own borders (remove this key)"));
        }
        (None, Some(path)) => given(&keys, path, dim, tables)?,
        (Some(segments), None) => {
            let borders = borders.unwrap_or(BORDERS.max(segments));
            if borders > MAX_BORDERS as u64 {
                let key = if keys.holds("borders") { "borders" } else { "segments" };
                return Err(keys.bad(
                    key,
                    format!("expected at most {MAX_BORDERS} (every pair of borders is a problem to solve)"),
                ));
            }
            if segments > borders {
                return Err(keys.bad(
                    "segments",
                    format!("a grid of {borders} steps has room for {borders} (use at most that)"),
                ));
            }
            Dynamic::Best { segments: segments as usize, borders: borders as usize }
        }
    };
    keys.finish()?;
    Ok(Some(dynamic))
}

/// A table with the first round of each decision, then the decision.
fn given(keys: &Keys<'_>, path: &str, dim: usize, tables: &RunTables<'_>) -> Result<Dynamic, Error> {
    let table = tables.read(path)?;
    let columns: Vec<usize> = (0..table.columns().len()).collect();
    if columns.len() != dim + 1 {
        let remedy =
            format!("it has {} columns, expected the first round and {dim} coordinates", columns.len());
        return Err(keys.bad("path", remedy));
    }
    let mut rows: Vec<(u64, Vec<f64>)> = Vec::new();
    for (k, row) in table.pick(&columns)?.into_iter().enumerate() {
        let Some((first, x)) = row.split_first() else { continue };
        let next = *first as u64;
        let rises = rows.last().map_or(next == 0, |(last, _)| next > *last);
        if next as f64 != *first || !rises {
            let remedy = "expected a first round: whole numbers that begin with 0 and rise";
            return Err(Error::data(table.place(k, 0), remedy));
        }
        rows.push((next, x.to_vec()));
    }
    Ok(Dynamic::Given(rows.into()))
}
