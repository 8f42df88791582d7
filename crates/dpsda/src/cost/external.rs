//! Costs that the user's own program reveals while nodes run. It sends each node a gradient, or two values.
//!
//! The model knows only how many coordinates a decision has. So there is nothing to simulate.

use std::sync::Arc;

use super::{Build, CostModel, CostSequence, MAX_DIM, TableReader};
use crate::catalog::{Key, Listing};
use crate::objective::Objective;
use crate::privacy::plan::Adjacency;
use crate::rng::Seed;
use crate::{Error, Keys};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "external",
    about: "for nodes only: a program of your own sends gradients or values during the run",
    keys: &[
        Key {
            name: "dim",
            about: "how many coordinates the shared decision has; default the sum of `agents`",
        },
        Key {
            name: "agents",
            about: "the number of coordinates of each agent, e.g. [6, 6, 6]; default none",
        },
    ],
    build: Build::Model(build),
};

/// Costs that arrive while nodes run.
///
/// ```
/// use dpsda::cost::{CostModel, external::External};
/// let costs = External::new(30)?;
/// assert_eq!((costs.dim(), costs.rounds()), (30, None));
/// assert!(costs.ready().unwrap_err().to_string().contains("dpsda node"));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    dim: usize,
    agents: Option<Vec<usize>>,
}

impl External {
    /// Costs of `dim` coordinates.
    pub fn new(dim: usize) -> Result<Self, Error> {
        if !(1..=MAX_DIM).contains(&dim) {
            return Err(Error::value("dim", dim, format!("expected a whole number from 1 to {MAX_DIM}")));
        }
        Ok(Self { dim, agents: None })
    }

    /// Costs of agents that control this many coordinates each.
    ///
    /// ```
    /// use dpsda::cost::{CostModel, external::External};
    /// let costs = External::of_agents(vec![2, 3])?;
    /// assert_eq!((costs.dim(), costs.agents()), (5, Some(vec![2, 3])));
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn of_agents(agents: Vec<usize>) -> Result<Self, Error> {
        if let Some(none) = agents.iter().position(|size| *size == 0) {
            let remedy = "an agent needs at least one coordinate";
            return Err(Error::value(format!("agents[{none}]"), 0, remedy));
        }
        let dim = agents.iter().fold(0, |sum: usize, size| sum.saturating_add(*size));
        if !(1..=MAX_DIM).contains(&dim) {
            let remedy = format!("expected from 1 to {MAX_DIM} coordinates in all");
            return Err(Error::value("agents", format!("{dim} coordinates"), remedy));
        }
        Ok(Self { dim, agents: Some(agents) })
    }
}

fn build(keys: &Keys<'_>, _: &TableReader<'_>) -> Result<Box<dyn CostModel>, Error> {
    let dim = keys.count("dim", 1)?.map(|dim| usize::try_from(dim).unwrap_or(usize::MAX));
    let model = match (keys.counts("agents")?, dim) {
        (None, None) => {
            let remedy = "how many coordinates the shared decision has, e.g. dim = 30";
            return Err(Error::missing(keys.name("dim"), remedy));
        }
        (None, Some(dim)) => External::new(dim),
        (Some(agents), dim) => External::of_agents(agents).and_then(|model| match dim {
            Some(dim) if dim != model.dim => {
                let remedy = format!("the agents have {} coordinates (leave it out)", model.dim);
                Err(Error::value("dim", dim, remedy))
            }
            _ => Ok(model),
        }),
    };
    Ok(Box::new(model.map_err(|error| keys.locate(error))?))
}

impl CostModel for External {
    fn dim(&self) -> usize {
        self.dim
    }

    fn rounds(&self) -> Option<u64> {
        None
    }

    /// No rounds: no program has sent a cost.
    fn draw(&self, _: Seed, _: u64) -> Arc<dyn CostSequence> {
        Arc::new(Unsent(self.dim))
    }

    fn agents(&self) -> Option<Vec<usize>> {
        self.agents.clone()
    }

    fn event(&self, adjacency: Adjacency, agent: &str, round: &str) -> Option<String> {
        match adjacency {
            Adjacency::Round => Some(format!("all that programs send for one {round}")),
            Adjacency::Agent => Some(format!(
                "one {agent}'s {round}: what its program sends as \"gradient\"; what it sends as \"public\" is public"
            )),
            Adjacency::Example => None,
        }
    }

    fn ready(&self) -> Result<(), Error> {
        let remedy = "its costs arrive while nodes run, so there is nothing to simulate (run it with dpsda node or dpsda cluster \
                      up, or use another cost)";
        Err(Error::value("problem.cost", format!("{:?}", LISTING.name), remedy))
    }
}

/// Costs that are not known here.
struct Unsent(usize);

impl CostSequence for Unsent {
    fn dim(&self) -> usize {
        self.0
    }

    fn rounds(&self) -> u64 {
        0
    }

    fn cost(&self, _: u64) -> Option<Box<dyn Objective + '_>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Table, Value};

    fn made(table: &[(&str, Value)]) -> Result<Box<dyn CostModel>, String> {
        let table: Table = table.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let read = |path: &str| Err(Error::data(path, "no files here"));
        build(&Keys::new("problem", &table), &read).map_err(|error| error.to_string())
    }

    #[test]
    fn its_size_is_given_by_the_dimension_or_by_the_agents() {
        let sizes = |sizes: &[i64]| Value::List(sizes.iter().map(|size| Value::Integer(*size)).collect());
        assert_eq!(made(&[("dim", Value::Integer(30))]).unwrap().dim(), 30);
        let agents = made(&[("agents", sizes(&[2, 3]))]).unwrap();
        assert_eq!((agents.dim(), agents.agents(), agents.rounds()), (5, Some(vec![2, 3]), None));
        assert_eq!(made(&[("agents", sizes(&[2, 3])), ("dim", Value::Integer(5))]).unwrap().dim(), 5);
        for (table, words) in [
            (&[][..], "problem.dim"),
            (&[("dim", Value::Integer(0))], "problem.dim = 0"),
            (
                &[("dim", Value::Integer(1 << 40))],
                "problem.dim = 1099511627776: expected a whole number from 1 to",
            ),
            (&[("agents", sizes(&[2, 0]))], "problem.agents"),
            (
                &[("agents", sizes(&[])), ("dim", Value::Integer(5))],
                "problem.agents = []: expected from 1 to",
            ),
            (&[("agents", sizes(&[2, 3])), ("dim", Value::Integer(6))], "problem.dim = 6: the agents have 5"),
        ] {
            let error = made(table).err().unwrap();
            assert!(error.contains(words), "{words}: {error}");
        }
    }

    #[test]
    fn nothing_is_revealed_here_and_the_error_says_where() {
        let costs = External::new(3).unwrap();
        let drawn = costs.draw(Seed::new(1), 100);
        assert!(drawn.cost(0).is_none() && drawn.rounds() == 0 && drawn.dim() == 3);
        let error = costs.ready().unwrap_err().to_string();
        assert!(
            error.starts_with("problem.cost = \"external\": its costs arrive while nodes run"),
            "{error}"
        );
    }
}
