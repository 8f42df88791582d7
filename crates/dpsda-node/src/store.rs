//! The durable state of a node: its last record, and the privacy budget it has spent (docs/privacy.md, "Crash order").

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
    /// The last record, if there is one.
    fn last(&mut self) -> Result<Option<Record>, StoreError>;

    /// The releases in the last record's epoch that the store still lists one by one: round and digest.
    fn made(&mut self) -> Result<Vec<(u64, Digest)>, StoreError>;

    /// Makes a record durable: when this returns, the record survives a crash of the host. After an error the caller must not
    /// publish anything of the record. If the disk failed, every later call fails too: it is unknown whether the record was
    /// written.
    fn commit(&mut self, record: &Record) -> Result<(), StoreError>;
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system could not read or write a file.
    #[error(
        "{path}: {error} (a store must be in a folder that the user of the node may write: `node.store`)"
    )]
    File {
        /// The file.
        path: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// The path of the store is a file.
    #[error(
        "node.store = {0:?} is a file, and a store is a folder (give a folder that exists, or that can be made)"
    )]
    NoFolder(String),
    /// The folder holds other files and no store.
    #[error("node.store = {folder:?}: no store is here, but {file:?} is (give a folder of its own)")]
    Occupied {
        /// The folder.
        folder: String,
        /// One of these files.
        file: String,
    },
    /// Another process has the store open.
    #[error(
        "{0}: another process has this store open (stop that node first: both would release under one key)"
    )]
    Locked(String),
    /// A store was here and is gone.
    #[error(
        "{0}: the store that was here is gone, and so is the account of the spent budget (restore the store, or have the \
         members agree on a new manifest and give it another folder)"
    )]
    Gone(String),
    /// There is no store.
    #[error("{0}: no store is here (give the folder that a node keeps its store in)")]
    Missing(String),
    /// The store is damaged.
    #[error(
        "{path}: the store is damaged: {what} (nothing was changed; restore an intact copy, or have the members agree on a new \
         manifest)"
    )]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// The store belongs to another run or node.
    #[error(
        "{path}: the store is for {what} {found}, and this node runs {expected} (give every run its own folder)"
    )]
    Foreign {
        /// The file.
        path: String,
        /// What differs: "manifest", "key" or the promise.
        what: &'static str,
        /// The value of the store.
        found: String,
        /// The value of the node.
        expected: String,
    },
    /// The sealed noise cannot be opened.
    #[error(
        "the noise of epoch {epoch}, round {round} was changed, or was not sealed with the key {key} (restore an intact copy)"
    )]
    Sealed {
        /// The record's epoch.
        epoch: u64,
        /// The record's round.
        round: u64,
        /// The key that should open it.
        key: Box<PublicKey>,
    },
    /// The record is not after the last one. Storing it would make two different releases with one epoch and round.
    #[error("epoch {}, round {} is not after epoch {}, round {}: nothing was stored", found.0, found.1, last.0, last.1)]
    Order {
        /// Epoch and round of the new record.
        found: (u64, u64),
        /// Epoch and round of the stored record.
        last: (u64, u64),
    },
    /// The ledger of the new record does not count more releases than the stored one.
    #[error("a ledger of {found} releases cannot follow one of {last}: nothing was stored")]
    Forgotten {
        /// Releases in the new record.
        found: u64,
        /// Releases in the stored record.
        last: u64,
    },
    /// The system gave no randomness for sealing.
    #[error("the system gave no randomness: {0}")]
    Randomness(getrandom::Error),
    /// The disk failed, now or before.
    #[error("the store failed, and the node must stop: {0}")]
    Failed(String),
}

/// Checks that `record` may follow the stored record.
fn follows(record: &Record, epoch: u64, round: u64, releases: u64) -> Result<(), StoreError> {
    let (found, last) = ((record.epoch, record.round), (epoch, round));
    if found <= last {
        return Err(StoreError::Order { found, last });
    }
    let found = record.saved.ledger.releases();
    // Every release is counted. Releases that an old store has lost may be counted more than once, but never less than once.
    if found <= releases {
        return Err(StoreError::Forgotten { found, last: releases });
    }
    Ok(())
}
