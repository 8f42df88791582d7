//! Writes decisions, one JSON line each, to the end of a file or to standard output.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::board::Decision;

/// Lines that may wait for a slow reader.
const WAITING: usize = 1024;
/// No line is longer than this.
const TAIL: u64 = 64 << 20;

/// The writer of decisions, on its own thread.
pub(super) struct Outlet {
    /// The short digest of the manifest, which names the run.
    manifest: String,
    lines: Option<SyncSender<Vec<u8>>>,
    writer: Option<JoinHandle<io::Result<()>>>,
    /// Epoch and round of the last line.
    last: Option<(u64, u64)>,
    /// Whether every line must be written, as in a file.
    whole: bool,
    /// Lines given to the writer.
    sent: u64,
    /// Lines that it has written.
    written: watch::Receiver<u64>,
    /// Why the writer ended.
    ended: Arc<OnceLock<String>>,
}

/// One line.
#[derive(Serialize)]
struct DecisionLine<'a> {
    manifest: &'a str,
    #[serde(flatten)]
    decision: &'a Decision,
}

/// The part of a line that names its run and its place in it.
#[derive(Deserialize)]
struct LinePlace {
    manifest: String,
    round: u64,
    epoch: u64,
}

impl Outlet {
    /// Appends to a file, for one run. An incomplete last line, left by a crash, is removed first.
    pub(super) fn file(path: &Path, manifest: &str) -> io::Result<Self> {
        // A device may never end, and a pipe may never begin.
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(io::Error::other("it is not an ordinary file (\"-\" means standard output)"));
        }
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let (length, last) = tail(&mut file, manifest)?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Self::new(file, manifest, last, true)
    }

    /// Writes to standard output. A reader that is too slow misses lines, and sees from the rounds which ones.
    pub(super) fn stdout(manifest: &str) -> io::Result<Self> {
        Self::new(io::stdout(), manifest, None, false)
    }

    fn new(
        mut to: impl Write + Send + 'static,
        manifest: &str,
        last: Option<(u64, u64)>,
        whole: bool,
    ) -> io::Result<Self> {
        let (lines, waiting) = sync_channel::<Vec<u8>>(WAITING);
        let (count, written) = watch::channel(0);
        let ended = Arc::new(OnceLock::new());
        let why = Arc::clone(&ended);
        let write = move || {
            for line in waiting.iter() {
                let say = |error: &io::Error| _ = why.set(error.to_string());
                to.write_all(&line).and_then(|()| to.flush()).inspect_err(say)?;
                count.send_modify(|lines| *lines += 1);
            }
            Ok(())
        };
        let writer = std::thread::Builder::new().name("decisions".into()).spawn(write)?;
        let manifest = manifest.to_owned();
        Ok(Self { manifest, lines: Some(lines), writer: Some(writer), last, whole, sent: 0, written, ended })
    }

    /// Epoch and round of the last line, if it is after `place`.
    pub(super) fn ahead(&self, place: (u64, u64)) -> Option<(u64, u64)> {
        self.last.filter(|last| *last > place)
    }

    /// Whether every line that must be written is written, or the writer has ended.
    pub(super) fn settled(&self) -> bool {
        !self.whole || *self.written.borrow() >= self.sent || self.written.has_changed().is_err()
    }

    /// Waits until this holds.
    pub(super) async fn settle(&mut self) {
        let sent = self.sent;
        let _ = self.written.wait_for(|lines| *lines >= sent).await; // an error: the writer has ended
    }

    /// Writes a decision, unless it is already in the file. False if it could not be written.
    pub(super) fn write(&mut self, decision: &Decision) -> bool {
        let place = (decision.epoch, decision.round);
        if self.last.is_some_and(|last| place <= last) {
            return true;
        }
        let line = serde_json::to_vec(&DecisionLine { manifest: &self.manifest, decision });
        let (Some(lines), Ok(mut line)) = (&self.lines, line) else { return false };
        line.push(b'\n');
        let sent = match lines.try_send(line) {
            Ok(()) => true,
            Err(TrySendError::Full(line)) if self.whole => lines.send(line).is_ok(),
            Err(_) => false,
        };
        if sent {
            self.sent += 1;
            self.last = Some(place);
        }
        sent
    }

    /// Why a decision could not be written.
    pub(super) fn why(&self) -> &str {
        self.ended.get().map_or("the reader of decisions is too slow", String::as_str)
    }

    /// Waits until all lines are written, and ends the writer.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.lines = None;
        match self.writer.take().map(JoinHandle::join) {
            Some(Ok(written)) => written,
            Some(Err(_)) => Err(io::Error::other("the writer of decisions has ended")),
            None => Ok(()),
        }
    }
}

