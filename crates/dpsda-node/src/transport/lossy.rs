//! A transport that drops messages on purpose, for tests.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};

use dpsda::rng::{Purpose, Seed};
use rand::RngExt as _;

use super::{Counts, Queued, Transport};

/// Wraps another transport and drops a share of its messages.
pub struct Lossy<T> {
    inner: T,
    share: f64,
    seed: u64,
    sent: AtomicU64,
}

impl<T> Lossy<T> {
    /// Drops this share of the messages over `inner`. The seed determines which ones.
    pub fn new(inner: T, share: f64, seed: u64) -> Self {
        Self { inner, share, seed, sent: AtomicU64::new(0) }
    }
}

impl<T: Transport> Transport for Lossy<T> {
    fn send(&self, to: usize, bytes: Vec<u8>) -> Queued {
        let k = self.sent.fetch_add(1, Ordering::Relaxed);
        let lost = self.share > 0.0
            && Seed::new(self.seed).stream(Purpose::Outage, 0, k).random::<f64>() < self.share;
        if lost { Queued::Taken } else { self.inner.send(to, bytes) }
    }

    fn counts(&self) -> Counts {
        self.inner.counts()
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.inner.close()
    }
}
