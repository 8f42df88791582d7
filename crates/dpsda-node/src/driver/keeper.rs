//! The store, out of the way: whoever waits for a disk must not keep a node from hearing.

use std::sync::mpsc as blocking;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::machine::Record;
use crate::store::{Store, StoreError};

/// What became of a record, and how long it took.
pub(super) type Kept = (Result<(), StoreError>, Duration);

/// Where records go to become durable, one at a time.
pub(super) enum Keeper {
    /// At once: a store that never waits.
    Here(Box<dyn Store>, Option<Kept>),
    /// On a thread of its own.
    Thread(blocking::Sender<Box<Record>>, mpsc::Receiver<Kept>),
}

impl Keeper {
    /// For a store that waits for a disk.
    pub(super) fn thread(mut store: Box<dyn Store>) -> std::io::Result<Self> {
        let (to, records) = blocking::channel::<Box<Record>>();
        let (done, kept) = mpsc::channel(1);
        let work = move || {
            for record in records {
                let start = Instant::now();
                let result = store.commit(&record);
                if done.blocking_send((result, start.elapsed())).is_err() {
                    return; // the node is gone
                }
            }
        };
        std::thread::Builder::new().name("store".into()).spawn(work)?;
        Ok(Self::Thread(to, kept))
    }

    pub(super) fn here(store: Box<dyn Store>) -> Self {
        Self::Here(store, None)
    }

    /// Begins to store.
    pub(super) fn store(&mut self, record: Box<Record>) {
        match self {
            Self::Here(store, kept) => {
                let start = Instant::now();
                let result = store.commit(&record);
                *kept = Some((result, start.elapsed()));
            }
            Self::Thread(to, _) => _ = to.send(record), // a thread that ended is noticed by `kept`
        }
    }

    /// What became of the record that was given last. Waits for ever if there was none.
    pub(super) async fn kept(&mut self) -> Kept {
        let gone = || Err(StoreError::Failed("its thread has ended".into()));
        match self {
            Self::Here(_, kept) => match kept.take() {
                Some(kept) => kept,
                None => std::future::pending().await,
            },
            Self::Thread(_, kept) => kept.recv().await.unwrap_or_else(|| (gone(), Duration::ZERO)),
        }
    }
}
