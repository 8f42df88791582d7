//! What learners say to each other.

use std::sync::Arc;

use serde::Serialize;

use crate::network::Degree;
use crate::privacy::{Numbers, Released, Verified};

/// What crosses a link.
#[derive(Debug, Clone)]
pub struct Message {
    /// The sender and its degrees in this round.
    pub from: Degree,
    /// What it says.
    pub body: Body,
}

/// What a message says. Nothing here can hold a [`Sensitive`](crate::privacy::Sensitive) value.
#[derive(Debug, Clone)]
pub enum Body {
    /// `h_j` and `w_j` of (20) and (21). In grid arithmetic the dual is on the plan's grid and the weight a multiple of
    /// 2^-40, which f64 holds exactly.
    Dual {
        /// The noised dual.
        dual: Released,
        /// The push-sum weight.
        weight: f64,
    },
    /// The newest copy the sender has of every block's running sum.
    Blocks(Vec<Replica>),
    /// What a baseline sends: its state, and what goes with it.
    State {
        /// The noised state.
        state: Released,
        /// Numbers that depend on the network alone: push-sum's weight, or those that DPSR and DP-WB balance with.
        weights: Vec<f64>,
    },
    /// Everything that was ever put on each link of this round, where messages may be late or lost.
    Sums {
        /// The round it was sent in: the newest message counts.
        round: u64,
        /// One for every receiver, in order; each receiver reads its own.
        sums: Vec<Sum>,
    },
}

/// Everything that was ever put on a link: the sum of all shares of (20) and (21).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sum {
    /// The receiver.
    pub to: usize,
    /// Of the dual. On a grid it may wrap around at the end of the integers.
    pub dual: Arc<Released>,
    /// Of the weight, in units of 2^-40. It may wrap around too.
    pub weight: i64,
}

/// A block's running sum, as its owner released it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replica {
    /// How many rounds it has taken in.
    pub version: u64,
    /// The sum.
    pub sum: Arc<Released>,
    /// The sum of squares of all that was released, where steps follow from it.
    pub squares: Option<Arc<Released>>,
}

impl Replica {
    /// A replica that arrived and was verified, on a grid of this unit.
    pub fn from_wire(entry: &impl Verified, version: u64, unit: f64) -> Self {
        let squares = entry.squares().map(|squares| Arc::new(Released(Numbers::Real(squares.to_vec()))));
        Self { version, sum: Arc::new(Released::from_wire(entry, unit)), squares }
    }

    /// Whether it has the shape of another.
    pub(super) fn like(&self, other: &Self) -> bool {
        let squares = |copy: &Self| copy.squares.as_ref().map(|q| q.len());
        let unit = |copy: &Self| copy.sum.units().map(|(_, unit)| unit);
        self.sum.len() == other.sum.len() && unit(self) == unit(other) && squares(self) == squares(other)
    }
}
