//! Set-points of agents follow a reference together, and each stays near its own wish: demand response, allocation, formation.
//!
//! Agent `i` controls `x_i`. Its set-point in round `t` is `s_i = <phi(t), x0 + x_i>`. The start `x0` is the same for all agents and
//! public; it is zero unless set. `phi(t) = (1, signals)` is public too: the signals may be a forecast or the hour of the day. Without
//! signals `s_i = x0 + x_i`. The cost of round `t` is
//!
//! ```text
//!     f_t(x) = a (sum_i c_i s_i - r_t)^2  +  b sum_i (s_i - p_i(t))^2
//! ```
//!
//! with the weights `a` (`follow`), `b` (`discomfort`) and `c_i` (`gains`). The reference `r_t` is public. The wish `p_i(t)` is known to
//! agent `i` alone, and only the gradient of its own block depends on it. So with `adjacency = "agent"` only that part is clipped and
//! noised.
//!
//! A set bounds `x`, the deviation from the start, and not `x0 + x`.

use std::ops::Range;
use std::sync::Arc;

use super::{Build, CostModel, CostSequence, UsedColumns};
use crate::Error;
use crate::catalog::{Key, Listing};
use crate::objective::Objective;
use crate::privacy::plan::Adjacency;
use crate::rng::Seed;

mod absent;
mod mean;
mod one;
mod read;

use absent::AbsentColumns;
use mean::MeanTracking;
use one::TrackingCost;

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "tracking",
    about: "agents' set-points follow a reference, each near its own wish",
    keys: &[
        Key { name: "path", about: "a CSV file with one row per round; required" },
        Key { name: "reference", about: "the column that the sum of set-points follows; public; required" },
        Key {
            name: "signals",
            about: "public columns that set-points are linear in, beside a constant; default none",
        },
        Key {
            name: "agents",
            about: "the columns of the agents' wishes; default every other column that holds numbers (a node needs those of its own agents \
                    only)",
        },
        Key {
            name: "start",
            about: "set-points before anything is learned: a coefficient for the constant, then one per signal; default 0. Decisions \
                    are what is added to it, so [set] bounds the difference from the start, not the set-points",
        },
        Key {
            name: "gains",
            about: "one factor per agent: how much its set-point counts in the sum; default 1",
        },
        Key { name: "follow", about: "weight of following the reference; default 1" },
        Key { name: "discomfort", about: "weight of the distance to the agents' wishes; default 1" },
    ],
    build: Build::Model(read::build),
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
    /// By round. Trials share it, as wishes and signals.
    reference: Arc<Vec<f64>>,
    /// By round, then by agent.
    wishes: Arc<Vec<Vec<f64>>>,
    /// By round: the constant 1, then the signals.
    signals: Arc<Vec<Vec<f64>>>,
    gains: Vec<f64>,
    follow: f64,
    discomfort: f64,
    columns: Vec<UsedColumns>,
    /// The columns of wishes that are not on this host. These wishes stand as zero, and `ready_for` says who may not learn from them.
    absent: AbsentColumns,
}

impl Tracking {
    /// A reference and the wishes of the agents, by round. There are no signals, the start is zero, and all weights are 1.
    pub fn new(reference: Vec<f64>, wishes: Vec<Vec<f64>>) -> Result<Self, Error> {
        if reference.is_empty() || reference.len() != wishes.len() {
            let remedy = format!("{} rounds of wishes (give one reference per round)", wishes.len());
            return Err(Error::value("reference", format!("{} rounds", reference.len()), remedy));
        }
        let agents = wishes[0].len();
        if agents == 0 {
            return Err(Error::value("wishes[0]", "no wish", "expected at least one agent in every round"));
        }
        for (t, (reference, row)) in reference.iter().zip(&wishes).enumerate() {
            if row.len() != agents {
                let remedy = format!("round 0 has {agents} (every round needs one wish per agent)");
                return Err(Error::value(format!("wishes[{t}]"), format!("{} wishes", row.len()), remedy));
            }
            if !reference.is_finite() {
                return Err(Error::value(format!("reference[{t}]"), reference, "expected a finite number"));
            }
            if let Some(i) = row.iter().position(|wish| !wish.is_finite()) {
                return Err(Error::value(format!("wishes[{t}][{i}]"), row[i], "expected a finite number"));
            }
        }
        let signals = Arc::new(vec![vec![1.0]; reference.len()]);
        Ok(Self {
            reference: reference.into(),
            wishes: wishes.into(),
            signals,
            gains: vec![1.0; agents],
            follow: 1.0,
            discomfort: 1.0,
            columns: Vec::new(),
            absent: AbsentColumns::default(),
        })
    }

    /// Public signals, by round. Set-points are then linear in them: each agent decides one coefficient for the constant 1 and one
    /// per signal.
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
        self.signals = Arc::new(signals.into_iter().map(|row| [vec![1.0], row].concat()).collect());
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

    /// The start `x0` of every agent: public coefficients, one for the constant and one per signal. Decisions, and the sets that bound
    /// them, are deviations from it. Call it after [`signals`](Self::signals) and [`gains`](Self::gains). Dual averaging starts at a
    /// deviation of zero, so a good start saves many rounds.
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
        let (reference, wishes) = (Arc::make_mut(&mut self.reference), Arc::make_mut(&mut self.wishes));
        // A set-point that is `s` higher for all is a reference and wishes that are lower by as much.
        for (t, signals) in self.signals.iter().enumerate() {
            let shared: f64 = signals.iter().zip(start).map(|(signal, x)| signal * x).sum();
            reference[t] -= gain * shared;
            wishes[t].iter_mut().for_each(|wish| *wish -= shared);
            if !reference[t].is_finite() || wishes[t].iter().any(|wish| !wish.is_finite()) {
                let remedy = format!("the set-points of round {t} are too large for a number (use less)");
                return Err(Error::value("start", format!("{start:?}"), remedy));
            }
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
        Arc::new(self.clone()) // the numbers are shared
    }

    fn agents(&self) -> Option<Vec<usize>> {
        Some(vec![self.width(); self.gains.len()])
    }

    fn event(&self, adjacency: Adjacency, agent: &str, round: &str) -> Option<String> {
        match adjacency {
            Adjacency::Round => Some(format!("the reference and all wishes of one {round}")),
            Adjacency::Agent => {
                Some(format!("one {agent}'s wish in one {round}; the reference and the signals are public"))
            }
            Adjacency::Example => None,
        }
    }

    fn measures(&self) -> &'static [&'static str] {
        &["tracking_error", "discomfort"]
    }

    fn columns(&self) -> Vec<UsedColumns> {
        self.columns.clone()
    }

    fn warnings(&self, adjacency: Adjacency) -> Vec<String> {
        match (self.follow, self.discomfort) {
            (0.0, 0.0) => {
                let remedy = "give one of them a weight above 0";
                vec![format!("follow = 0 and discomfort = 0: every cost is 0, so nothing is learned ({remedy})")]
            }
            (_, 0.0) if adjacency == Adjacency::Agent => vec![
                "discomfort = 0: no cost depends on a wish, so there is nothing private that noise could protect \
                 (give it a weight above 0, or leave the noise out)"
                    .into(),
            ],
            _ => Vec::new(),
        }
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
