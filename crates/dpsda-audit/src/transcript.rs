//! The transcript of a run: what an adversary on every link records, with every decision.

use dpsda::learner::{Body, Message};
use dpsda::privacy::Released;

/// Everything that was emitted in one run.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// `said[t][i]`: the message of node `i` in round `t`. If nodes average and decide from released values, there is one round
    /// more than was played: their next messages are released when the last round ends.
    pub said: Vec<Vec<Message>>,
    /// `estimates[t][i]`: `y_i(t)`, from before the first round to after the last. The node's own block is its decision. The
    /// adversary could compute the other coordinates from messages; they are recorded to spare it the work.
    pub estimates: Vec<Vec<Vec<f64>>>,
    /// `mixed[t][i]`: the dual of node `i` after mixing in round `t`, if links carry running sums and messages are lost. An
    /// adversary that knows which messages arrived could compute it; it is recorded to spare it the work. Empty if every
    /// message arrives.
    pub mixed: Vec<Vec<Option<Released>>>,
    /// Messages sent again, each with the round of the message that it repeats.
    pub again: Vec<(u64, Message)>,
    /// A run before this one by the same hosts, over costs that the adversary knows.
    pub earlier: Option<Box<Transcript>>,
}

impl Transcript {
    /// The message of node `i` in round `t`.
    pub fn message(&self, t: u64, i: usize) -> Option<&Message> {
        self.said.get(t as usize)?.get(i)
    }

    /// `y_i(t)`
    pub fn estimate(&self, t: u64, i: usize) -> Option<&[f64]> {
        self.estimates.get(t as usize)?.get(i).map(Vec::as_slice)
    }
}

/// Whether two messages are the same, byte for byte.
pub(crate) fn same(a: &Message, b: &Message) -> bool {
    match (&a.body, &b.body) {
        (Body::Dual { dual: x, weight: v }, Body::Dual { dual: y, weight: w }) => x == y && v == w,
        (Body::Blocks(x), Body::Blocks(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.version == y.version && x.sum == y.sum)
        }
        _ => false,
    }
}

/// The number of values in a message.
pub(crate) fn size(message: &Message) -> usize {
    match &message.body {
        Body::Dual { dual, .. } => dual.len() + 1,
        Body::Blocks(copies) => copies.iter().map(|copy| copy.sum.len() + 1).sum(),
        Body::Sums { sums, .. } => sums.iter().map(|sum| sum.dual.len() + 1).sum(),
        Body::State { state, weights } => state.len() + weights.len(),
    }
}
