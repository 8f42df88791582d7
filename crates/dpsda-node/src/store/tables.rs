//! The tables of the store's file.

use dpsda::learner::{Saved, Standing};
use dpsda::privacy::mechanism::PastNoise;
use dpsda_config::Rules;
use redb::{
    Database, ReadTransaction, ReadableDatabase as _, ReadableTable as _, TableDefinition, WriteTransaction,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::ledger::About;
use super::ledger::chain::{Book, ChainEnd, ChainLink};
use super::seal::SealedNoise;
use crate::entry::{Digest, Entry};
use crate::machine::Record;

/// Values that exist once, each under a word.
const SINGLE: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("single");
/// The lines of the ledger, by number.
const LINES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("lines");

const FORMAT: &str = "format";
const ABOUT: &str = "about";
const RECORD: &str = "record";
const FOLDED: &str = "folded";
const END: &str = "end";
const RULES: &str = "rules";

/// The layout that states its rules, and the layout before it, which always has rules 1.
const VERSION: u64 = 2;
const BEFORE: u64 = 1;

/// A record as it is stored. All of it may be published, except the sealed noise.
#[derive(Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) epoch: u64,
    pub(super) round: u64,
    pub(super) entry: Entry,
    pub(super) others: Vec<Entry>,
    /// Without its secret.
    pub(super) saved: Saved,
    pub(super) sealed: SealedNoise,
}

/// The engine failed, or the bytes are not what was written.
pub(super) enum TableError {
    Engine(redb::Error),
    Wrong(String),
}

impl<E: Into<redb::Error>> From<E> for TableError {
    fn from(error: E) -> Self {
        Self::Engine(error.into())
    }
}

impl std::fmt::Display for TableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Engine(error) => write!(f, "{error}"),
            Self::Wrong(what) => f.write_str(what),
        }
    }
}

/// A value as bytes.
fn written(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).unwrap_or_default() // writing to memory cannot fail
}

/// A record as the bytes of a [`Stored`], and their digest. Nothing of it is copied first.
pub(super) fn record_written(record: &Record, sealed: &SealedNoise) -> (Vec<u8>, Digest) {
    let Record { epoch, round, entry, others, saved } = record;
    let Saved { ledger, past, standing, secret: _ } = saved;
    // Fields in their order: postcard writes nothing else of a struct.
    let stored = (epoch, round, entry, others, (ledger, past, standing, PastNoise::default()), sealed);
    // Most of a record are reals and numbers of at most nine bytes, and entries.
    let numbers = match standing {
        Standing::Relay { own, estimate } | Standing::RelayAuto { own, estimate, .. } => {
            estimate.len() + own.sum.len()
        }
        Standing::Gossip { dual, .. } => 4 * dual.len(),
    };
    let entries = entry.room() + others.iter().map(Entry::room).sum::<usize>();
    let room = 512 + 9 * numbers + entries;
    let bytes = postcard::to_extend(&stored, Vec::with_capacity(room)).unwrap_or_default();
    let digest = Sha256::digest(&bytes).into();
    (bytes, digest)
}

/// Writes a new store, with a head and nothing spent.
pub(super) fn begin(db: &Database, about: &About, end: &ChainEnd) -> Result<(), TableError> {
    let write = db.begin_write()?;
    {
        let mut single = write.open_table(SINGLE)?;
        match about.rules {
            Rules::First => _ = single.insert(FORMAT, &written(&BEFORE)[..])?,
            rules => {
                single.insert(FORMAT, &written(&VERSION)[..])?;
                single.insert(RULES, &written(&rules.number())[..])?;
            }
        }
        single.insert(ABOUT, &written(about)[..])?;
        single.insert(END, &written(end)[..])?;
        write.open_table(LINES)?;
    }
    Ok(write.commit()?)
}

