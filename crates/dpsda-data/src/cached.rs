//! Data that cannot be bundled, because of their size or their licence. They are fetched once and kept in the user's cache. Every
//! read compares them with the published hash.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use dpsda::Error;

use super::cache;
use super::table::sha256;

mod origin;

pub use origin::{Download, PackageClient};

/// A data set in the cache: one file in our own format, whichever source it was made from.
#[derive(Debug)]
pub struct CachedFile {
    /// The name in `problem.data`.
    pub name: &'static str,
    /// The file in the cache.
    pub file: &'static str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: &'static str,
    /// The file at the data's own home, if they are published there as one file.
    pub home: Option<Download>,
    /// A package with the same data, and the file that the package manager makes of it.
    pub package: (&'static str, Download),
    /// The package manager that has it.
    pub client: PackageClient,
    /// A folder that can replace the download: its name and its content.
    pub folder: (&'static str, &'static str),
    /// Reads a file or folder that replaces the download, and returns the content of the file in the cache.
    pub(super) decode: fn(&Path) -> Result<Vec<u8>, Error>,
}

/// The state of a data set in the cache, judged by the size of its file alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It is not there.
    Missing,
    /// Something else is in its place: what, and what was expected.
    Damaged(String),
    /// A file of the right size is there. Its hash is computed when it is read.
    There,
}

impl CachedFile {
    /// The file that is fetched first.
    pub fn first(&self) -> Download {
        self.home.unwrap_or(self.package.1)
    }

    /// Its path in the cache `folder`.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(self.file)
    }

    /// Whether it is in the cache `folder`.
    pub fn state(&self, folder: &Path) -> State {
        let expected = self.bytes;
        match fs::metadata(self.path(folder)) {
            Ok(found) if !found.is_file() => {
                State::Damaged(format!("not a file, expected one of {expected} bytes"))
            }
            Ok(found) if found.len() == expected => State::There,
            Ok(found) => State::Damaged(format!("{} bytes, expected {expected}", found.len())),
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                State::Missing
            }
            Err(e) => State::Damaged(format!("cannot be read: {e}")),
        }
    }

    /// The content, verified.
    pub fn load(&self, folder: &Path) -> Result<Vec<u8>, Error> {
        let path = self.path(folder);
        let refuse = |problem: String| {
            let remedy = format!("(`dpsda data get {}` fetches it again)", self.name);
            Error::data(path.display(), format!("{problem} {remedy}"))
        };
        match self.state(folder) {
            State::Missing => {
                let place = path.display();
                let problem = format!("not bundled, and not in {place} (run `dpsda data get {}`)", self.name);
                Err(Error::value("problem.data", format!("{:?}", self.name), problem))
            }
            // Not read: a wrong file may be larger than the memory.
            State::Damaged(problem) => Err(refuse(problem)),
            State::There => {
                let content = fs::read(&path).map_err(|e| refuse(format!("cannot be read: {e}")))?;
                self.verify(&content).map_err(refuse)?;
                Ok(content)
            }
        }
    }

    /// The content made from the file or folder `from`, verified. `from` may also be the file or folder of another cache.
    pub fn read(&self, from: &Path) -> Result<Vec<u8>, Error> {
        let own = if from.is_dir() { from.join(self.file) } else { from.to_owned() };
        let made = if fs::metadata(&own).is_ok_and(|found| found.is_file() && found.len() == self.bytes) {
            fs::read(&own).map_err(|e| Error::data(own.display(), format!("cannot be read: {e}")))
        } else {
            (self.decode)(from)
        };
        let verified = made.and_then(|content| match self.verify(&content) {
            Ok(()) => Ok(content),
            Err(problem) => Err(Error::data(from.display(), problem)),
        });
        verified.map_err(|error| self.expecting(from, error))
    }

    /// Puts the content of `from` into the cache `folder`, verified: the whole of it, or nothing.
    pub fn take(&self, from: &Path, folder: &Path) -> Result<PathBuf, Error> {
        self.room(folder)?;
        let content = self.read(from)?;
        cache::prepare(folder)?;
        let path = self.path(folder);
        let refuse = |e: io::Error| Error::data(path.display(), format!("cannot be written: {e}"));
        let mut beside = beside(folder).map_err(refuse)?;
        beside.write_all(&content).and_then(|()| beside.as_file().sync_all()).map_err(refuse)?;
        beside.persist(&path).map_err(|e| refuse(e.error))?;
        // The file's name is on disk only after the folder is synced; not every platform can do that.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(path)
    }

    /// Refuses a folder in the file's place, before a download rather than after: unlike a file, it cannot be replaced.
    pub fn room(&self, folder: &Path) -> Result<(), Error> {
        let path = self.path(folder);
        if path.is_dir() {
            return Err(Error::data(path.display(), "there is a folder in place of the file (remove it)"));
        }
        Ok(())
    }

    fn verify(&self, content: &[u8]) -> Result<(), String> {
        let found = sha256(content);
        if found == self.sha256 {
            return Ok(());
        }
        let Self { bytes, sha256, .. } = self;
        let found = format!("its content is {} bytes with SHA-256 {found}", content.len());
        Err(format!("{found}, expected {bytes} with SHA-256 {sha256}"))
    }

    /// Adds to an error the size of `from`, and everything that could be given instead.
    fn expecting(&self, from: &Path, error: Error) -> Error {
        let Error::Data { place, problem } = error else { return error };
        let found = match fs::metadata(from) {
            Ok(found) if found.is_file() => format!(" ({} is {} bytes)", from.display(), found.len()),
            _ => String::new(),
        };
        let (package, packed) = self.package;
        let (folder, inside) = self.folder;
        let pinned =
            |file: &str, bytes: u64, sha256: &str| format!("{file}: {bytes} bytes, SHA-256 {sha256}");
        let at_home = self.home.map(|home| pinned(home.from, home.bytes, home.sha256));
        let will_do = at_home.into_iter().chain([
            pinned(
                &format!("{} (`{}`)", packed.from, self.client.command(package)),
                packed.bytes,
                packed.sha256,
            ),
            format!("{folder}: a folder with {inside}"),
            pinned(&format!("{} of another cache", self.file), self.bytes, self.sha256),
        ]);
        let will_do = will_do.collect::<Vec<_>>().join("\n  ");
        Error::data(place, format!("{problem}{found}\nGive one of these:\n  {will_do}"))
    }
}

