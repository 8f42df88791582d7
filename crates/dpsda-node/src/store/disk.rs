//! A store on a disk. Each release is one transaction of the engine (redb) with record, ledger line and signature. The
//! transaction is synced before the release counts as durable.

mod look;
mod place;
mod quiet;

use std::path::Path;
use std::sync::Arc;

use dpsda::learner::Saved;
use redb::{Database, StorageBackend};

use super::ledger::chain::{Book, ChainEnd, ChainLink, beginning};
use super::ledger::{About, Before, LedgerLine};
use super::seal::Sealer;
use super::tables::{self, FoundTables, Stored, TableError};
use super::{Store, StoreError, follows};
use crate::entry::Digest;
use crate::identity::{Identity, hex};
use crate::machine::Record;
use look::looked_at;
use place::FolderPlace;

pub use look::{ledger, record};

/// Ledger lines that are kept, unless the node sets another number.
pub const LINES: u64 = 10_000;

/// A file is compacted if it has more than `SMALL` bytes and is more than `LOOSE` times as large as its contents. The engine
/// reuses free space, so this happens only after many lines were dropped at once.
const LOOSE: u64 = 4;
const SMALL: u64 = 1 << 20;

/// Memory for pages read from the file or waiting to be written to it.
const CACHE: usize = 16 << 20;

/// The fixed settings of a store.
pub struct Keeping {
    /// The key of the node. Secrets in the store are sealed with a key derived from it.
    pub identity: Arc<Identity>,
    /// The head of its ledger.
    pub about: About,
    /// How many lines of the ledger are kept; older ones are folded into one.
    pub lines: u64,
    /// The time, in seconds since 1970.
    pub clock: Box<dyn Fn() -> u64 + Send>,
}

/// A store on a disk.
pub struct Disk {
    db: Database,
    keeping: Keeping,
    sealer: Sealer,
    before: Before,
    /// The digest that the chain begins with.
    beginning: Digest,
    /// The digest of all lines.
    digest: Digest,
    /// Epoch, round and releases of the last record.
    last: Option<(u64, u64, u64)>,
    /// The path that errors name.
    path: String,
    failed: Option<String>,
    /// The folder, locked while the store is open.
    _place: Option<FolderPlace>,
}

impl Disk {
    /// Opens the store in a folder, or begins a store where there never was one. A missing folder is made, readable by its
    /// owner only. A damaged store is left unchanged.
    pub fn open(folder: &Path, keeping: Keeping) -> Result<Self, StoreError> {
        let place = FolderPlace::enter(folder)?;
        match place.there()? {
            true => drop(looked_at(&place, |db| checked(db, &place.name()))?.fits(&keeping, &place.name())?),
            false => place.begin(|file| {
                let db = builder().create_file(file)?;
                tables::begin(&db, &keeping.about, &ended(&keeping))
            })?,
        }
        let opened = builder().open(place.path());
        let mut db = opened.map_err(|error| trouble(error.into(), &place.name()))?;
        tidy(&mut db, place.len()?).map_err(|error| trouble(error, &place.name()))?;
        let name = place.name();
        Self::new(db, keeping, name, Some(place))
    }

    /// The same on any backend that can be read, written and synced, for example a disk that fails on demand in a test.
    pub fn on(backend: impl StorageBackend, keeping: Keeping) -> Result<Self, StoreError> {
        let name = "store";
        let length = backend.len().map_err(|error| StoreError::File { path: name.into(), error })?;
        let made = builder().create_with_backend(backend);
        let mut db = made.map_err(|error| trouble(error.into(), name))?;
        let begun = match length {
            0 => tables::begin(&db, &keeping.about, &ended(&keeping)),
            _ => tidy(&mut db, length),
        };
        begun.map_err(|error| trouble(error, name))?;
        Self::new(db, keeping, name.into(), None)
    }

    fn new(
        db: Database,
        keeping: Keeping,
        path: String,
        place: Option<FolderPlace>,
    ) -> Result<Self, StoreError> {
        let found = WholeStore::of(&db, &path)?.fits(&keeping, &path)?;
        let ledger = found.record.as_ref().map(|record| &record.saved.ledger);
        let before =
            Before { number: found.book.end.lines, latest: ledger.and_then(|ledger| ledger.latest()) };
        let last = found.record.as_ref().map(|r| (r.epoch, r.round, r.saved.ledger.releases()));
        // The two heads agree in their numbers. The stored one is kept, so that signatures go on over the same words.
        let keeping = Keeping { about: found.book.about, ..keeping };
        let sealer = Sealer::new(&keeping.identity, keeping.about.manifest);
        let (beginning, digest) = (beginning(&keeping.about), found.book.end.digest);
        Ok(Self { db, sealer, before, beginning, digest, last, path, failed: None, keeping, _place: place })
    }

    /// The ledger, as it is on the disk now.
    pub fn book(&self) -> Result<Book, StoreError> {
        FoundTables::new(&self.db).and_then(|found| found.book()).map_err(|error| trouble(error, &self.path))
    }

    /// After an error of the engine every later call fails: it is no longer known what is on the disk.
    fn fail<T>(&mut self, error: impl ToString) -> Result<T, StoreError> {
        let why = error.to_string();
        self.failed = Some(why.clone());
        Err(StoreError::Failed(why))
    }

