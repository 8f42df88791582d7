//! The wishes of other agents, which a host need not have.

use crate::Error;
use crate::cost::NumberTable;

/// Columns of wishes that a host does not have.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct AbsentColumns {
    /// The key that names them.
    key: String,
    /// The table, and the columns that it has.
    table: String,
    present: Vec<String>,
    /// The agents, and their columns.
    agents: Vec<(usize, String)>,
}

impl AbsentColumns {
    /// The agents of `names` without a column in `table`. `key` named them.
    pub(super) fn new(key: String, table: &NumberTable, names: &[&str]) -> Self {
        let absent = names.iter().enumerate().filter(|(_, name)| table.column(name).is_none());
        let agents = absent.map(|(agent, name)| (agent, (*name).to_owned())).collect();
        Self { key, table: table.name().to_owned(), present: table.columns().to_vec(), agents }
    }

    /// An error if the column of an agent that is `needed` is absent.
    pub(super) fn check(&self, needed: impl Fn(usize) -> bool) -> Result<(), Error> {
        let absent = self.agents.iter().filter(|(agent, _)| needed(*agent));
        let absent: Vec<&str> = absent.map(|(_, name)| name.as_str()).collect();
        if absent.is_empty() {
            return Ok(());
        }
        let remedy = format!("{} has no such column; it has {}", self.table, quoted(&self.present));
        Err(Error::value(&self.key, quoted(&absent), remedy))
    }
}

fn quoted(names: &[impl AsRef<str>]) -> String {
    names.iter().map(|name| format!("\"{}\"", name.as_ref())).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::read::build;
    use super::*;
    use crate::Keys;
    use crate::cost::{CostModel, TableReader};
    use crate::keys::Table;

    /// Two rounds of a host that has no other wish than Ben's.
    fn read(path: &str) -> Result<NumberTable, Error> {
        let columns = ["wind", "ben"].map(String::from).to_vec();
        NumberTable::new(path, columns, vec![vec![3.0, 1.0], vec![4.0, 2.0]])
    }

    fn built(read: &TableReader<'_>) -> Result<Box<dyn CostModel>, Error> {
        let agents = ["anna", "ben", "carla"].map(crate::keys::Value::from).to_vec();
        let table = Table::from([
            ("path".into(), "own.csv".into()),
            ("reference".into(), "wind".into()),
            ("agents".into(), crate::keys::Value::List(agents)),
        ]);
        build(&Keys::new("problem", &table), read)
    }

    #[test]
    fn a_host_needs_the_wishes_of_its_own_agents_and_public_columns_only() {
        let whole = built(&read).err().map(|error| error.to_string());
        assert!(whole.is_some_and(|said| said.contains("problem.agents") && said.contains("anna")));
        let own = built(&|path| read(path).map(NumberTable::partial)).unwrap();
        assert_eq!((own.dim(), own.rounds()), (3, Some(2)));
        own.ready_for(1..2).unwrap();
        let said = |found: Result<(), Error>| found.unwrap_err().to_string();
        for (found, names) in [
            (own.ready(), "\"anna\", \"carla\""),
            (own.ready_for(0..2), "\"anna\""),
            (own.ready_for(2..3), "\"carla\""),
        ] {
            let words =
                format!("problem.agents = {names}: own.csv has no such column; it has \"wind\", \"ben\"");
            assert_eq!(said(found), words);
        }
    }

    #[test]
    fn a_host_must_name_the_agents_because_its_columns_do_not_show_who_they_are() {
        let table = Table::from([("path".into(), "own.csv".into()), ("reference".into(), "wind".into())]);
        let keys = Keys::new("problem", &table);
        assert_eq!(build(&keys, &read).unwrap().dim(), 1, "in a simulation, all other columns are agents");
        let error = build(&keys, &|path| read(path).map(NumberTable::partial)).err().unwrap().to_string();
        assert!(error.starts_with("`problem.agents` is missing: name the column of every agent"), "{error}");
    }

    #[test]
    fn what_a_node_learns_does_not_depend_on_the_wishes_of_others() {
        let all = |path: &str| {
            let columns = ["wind", "anna", "ben", "carla"].map(String::from).to_vec();
            NumberTable::new(path, columns, vec![vec![3.0, 9.0, 1.0, -7.0], vec![4.0, 8.0, 2.0, 6.0]])
        };
        let (own, all) = (built(&|path| read(path).map(NumberTable::partial)).unwrap(), built(&all).unwrap());
        let gradients = |model: &dyn CostModel| -> Vec<[f64; 2]> {
            let costs = model.draw(crate::rng::Seed::new(1), 2);
            let of = |t| {
                let (mut own, mut public) = ([0.0], [0.0]);
                assert!(costs.cost(t).unwrap().agent(&[0.25, -0.5, 0.75], 1..2, &mut own, &mut public));
                [own[0], public[0]]
            };
            (0..2).map(of).collect()
        };
        assert_eq!(gradients(&*own), gradients(&*all));
    }
}
