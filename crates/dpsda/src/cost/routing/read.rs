//! Reading a road network from tables.

use super::{Road, Routing, Trip};
use crate::cost::{CostModel, NumberTable, TableReader};
use crate::{Error, Keys};

pub(super) fn build(keys: &Keys<'_>, read: &TableReader<'_>) -> Result<Box<dyn CostModel>, Error> {
    let (links, trips, paths) = (keys.str("links")?, keys.str("trips")?, keys.count("paths", 1)?);
    let (pairs, profile) = (keys.count("pairs", 1)?, keys.str("profile")?);
    let (day, spread) = (keys.count("day", 1)?, keys.f64("spread")?);
    let links =
        links.ok_or_else(|| keys.bad("links", "name a CSV file of roads: from, to, capacity, time"))?;
    let trips = trips.ok_or_else(|| keys.bad("trips", "name a CSV file of trips: from, to, demand"))?;
    let (links, trips) = (read(links)?, read(trips)?);
    let (roads, mut all) = (roads(&links)?, travellers(&trips)?);
    if let Some(pairs) = pairs {
        keep_largest(&mut all, usize::try_from(pairs).unwrap_or(usize::MAX));
    }
    let count = |count: Option<u64>, default| {
        count.map_or(default, |count| usize::try_from(count).unwrap_or(usize::MAX))
    };
    let routing =
        Routing::new(&roads, &all, count(paths, 3)).map_err(|error| about(&links, &trips, error))?;
    let Some(profile) = profile else {
        let routing =
            routing.drawn(count(day, 24), spread.unwrap_or(0.2)).map_err(|error| keys.locate(error))?;
        return Ok(Box::new(routing));
    };
    if let Some(key) = ["day", "spread"].into_iter().find(|key| keys.holds(key)) {
        return Err(keys.bad(key, "the demand comes from `profile` (keep one of the two keys)"));
    }
    let table = read(profile)?;
    let columns = routing.origins().iter().map(|origin| column(&table, &origin.to_string()));
    let columns = columns.collect::<Result<Vec<usize>, _>>()?;
    let factors: Vec<Vec<f64>> =
        table.rows().iter().map(|row| columns.iter().map(|k| row[*k]).collect()).collect();
    Ok(Box::new(routing.profile(&factors).map_err(|error| Error::data(table.name(), error.to_string()))?))
}

/// Makes an error about roads or trips name their file.
fn about(links: &NumberTable, trips: &NumberTable, error: Error) -> Error {
    let of_trips = error.key().is_some_and(|key| key.starts_with("trips"));
    Error::data(if of_trips { trips.name() } else { links.name() }, error.to_string())
}

/// The index of a column that must exist.
fn column(table: &NumberTable, name: &str) -> Result<usize, Error> {
    table.column(name).ok_or_else(|| {
        Error::data(
            table.name(),
            format!("there is no column `{name}` (columns: {})", table.columns().join(", ")),
        )
    })
}

/// The number of a place.
fn place(table: &NumberTable, k: usize, x: f64) -> Result<u64, Error> {
    if x >= 0.0 && x.fract() == 0.0 && x < 2_f64.powi(53) {
        return Ok(x as u64);
    }
    Err(Error::data(table.name(), format!("row {}: found the place {x}, expected a whole number", k + 1)))
}

fn roads(table: &NumberTable) -> Result<Vec<Road>, Error> {
    let [from, to, capacity, time] =
        [column(table, "from")?, column(table, "to")?, column(table, "capacity")?, column(table, "time")?];
    let (b, power) = (table.column("b"), table.column("power"));
    let road = |(k, row): (usize, &Vec<f64>)| {
        Ok(Road {
            from: place(table, k, row[from])?,
            to: place(table, k, row[to])?,
            capacity: row[capacity],
            time: row[time],
            b: b.map_or(0.15, |b| row[b]),
            power: power.map_or(4.0, |power| row[power]),
        })
    };
    table.rows().iter().enumerate().map(road).collect()
}

fn travellers(table: &NumberTable) -> Result<Vec<Trip>, Error> {
    let (from, to, demand) = (column(table, "from")?, column(table, "to")?, column(table, "demand")?);
    let trip = |(k, row): (usize, &Vec<f64>)| {
        Ok(Trip { from: place(table, k, row[from])?, to: place(table, k, row[to])?, demand: row[demand] })
    };
    table.rows().iter().enumerate().map(trip).collect()
}

/// Keeps the trips with the largest demand, at most `count` per origin. Among equal demands the first trip stays.
pub(super) fn keep_largest(trips: &mut Vec<Trip>, count: usize) {
    let all = trips.clone();
    let mut k = 0..;
    trips.retain(|trip| {
        let Some(k) = k.next() else { return false };
        let before = |(j, other): &(usize, &Trip)| {
            other.from == trip.from && (other.demand > trip.demand || (other.demand == trip.demand && *j < k))
        };
        all.iter().enumerate().filter(before).count() < count
    });
}
