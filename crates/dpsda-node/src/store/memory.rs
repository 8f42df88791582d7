//! A store in memory, lost with the process. For tests, and to measure how much time a disk takes.

use super::{Store, StoreError, follows};
use crate::entry::Digest;
use crate::machine::Record;

/// The last record.
#[derive(Default)]
pub struct InMemory(Option<Record>);

impl Store for InMemory {
    fn last(&mut self) -> Result<Option<Record>, StoreError> {
        Ok(self.0.clone())
    }

    fn made(&mut self) -> Result<Vec<(u64, Digest)>, StoreError> {
        Ok(Vec::new()) // no node restarts from this store
    }

    fn commit(&mut self, record: &Record) -> Result<(), StoreError> {
        if let Some(last) = &self.0 {
            follows(record, last.epoch, last.round, last.saved.ledger.releases())?;
        }
        self.0 = Some(record.clone());
        Ok(())
    }
}
