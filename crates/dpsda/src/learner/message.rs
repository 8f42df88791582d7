//! What learners say to each other.

use std::sync::Arc;

use serde::Serialize;

use crate::network::Degree;
use crate::privacy::{Numbers, Released, Verified};

/// What crosses a link.
///
/// ```
/// use dpsda::learner::Body;
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(1).check()?;
/// let me = Degree { node: 0, heard: 2, told: 2 };
/// let message = spec.learner(0, Seed::new(1)).speak(0, me, &[]);
/// assert_eq!(message.from, me);
/// assert!(matches!(message.body, Body::Blocks(blocks) if blocks.len() == 2)); // one replica of every block
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Message {
    /// The sender and its degrees in this round.
    pub from: Degree,
    /// What it says.
    pub body: Body,
}

/// What a message says. Nothing here can hold a [`Sensitive`](crate::privacy::Sensitive) value.
///
/// ```
/// use dpsda::learner::Body;
/// use dpsda::prelude::*;
/// /// How many numbers cross the link.
/// fn size(body: &Body) -> usize {
///     match body {
///         Body::Dual { dual, .. } => dual.len() + 1,
///         Body::Blocks(blocks) => blocks.iter().map(|block| block.sum.len() + 1).sum(),
///         Body::State { state, weights } => state.len() + weights.len(),
///         Body::Sums { sums, .. } => sums.iter().map(|sum| sum.dual.len() + 1).sum(),
///     }
/// }
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).rounds(1);
/// let sent = |algorithm: Algorithm| {
///     let spec = spec.clone().algorithm(algorithm).check()?;
///     Ok::<_, Error>(size(&Each::new(&spec, Seed::new(1)).speak(0).messages[0].body))
/// };
/// assert_eq!((sent(PushSum.into())?, sent(Relay.into())?), (5, 6));
/// # Ok::<(), dpsda::Error>(())
/// ```
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
///
/// ```
/// use dpsda::learner::{Body, Links};
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(3, 3)?).set(Free).graph(Ring::new(3)?).algorithm(PushSum).links(Links::RunningSums);
/// let said = Each::new(&spec.rounds(1).check()?, Seed::new(1)).speak(0);
/// let Body::Sums { sums, .. } = &said.messages[0].body else { panic!("no sums") };
/// assert_eq!((sums[0].to, sums[0].weight), (1, 1 << 39)); // half of its weight, for the next node of the ring
/// # Ok::<(), dpsda::Error>(())
/// ```
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
///
/// ```
/// use dpsda::learner::Replica;
/// use dpsda::privacy::Verified;
/// /// What a transport has once the owner's signature is checked.
/// struct Signed(Vec<i64>);
/// impl Verified for Signed {
///     fn units(&self) -> &[i64] {
///         &self.0
///     }
/// }
/// let block = Replica::from_wire(&Signed(vec![3, -1]), 7, 0.5);
/// assert_eq!((block.version, block.sum.to_reals()), (7, vec![1.5, -0.5]));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replica {
    /// How many rounds it has taken in.
    pub version: u64,
    /// The sum.
    pub sum: Arc<Released>,
    /// The sums of the squares of all that was released, where steps follow from them: one per coordinate, or one of the whole
    /// block where steps are automatic.
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