/// Writes one release: the record, its ledger line and the new end. Of the lines the last `keep` stay.
pub(super) fn add(
    db: &Database,
    record: &[u8],
    link: &ChainLink,
    end: &ChainEnd,
    keep: u64,
) -> Result<(), TableError> {
    let write = db.begin_write()?; // durable when committed, which is the engine's default
    {
        let mut single = write.open_table(SINGLE)?;
        single.insert(RECORD, record)?;
        single.insert(END, &written(end)[..])?;
        let mut lines = write.open_table(LINES)?;
        lines.insert(link.line.number, &written(link)[..])?;
    }
    let upto = link.line.number.saturating_sub(keep.max(1));
    if upto > 0 {
        fold(&write, upto)?;
    }
    Ok(write.commit()?)
}

/// Drops the lines up to this number. The last of them becomes the checkpoint: its totals include all of them.
fn fold(write: &WriteTransaction, upto: u64) -> Result<(), TableError> {
    let mut lines = write.open_table(LINES)?;
    let mut last = None;
    loop {
        let first = lines.first()?.map(|(number, _)| number.value());
        let Some(number) = first.filter(|number| *number <= upto) else { break };
        last = lines.remove(number)?.map(|bytes| bytes.value().to_vec());
    }
    if let Some(last) = last {
        write.open_table(SINGLE)?.insert(FOLDED, &last[..])?;
    }
    Ok(())
}

/// The tables of a store at one moment.
pub(super) struct FoundTables {
    read: ReadTransaction,
    rules: Rules,
}

impl FoundTables {
    pub(super) fn new(db: &Database) -> Result<Self, TableError> {
        let mut found = Self { read: db.begin_read()?, rules: Rules::First };
        match found.one(FORMAT)? {
            Some(BEFORE) => {}
            Some(VERSION) => {
                let number: u32 = found.needed(RULES)?;
                let unknown =
                    || TableError::Wrong(format!("it has rules {number}, which this program does not know"));
                found.rules = Rules::of(number).ok_or_else(unknown)?;
            }
            Some(other) => {
                return Err(TableError::Wrong(format!(
                    "it has format {other}, and this program reads formats up to {VERSION}"
                )));
            }
            None => return Err(TableError::Wrong("it does not state its format".into())),
        }
        Ok(found)
    }

    fn bytes(&self, word: &str) -> Result<Option<Vec<u8>>, TableError> {
        let single = self.read.open_table(SINGLE)?;
        Ok(single.get(word)?.map(|bytes| bytes.value().to_vec()))
    }

    fn one<T: DeserializeOwned>(&self, word: &str) -> Result<Option<T>, TableError> {
        let read = |bytes: Vec<u8>| postcard::from_bytes(&bytes);
        let wrong = |_| TableError::Wrong(format!("its {word} cannot be read"));
        self.bytes(word)?.map(read).transpose().map_err(wrong)
    }

    fn needed<T: DeserializeOwned>(&self, word: &str) -> Result<T, TableError> {
        self.one(word)?.ok_or_else(|| TableError::Wrong(format!("it has no {word}")))
    }

    pub(super) fn about(&self) -> Result<About, TableError> {
        Ok(About { rules: self.rules, ..self.needed(ABOUT)? })
    }

    /// The ledger, not yet verified.
    pub(super) fn book(&self) -> Result<Book, TableError> {
        let mut links = Vec::new();
        for line in self.read.open_table(LINES)?.iter()? {
            let (number, bytes) = line?;
            links.push((number.value(), postcard::from_bytes::<ChainLink>(bytes.value()).ok()));
        }
        Ok(Book {
            about: self.about()?,
            folded: self.one(FOLDED)?,
            links,
            end: self.needed(END)?,
            record: self.bytes(RECORD)?.map(|bytes| Sha256::digest(bytes).into()),
        })
    }

    /// The record. [`Book::verify`] checks that it is the record of the last line.
    pub(super) fn record(&self) -> Result<Option<Stored>, TableError> {
        self.one(RECORD)
    }
}
