//! What becomes of a message after it is sent: it may be late, or vanish without anybody knowing.

use std::fmt;
use std::sync::Arc;

use super::Graph;
use super::delay::Delay;
use super::outage::Outage;

/// The way from a sender to a receiver. By default messages arrive in the round they are sent in.
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
    /// Links that are off without anybody knowing: weights were set as if they were on. Every direction by itself.
    pub lost: Option<Arc<dyn Outage>>,
    /// How late messages are.
    pub delay: Option<Arc<dyn Delay>>,
}

impl Transit {
    /// Every message arrives in the round it is sent in.
    pub const fn prompt() -> Self {
        Self { lost: None, delay: None }
    }

    /// The same, except that messages vanish where `outage` says so, without anybody knowing.
    #[must_use]
    pub fn losing(self, outage: impl Outage + 'static) -> Self {
        Self { lost: Some(Arc::new(outage)), ..self }
    }

    /// The same, with messages as late as `delay` says.
    #[must_use]
    pub fn late(self, delay: impl Delay + 'static) -> Self {
        Self { delay: Some(Arc::new(delay)), ..self }
    }

    /// In which round the message arrives that `from` sends to `to` in round `t`; none if it never does.
    pub fn arrival(&self, t: u64, from: usize, to: usize) -> Option<u64> {
        if self.lost.as_ref().is_some_and(|lost| !lost.up(t, from, to)) {
            return None;
        }
        Some(t.saturating_add(self.delay.as_ref().map_or(0, |delay| delay.rounds(t, from, to))))
    }

    /// No message that arrives takes longer.
    pub fn longest(&self) -> u64 {
        self.delay.as_ref().map_or(0, |delay| delay.longest())
    }

    /// Whether every message arrives in its round.
    pub fn is_prompt(&self) -> bool {
        self.lost.is_none() && self.longest() == 0
    }

    /// The links of round `t` over which something arrives, sooner or later.
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
