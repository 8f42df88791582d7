//! Which origin decides about which paths.

use super::paths::RoadMap;
use super::road::{Road, Trip};
use crate::Error;

/// Roads, and the paths of every pair of origin and destination. Each path is one coordinate. Paths are in the order of origins, then
/// of pairs, then of lengths.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PathPlan {
    pub(super) roads: Vec<Road>,
    /// The numbers of the origins, rising.
    pub(super) origins: Vec<u64>,
    /// The path of each coordinate.
    pub(super) paths: Vec<SharedPath>,
    /// The number of paths of each pair.
    pairs: Vec<usize>,
    /// The demand of each origin.
    pub(super) demands: Vec<f64>,
    /// The demand of all origins.
    pub(super) total: f64,
}

/// A path, and the pair whose travellers share it with the pair's other paths.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SharedPath {
    /// The index of the origin in the list of origins.
    pub(super) origin: usize,
    /// The pair's travellers per round with factor 1.
    pub(super) demand: f64,
    /// The roads, as indices in the list.
    pub(super) roads: Vec<usize>,
}

/// More paths per pair take too long to find, and hardly anyone would use them.
const MAX_PATHS: usize = 100;

impl PathPlan {
    pub(super) fn new(roads: &[Road], trips: &[Trip], count: usize) -> Result<Self, Error> {
        if !(1..=MAX_PATHS).contains(&count) {
            let remedy = format!("expected 1 to {MAX_PATHS} paths per pair of origin and destination");
            return Err(Error::value("paths", count, remedy));
        }
        let road = |(k, road): (usize, &Road)| road.check().map_err(|e| e.within(&format!("links[{k}]")));
        let trip = |(k, trip): (usize, &Trip)| trip.check().map_err(|e| e.within(&format!("trips[{k}]")));
        roads.iter().enumerate().try_for_each(road)?;
        trips.iter().enumerate().try_for_each(trip)?;
        let mut origins: Vec<u64> =
            trips.iter().filter(|trip| trip.demand > 0.0).map(|trip| trip.from).collect();
        origins.sort_unstable();
        origins.dedup();
        let (total, map) = (trips.iter().map(|trip| trip.demand).sum::<f64>(), RoadMap::new(roads));
        if !(total > 0.0 && total.is_finite()) {
            let remedy = "expected at least one trip with a demand above 0, and a finite sum";
            return Err(Error::value("trips", format!("a total demand of {total}"), remedy));
        }
        let (mut paths, mut pairs, mut demands) = (Vec::new(), Vec::new(), vec![0.0; origins.len()]);
        for (origin, number) in origins.iter().enumerate() {
            let own = trips.iter().enumerate().filter(|(_, trip)| trip.from == *number && trip.demand > 0.0);
            for (k, trip) in own {
                let found = map.shortest(trip.from, trip.to, count);
                if found.is_empty() {
                    let words = format!("{} to {}", trip.from, trip.to);
                    let remedy = "no roads lead there (add a road, or remove the trip)";
                    return Err(Error::value(format!("trips[{k}]"), words, remedy));
                }
                pairs.push(found.len());
                demands[origin] += trip.demand;
                paths.extend(found.into_iter().map(|roads| SharedPath {
                    origin,
                    demand: trip.demand,
                    roads,
                }));
            }
        }
        Ok(Self { roads: roads.to_vec(), origins, paths, pairs, demands, total })
    }

    pub(super) fn dim(&self) -> usize {
        self.paths.len()
    }

    /// The number of paths of each pair.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.pairs.clone()
    }

    /// The number of paths of each origin.
    pub(super) fn agents(&self) -> Vec<usize> {
        let mut agents = vec![0; self.origins.len()];
        self.paths.iter().for_each(|path| agents[path.origin] += 1);
        agents
    }
}
