//! One node's part of an algorithm: it owns the mathematics and nothing else. No socket, no clock, no file, no thread.
//!
//! Every round is: decide, reveal, learn, exchange. A decision is committed before its cost is seen.

use crate::network::Degree;
use crate::privacy::{Ledger, Sealed};
use crate::{Error, Keys, family};

mod algorithm;
mod durable;
mod facts;
mod gossip;
mod message;
mod model;
mod setup;
mod step;
pub use algorithm::Algorithm;
pub use central::Central;
pub use circulation::Circulation;
pub use durable::{Durable, Saved, SavedBooks, Standing};
pub use facts::{Facts, Graphs, Mixes, Noises, Style};
pub(crate) use gossip::settle;
pub use message::{Body, Message, Replica, Sum};
pub use push_sum::PushSum;
pub use relay::Relay;
pub use setup::{Links, Setup};
pub(crate) use step::{AutoBasis, AutoSteps, HeardBlock};
pub use step::{AutoSeen, AutoState, Rule, Step};

/// A node of a running algorithm.
///
/// `examples/own_algorithm.rs` is a whole one.
///
/// One round of two nodes, by hand:
///
/// ```
/// use dpsda::prelude::*;
/// let ring = Ring::new(2)?;
/// let spec = Spec::new(Blocks::even(2, 2)?).set(Free).graph(ring.clone()).algorithm(Relay).rounds(1).check()?;
/// let cost = OwnCost::new(2, |x| 3.0 * x[0] + x[1], |_, g| g.copy_from_slice(&[3.0, 1.0]));
/// let degrees = ring.graph(0).degrees();
/// let [mut a, mut b] = [0, 1].map(|node| spec.learner(node, Seed::new(1)));
/// a.learn(0, &spec.plan().seal(&cost));
/// b.learn(0, &spec.plan().seal(&cost));
/// let said = [a.speak(0, degrees[0], &degrees[1..]), b.speak(0, degrees[1], &degrees[..1])];
/// a.listen(0, &[&said[1]]);
/// b.listen(0, &[]); // the message of a was lost
/// assert_eq!((a.estimate(), b.estimate()), (&[-3.0, -1.0][..], &[0.0, -1.0][..]));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait Learner: Probe + Send {
    /// `y_i(t)`: this node's estimate of all coordinates. Its own block of it is its decision `x_i(t)`.
    fn estimate(&self) -> &[f64];

    /// Takes in the cost of round `t`, at the estimate it has decided from (14). Only a guard opens a sealed cost.
    fn learn(&mut self, t: u64, cost: &Sealed<'_>);

    /// Its message of round `t`, the same for all `receivers`; `me` are its own degrees in that round. The receivers are the
    /// nodes that are scheduled to hear it, in order.
    fn speak(&mut self, t: u64, me: Degree, receivers: &[Degree]) -> Message;

    /// Ends round `t` with the messages it heard, in order of senders: mixes or merges, then (6).
    fn listen(&mut self, t: u64, inbox: &[&Message]);

    /// What it has spent.
    fn ledger(&self) -> &Ledger;
}

/// Questions that only observers ask. A learner may leave every answer out.
///
/// ```
/// use dpsda::prelude::*;
/// struct Quiet;
/// impl Probe for Quiet {} // it answers nothing
/// assert_eq!((Quiet.dual(), Quiet.staleness(5)), (None, None));
///
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(9).check()?;
/// let relay = spec.learner(0, Seed::new(1));
/// assert_eq!(relay.staleness(5), Some(5)); // it has heard nothing for five rounds
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait Probe {
    /// The dual that the estimate was computed from, and the weight that divides it.
    fn dual(&self) -> Option<(Vec<f64>, f64)> {
        None
    }

    /// The age, in rounds, of the oldest block that the decision of round `t` uses, where blocks are kept apart.
    fn staleness(&self, _t: u64) -> Option<u64> {
        None
    }
}

/// Builds an algorithm from the keys of its own table, `[algorithm.NAME]`.
///
/// ```
/// use dpsda::Keys;
/// use dpsda::catalog::find;
/// use dpsda::learner::ALGORITHMS;
/// let build = find(ALGORITHMS, "algorithm.name", "dpsda-r")?.build;
/// assert!(build.facts.style.relays()); // known before any key is read
/// assert_eq!((build.make)(&Keys::none())?.name(), "dpsda-r");
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Build {
    /// What holds of it, whatever its keys are.
    pub facts: Facts,
    /// The algorithm.
    pub make: fn(&Keys<'_>) -> Result<Algorithm, Error>,
}

family! {
    /// Every algorithm, by the name it has in `algorithm.name`.
    ALGORITHMS: Build = circulation, push_sum, relay, central, oda_c, oda_ps, doda, dpps, dpdola, dpsr, osp, dp_osp, dp_wb
}
