//! Routing on a road network: every origin divides its travellers among paths.
//!
//! Agent `o` is an origin. For each of its destinations `w` it decides the share `x_p` of travellers on each of a few paths `p`. The
//! shares of one pair of origin and destination sum to one. In round `t` the flow on road `a` is
//!
//! ```text
//!     v_a(t) = sum_o factor_o(t) sum over paths p of o with road a: demand_w(p) x_p
//! ```
//!
//! and a traveller needs `l_a(v) = time_a (1 + b_a (v/capacity_a)^power_a)` on it, the latency of the Bureau of Public Roads. The cost
//! is the Beckmann potential, divided by the total demand `D` of the trips (all factors 1), so that its unit is minutes per
//! traveller if times are in minutes:
//!
//! ```text
//!     f_t(x) = 1/D sum_a integral of l_a from 0 to v_a(t)
//! ```
//!
//! It is convex. Where it is least, no traveller of that round gains by another path.
//!
//! # Privacy
//!
//! Roads, trips, paths and the daily shape of demand are public. The demand `factor_o(t)` of a round is not. The time on a road depends
//! on the demand of all origins, so every node's gradient does too. No part of the cost belongs to one origin alone. So an event is a
//! whole round: `adjacency = "round"`.

use std::sync::Arc;

use rand_distr::{Distribution, StandardNormal};

use super::by_round::ByRound;
use super::round_numbers::RoundNumbers;
use super::{Build, CostModel, CostSequence, UsedColumns};
use crate::Error;
use crate::catalog::{Key, Listing};
use crate::privacy::plan::Adjacency;
use crate::rng::{Purpose, Seed};
use crate::set::{ConvexSet, Simplices};

mod flows;
mod paths;
mod plan;
mod read;
mod road;

use flows::RoutingCosts;
use plan::PathPlan;
pub use road::{Road, Trip};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "routing",
    about: "every origin divides its travellers among paths: the Beckmann potential of the flows on a road network",
    keys: &[
        Key {
            name: "links",
            about: "a CSV file of roads: from, to, capacity, time, and if not 0.15 and 4, b and power; required",
        },
        Key { name: "trips", about: "a CSV file of trips: from, to, demand; required" },
        Key {
            name: "paths",
            about: "the number of shortest paths per pair of origin and destination, at most 100; default 3",
        },
        Key {
            name: "pairs",
            about: "keeps only this many destinations per origin, those with the largest demand; default all",
        },
        Key {
            name: "profile",
            about: "a CSV file of demand factors, one row per round and one column per origin; default drawn",
        },
        Key { name: "day", about: "drawn demand: rounds per day, which has two rush hours; default 24" },
        Key {
            name: "spread",
            about: "drawn demand: standard deviation of its logarithm, per origin and round; default 0.2",
        },
    ],
    build: Build::Model(read::build),
};

/// Roads, trips, and how the demand of each origin changes from round to round.
///
/// ```
/// use dpsda::cost::{CostModel, routing::{Road, Routing, Trip}};
/// use dpsda::rng::Seed;
/// // Two roads from 1 to 2, alike. In the second round there are twice as many travellers.
/// let road = Road { from: 1, to: 2, capacity: 100.0, time: 10.0, b: 1.0, power: 1.0 };
/// let trips = [Trip { from: 1, to: 2, demand: 100.0 }];
/// let routing = Routing::new(&[road, road], &trips, 3)?.profile(&[vec![1.0], vec![2.0]])?;
/// let costs = routing.draw(Seed::new(1), 2);
/// let (one_road, both) = ([1.0, 0.0], [0.5, 0.5]);
/// let minutes = |t, x: &[f64]| costs.cost(t).and_then(|cost| cost.measure("travel_time", x));
/// assert_eq!((minutes(0, &one_road), minutes(1, &one_road)), (Some(20.0), Some(30.0)));
/// assert_eq!((minutes(0, &both), minutes(1, &both)), (Some(15.0), Some(20.0)));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Routing {
    plan: Arc<PathPlan>,
    demand: RoundNumbers<Demand>,
    /// The columns of roads and trips, if they are from files.
    columns: Vec<UsedColumns>,
}

/// How factors of demand are drawn.
#[derive(Debug, Clone, PartialEq)]
struct Demand {
    shape: Arc<[f64]>,
    spread: f64,
}

const FACTORS: &str = "a finite factor of at least 0";