/// The length of the complete lines of a file, and the place of the last one. Only the end of the file is read. A file that holds
/// anything else belongs to another program or another run, and is left unchanged.
fn tail(file: &mut File, manifest: &str) -> io::Result<(u64, Option<(u64, u64)>)> {
    let mut length = file.metadata()?.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(length))?;
    let mut reader = BufReader::new(file);
    let (mut line, mut last) = (Vec::new(), None);
    let mut whole = length == 0; // otherwise the first line may be incomplete
    let foreign = || io::Error::other("this file is not a log of decisions");
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            let begin = format!("{{\"manifest\":\"{manifest}\",");
            // A power cut may leave zeros.
            let written = line.iter().take_while(|byte| **byte != 0);
            let torn = written.zip(begin.bytes()).all(|(found, ours)| *found == ours);
            return if torn || !whole { Ok((length, last)) } else { Err(foreign()) };
        }
        length += read as u64;
        match serde_json::from_slice::<LinePlace>(&line) {
            Ok(place) if place.manifest != manifest => {
                let other = format!("this is the log of another run, with manifest {}", place.manifest);
                return Err(io::Error::other(other));
            }
            Ok(place) => last = Some((place.epoch, place.round)),
            Err(_) if whole => return Err(foreign()),
            Err(_) => {}
        }
        whole = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that is full after this many lines.
    struct Full(u32);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_failed_writer_says_why_and_is_not_waited_for() {
        let mut outlet = Outlet::new(Full(3), "ab", None, true).unwrap();
        let decision = |round| Decision { round, epoch: 0, block: vec![1.0] };
        let first = (0..100_000).find(|round| !outlet.write(&decision(*round)));
        assert!(first.is_some_and(|round| round > 3), "{first:?}");
        assert_eq!(outlet.why(), io::Error::from(io::ErrorKind::StorageFull).to_string());
        outlet.settle().await;
        assert!(outlet.settled());
        assert!(outlet.end().is_err());
    }

    #[test]
    fn a_log_goes_on_where_it_was_and_a_torn_line_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("decisions.jsonl");
        let decision = |round| Decision { round, epoch: 0, block: vec![0.1, -1e-300] };
        let mut outlet = Outlet::file(&path, "ab").unwrap();
        assert!((0..3).all(|round| outlet.write(&decision(round))));
        outlet.end().unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..whole.len() - 5], &[0; 9]].concat()).unwrap();
        let mut outlet = Outlet::file(&path, "ab").unwrap();
        assert_eq!((outlet.ahead((0, 1)), outlet.ahead((0, 0))), (None, Some((0, 1))));
        assert!((1..4).all(|round| outlet.write(&decision(round))));
        outlet.end().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let rounds: Vec<u64> =
            text.lines().map(|line| serde_json::from_str::<LinePlace>(line).unwrap().round).collect();
        assert_eq!(rounds, [0, 1, 2, 3]);
        let error = Outlet::file(&path, "cd").err().unwrap().to_string();
        assert!(error.contains("another run, with manifest ab"), "{error}");
        // A file of another program is left alone, whether its last line is whole or not.
        for text in ["0123abcd\n", "0123abcd", "[node]\nkey = 1", "{}", "{\"manifest\":\"cd\""] {
            std::fs::write(&path, text).unwrap();
            assert!(Outlet::file(&path, "ab").is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        for path in [folder.path(), Path::new("/dev/full")] {
            let error = Outlet::file(path, "ab").err().unwrap().to_string();
            assert!(error.contains("ordinary"), "{}: {error}", path.display());
        }
    }
}
