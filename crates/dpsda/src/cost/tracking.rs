//! Set-points of agents that follow a reference together, each near its own wish: demand response, allocation, formation.
//!
//! Agent `i` controls `x_i`, and its set-point in round `t` is `s_i = <phi(t), x_i>`, where `phi(t) = (1, signals)` is public: a
//! forecast, the hour of the day. Without signals `s_i = x_i`. The cost of round `t` is
//!
//! ```text
//!     f_t(x) = a (sum_i c_i s_i - r_t)^2  +  b sum_i (s_i - p_i(t))^2
//! ```
//!
//! The reference `r_t` is public. The wish `p_i(t)` is known to agent `i` alone, and only the gradient of its own block depends on
//! it. So with `adjacency = "agent"` nothing but that part needs to be clipped and noised.

use std::ops::Range;
use std::sync::Arc;

use super::{Build, CostModel, CostSequence};
use crate::Error;
use crate::catalog::{Key, Listing};
use crate::objective::Objective;
use crate::privacy::plan::Adjacency;
use crate::rng::Seed;

mod columns;
mod mean;

use columns::AbsentColumns;
use mean::MeanTracking;

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "tracking",
    about: "agents' set-points follow a reference, each near its own wish",
    keys: &[
        Key { name: "path", about: "a CSV file with one row per round" },
        Key { name: "reference", about: "the column that the sum of set-points follows; public" },
        Key {
            name: "signals",
            about: "public columns that set-points are linear in, beside a constant; default none",
        },
        Key {
            name: "agents",
            about: "the columns of the agents' wishes; default every other column (a node needs those of its own agents only)",
        },
        Key {
            name: "start",
            about: "set-points before anything is learned: a coefficient for the constant, then one per signal; default 0",
        },
        Key {
            name: "gains",
            about: "one factor per agent: how much its set-point counts in the sum; default 1",
        },
        Key { name: "follow", about: "weight of following the reference; default 1" },
        Key { name: "discomfort", about: "weight of the distance to the agents' wishes; default 1" },
    ],
    build: Build::Model(columns::build),
};

/// What agents follow, what they wish, and the weights of both.
///
/// ```
/// use dpsda::cost::tracking::Tracking;
/// use dpsda::cost::{CostModel, CostSequence};
/// let wishes = vec![vec![1.0, 0.0], vec![0.0, 2.0]]; // two rounds, two agents
/// let costs = Tracking::new(vec![3.0, 3.0], wishes)?;
/// assert_eq!((CostModel::dim(&costs), CostModel::rounds(&costs)), (2, Some(2)));
/// assert_eq!(costs.agents(), Some(vec![1, 1]));
/// let first = CostSequence::cost(&costs, 0).unwrap();
/// assert_eq!(first.value(&[1.0, 1.0]), 2.0); // (2 - 3)^2 + (1 - 1)^2 + (1 - 0)^2
/// assert_eq!(first.measure("tracking_error", &[1.0, 1.0]), Some(-1.0));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tracking {
    /// By round.
    reference: Vec<f64>,
    /// By round, then by agent.
    wishes: Vec<Vec<f64>>,
    /// By round: the constant 1, then the signals.
    signals: Vec<Vec<f64>>,
    gains: Vec<f64>,
    follow: f64,
    discomfort: f64,
    /// The columns of wishes that are not on this host. These wishes stand as zero, and `ready_for` says who may not learn from them.
    absent: AbsentColumns,
}

impl Tracking {
    /// A reference and the wishes of the agents, by round. Set-points are the decisions themselves, and all weights are 1.
    pub fn new(reference: Vec<f64>, wishes: Vec<Vec<f64>>) -> Result<Self, Error> {
        if reference.is_empty() || reference.len() != wishes.len() {
            let remedy = format!("{} rounds of wishes (give one reference per round)", wishes.len());
            return Err(Error::value("reference", format!("{} rounds", reference.len()), remedy));
        }
        let agents = wishes[0].len();
        if agents == 0 || wishes.iter().any(|row| row.len() != agents) {
            let remedy = "expected the same number of agents in every round, at least one";
            return Err(Error::value("wishes", format!("{agents} agents"), remedy));
        }
        if reference.iter().chain(wishes.iter().flatten()).any(|x| !x.is_finite()) {
            return Err(Error::value("wishes", "a number that is not finite", "expected finite numbers"));
        }
        let signals = vec![vec![1.0]; reference.len()];
        let (gains, absent) = (vec![1.0; agents], AbsentColumns::default());
        Ok(Self { reference, wishes, signals, gains, follow: 1.0, discomfort: 1.0, absent })
    }

