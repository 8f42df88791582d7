//! Downloads one file over HTTP. An interrupted download is resumed. The file gets its name when it is complete and verified.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use dpsda_data::cached::Download;
use sha2::{Digest, Sha256};

use crate::failure::Failure;

mod transfer;

use transfer::{Broken, agent, transfer};

/// How often an interrupted transfer is tried in all.
const ATTEMPTS: usize = 4;

/// Why there is no file.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The server's fault: another source may help.
    Remote(String),
    /// This machine's fault: no other source helps.
    Disk(String),
    /// The file is the right one, but cannot be read.
    Unusable(dpsda::Error),
}

impl Trouble {
    pub(super) fn disk(path: &Path, error: &io::Error) -> Self {
        Self::Disk(format!("{}: {error}", path.display()))
    }
}

/// Where a download is until it is complete.
pub(super) fn partial(to: &Path) -> PathBuf {
    PathBuf::from(format!("{}.partial", to.display()))
}

/// Downloads `what` to `to`. `done` counts bytes, those of an earlier attempt included.
pub(super) fn download(what: Download, to: &Path, done: &AtomicU64) -> Result<(), Trouble> {
    let partial = partial(to);
    let on_disk = |e: io::Error| Trouble::disk(&partial, &e);
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(&partial).map_err(on_disk)?;
    match file.try_lock() {
        Ok(()) | Err(TryLockError::Error(_)) => {} // some file systems have no locks; the hash still decides
        Err(TryLockError::WouldBlock) => {
            let problem =
                format!("{}: another dpsda is downloading it (wait until it is done)", partial.display());
            return Err(Trouble::Disk(problem));
        }
    }
    let agent = agent();
    for attempt in 1.. {
        let mut have = file.metadata().map_err(on_disk)?.len();
        if have > what.bytes {
            file.set_len(0).map_err(on_disk)?;
            have = 0;
        }
        done.store(have, Ordering::Relaxed);
        if have == what.bytes {
            break;
        }
        match transfer(&agent, what, have, &mut file, done) {
            Ok(()) => {}
            Err(Broken::Disk(e)) => return Err(on_disk(e)),
            Err(Broken::Refused(problem)) => {
                if file.metadata().is_ok_and(|found| found.len() == 0) {
                    let _ = fs::remove_file(&partial);
                }
                return Err(Trouble::Remote(format!("{}: {problem}", what.from)));
            }
            Err(Broken::Off(problem)) if attempt >= ATTEMPTS => {
                let there = file.metadata().map_err(on_disk)?.len();
                let kept = if there > 0 { "; this part is kept, run the command again to go on" } else { "" };
                let so_far = format!("after {there} of {} bytes: {problem}{kept}", what.bytes);
                return Err(Trouble::Remote(format!("{}: broke off {so_far}", what.from)));
            }
            Err(Broken::Off(_)) => {}
        }
    }
    file.sync_all().map_err(on_disk)?;
    drop(file);
    // The next attempt must not start from wrong bytes.
    verify(&partial, what).inspect_err(|_| _ = fs::remove_file(&partial))?;
    fs::rename(&partial, to).map_err(|e| Trouble::disk(to, &e))
}

