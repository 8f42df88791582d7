//! Where samples come from: drawn, bundled, kept in the user's cache, or read from a file.

use std::sync::Arc;

use dpsda::features::Samples;
use dpsda::rng::Seed;
use dpsda::{Error, Keys, family};

pub mod cache;
pub mod cached;
mod cifar;
mod csv_file;
mod files;
pub mod holding;
mod idx;
mod label;
mod number_table;
mod prepared;
mod published;
mod rows;
mod scaled;
mod simbench;
mod table;
mod text;
mod wheel;

pub use files::Files;
pub use prepared::Prepared;

/// A data set: what is the same in every trial.
pub trait Source: Send + Sync {
    /// How many features.
    fn dim(&self) -> usize;

    /// How many samples there are; `None`: as many as asked for.
    fn len(&self) -> Option<usize>;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// SHA-256 of the content read, in hex (decompressed; of several files, or parts of them: one after the other);
    /// `None` for drawn data.
    fn sha256(&self) -> Option<&str>;

    /// Whether every label is -1 or +1, as losses that classify need; the error names the first other label.
    fn labels(&self) -> Result<(), Error>;

    /// Whether the samples are available before the run.
    fn ready(&self) -> Result<(), Error> {
        Ok(())
    }

    /// The samples of one trial: those asked for, or all if there are fewer; see [`dpsda_config::split`].
    fn draw(&self, seed: Seed, train: usize, test: usize, shuffle: bool) -> Draw;
}

/// The samples of one trial, and what they are for. No row is in both lists.
#[derive(Clone)]
pub struct Draw {
    /// The samples.
    pub samples: Arc<Samples>,
    /// The rows to learn from, in order.
    pub train: Vec<usize>,
    /// The rows held out.
    pub test: Vec<usize>,
}

/// Builds a source from the keys of `[problem]` and a reader of the files named there.
pub type Build = fn(&Keys<'_>, &dyn Fn(&str) -> Result<Vec<u8>, Error>) -> Result<Box<dyn Source>, Error>;

/// No source has more features than this: a wrong index must not take the machine's whole memory.
pub const MAX_FEATURES: u32 = 100_000_000;

family! {
    /// Every data set, by the name it has in `problem.data`.
    SOURCES: Build = synthetic_regression, mushroom, mnist_68, cifar10_cat, csv, libsvm, stream
}
