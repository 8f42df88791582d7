//! Roads and trips.

use crate::Error;

/// A road in one direction. Its latency is `time (1 + b (flow/capacity)^power)`.
///
/// ```
/// use dpsda::cost::routing::Road;
/// let road = Road { from: 1, to: 2, capacity: 100.0, time: 10.0, b: 0.15, power: 4.0 };
/// assert_eq!((road.latency(0.0), road.latency(100.0)), (10.0, 11.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Road {
    /// The number of the place where it begins.
    pub from: u64,
    /// The number of the place where it ends.
    pub to: u64,
    /// Travellers per round that it is built for.
    pub capacity: f64,
    /// The time on the empty road.
    pub time: f64,
    /// At capacity the time is `1 + b` times that on the empty road. Usually `b` is 0.15.
    pub b: f64,
    /// How steeply the time grows with the flow. Usually 4.
    pub power: f64,
}

impl Road {
    /// The time that a traveller needs if the flow is `v`. A negative flow counts as none.
    pub fn latency(&self, v: f64) -> f64 {
        self.time * (1.0 + self.b * self.raised(v / self.capacity))
    }

    /// The integral of the latency from 0 to `v`.
    ///
    /// ```
    /// use dpsda::cost::routing::Road;
    /// let road = Road { from: 1, to: 2, capacity: 100.0, time: 10.0, b: 1.0, power: 1.0 };
    /// assert_eq!(road.potential(100.0), 1500.0); // 10 100 + 10 100/2
    /// ```
    pub fn potential(&self, v: f64) -> f64 {
        self.time * v * (1.0 + self.b * self.raised(v / self.capacity) / (self.power + 1.0))
    }

    /// `load^power`, 0 for negative loads.
    fn raised(&self, load: f64) -> f64 {
        match self.power {
            _ if load < 0.0 => 0.0,
            4.0 => (load * load) * (load * load), // almost every road, and many times faster
            power => load.powf(power),
        }
    }

    /// Errors name the field.
    pub(super) fn check(&self) -> Result<(), Error> {
        let wrong = |name: &str, found: f64, remedy: &str| {
            Err(Error::value(name, found, format!("expected a finite number {remedy}")))
        };
        match self {
            Self { capacity, .. } if !(*capacity > 0.0 && capacity.is_finite()) => {
                wrong("capacity", *capacity, "above 0")
            }
            Self { time, .. } if !(*time >= 0.0 && time.is_finite()) => wrong("time", *time, "of at least 0"),
            Self { b, .. } if !(*b >= 0.0 && b.is_finite()) => wrong("b", *b, "of at least 0"),
            Self { power, .. } if !(*power >= 0.0 && power.is_finite()) => {
                wrong("power", *power, "of at least 0")
            }
            _ => Ok(()),
        }
    }
}

/// How many travellers go from one place to another in a round with factor 1.
///
/// ```
/// use dpsda::cost::routing::{Road, Routing, Trip};
/// let road = Road { from: 1, to: 2, capacity: 100.0, time: 10.0, b: 0.15, power: 4.0 };
/// let back = Trip { from: 2, to: 1, demand: 5.0 };
/// let error = Routing::new(&[road], &[back], 3).unwrap_err().to_string();
/// assert_eq!(error, "trips[0] = 2 to 1: no roads lead there (add a road, or remove the trip)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trip {
    /// The number of the origin.
    pub from: u64,
    /// The number of the destination.
    pub to: u64,
    /// Travellers per round. Trips with demand 0 are left out.
    pub demand: f64,
}

impl Trip {
    /// Errors name the field.
    pub(super) fn check(&self) -> Result<(), Error> {
        if !(self.demand >= 0.0 && self.demand.is_finite()) {
            return Err(Error::value("demand", self.demand, "expected a finite number of at least 0"));
        }
        if self.from == self.to && self.demand > 0.0 {
            let remedy = "a trip goes to another place than it comes from (remove this one)";
            return Err(Error::value("to", self.to, remedy));
        }
        Ok(())
    }
}
