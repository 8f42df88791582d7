//! Looks at a store without changing it.

use std::mem::ManuallyDrop;
use std::path::Path;

use redb::backends::InMemoryBackend;
use redb::{Database, StorageBackend as _};

use super::place::FolderPlace;
use super::{builder, quiet, trouble};
use crate::machine::Record;
use crate::store::StoreError;
use crate::store::ledger::chain::Book;
use crate::store::tables::{FoundTables, Stored, TableError};

/// The ledger of the store in a folder. This needs no key and works while the node runs: nothing is locked or written.
pub fn ledger(folder: &Path) -> Result<Book, StoreError> {
    peek(folder, FoundTables::book)
}

/// The last record of the store in a folder, read in the same way, without the sealed noise.
pub fn record(folder: &Path) -> Result<Option<Record>, StoreError> {
    let open =
        |Stored { epoch, round, entry, others, saved, .. }| Record { epoch, round, entry, others, saved };
    Ok(peek(folder, FoundTables::record)?.map(open))
}

fn peek<T>(folder: &Path, what: impl Fn(&FoundTables) -> Result<T, TableError>) -> Result<T, StoreError> {
    let place = FolderPlace::look(folder)?;
    // While a node writes, a copy may mix old and new pages. The engine's checksums show this, and reading again helps.
    let mut tries = 5;
    loop {
        let found = looked_at(&place, |db| {
            FoundTables::new(db).and_then(|found| what(&found)).map_err(|error| trouble(error, &place.name()))
        });
        match found {
            Err(StoreError::Damaged { .. }) if tries > 0 => tries -= 1,
            found => return found,
        }
    }
}

/// Looks at a copy of the file in memory, because the engine would repair a damaged file by going back to an older release. A
/// file that was not closed properly is seen as of its last complete transaction.
pub(super) fn looked_at<T>(
    place: &FolderPlace,
    look: impl FnOnce(&mut Database) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let bytes = place.bytes()?;
    let backend = InMemoryBackend::new();
    let filled = backend.set_len(bytes.len() as u64).and_then(|()| backend.write(0, &bytes));
    filled.map_err(|error| StoreError::File { path: place.name(), error })?;
    // The engine trusts some bytes of a file that was closed properly, and panics if they are wrong. Nothing that it touches
    // here is used again.
    let seen = quiet::catch(|| {
        let opened = builder().create_with_backend(backend);
        let mut db = ManuallyDrop::new(opened.map_err(|error| trouble(error.into(), &place.name()))?);
        let seen = look(&mut db)?;
        // The engine tidies a database before it closes it, and damage in free pages would then end the process. So a copy is
        // closed only if it is intact. A damaged copy stays in memory until the process ends, which looks at few copies.
        if db.check_integrity().is_ok_and(|whole| whole) {
            drop(ManuallyDrop::into_inner(db));
        }
        Ok(seen)
    });
    let damaged =
        || StoreError::Damaged { path: place.name(), what: "the database engine cannot read it".into() };
    seen.unwrap_or_else(|| Err(damaged()))
}
