//! Reading references, signals and wishes from a table.

use super::Tracking;
use crate::cost::{CostModel, NumberTable, TableReader, UsedColumns};
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
    let agents = match table.listed(keys, "agents")? {
        Some(agents) => agents,
        None => table.numeric().into_iter().filter(|k| !public(k)).collect(),
    };
    check_private(keys, &table, &agents, public)?;
    let followed = table.pick(&[reference])?.concat();
    let costs = Tracking::new(followed, table.pick(&agents)?)
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
        [("reference", false, &[reference][..]), ("signals", false, &signals), ("wishes", true, &agents)];
    Ok(Box::new(Tracking { columns: UsedColumns::of(&table, &roles), ..costs }))
}

/// A wish belongs to one agent alone, and to nobody else: a promise about agents rests on that.
fn check_private(
    keys: &Keys<'_>,
    table: &NumberTable,
    agents: &[usize],
    public: impl Fn(&usize) -> bool,
) -> Result<(), Error> {
    if agents.is_empty() {
        let remedy = format!(
            "name at least one column of wishes, beside the reference and the signals (columns of {}: {})",
            table.name(),
            table.columns().join(", ")
        );
        return Err(keys.bad("agents", remedy));
    }
    if agents.iter().any(public) {
        return Err(keys.bad(
            "agents",
            "the reference and the signals are public, and wishes are private (use other columns)",
        ));
    }
    Ok(())
}
