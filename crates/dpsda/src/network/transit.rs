//! The way of a message from sender to receiver: it may arrive late, or be lost unnoticed.

use std::fmt;
use std::sync::Arc;

use super::Graph;
use super::delay::Delay;
use super::outage::Outage;

/// The delays and losses of messages. By default every message arrives in the round in which it is sent.
///
/// ```
/// use dpsda::network::Transit;
/// use dpsda::network::delay::FixedDelay;
/// use dpsda::network::outage::OwnOutage;
/// let transit = Transit::prompt().losing(OwnOutage::new(|t, _, _| t != 5)).late(FixedDelay::new(2)?);
/// assert_eq!(transit.arrival(4, 0, 1), Some(6));
/// assert_eq!(transit.arrival(5, 0, 1), None);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Transit {
    /// Losses that neither end notices: weights are set as if the message arrived. Each direction of a link fails on its own.
    pub lost: Option<Arc<dyn Outage>>,
    /// How late messages are.
    pub delay: Option<Arc<dyn Delay>>,
}

impl Transit {
    /// Every message arrives in the round in which it is sent.
    pub const fn prompt() -> Self {
        Self { lost: None, delay: None }
    }

    /// The same, but messages over links that are off by `outage` are lost, and neither end notices.
    #[must_use]
    pub fn losing(self, outage: impl Outage + 'static) -> Self {
        Self { lost: Some(Arc::new(outage)), ..self }
    }

    /// The same, but `delay` makes messages late.
    #[must_use]
    pub fn late(self, delay: impl Delay + 'static) -> Self {
        Self { delay: Some(Arc::new(delay)), ..self }
    }

    /// The round in which a message that `from` sends to `to` in round `t` arrives; none if it is lost.
    pub fn arrival(&self, t: u64, from: usize, to: usize) -> Option<u64> {
        if self.lost.as_ref().is_some_and(|lost| !lost.up(t, from, to)) {
            return None;
        }
        Some(t.saturating_add(self.delay.as_ref().map_or(0, |delay| delay.rounds(t, from, to))))
    }

    /// The longest delay of any message that arrives.
    pub fn longest(&self) -> u64 {
        self.delay.as_ref().map_or(0, |delay| delay.longest())
    }

    /// Whether every message arrives in its round.
    pub fn is_prompt(&self) -> bool {
        self.lost.is_none() && self.longest() == 0
    }

    /// The links of round `t` whose messages arrive, in this round or later.
    pub fn survivors(&self, t: u64, graph: &Graph) -> Graph {
        match &self.lost {
            Some(lost) => graph.filter(|from, to| lost.up(t, from, to)),
            None => graph.clone(),
        }
    }
}

impl fmt::Debug for Transit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transit")
            .field("loses", &self.lost.is_some())
            .field("longest", &self.longest())
            .finish_non_exhaustive()
    }
}