/// Checks that the file at `path` is the published one.
pub(super) fn verify(path: &Path, what: Download) -> Result<(), Trouble> {
    let mut hash = Sha256::new();
    let mut file = File::open(path).map_err(|e| Trouble::disk(path, &e))?;
    let mut chunk = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        match file.read(&mut chunk).map_err(|e| Trouble::disk(path, &e))? {
            0 => break,
            n => {
                hash.update(&chunk[..n]);
                bytes += n as u64;
            }
        }
    }
    let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if found == what.sha256 {
        return Ok(());
    }
    let Download { from, bytes: expected, sha256 } = what;
    let found = format!("{bytes} bytes with SHA-256 {found}");
    Err(Trouble::Remote(format!("{from}: {found}, expected {expected} with SHA-256 {sha256}")))
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Remote(problem) | Trouble::Disk(problem) => Self::Io(problem),
            Trouble::Unusable(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::server::{Answer, Server};
    use super::*;

    /// The served file: 100,000 bytes.
    fn content() -> Vec<u8> {
        (0..100_000_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
    }

    fn pinned(server: &Server, content: &[u8]) -> Download {
        let sha256: String = Sha256::digest(content).iter().map(|b| format!("{b:02x}")).collect();
        Download { from: server.url().leak(), bytes: content.len() as u64, sha256: sha256.leak() }
    }

    /// The result, the file, what is left of the partial file, and the ranges that were asked for.
    type Ending = (Result<(), Trouble>, Option<Vec<u8>>, Option<Vec<u8>>, Vec<String>);

    /// Downloads from a server that gives `answers`; `partial` is left from before.
    fn run(partial: &[u8], answers: Vec<Answer>) -> Ending {
        let folder = tempfile::tempdir().unwrap();
        let (to, beside) = (folder.path().join("f"), folder.path().join("f.partial"));
        if !partial.is_empty() {
            fs::write(&beside, partial).unwrap();
        }
        let server = Server::start(answers);
        let what = pinned(&server, &content());
        let done = AtomicU64::new(0);
        let result = download(what, &to, &done);
        (result, fs::read(&to).ok(), fs::read(&beside).ok(), server.ranges())
    }

    fn remote(result: Result<(), Trouble>) -> String {
        match result {
            Err(Trouble::Remote(problem)) => problem,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_complete_file_gets_its_name() {
        let (result, file, partial, ranges) = run(b"", vec![Answer::Whole(content())]);
        assert!(result.is_ok() && file == Some(content()) && partial.is_none());
        assert_eq!(ranges, [""]);
    }

    #[test]
    fn an_earlier_download_is_resumed() {
        let (result, file, _, ranges) = run(&content()[..40_000], vec![Answer::Range(content())]);
        assert!(result.is_ok() && file == Some(content()));
        assert_eq!(ranges, ["bytes=40000-"]);
    }

    #[test]
    fn a_download_that_breaks_off_is_resumed_without_asking() {
        let answers = vec![Answer::Torn(content(), 30_000), Answer::Range(content())];
        let (result, file, _, ranges) = run(b"", answers);
        assert!(result.is_ok() && file == Some(content()));
        assert_eq!(ranges, ["", "bytes=30000-"]);
    }

    #[test]
    fn a_server_that_ignores_ranges_starts_again() {
        let (result, file, ..) = run(&content()[..40_000], vec![Answer::Whole(content())]);
        assert!(result.is_ok() && file == Some(content()));
    }

    #[test]
    fn a_server_that_answers_another_range_or_none_is_asked_for_all() {
        for odd in [Answer::WrongRange(content()), Answer::Status(416)] {
            let (result, file, _, ranges) = run(&content()[..40_000], vec![odd, Answer::Whole(content())]);
            assert!(result.is_ok() && file == Some(content()));
            assert_eq!(ranges, ["bytes=40000-", ""]);
        }
    }

    #[test]
    fn wrong_bytes_never_get_the_name_and_are_not_resumed() {
        let mut other = content();
        other[99_999] ^= 1;
        let (result, file, partial, _) = run(b"", vec![Answer::Whole(other)]);
        let problem = remote(result);
        assert!(
            problem.contains("100000 bytes with SHA-256") && problem.contains("expected 100000"),
            "{problem}"
        );
        assert!(file.is_none() && partial.is_none());
        // The same if the wrong bytes are from an earlier download.
        let (result, file, partial, _) = run(&[7; 40_000], vec![Answer::Range(content())]);
        assert!(remote(result).contains("SHA-256") && file.is_none() && partial.is_none());
    }

    #[test]
    fn too_many_bytes_are_cut_short() {
        let (result, file, partial, _) = run(b"", vec![Answer::Whole([content(), content()].concat())]);
        assert!(remote(result).contains("more than the expected 100000 bytes"));
        assert!(file.is_none() && partial.is_none());
    }

    #[test]
    fn after_several_interruptions_it_gives_up_and_keeps_the_part() {
        let answers = (0..ATTEMPTS)
            .map(|k| if k == 0 { Answer::Torn(content(), 9) } else { Answer::TornRange(content(), 9) });
        let (result, file, partial, ranges) = run(b"", answers.collect());
        let problem = remote(result);
        assert!(
            problem.contains("broke off after 36 of 100000 bytes") && problem.contains("is kept"),
            "{problem}"
        );
        assert!(file.is_none() && partial.as_deref() == Some(&content()[..36]));
        assert_eq!(ranges, ["", "bytes=9-", "bytes=18-", "bytes=27-"]);
    }

    #[test]
    fn a_missing_file_and_a_missing_server_are_named() {
        let (result, _, partial, ranges) = run(b"", vec![Answer::Status(404)]);
        assert!(remote(result).contains("the server says 404") && ranges.len() == 1);
        assert!(partial.is_none(), "nothing is left behind");
        let folder = tempfile::tempdir().unwrap();
        let nobody = Download { from: "http://127.0.0.1:1/f", bytes: 1, sha256: "" };
        assert!(
            remote(download(nobody, &folder.path().join("f"), &AtomicU64::new(0))).starts_with(nobody.from)
        );
    }

    #[test]
    fn two_processes_do_not_write_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("f");
        let held = File::create(folder.path().join("f.partial")).unwrap();
        held.lock().unwrap();
        let what = Download { from: "http://127.0.0.1:1/f", bytes: 1, sha256: "" };
        match download(what, &to, &AtomicU64::new(0)) {
            Err(Trouble::Disk(problem)) => assert!(problem.contains("another dpsda"), "{problem}"),
            other => panic!("{other:?}"),
        }
    }
}