    /// Set-points that are linear in these public signals, by round, beside a constant. Each agent then decides one coefficient for
    /// the constant and one per signal.
    ///
    /// ```
    /// use dpsda::cost::{CostModel, CostSequence, tracking::Tracking};
    /// let costs = Tracking::new(vec![3.0], vec![vec![1.0]])?.signals(vec![vec![0.5]])?;
    /// let first = CostSequence::cost(&costs, 0).unwrap();
    /// assert_eq!(first.value(&[1.0, 2.0]), 2.0); // the set-point is 1 + 0.5 2
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn signals(mut self, signals: Vec<Vec<f64>>) -> Result<Self, Error> {
        let width = signals.first().map_or(0, Vec::len);
        let fits = signals.len() == self.reference.len()
            && signals.iter().all(|row| row.len() == width && row.iter().all(|x| x.is_finite()));
        if !fits {
            let remedy = format!(
                "expected the same number of finite signals in each of {} rounds",
                self.reference.len()
            );
            return Err(Error::value("signals", format!("{} rounds", signals.len()), remedy));
        }
        self.signals = signals.into_iter().map(|row| [vec![1.0], row].concat()).collect();
        Ok(self)
    }

    /// How much each agent's set-point counts in the sum.
    pub fn gains(mut self, gains: Vec<f64>) -> Result<Self, Error> {
        if gains.len() != self.gains.len() || gains.iter().any(|c| !c.is_finite()) {
            let remedy = format!("expected one finite number for each of {} agents", self.gains.len());
            return Err(Error::value("gains", format!("{} numbers", gains.len()), remedy));
        }
        self.gains = gains;
        Ok(self)
    }

    /// Public coefficients that every agent starts from, one for the constant and one per signal: decisions are what is added to them.
    /// Call it after [`signals`](Self::signals) and [`gains`](Self::gains). Dual averaging starts at zero, so a good start is worth
    /// many rounds.
    ///
    /// ```
    /// use dpsda::cost::{CostSequence, tracking::Tracking};
    /// let costs = Tracking::new(vec![3.0], vec![vec![1.0]])?.start(&[2.0])?;
    /// let first = CostSequence::cost(&costs, 0).unwrap();
    /// assert_eq!(first.value(&[0.5]), 2.5); // the set-point is 2 + 0.5
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn start(mut self, start: &[f64]) -> Result<Self, Error> {
        if start.len() != self.width() || start.iter().any(|x| !x.is_finite()) {
            let remedy =
                format!("expected {} finite numbers: for the constant and for each signal", self.width());
            return Err(Error::value("start", format!("{start:?}"), remedy));
        }
        let gain: f64 = self.gains.iter().sum();
        // A set-point that is `s` higher for all is a reference and wishes that are lower by as much.
        for (t, signals) in self.signals.iter().enumerate() {
            let shared: f64 = signals.iter().zip(start).map(|(signal, x)| signal * x).sum();
            self.reference[t] -= gain * shared;
            self.wishes[t].iter_mut().for_each(|wish| *wish -= shared);
        }
        Ok(self)
    }

    /// The weights of following the reference and of discomfort, at least 0.
    pub fn weights(mut self, follow: f64, discomfort: f64) -> Result<Self, Error> {
        for (name, weight) in [("follow", follow), ("discomfort", discomfort)] {
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(Error::value(name, weight, "expected a finite weight of at least 0"));
            }
        }
        (self.follow, self.discomfort) = (follow, discomfort);
        Ok(self)
    }

    fn width(&self) -> usize {
        self.signals[0].len()
    }
}

impl CostModel for Tracking {
    fn dim(&self) -> usize {
        self.gains.len() * self.width()
    }

