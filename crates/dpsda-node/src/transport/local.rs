//! A network in one process, for tests. It loses, delays, repeats and reorders messages, and links can be cut. All of this
//! follows from a seed and from tokio's clock, which a test may pause. The fate of the k-th message from one node to another
//! depends on nothing else, so the same seed gives the same order.

mod air;
mod link;

use std::future::Future;
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use self::air::Air;
use self::link::LocalCarrier;
use super::session::{Group, Limits, Misfit, Running, Session};
use super::{Counts, Events, Queued, Transport};

/// What the network does to messages, except greetings.
#[derive(Debug, Clone)]
pub struct Weather {
    /// The seed of all random choices.
    pub seed: u64,
    /// The share of messages that are lost.
    pub loss: f64,
    /// The share of the others that arrive twice.
    pub twice: f64,
    /// How long a message takes, uniform from the shortest to the longest time. If these differ, messages overtake each other.
    pub delay: RangeInclusive<Duration>,
}

impl Default for Weather {
    /// Nothing is lost or repeated, and every message takes 0.1 ms.
    fn default() -> Self {
        let delay = Duration::from_micros(100);
        Self { seed: 1, loss: 0.0, twice: 0.0, delay: delay..=delay }
    }
}

/// A network that nodes join. Clones share one network.
#[derive(Clone)]
pub struct Ether(Arc<Air>);

impl Ether {
    /// A network for this many nodes.
    pub fn new(nodes: usize, weather: Weather) -> Self {
        Self(Arc::new(Air::new(nodes, weather)))
    }

    /// A node joins, or joins again: its earlier instance hears nothing more. Call this on a tokio runtime.
    pub fn join(&self, group: Group, limits: Limits) -> Result<(Local, Events), Misfit> {
        let (me, places, members) = (group.me, self.0.nodes(), group.members.len());
        if places != members {
            return Err(Misfit::Places { places, members });
        }
        let (key, idle) = (group.identity.public(), limits.idle);
        let session = Session::new(group, limits)?;
        let carrier = LocalCarrier::join(Arc::clone(&self.0), me, key, idle);
        let (session, events) = session.over(carrier);
        Ok((Local { session }, events))
    }

    /// Drops all messages from one node to another from now on. Both notice after a while and disconnect.
    pub fn cut(&self, from: usize, to: usize) {
        self.0.cut(from, to);
    }

    /// Lets them arrive again.
    pub fn heal(&self, from: usize, to: usize) {
        self.0.heal(from, to);
    }

    /// Changes the share of lost messages.
    pub fn lose(&self, share: f64) {
        self.0.lose(share);
    }
}

/// A node's place on an [`Ether`]. Dropping it is a crash: no peer is told.
pub struct Local {
    session: Running<LocalCarrier>,
}

impl Transport for Local {
    fn send(&self, to: usize, bytes: Vec<u8>) -> Queued {
        self.session.send(to, bytes)
    }

    fn counts(&self) -> Counts {
        self.session.counts()
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.session.close()
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.session.carrier().leave();
    }
}

#[cfg(test)]
mod tests;
