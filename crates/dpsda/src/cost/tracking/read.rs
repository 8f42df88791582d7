//! Reading references, signals and wishes from a table.

use super::Tracking;
use super::absent::AbsentColumns;
use crate::cost::{CostModel, TableReader, UsedColumns};
use crate::{Error, Keys};

pub(super) fn build(keys: &Keys<'_>, read: &TableReader<'_>) -> Result<Box<dyn CostModel>, Error> {
    let path =
        keys.path("path")?.ok_or_else(|| keys.bad("path", "name a CSV file with one row per round"))?;
    let table = read(path)?;
    let reference = keys.str("reference")?;
    let reference =
        reference.ok_or_else(|| keys.bad("reference", "name the column that agents follow together"))?;
    let reference = table.named(keys, "reference", reference)?;
    let signals = table.listed(keys, "signals")?.unwrap_or_default();
    let public = |k: &usize| *k == reference || signals.contains(k);
    let agents: Vec<Option<usize>> = match table.listed_here(keys, "agents")? {
        Some(agents) => agents,
        // On a host, "all other columns" would mean those that happen to be there.
        None if table.is_partial() => {
            let remedy =
                "name the column of every agent, in the order of the agents: nodes do not have all columns";
            return Err(Error::missing(keys.name("agents"), remedy));
        }
        None => table.numeric().into_iter().filter(|k| !public(k)).map(Some).collect(),
    };
    let here: Vec<usize> = agents.iter().copied().flatten().collect();
    if agents.is_empty() {
        let remedy = format!(
            "name at least one column of wishes, beside the reference and the signals (columns of {}: {})",
            table.name(),
            table.columns().join(", ")
        );
        return Err(keys.bad("agents", remedy));
    }
    // A wish belongs to one agent alone, and to nobody else: a promise about agents rests on that.
    if here.iter().any(public) {
        let remedy = "the reference and the signals are public, and wishes are private (use other columns)";
        return Err(keys.bad("agents", remedy));
    }
    // A wish that is not on this host stands as zero.
    let wishes = |row: Vec<f64>| {
        let mut here = row.into_iter();
        agents.iter().map(|column| column.and_then(|_| here.next()).unwrap_or(0.0)).collect()
    };
    let wishes = table.pick(&here)?.into_iter().map(wishes).collect();
    let costs = Tracking::new(table.pick(&[reference])?.concat(), wishes)
        .map_err(|error| Error::data(table.name(), error.to_string()))?;
    let costs = if signals.is_empty() { costs } else { costs.signals(table.pick(&signals)?)? };
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
    let roles =
        [("reference", false, &[reference][..]), ("signals", false, &signals), ("wishes", true, &here)];
    let names = keys.strs("agents")?.unwrap_or_default();
    let absent = AbsentColumns::new(keys.name("agents"), &table, &names);
    Ok(Box::new(Tracking { columns: UsedColumns::of(&table, &roles), absent, ..costs }))
}
