//! Data that are too large to bundle, or not ours to: fetched once, kept in the user's cache, and always exactly the
//! ones that were published.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use dpsda::Error;

use super::table::sha256;

/// A data set in the cache: one file in a form of our own, whatever it was made from.
#[derive(Debug)]
pub struct Kept {
    /// The name in `problem.data`.
    pub name: &'static str,
    /// The file in the cache.
    pub file: &'static str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: &'static str,
    /// Where the data themselves are published.
    pub home: Download,
    /// A package that holds the same, and the file that the package manager makes of it.
    pub package: (&'static str, Download),
    /// Reads what may be given in place of a download: the content of the file in the cache.
    pub(super) decode: fn(&Path) -> Result<Vec<u8>, Error>,
}

/// A file somewhere else.
#[derive(Debug, Clone, Copy)]
pub struct Download {
    /// Its address, or its name if the package manager makes it.
    pub from: &'static str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: &'static str,
}

/// How a data set is found in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is not there.
    Missing,
    /// A file of the right size is there. Its hash is computed when it is read.
    There,
}

impl Kept {
    /// Where it is in the cache `folder`.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(self.file)
    }

    /// Whether it is in the cache `folder`.
    pub fn state(&self, folder: &Path) -> State {
        match fs::metadata(self.path(folder)) {
            Ok(found) if found.is_file() && found.len() == self.bytes => State::There,
            _ => State::Missing,
        }
    }

    /// The content, verified.
    pub fn load(&self, folder: &Path) -> Result<Vec<u8>, Error> {
        let path = self.path(folder);
        let get = format!("`dpsda data get {}`", self.name);
        let content = match fs::read(&path) {
            Ok(content) => content,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let problem =
                    format!("these data are not bundled, and not in {} (run {get})", path.display());
                return Err(Error::value("problem.data", format!("{:?}", self.name), problem));
            }
            Err(e) => return Err(Error::data(path.display().to_string(), format!("{e} (run {get} anew)"))),
        };
        self.verify(&path.display().to_string(), &content, &format!("remove it and run {get}"))?;
        Ok(content)
    }

    /// The content made of what is at `from`, verified.
    pub fn read(&self, from: &Path) -> Result<Vec<u8>, Error> {
        let content = (self.decode)(from)?;
        self.verify(&from.display().to_string(), &content, "give the original data")?;
        Ok(content)
    }

    /// Puts what is at `from` into the cache `folder`, verified: whole, or not at all.
    pub fn take(&self, from: &Path, folder: &Path) -> Result<PathBuf, Error> {
        let content = self.read(from)?;
        let path = self.path(folder);
        let refuse =
            |e: io::Error| Error::data(path.display().to_string(), format!("cannot be written: {e}"));
        fs::create_dir_all(folder).map_err(refuse)?;
        let mut beside = beside(folder).map_err(refuse)?;
        beside.write_all(&content).and_then(|()| beside.as_file().sync_all()).map_err(refuse)?;
        beside.persist(&path).map_err(|e| refuse(e.error))?;
        // The name, too, is safe once the folder is written; not every platform can.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(path)
    }

    fn verify(&self, place: &str, content: &[u8], remedy: &str) -> Result<(), Error> {
        let found = sha256(content);
        if found == self.sha256 {
            return Ok(());
        }
        let Self { bytes, sha256, .. } = self;
        let found = format!("its content is {} bytes with SHA-256 {found}", content.len());
        Err(Error::data(place, format!("{found}, expected {bytes} with SHA-256 {sha256} ({remedy})")))
    }
}

/// A file with a name of its own, which others may read once it has its place.
fn beside(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: Download = Download { from: "", bytes: 0, sha256: "" };

    /// printf 'a million and one' | sha256sum
    const KEPT: Kept = Kept {
        name: "million",
        file: "million.bin",
        bytes: 17,
        sha256: "5272e317d80705efa047e0078baf1d8c9173bfee328fd114db992058e457dffc",
        home: NOWHERE,
        package: ("", NOWHERE),
        decode: |path| fs::read(path).map_err(|e| Error::data("f", e.to_string())),
    };

    #[test]
    fn what_is_taken_is_there_and_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, from) = (folder.path().join("not/there/yet"), folder.path().join("f"));
        assert_eq!(KEPT.state(&cache), State::Missing);
        let error = KEPT.load(&cache).unwrap_err().to_string();
        assert!(
            error.starts_with("problem.data = \"million\": ") && error.contains("dpsda data get million"),
            "{error}"
        );
        fs::write(&from, "a million and one").unwrap();
        assert_eq!(KEPT.take(&from, &cache).unwrap(), cache.join("million.bin"));
        assert_eq!(KEPT.state(&cache), State::There);
        assert_eq!(KEPT.load(&cache).unwrap(), b"a million and one");
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 1, "nothing else is left behind");
    }

    #[test]
    fn other_content_never_takes_its_place_and_is_not_read_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, from) = (folder.path().join("c"), folder.path().join("f"));
        fs::write(&from, "a million and two").unwrap();
        let error = KEPT.take(&from, &cache).unwrap_err().to_string();
        assert!(error.contains("17 bytes with SHA-256 ee00a823") && error.contains("5272e317"), "{error}");
        assert!(!cache.exists());
        fs::create_dir(&cache).unwrap();
        fs::write(KEPT.path(&cache), "a million and two").unwrap();
        let error = KEPT.load(&cache).unwrap_err().to_string();
        assert!(error.contains("remove it and run `dpsda data get million`"), "{error}");
        fs::write(KEPT.path(&cache), "a million").unwrap();
        assert_eq!(KEPT.state(&cache), State::Missing);
    }
}
