//! Reading a road network from tables.

use super::{FACTORS, Road, Routing, Trip, is_factor};
use crate::cost::by_round::ByRound;
use crate::cost::{CostModel, NumberTable, TableReader, UsedColumns};
use crate::error::nearest;
use crate::{Error, Keys};

/// What the columns of roads are, and which of them are optional.
const ROADS: &str = "roads";
const OPTIONAL: [&str; 2] = ["b", "power"];

pub(super) fn build(keys: &Keys<'_>, read: &TableReader<'_>) -> Result<Box<dyn CostModel>, Error> {
    let (links, trips, paths) = (keys.path("links")?, keys.path("trips")?, keys.count("paths", 1)?);
    let (pairs, profile) = (keys.count("pairs", 1)?, keys.path("profile")?);
    let (day, spread) = (keys.count("day", 1)?, keys.f64("spread")?);
    let links =
        links.ok_or_else(|| keys.bad("links", "name a CSV file of roads: from, to, capacity, time"))?;
    let trips = trips.ok_or_else(|| keys.bad("trips", "name a CSV file of trips: from, to, demand"))?;
    let (links, trips) = (read(links)?, read(trips)?);
    let (roads, all) = (roads(&links)?, travellers(&trips)?);
    let count = |count: Option<u64>, default| {
        count.map_or(default, |count| usize::try_from(count).unwrap_or(usize::MAX))
    };
    let kept = largest(&all, count(pairs, usize::MAX));
    let travellers: Vec<Trip> = kept.iter().map(|k| all[*k]).collect();
    let routing = Routing::new(&roads, &travellers, count(paths, 3))
        .map_err(|error| about(keys, &trips, &kept, error))?;
    let columns =
        [used(&links, ROADS, &road_columns(&links)?), used(&trips, "trips", &trip_columns(&trips)?)];
    let routing = Routing { columns: columns.concat(), ..routing };
    let Some(profile) = profile else {
        let routing =
            routing.drawn(count(day, 24), spread.unwrap_or(0.2)).map_err(|error| keys.locate(error))?;
        return Ok(Box::new(routing));
    };
    if let Some(key) = ["day", "spread"].into_iter().find(|key| keys.holds(key)) {
        return Err(keys.bad(key, "the demand comes from `profile` (keep one of the two keys)"));
    }
    let table = read(profile)?.numbered();
    let columns = routing.origins().iter().map(|origin| table.required(&origin.to_string()));
    let columns = columns.collect::<Result<Vec<usize>, _>>()?;
    let factors = ByRound::read(&table, &columns, "demand factors", FACTORS, is_factor)?;
    Ok(Box::new(routing.given(factors)?))
}

/// An error in a trip names its line, and an error in a key names the key. `kept` has the rows of the trips.
fn about(keys: &Keys<'_>, trips: &NumberTable, kept: &[usize], error: Error) -> Error {
    let Error::Value { key, found, expected } = &error else { return error };
    match kept.iter().enumerate().find(|(k, _)| *key == format!("trips[{k}]")) {
        Some((_, row)) => Error::data(trips.line(*row), format!("{found}: {expected}")),
        None if key == "trips" => Error::data(trips.name(), format!("{found}: {expected}")),
        None => keys.locate(error),
    }
}

/// An error in a field names its cell.
fn wrong(table: &NumberTable, row: usize, error: Error) -> Error {
    let Error::Value { key, expected, .. } = &error else { return error };
    table.column(key).map_or(error.clone(), |column| Error::data(table.place(row, column), expected.as_str()))
}

/// The number of a place.
fn place(table: &NumberTable, row: usize, column: usize, x: f64) -> Result<u64, Error> {
    if x >= 0.0 && x.fract() == 0.0 && x < 2_f64.powi(53) {
        return Ok(x as u64);
    }
    Err(Error::data(table.place(row, column), "expected the number of a place, a whole number of at least 0"))
}

/// The columns of roads; the optional ones come last.
fn road_columns(table: &NumberTable) -> Result<Vec<usize>, Error> {
    let needed = ["from", "to", "capacity", "time"].into_iter().map(|name| table.required(name));
    needed.chain(OPTIONAL.into_iter().filter_map(|name| table.column(name)).map(Ok)).collect()
}

fn trip_columns(table: &NumberTable) -> Result<Vec<usize>, Error> {
    ["from", "to", "demand"].into_iter().map(|name| table.required(name)).collect()
}

fn used(table: &NumberTable, role: &'static str, columns: &[usize]) -> Vec<UsedColumns> {
    UsedColumns::of(table, &[(role, false, columns)])
}

/// A column of roads that is not used, and looks like a misspelt optional one. The default would then be used in silence.
pub(super) fn misspelt(columns: &[UsedColumns]) -> Vec<String> {
    let Some(roads) = columns.iter().find(|used| used.role == ROADS) else { return Vec::new() };
    let absent = OPTIONAL.into_iter().filter(|name| roads.names.iter().all(|used| used != name));
    let absent: Vec<String> = absent.map(Into::into).collect();
    let unused = columns.iter().filter(|used| used.role == UsedColumns::UNUSED && used.table == roads.table);
    let alike = |name: &String| {
        let same = absent.iter().find(|word| name.eq_ignore_ascii_case(word)).map(String::as_str);
        // Every name of two letters is near to `b`.
        let word = same.or_else(|| nearest(&name.to_lowercase(), &absent).filter(|word| word.len() > 1))?;
        Some(format!(
            "links: {} has a column `{name}`, which is not used (did you mean `{word}`?)",
            roads.table
        ))
    };
    unused.flat_map(|used| &used.names).filter_map(alike).collect()
}

fn roads(table: &NumberTable) -> Result<Vec<Road>, Error> {
    let columns = road_columns(table)?;
    let [b, power] = OPTIONAL.map(|name| table.column(name));
    let rows = table.pick(&columns)?;
    let road = |(k, row): (usize, Vec<f64>)| {
        let mut numbers = row.into_iter();
        let mut next = |usual: f64| numbers.next().unwrap_or(usual);
        let road = Road {
            from: place(table, k, columns[0], next(0.0))?,
            to: place(table, k, columns[1], next(0.0))?,
            capacity: next(0.0),
            time: next(0.0),
            b: if b.is_some() { next(0.0) } else { 0.15 },
            power: if power.is_some() { next(0.0) } else { 4.0 },
        };
        road.check().map_err(|error| wrong(table, k, error))?;
        Ok(road)
    };
    rows.into_iter().enumerate().map(road).collect()
}

fn travellers(table: &NumberTable) -> Result<Vec<Trip>, Error> {
    let columns = trip_columns(table)?;
    let trip = |(k, row): (usize, Vec<f64>)| {
        let trip = Trip {
            from: place(table, k, columns[0], row[0])?,
            to: place(table, k, columns[1], row[1])?,
            demand: row[2],
        };
        trip.check().map_err(|error| wrong(table, k, error))?;
        Ok(trip)
    };
    table.pick(&columns)?.into_iter().enumerate().map(trip).collect()
}

/// The places of the trips with the largest demand, at most `count` per origin. Of equal ones the first stays.
pub(super) fn largest(trips: &[Trip], count: usize) -> Vec<usize> {
    let stays = |k: &usize| {
        let trip = &trips[*k];
        let before = |(j, other): &(usize, &Trip)| {
            other.from == trip.from && (other.demand > trip.demand || (other.demand == trip.demand && j < k))
        };
        trips.iter().enumerate().filter(before).count() < count
    };
    (0..trips.len()).filter(stays).collect()
}
