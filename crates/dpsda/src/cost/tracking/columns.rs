//! Which columns of a table are the reference, the signals and the wishes.

use super::{CostModel, Tracking};
use crate::cost::{NumberTable, TableReader};
use crate::{Error, Keys};

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

/// The cost of a file: its keys, and the table that they name.
pub(super) fn build(keys: &Keys<'_>, read: &TableReader<'_>) -> Result<Box<dyn CostModel>, Error> {
    let path = keys.str("path")?.ok_or_else(|| keys.bad("path", "name a CSV file with one row per round"))?;
    let table = read(path)?;
    let reference = keys.str("reference")?;
    let reference =
        reference.ok_or_else(|| keys.bad("reference", "name the column that agents follow together"))?;
    let reference = table.find(&keys.name("reference"), reference)?;
    let signals = keys.strs("signals")?.unwrap_or_default();
    let signals: Vec<usize> =
        signals.iter().map(|name| table.find(&keys.name("signals"), name)).collect::<Result<_, Error>>()?;
    let is_public = |k: usize| k == reference || signals.contains(&k);
    let (agents, absent) = wishes(keys, &table, is_public)?;
    let row = |row: &Vec<f64>| agents.iter().map(|column| column.map_or(0.0, |k| row[k])).collect();
    let costs = Tracking::new(
        table.rows().iter().map(|row| row[reference]).collect(),
        table.rows().iter().map(row).collect(),
    )
    .map_err(|error| Error::data(table.name(), error.to_string()))?; // said about the file, whose numbers they are
    let costs = Tracking { absent, ..costs };
    let public = |row: &Vec<f64>| signals.iter().map(|k| row[*k]).collect();
    let costs =
        if signals.is_empty() { costs } else { costs.signals(table.rows().iter().map(public).collect())? };
    let costs = match keys.f64s("gains")? {
        Some(gains) => costs.gains(gains).map_err(|error| keys.locate(error))?,
        None => costs,
    };
    let costs = match keys.f64s("start")? {
        Some(start) => costs.start(&start).map_err(|error| keys.locate(error))?,
        None => costs,
    };
    let weight = |key| keys.f64(key).map(|weight| weight.unwrap_or(1.0));
    let costs =
        costs.weights(weight("follow")?, weight("discomfort")?).map_err(|error| keys.locate(error))?;
    Ok(Box::new(costs))
}

/// The column of every agent's wish, and which of them are not on this host. A wish belongs to one agent alone, and to nobody else:
/// a promise about agents rests on that.
fn wishes(
    keys: &Keys<'_>,
    table: &NumberTable,
    is_public: impl Fn(usize) -> bool,
) -> Result<(Vec<Option<usize>>, AbsentColumns), Error> {
    let key = keys.name("agents");
    let names: Vec<String> = match keys.strs("agents")? {
        Some(names) => names.into_iter().map(str::to_owned).collect(),
        None => {
            let columns = table.columns().iter().enumerate();
            columns.filter(|(k, _)| !is_public(*k)).map(|(_, name)| name.clone()).collect()
        }
    };
    let find = |name: &String| match table.column(name) {
        None if table.is_partial() => Ok(None),
        _ => table.find(&key, name).map(Some),
    };
    let agents = names.iter().map(find).collect::<Result<Vec<_>, Error>>()?;
    if names.is_empty() {
        return Err(
            keys.bad("agents", "name at least one column of wishes, beside the reference and the signals")
        );
    }
    if agents.iter().flatten().any(|column| is_public(*column)) {
        return Err(keys.bad(
            "agents",
            "the reference and the signals are public, and wishes are private (use other columns)",
        ));
    }
    if names.iter().enumerate().any(|(k, name)| names[..k].contains(name)) {
        return Err(keys.bad("agents", "a column is the wish of one agent (name each column once)"));
    }
    let absent = names.into_iter().enumerate().filter(|(agent, _)| agents[*agent].is_none()).collect();
    let (table, present) = (table.name().to_owned(), table.columns().to_vec());
    Ok((agents, AbsentColumns { key, table, present, agents: absent }))
}

#[cfg(test)]
mod tests {
    use super::*;
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
