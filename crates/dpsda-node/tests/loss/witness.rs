//! Records what a node decides and makes durable, without changing anything.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dpsda::learner::Standing;
use dpsda::privacy::Released;
use dpsda_node::entry::Digest;
use dpsda_node::machine::{Record, Todo};
use dpsda_node::store::memory::InMemory;
use dpsda_node::store::{Store, StoreError};

use crate::sums::count;

/// The record of one node.
#[derive(Default)]
pub(crate) struct Seen {
    /// Its block of every decision, by round.
    pub(crate) decided: BTreeMap<u64, Vec<f64>>,
    /// The sum of everything it released into its dual, if duals are averaged.
    pub(crate) released: Vec<i64>,
    /// The last record.
    pub(crate) last: Option<Record>,
}

/// Clones share one record.
#[derive(Clone, Default)]
pub(crate) struct Witness(Arc<Mutex<Seen>>);

impl Witness {
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the decisions of a machine.
    pub(crate) fn watch(&self) -> impl FnMut(&[Todo]) + Send + use<> {
        let record = self.clone();
        move |todo| {
            for one in todo {
                if let Todo::Decide { round, block } = one {
                    record.seen().decided.insert(*round, block.clone());
                }
            }
        }
    }
}

/// A store in memory that is watched.
pub(crate) struct Shown {
    pub(crate) store: InMemory,
    pub(crate) to: Witness,
}

impl Store for Shown {
    fn last(&mut self) -> Result<Option<Record>, StoreError> {
        self.store.last()
    }

    fn made(&mut self) -> Result<Vec<(u64, Digest)>, StoreError> {
        self.store.made()
    }

    fn commit(&mut self, record: &Record) -> Result<(), StoreError> {
        self.store.commit(record)?;
        let mut seen = self.to.seen();
        if let Standing::Gossip { mixed, dual, .. } = &record.saved.standing {
            count(&mut seen.released, units(dual), 1);
            count(&mut seen.released, units(mixed), -1);
        }
        seen.last = Some(record.clone());
        Ok(())
    }
}

/// On the grid.
pub(crate) fn units(released: &Released) -> &[i64] {
    released.units().unwrap().0
}
