//! The folder of a store. It holds `releases.redb` and `lock`. One process holds the lock, and its text records that a store
//! exists.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::super::StoreError;
use super::super::tables::TableError;
use super::trouble;

const FILE: &str = "releases.redb";
const UNFINISHED: &str = "releases.redb.new";
const LOCK: &str = "lock";

/// A folder that this process has locked, or only reads.
pub(super) struct FolderPlace {
    folder: PathBuf,
    lock: Option<File>,
}

impl FolderPlace {
    /// Locks the folder until this value is dropped. A missing folder is made.
    pub(super) fn enter(folder: &Path) -> Result<Self, StoreError> {
        let failed = |error| file_error(folder, error);
        if !folder.exists() {
            make(folder).map_err(failed)?;
        }
        if !folder.is_dir() {
            return Err(StoreError::NoFolder(folder.display().to_string()));
        }
        if let Some(other) = stranger(folder).map_err(failed)? {
            return Err(StoreError::Occupied { folder: folder.display().to_string(), file: other });
        }
        let path = folder.join(LOCK);
        let lock = private(OpenOptions::new().read(true).append(true).create(true)).open(&path);
        let lock = lock.map_err(|error| file_error(&path, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder: folder.into(), lock: Some(lock) }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked(folder.display().to_string())),
            Err(TryLockError::Error(error)) => Err(file_error(&path, error)),
        }
    }

    /// Reads without a lock.
    pub(super) fn look(folder: &Path) -> Result<Self, StoreError> {
        let place = Self { folder: folder.into(), lock: None };
        if place.path().is_file() {
            Ok(place)
        } else {
            Err(StoreError::Missing(folder.display().to_string()))
        }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    pub(super) fn name(&self) -> String {
        self.path().display().to_string()
    }

    /// Whether a store is here. An error if there was one and it is gone.
    pub(super) fn there(&self) -> Result<bool, StoreError> {
        let failed = |error| file_error(&self.path(), error);
        let there = self.path().try_exists().map_err(failed)?;
        let was = fs::metadata(self.folder.join(LOCK)).map_err(failed)?.len() > 0;
        if was && !there {
            return Err(StoreError::Gone(self.name()));
        }
        if there && !was {
            self.remember().map_err(failed)?; // the process was stopped before it wrote the lock's text
        }
        Ok(there)
    }

    /// Begins a store. The file is completed under another name and then renamed, so a file with the final name was complete
    /// once.
    pub(super) fn begin(&self, write: impl FnOnce(File) -> Result<(), TableError>) -> Result<(), StoreError> {
        let (path, unfinished) = (self.path(), self.folder.join(UNFINISHED));
        let failed = |error| file_error(&path, error);
        match fs::remove_file(&unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let file = private(OpenOptions::new().read(true).write(true).create_new(true)).open(&unfinished);
        write(file.map_err(failed)?).map_err(|error| trouble(error, &self.name()))?;
        let moved = File::open(&unfinished)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&unfinished, &path))
            .and_then(|()| sync(&self.folder))
            .and_then(|()| self.remember());
        moved.map_err(failed)
    }

    /// Records that a store exists: from now on a missing store counts as lost.
    fn remember(&self) -> io::Result<()> {
        let Some(mut lock) = self.lock.as_ref() else { return Ok(()) };
        lock.write_all(b"There is a store beside this file. Without it nobody knows what was spent.\n")?;
        lock.sync_all()
    }

    pub(super) fn len(&self) -> Result<u64, StoreError> {
        Ok(fs::metadata(self.path()).map_err(|error| file_error(&self.path(), error))?.len())
    }

    pub(super) fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        let bytes = fs::read(self.path()).map_err(|error| file_error(&self.path(), error))?;
        if bytes.is_empty() {
            return Err(StoreError::Damaged { path: self.name(), what: "it is empty".into() });
        }
        Ok(bytes)
    }
}

/// A file of another program in a folder that never held a store. A mistyped path must not look like a lost store.
fn stranger(folder: &Path) -> io::Result<Option<String>> {
    let mut other = None;
    for file in fs::read_dir(folder)? {
        let name = file?.file_name().to_string_lossy().into_owned();
        match name.as_str() {
            FILE | LOCK => return Ok(None),
            UNFINISHED | "lost+found" => {} // every new file system has the folder lost+found
            _ => other = Some(name),
        }
    }
    Ok(other)
}

fn file_error(path: &Path, error: io::Error) -> StoreError {
    StoreError::File { path: path.display().to_string(), error }
}

/// Makes a folder that only its owner may use, and makes its name durable.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let missing: Vec<&Path> = folder.ancestors().take_while(|path| !path.exists()).collect();
    builder.create(folder)?;
    let parent =
        |folder: &Path| folder.parent().filter(|parent| !parent.as_os_str().is_empty()).map(Path::to_owned);
    missing.into_iter().try_for_each(|made| sync(&parent(made).unwrap_or_else(|| ".".into())))
}

/// Makes a file that only its owner may use.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes the names in a folder durable, on systems that can sync folders.
fn sync(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    let _ = folder;
    Ok(())
}