/// A temporary file in `folder`, which others may read once it has its final name.
fn beside(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// printf 'a million and one' | sha256sum
    const CACHED: CachedFile = CachedFile {
        name: "million",
        file: "million.bin",
        bytes: 17,
        sha256: "5272e317d80705efa047e0078baf1d8c9173bfee328fd114db992058e457dffc",
        home: None,
        package: ("million@1", Download { from: "million.tgz", bytes: 5, sha256: "abc" }),
        client: PackageClient::Npm,
        folder: ("millions", "one file"),
        decode: |path| fs::read(path).map_err(|e| Error::data("f", e.to_string())),
    };

    #[test]
    fn a_taken_file_is_in_the_cache_and_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, from) = (folder.path().join("not/there/yet"), folder.path().join("f"));
        assert_eq!(CACHED.state(&cache), State::Missing);
        let error = CACHED.load(&cache).unwrap_err().to_string();
        assert!(
            error.starts_with("problem.data = \"million\": ") && error.contains("dpsda data get million"),
            "{error}"
        );
        fs::write(&from, "a million and one").unwrap();
        assert_eq!(CACHED.take(&from, &cache).unwrap(), cache.join("million.bin"));
        assert_eq!(CACHED.state(&cache), State::There);
        assert_eq!(CACHED.load(&cache).unwrap(), b"a million and one");
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 1, "nothing else is left behind");
    }

    #[test]
    fn wrong_content_is_neither_put_into_the_cache_nor_read_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, from) = (folder.path().join("c"), folder.path().join("f"));
        fs::write(&from, "a million and two").unwrap();
        let error = CACHED.take(&from, &cache).unwrap_err().to_string();
        assert!(error.contains("17 bytes with SHA-256 ee00a823") && error.contains("5272e317"), "{error}");
        assert!(!cache.exists());
        fs::create_dir(&cache).unwrap();
        fs::write(CACHED.path(&cache), "a million and two").unwrap();
        assert_eq!(CACHED.state(&cache), State::There, "the size alone does not tell");
        let error = CACHED.load(&cache).unwrap_err().to_string();
        assert!(
            error.contains("ee00a823") && error.contains("`dpsda data get million` fetches it"),
            "{error}"
        );
    }

    #[test]
    fn a_wrong_size_or_a_folder_is_damage_and_a_folder_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, from) = (folder.path().join("c"), folder.path().join("f"));
        fs::write(&from, "a million and one").unwrap();
        fs::create_dir(&cache).unwrap();
        fs::write(CACHED.path(&cache), "a million").unwrap();
        assert_eq!(CACHED.state(&cache), State::Damaged("9 bytes, expected 17".to_owned()));
        let error = CACHED.load(&cache).unwrap_err().to_string();
        assert!(error.contains("million.bin: 9 bytes, expected 17 (`dpsda data get million`"), "{error}");
        CACHED.take(&from, &cache).unwrap();
        assert_eq!(CACHED.state(&cache), State::There);
        fs::remove_file(CACHED.path(&cache)).unwrap();
        fs::create_dir(CACHED.path(&cache)).unwrap();
        assert!(matches!(CACHED.state(&cache), State::Damaged(problem) if problem.starts_with("not a file")));
        let error = CACHED.take(&from, &cache).unwrap_err().to_string();
        assert!(error.contains("million.bin: there is a folder in place of the file (remove it)"), "{error}");
    }

    #[test]
    fn a_wrong_file_is_an_error_with_its_size_and_with_everything_that_fits() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("f");
        fs::write(&from, "a million").unwrap();
        let error = CACHED.read(&from).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: its content is 9 bytes", from.display())), "{error}");
        for part in [
            "f is 9 bytes)",
            "million.tgz (`npm pack million@1`): 5 bytes, SHA-256 abc",
            "millions: a folder with one file",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(
            error.ends_with(&format!("million.bin of another cache: 17 bytes, SHA-256 {}", CACHED.sha256))
        );
    }

    #[test]
    fn the_file_or_folder_of_another_cache_can_be_taken() {
        let decode = |_: &Path| Err(Error::data("f", "is no archive"));
        let kept = CachedFile { decode, ..CACHED };
        let folder = tempfile::tempdir().unwrap();
        fs::write(kept.path(folder.path()), "a million and one").unwrap();
        for from in [folder.path(), &kept.path(folder.path())] {
            assert_eq!(kept.read(from).unwrap(), b"a million and one");
        }
    }
}
