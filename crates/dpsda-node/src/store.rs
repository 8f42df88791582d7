//! What a node does not lose: its last record, and what it has spent (docs/privacy.md, "Crash order").

pub mod disk;
pub mod ledger;
pub mod memory;
mod seal;
mod tables;

use crate::entry::Digest;
use crate::identity::PublicKey;
use crate::machine::Record;

/// Where records are made durable.
pub trait Store: Send {
    /// The last record, if there ever was one.
    fn last(&mut self) -> Result<Option<Record>, StoreError>;

    /// Of the last record's epoch, the releases that are remembered one by one: round and digest.
    fn made(&mut self) -> Result<Vec<(u64, Digest)>, StoreError>;

    /// Makes a record durable: when this returns, it outlives the host. After an error nothing may be said of the record; if the disk
    /// failed every later call fails, for whether it is there nobody knows.
    fn commit(&mut self, record: &Record) -> Result<(), StoreError>;
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The machine would not.
    #[error(
        "{path}: {error} (a store must be in a folder that the user of the node may write: `node.store`)"
    )]
    File {
        /// Which file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// Something else has its name.
    #[error(
        "node.store = {0:?} is a file, and a store is a folder (give one that is there, or that can be made)"
    )]
    NoFolder(String),
    /// Others' files are where a store would begin.
    #[error("node.store = {folder:?}: no store is here, but {file:?} is (give a folder of its own)")]
    Occupied {
        /// Which folder.
        folder: String,
        /// One of them.
        file: String,
    },
    /// Somebody has it open.
    #[error(
        "{0}: another process has this store open (stop that node first: two would release under one name)"
    )]
    Locked(String),
    /// There was one.
    #[error(
        "{0}: there was a store here, and it is gone; with it went what was spent (bring it back, or have the \
         members agree on a new manifest and give it another folder)"
    )]
    Gone(String),
    /// There is none.
    #[error("{0}: no store is here (give the folder that a node keeps its store in)")]
    Missing(String),
    /// It is not as it was written.
    #[error(
        "{path}: the store is damaged: {what} (nothing was changed; bring back a whole copy, or have the members agree on a new manifest)"
    )]
    Damaged {
        /// Which file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// It was made for something else.
    #[error(
        "{path}: the store is for {what} {found}, and this node runs {expected} (give every run its own folder)"
    )]
    Foreign {
        /// Which file.
        path: String,
        /// What differs: "manifest", "key" or the promise.
        what: &'static str,
        /// The store's.
        found: String,
        /// The node's.
        expected: String,
    },
    /// The kept noise does not open.
    #[error(
        "the kept noise of epoch {epoch}, round {round} is not what {key} sealed (bring back a whole copy)"
    )]
    Sealed {
        /// The record's epoch.
        epoch: u64,
        /// The record's round.
        round: u64,
        /// The key that should open it.
        key: Box<PublicKey>,
    },
    /// A record that is not after the last one. Storing it would make two releases of one name.
    #[error("epoch {}, round {} is not after epoch {}, round {}: nothing was stored", found.0, found.1, last.0, last.1)]
    Order {
        /// Epoch and round of what was to be stored.
        found: (u64, u64),
        /// Epoch and round of what is stored.
        last: (u64, u64),
    },
    /// A record whose ledger has fewer releases than the one before.
    #[error("a ledger of {found} releases cannot follow one of {last}: nothing was stored")]
    Forgotten {
        /// Releases of what was to be stored.
        found: u64,
        /// Releases of what is stored.
        last: u64,
    },
    /// No randomness to seal with.
    #[error("the system gave no randomness: {0}")]
    Randomness(getrandom::Error),
    /// The disk failed, now or before.
    #[error("the store failed, and the node must stop: {0}")]
    Failed(String),
}

/// Whether `record` may follow what is stored.
fn follows(record: &Record, epoch: u64, round: u64, releases: u64) -> Result<(), StoreError> {
    let (found, last) = ((record.epoch, record.round), (epoch, round));
    if found <= last {
        return Err(StoreError::Order { found, last });
    }
    let found = record.saved.ledger.releases();
    // A release is counted; what an old store has lost may be counted more than once, never less.
    if found <= releases {
        return Err(StoreError::Forgotten { found, last: releases });
    }
    Ok(())
}
