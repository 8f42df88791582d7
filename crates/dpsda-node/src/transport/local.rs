//! A network in one process, for tests: it loses, delays, repeats and reorders messages, and links can be cut. All of it follows
//! from a seed and from tokio's clock, which a test may pause: what becomes of the k-th message of a link depends on nothing
//! else, so the same seed gives the same order.

mod ether;

use std::future::Future;
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::AbortHandle;

use self::ether::Ether;
use super::{Counts, Events, Queued, Transport};

/// What a network does to messages.
#[derive(Debug, Clone)]
pub struct Weather {
    /// What everything follows from.
    pub seed: u64,
    /// The share of messages that are lost.
    pub loss: f64,
    /// The share of the others that arrive twice.
    pub twice: f64,
    /// How long a message takes, evenly from the shortest to the longest: where they differ, messages overtake each other.
    pub delay: RangeInclusive<Duration>,
    /// How long it takes until a dead peer or a cut link is noticed.
    pub idle: Duration,
    /// Messages of one peer that wait until they are asked for.
    pub queue: usize,
    /// The longest message.
    pub longest: usize,
}

impl Default for Weather {
    /// Fair: nothing is lost or repeated, and all takes a tenth of a millisecond.
    fn default() -> Self {
        let delay = Duration::from_micros(100);
        Self {
            seed: 1,
            loss: 0.0,
            twice: 0.0,
            delay: delay..=delay,
            idle: Duration::from_secs(2),
            queue: 8,
            longest: 1 << 20,
        }
    }
}

/// A network that nodes join.
#[derive(Clone)]
pub struct Net(Arc<Driven>);

/// Ends the driver with the last that could send anything.
struct Driven {
    ether: Arc<Ether>,
    driver: AbortHandle,
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Net {
    /// For so many nodes. To be called on a tokio runtime.
    pub fn new(nodes: usize, weather: Weather) -> Self {
        let ether = Arc::new(Ether::new(nodes, weather));
        let driver = tokio::spawn(ether::drive(Arc::clone(&ether))).abort_handle();
        Self(Arc::new(Driven { ether, driver }))
    }

    /// A node comes, or comes back: an earlier life of it hears nothing more. None if there is no such node.
    pub fn join(&self, node: usize) -> Option<(Local, Events)> {
        let (life, events) = self.0.ether.join(node)?;
        Some((Local { net: self.clone(), node, life }, events))
    }

    /// Messages from one node to another vanish from now on. Both notice after a while and are disconnected.
    pub fn cut(&self, from: usize, to: usize) {
        self.0.ether.cut(from, to);
    }

    /// They arrive again.
    pub fn heal(&self, from: usize, to: usize) {
        self.0.ether.heal(from, to);
    }

    /// Another share of messages is lost from now on.
    pub fn lose(&self, share: f64) {
        self.0.ether.lose(share);
    }
}

/// A node's place on a [`Net`]. Dropping it is a crash: nobody is told.
pub struct Local {
    net: Net,
    node: usize,
    life: u64,
}

impl Transport for Local {
    fn send(&self, to: usize, bytes: Vec<u8>) -> Queued {
        self.net.0.ether.send(self.node, self.life, to, bytes)
    }

    fn counts(&self) -> Counts {
        self.net.0.ether.counts(self.node, self.life)
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async { self.net.0.ether.leave(self.node, self.life, true) })
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.net.0.ether.leave(self.node, self.life, false);
    }
}

#[cfg(test)]
mod tests;