    fn rounds(&self) -> Option<u64> {
        Some(self.reference.len() as u64)
    }

    fn draw(&self, _: Seed, _: u64) -> Arc<dyn CostSequence> {
        Arc::new(self.clone())
    }

    fn agents(&self) -> Option<Vec<usize>> {
        Some(vec![self.width(); self.gains.len()])
    }

    fn event(&self, adjacency: Adjacency, agent: &str, round: &str) -> Option<String> {
        match adjacency {
            Adjacency::Round => Some(format!("the reference and all wishes of one {round}")),
            Adjacency::Agent => {
                Some(format!("one {agent}'s {round}: its wish; the reference and the signals are public"))
            }
            Adjacency::Example => None,
        }
    }

    fn measures(&self) -> &'static [&'static str] {
        &["tracking_error", "discomfort"]
    }

    fn ready(&self) -> Result<(), Error> {
        self.absent.check(|_| true)
    }

    fn ready_for(&self, block: Range<usize>) -> Result<(), Error> {
        let width = self.width();
        self.absent.check(|agent| agent * width < block.end && block.start < (agent + 1) * width)
    }
}

impl CostSequence for Tracking {
    fn dim(&self) -> usize {
        CostModel::dim(self)
    }

    fn rounds(&self) -> u64 {
        self.reference.len() as u64
    }

    fn cost(&self, t: u64) -> Option<Box<dyn Objective + '_>> {
        let t = usize::try_from(t).ok().filter(|t| *t < self.reference.len())?;
        Some(Box::new(TrackingCost { costs: self, t }))
    }

    fn mean(&self, rounds: Range<u64>) -> Box<dyn Objective + '_> {
        Box::new(MeanTracking::new(self, rounds))
    }
}

/// The cost of round `t`.
struct TrackingCost<'a> {
    costs: &'a Tracking,
    t: usize,
}

impl TrackingCost<'_> {
    fn set_point(&self, x: &[f64], agent: usize) -> f64 {
        let signals = &self.costs.signals[self.t];
        let own = &x[agent * signals.len()..(agent + 1) * signals.len()];
        signals.iter().zip(own).map(|(signal, x)| signal * x).sum()
    }

    /// `sum_i c_i s_i - r_t`
    fn error(&self, x: &[f64]) -> f64 {
        let sum: f64 = self.costs.gains.iter().enumerate().map(|(i, gain)| gain * self.set_point(x, i)).sum();
        sum - self.costs.reference[self.t]
    }

    /// `sum_i (s_i - p_i)^2`
    fn discomfort(&self, x: &[f64]) -> f64 {
        let wishes = self.costs.wishes[self.t].iter().enumerate();
        wishes.map(|(i, wish)| (self.set_point(x, i) - wish).powi(2)).sum()
    }
}

impl Objective for TrackingCost<'_> {
    fn dim(&self) -> usize {
        CostModel::dim(self.costs)
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.costs.follow * self.error(x).powi(2) + self.costs.discomfort * self.discomfort(x)
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let mut public = vec![0.0; block.len()];
        self.agent(x, block, g, &mut public);
        g.iter_mut().zip(&public).for_each(|(g, public)| *g += public);
    }

    fn agent(&self, x: &[f64], block: Range<usize>, own: &mut [f64], public: &mut [f64]) -> bool {
        let Tracking { wishes, signals, gains, follow, discomfort, .. } = self.costs;
        let (signals, pull) = (&signals[self.t], 2.0 * follow * self.error(x));
        for (k, (own, public)) in block.zip(own.iter_mut().zip(public)) {
            let (agent, signal) = (k / signals.len(), signals[k % signals.len()]);
            // The set-point is a function of released values, so the distance from it is as public as zero minus the wish.
            *own = -2.0 * discomfort * wishes[self.t][agent] * signal;
            *public = pull * gains[agent] * signal + 2.0 * discomfort * self.set_point(x, agent) * signal;
        }
        true
    }

    fn measure(&self, name: &str, x: &[f64]) -> Option<f64> {
        match name {
            "tracking_error" => Some(self.error(x)),
            "discomfort" => Some((self.discomfort(x) / self.costs.gains.len() as f64).sqrt()),
            _ => None,
        }
    }
}
