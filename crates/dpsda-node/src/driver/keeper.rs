//! The store on its own thread, so that a node still hears its peers while it waits for the disk.

use std::sync::mpsc as blocking;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::machine::Record;
use crate::store::{Store, StoreError};

/// The result of storing a record.
pub(super) struct Commit {
    pub(super) result: Result<(), StoreError>,
    /// How long it took.
    pub(super) took: Duration,
}

/// Makes records durable, one at a time.
pub(super) enum Keeper {
    /// On the driver's thread: for a store that never waits.
    Here(Box<dyn Store>, Option<Commit>),
    /// On its own thread.
    Thread(blocking::Sender<Box<Record>>, mpsc::Receiver<Commit>),
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
                let commit = Commit { result, took: start.elapsed() };
                if done.blocking_send(commit).is_err() {
                    return; // the driver has ended
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
                *kept = Some(Commit { result, took: start.elapsed() });
            }
            Self::Thread(to, _) => _ = to.send(record), // `kept` notices a thread that has ended
        }
    }

    /// The result of the last record, if it is there now.
    pub(super) fn kept_now(&mut self) -> Option<Commit> {
        match self {
            Self::Here(_, kept) => kept.take(),
            Self::Thread(_, kept) => kept.try_recv().ok(),
        }
    }

    /// The result of the last record. Never returns if no record is being stored.
    pub(super) async fn kept(&mut self) -> Commit {
        let gone = || Commit {
            result: Err(StoreError::Failed("its thread has ended".into())),
            took: Duration::ZERO,
        };
        match self {
            Self::Here(_, kept) => match kept.take() {
                Some(kept) => kept,
                None => std::future::pending().await,
            },
            Self::Thread(_, kept) => kept.recv().await.unwrap_or_else(gone),
        }
    }
}