fn is_factor(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

impl Routing {
    /// At most `paths` paths for each trip: the shortest on empty roads that pass no place twice. The demand is drawn, with 24
    /// rounds per day and a spread of 0.2.
    pub fn new(roads: &[Road], trips: &[Trip], paths: usize) -> Result<Self, Error> {
        let plan = Arc::new(PathPlan::new(roads, trips, paths)?);
        let origins = plan.origins.len();
        let demand = RoundNumbers::Drawn(origins, Demand { shape: [].into(), spread: 0.0 });
        Self { plan, demand, columns: Vec::new() }.drawn(24, 0.2)
    }

    /// The factors of the origins' demand, by round and then by origin. Origins are in the order of their numbers.
    pub fn profile(self, factors: &[Vec<f64>]) -> Result<Self, Error> {
        self.given(ByRound::new("profile", factors, FACTORS, is_factor)?)
    }

    fn given(self, factors: ByRound) -> Result<Self, Error> {
        if factors.width() != self.plan.origins.len() {
            let remedy = format!("expected one factor for each of {} origins", self.plan.origins.len());
            return Err(Error::value("profile", format!("{} factors per round", factors.width()), remedy));
        }
        Ok(Self { demand: RoundNumbers::given(factors), ..self })
    }

    /// Drawn factors: a daily shape with two rush hours, which is public, times a log-normal factor per origin and round.
    /// All have the mean 1. `day` is the number of rounds per day, and `spread` the standard deviation of the logarithm.
    pub fn drawn(self, day: usize, spread: f64) -> Result<Self, Error> {
        if !(1..=100_000).contains(&day) {
            return Err(Error::value("day", day, "expected 1 to 100,000 rounds per day"));
        }
        if !(0.0..=10.0).contains(&spread) {
            return Err(Error::value("spread", spread, "expected a number from 0 to 10"));
        }
        let demand =
            RoundNumbers::Drawn(self.plan.origins.len(), Demand { shape: daily(day).into(), spread });
        Ok(Self { demand, ..self })
    }

    /// The numbers of the origins, in the order of the agents.
    pub fn origins(&self) -> &[u64] {
        &self.plan.origins
    }
}

/// `1 - 0.4 cos(u) - 0.3 cos(2u)`, where `u` goes once around in a day: little demand at night, and most of it at about 7 and 17
/// o'clock. Divided by the mean, which is not 1 for one or two rounds per day.
fn daily(day: usize) -> Vec<f64> {
    let at = |round: usize| std::f64::consts::TAU * round as f64 / day as f64;
    let shape: Vec<f64> = (0..day).map(|t| 1.0 - 0.4 * at(t).cos() - 0.3 * (2.0 * at(t)).cos()).collect();
    let mean = shape.iter().sum::<f64>() / day as f64;
    shape.into_iter().map(|x| x / mean).collect()
}

impl CostModel for Routing {
    fn dim(&self) -> usize {
        self.plan.dim()
    }

    fn rounds(&self) -> Option<u64> {
        self.demand.rounds()
    }

    fn draw(&self, seed: Seed, rounds: u64) -> Arc<dyn CostSequence> {
        let origins = self.plan.origins.len();
        let factors = self.demand.of_trial(rounds, |Demand { shape, spread }, t, factors| {
            let now = shape.get((t % shape.len().max(1) as u64) as usize).copied().unwrap_or(1.0);
            let mut stream = seed.stream(Purpose::Data, 0, t);
            factors.extend((0..origins).map(|_| {
                let normal: f64 = StandardNormal.sample(&mut stream);
                now * (spread * normal - spread * spread / 2.0).exp()
            }));
        });
        Arc::new(RoutingCosts { plan: Arc::clone(&self.plan), factors })
    }

    fn columns(&self) -> Vec<UsedColumns> {
        [&self.columns[..], &self.demand.columns()].concat()
    }

    fn drawn(&self) -> usize {
        self.demand.drawn()
    }

    fn warnings(&self, _: Adjacency) -> Vec<String> {
        read::misspelt(&self.columns)
    }

    fn agents(&self) -> Option<Vec<usize>> {
        Some(self.plan.agents())
    }

    fn set(&self) -> Option<Arc<dyn ConvexSet>> {
        Simplices::new(&self.plan.sizes()).ok().map(|set| Arc::new(set) as Arc<dyn ConvexSet>)
    }

    fn set_kind(&self) -> Option<&'static str> {
        Some("simplices")
    }

    fn event(&self, adjacency: Adjacency, _agent: &str, round: &str) -> Option<String> {
        (adjacency == Adjacency::Round).then(|| format!("all trips of one {round}"))
    }

    fn measures(&self) -> &'static [&'static str] {
        &["travel_time"]
    }
}

#[cfg(test)]
mod tests;