    fn add(&mut self, record: &Record) -> Result<(), StoreError> {
        let sealed = self.sealer.seal(&record.saved.secret, record.epoch, record.round)?;
        let (epoch, round) = (record.epoch, record.round);
        let (bytes, stored) = tables::record_written(record, &sealed);
        let when = (self.keeping.clock)();
        let line = LedgerLine::new(record, stored, &self.before, when);
        let link = ChainLink::new(self.digest, line);
        let end = ChainEnd::new(&self.beginning, link.line.number, link.digest, &self.keeping.identity);
        if let Err(error) = tables::add(&self.db, &bytes, &link, &end, self.keeping.lines) {
            return self.fail(error);
        }
        self.before = Before { number: link.line.number, latest: record.saved.ledger.latest() };
        self.digest = link.digest;
        self.last = Some((epoch, round, record.saved.ledger.releases()));
        Ok(())
    }
}

impl Store for Disk {
    fn last(&mut self) -> Result<Option<Record>, StoreError> {
        if let Some(why) = &self.failed {
            return Err(StoreError::Failed(why.clone()));
        }
        let found = FoundTables::new(&self.db).and_then(|found| found.record());
        let stored = match found {
            Ok(stored) => stored,
            Err(error) => return self.fail(error),
        };
        let Some(Stored { epoch, round, entry, others, saved, sealed }) = stored else { return Ok(None) };
        let key = Box::new(self.keeping.identity.public());
        let secret =
            self.sealer.open(&sealed, epoch, round).ok_or(StoreError::Sealed { epoch, round, key })?;
        Ok(Some(Record { epoch, round, entry, others, saved: Saved { secret, ..saved } }))
    }

    fn made(&mut self) -> Result<Vec<(u64, Digest)>, StoreError> {
        let epoch = self.last.map_or(0, |(epoch, ..)| epoch);
        let lines = self.book()?.links.into_iter().filter_map(|(_, link)| Some(link?.line));
        Ok(lines.filter(|line| line.epoch == epoch).map(|line| (line.round, line.entry)).collect())
    }

    fn commit(&mut self, record: &Record) -> Result<(), StoreError> {
        if let Some(why) = &self.failed {
            return Err(StoreError::Failed(why.clone()));
        }
        if let Some((epoch, round, releases)) = self.last {
            follows(record, epoch, round, releases)?;
        }
        self.add(record)
    }
}

/// A store whose chain is unbroken.
struct WholeStore {
    book: Book,
    record: Option<Stored>,
}

impl WholeStore {
    fn of(db: &Database, path: &str) -> Result<Self, StoreError> {
        let found = FoundTables::new(db).and_then(|found| Ok((found.book()?, found.record())));
        let (book, record) = found.map_err(|error| trouble(error, path))?;
        book.verify()
            .map_err(|broken| StoreError::Damaged { path: path.into(), what: broken.to_string() })?;
        let record = record.map_err(|error| trouble(error, path))?;
        Ok(Self { book, record })
    }

    /// Checks that the store belongs to this node and this run.
    fn fits(self, keeping: &Keeping, path: &str) -> Result<Self, StoreError> {
        let (found, expected) = (&self.book.about, &keeping.about);
        let foreign =
            |what, found, expected| StoreError::Foreign { path: path.into(), what, found, expected };
        if found.key != keeping.identity.public() {
            let expected = keeping.identity.public().to_string();
            return Err(foreign("key", found.key.to_string(), expected));
        }
        if found.manifest != expected.manifest {
            return Err(foreign("manifest", hex(&found.manifest), hex(&expected.manifest)));
        }
        if found.rules != expected.rules {
            return Err(foreign("rules", found.rules.name().into(), expected.rules.name().into()));
        }
        // Seeded noise hides nothing, so one store cannot hold releases with seeded and with secret noise.
        if found.promise.differs(&expected.promise).is_some() {
            let claim = |about: &About| format!("{:?}", about.promise.claim);
            return Err(foreign("the promise (node.noise)", claim(found), claim(expected)));
        }
        if let Some((_, found, expected)) = found.budget.differs(&expected.budget) {
            return Err(foreign("a budget of", found, expected));
        }
        Ok(self)
    }
}

/// The whole store, if every checksum and every ledger line is right.
fn checked(db: &mut Database, path: &str) -> Result<WholeStore, StoreError> {
    match db.check_integrity() {
        Ok(true) => WholeStore::of(db, path),
        Ok(false) => Err(StoreError::Damaged { path: path.into(), what: "its checksums are wrong".into() }),
        Err(error) => Err(trouble(error.into(), path)),
    }
}

/// Compacts a file that is mostly free space.
fn tidy(db: &mut Database, length: u64) -> Result<(), TableError> {
    let write = db.begin_write()?;
    let needed = write.stats()?.stored_bytes();
    write.abort()?;
    if length > SMALL && length / LOOSE > needed {
        db.compact()?;
    }
    Ok(())
}

/// The end of a ledger without lines.
fn ended(keeping: &Keeping) -> ChainEnd {
    let beginning = beginning(&keeping.about);
    ChainEnd::new(&beginning, 0, beginning, &keeping.identity)
}

fn builder() -> redb::Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE);
    builder
}

/// Names an error that came up while a store was opened or read.
fn trouble(error: TableError, path: &str) -> StoreError {
    match error {
        TableError::Engine(redb::Error::DatabaseAlreadyOpen) => StoreError::Locked(path.into()),
        TableError::Engine(redb::Error::Io(error)) if error.raw_os_error().is_some() => {
            StoreError::File { path: path.into(), error }
        }
        other => StoreError::Damaged { path: path.into(), what: other.to_string() },
    }
}
