//! Other programs, timed from start to end.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dpsda_benches::turns::Turn;

/// What a program took.
pub(crate) struct Used {
    pub(crate) seconds: f64,
    /// The most memory at a time, where the system tells.
    pub(crate) memory: Option<u64>,
    /// What it printed.
    pub(crate) text: String,
}

/// Runs a program to its end. An error has the last lines of what it printed.
pub(crate) fn run(command: &mut Command) -> Result<Used, String> {
    let line = format!("{command:?}");
    let told = |error: std::io::Error| format!("{line}: {error}");
    let start = Instant::now();
    let child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(told)?;
    let watch = Watch::start(child.id());
    let output = child.wait_with_output().map_err(told)?;
    let (seconds, memory) = (start.elapsed().as_secs_f64(), watch.stop());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, problem) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() {
        return Ok(Used { seconds, memory, text: out });
    }
    let last: Vec<&str> = problem.lines().rev().take(4).collect();
    Err(format!("{line}: {}: {}", output.status, last.into_iter().rev().collect::<Vec<_>>().join(" / ")))
}

/// A program as a turn: seconds from start to end.
pub(crate) fn turn<'a>(mut command: impl FnMut() -> Result<Command, String> + 'a) -> Turn<'a> {
    Box::new(move |_| Ok(run(&mut command()?)?.seconds))
}

/// Looks now and then how much memory a process has had so far. Linux only.
struct Watch {
    stop: std::sync::mpsc::Sender<()>,
    thread: std::thread::JoinHandle<Option<u64>>,
}

impl Watch {
    fn start(id: u32) -> Self {
        let (stop, stopped) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut most = None;
            while stopped.recv_timeout(Duration::from_millis(20))
                == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
                let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
                let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
                most = most.max(kilobytes.map(|k| 1024 * k));
            }
            most
        });
        Self { stop, thread }
    }

    fn stop(self) -> Option<u64> {
        let _ = self.stop.send(());
        self.thread.join().ok().flatten()
    }
}
