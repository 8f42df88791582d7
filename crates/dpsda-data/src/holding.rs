//! The published data sets, bundled or fetched: size, licence and origin.

use std::path::Path;

use dpsda::{Error, Keys, catalog};

use super::cached::{CachedFile, State};
use super::{SOURCES, cifar10_cat, mnist_68, mushroom, simbench};

/// A published data set.
#[derive(Debug)]
pub struct Holding {
    /// The name in `problem.data`, if it has samples. A table of numbers is given by its file, as `problem.path`.
    pub name: &'static str,
    /// Where it is.
    pub place: Place,
    /// The size of its content, before features are made of it.
    pub bytes: u64,
    /// SHA-256 of that content, in hex, as in a run's manifest.
    pub sha256: &'static str,
    /// Its licence.
    pub licence: &'static str,
    /// Where it comes from.
    pub home: &'static str,
    /// Whom to cite.
    pub cite: &'static str,
}

/// Where a data set is.
#[derive(Debug)]
pub enum Place {
    /// Inside this program.
    Bundled,
    /// In the user's cache, once fetched.
    Cached(&'static CachedFile),
}

/// Every published data set.
pub static HOLDINGS: &[Holding] = &[
    Holding {
        name: mushroom::LISTING.name,
        place: Place::Bundled,
        bytes: 373_704,
        sha256: "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
        licence: "CC BY 4.0",
        home: "https://doi.org/10.24432/C5959T",
        cite: "J. Schlimmer: Mushroom. UCI Machine Learning Repository, 1987",
    },
    Holding {
        name: mnist_68::LISTING.name,
        place: Place::Bundled,
        bytes: 9_238_689,
        sha256: "299ffcd4fa45d78127f347530761bdfe07a8b3393d5e489a8bd136aa2c79450a",
        licence: "CC BY-SA 3.0",
        home: "http://yann.lecun.com/exdb/mnist/",
        cite: "Y. LeCun, C. Cortes, C. J. C. Burges: The MNIST database of handwritten digits, 1998",
    },
    Holding {
        name: cifar10_cat::LISTING.name,
        place: Place::Cached(&cifar10_cat::CACHED),
        bytes: cifar10_cat::CACHED.bytes,
        sha256: cifar10_cat::CACHED.sha256,
        licence: "none stated",
        home: "https://www.cs.toronto.edu/~kriz/cifar.html",
        cite: "A. Krizhevsky: Learning Multiple Layers of Features from Tiny Images, 2009",
    },
    Holding {
        name: simbench::NAME,
        place: Place::Cached(&simbench::CACHED),
        bytes: simbench::CACHED.bytes,
        sha256: simbench::CACHED.sha256,
        licence: "ODbL 1.0",
        home: "https://simbench.de",
        cite: "S. Meinecke et al.: SimBench, a benchmark dataset of electric power systems, Energies 13(12), 2020",
    },
];

impl Holding {
    /// The one called `name`.
    pub fn find(name: &str) -> Result<&'static Self, Error> {
        HOLDINGS.iter().find(|holding| holding.name == name).ok_or_else(|| Error::UnknownName {
            key: "data set".to_owned(),
            found: name.to_owned(),
            known: HOLDINGS.iter().map(|holding| holding.name.to_owned()).collect(),
        })
    }

    /// Whether it is there: bundled, or in the cache `folder`.
    pub fn state(&self, folder: &Path) -> State {
        match self.place {
            Place::Bundled => State::There,
            Place::Cached(cached) => cached.state(folder),
        }
    }

    /// Reads the data set and compares hashes; with `from`, reads that file or folder instead of the bundled or cached data.
    /// `Error::Data` says what is wrong with the data; any other error says why there is nothing to compare.
    pub fn verify(&self, folder: &Path, from: Option<&Path>) -> Result<(), Error> {
        match (&self.place, from) {
            (Place::Cached(cached), None) => cached.load(folder).map(drop),
            (Place::Cached(cached), Some(from)) => cached.read(from).map(drop),
            (Place::Bundled, from) => self.build(from),
        }
    }

    /// Builds the source as an experiment does, with `from` as `problem.path`.
    fn build(&self, from: Option<&Path>) -> Result<(), Error> {
        let mut table = dpsda::keys::Table::new();
        if let Some(from) = from {
            table.insert("path".to_owned(), from.display().to_string().into());
        }
        let keys = Keys::new("problem", &table);
        let read = |path: &str| std::fs::read(path).map_err(|e| Error::data(path, e.to_string()));
        let source = (catalog::find(SOURCES, "problem.data", self.name)?.build)(&keys, &read);
        let source = source.map_err(|error| match error {
            // The user typed an option, not a key in a file.
            Error::Value { key, found, expected } if key == "problem.path" => {
                Error::Value { key: "--from".to_owned(), found, expected }
            }
            other => other,
        })?;
        if from.is_some() && !keys.asked().iter().any(|key| key == "path") {
            let remedy = "its originals are bundled as they are: leave --from out";
            return Err(Error::value("--from", table["path"].to_string(), remedy));
        }
        let found = source.sha256().unwrap_or("none");
        if found == self.sha256 {
            return Ok(());
        }
        let problem = format!("SHA-256 {found}, expected {} (rebuild the program)", self.sha256);
        Err(Error::data(self.name, problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundled_data_have_their_pinned_hashes_and_every_name_but_that_of_a_table_is_a_source() {
        for holding in HOLDINGS {
            let source = SOURCES.iter().any(|entry| entry.name == holding.name);
            assert_eq!(source, holding.name != simbench::NAME, "{}", holding.name);
            if matches!(holding.place, Place::Bundled) {
                assert_eq!(holding.verify(Path::new("/nowhere"), None), Ok(()));
            }
        }
        assert!(Holding::find("cifar-cat").unwrap_err().to_string().contains("cifar10-cat"));
    }

    #[test]
    fn data_that_cannot_be_compared_with_originals_are_an_error() {
        let mushroom = Holding::find("mushroom").unwrap();
        let error = mushroom.verify(Path::new("/nowhere"), Some(Path::new("m"))).unwrap_err().to_string();
        assert!(error.contains("leave --from out"), "{error}");
        let digits = Holding::find("mnist-68").unwrap();
        let error =
            digits.verify(Path::new("/nowhere"), Some(Path::new("/nowhere"))).unwrap_err().to_string();
        assert!(error.starts_with("--from = \"/nowhere\": "), "{error}");
        assert!(error.contains("train-images-idx3-ubyte"), "{error}");
    }
}
