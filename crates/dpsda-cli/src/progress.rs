//! Progress: a bar with rate and time left on a terminal, a plain line every ten seconds elsewhere.

use std::fmt::Write;
use std::io::{IsTerminal as _, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use crate::say;

/// How often a plain line is printed.
const PLAIN: Duration = Duration::from_secs(10);

/// Watches a run until it is dropped.
pub(crate) struct Watch {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// `now` returns the work done, the work in all, and a message about the current part.
    pub(crate) fn parts(now: impl Fn() -> (u64, u64, String) + Send + 'static, quiet: bool) -> Self {
        if quiet {
            return Self { end: None, thread: None };
        }
        let (end, ended) = channel();
        let thread = thread::spawn(move || {
            let bar = styled("{percent:>3}% {wide_bar:.cyan/dim} {eta} left  {msg}");
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(Duration::from_millis(100)) {
                let (done, total, part) = now();
                bar.set_length(total);
                bar.set_position(done);
                bar.set_message(part);
            }
            bar.finish_and_clear();
        });
        Self { end: Some(end), thread: Some(thread) }
    }

    /// `now` returns how many are done and how many there are in all. `what` is their name, e.g. "rounds".
    pub(crate) fn start(
        now: impl Fn() -> (u64, u64) + Send + 'static,
        what: &'static str,
        quiet: bool,
    ) -> Self {
        if quiet {
            return Self { end: None, thread: None };
        }
        let (end, ended) = channel();
        let thread = thread::spawn(move || {
            let bar = stderr().is_terminal().then(|| bar(what));
            let start = Instant::now();
            let mut printed = start;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(Duration::from_millis(100)) {
                let (done, total) = now();
                match &bar {
                    Some(bar) => {
                        bar.set_length(total);
                        bar.set_position(done);
                    }
                    None if printed.elapsed() >= PLAIN && done > 0 => {
                        printed = Instant::now();
                        say::aside(&plain(done, total, what, start.elapsed()));
                    }
                    None => {}
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Self { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn bar(what: &str) -> ProgressBar {
    let template = "{percent:>3}% {wide_bar:.cyan/dim} {human_pos}/{human_len} WHAT  {rate}  {eta} left";
    styled(&template.replace("WHAT", what))
}

fn styled(template: &str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template(template) {
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{}/s", HumanCount(state.per_sec() as u64));
        };
        bar.set_style(style.with_key("rate", rate).progress_chars("━╸─"));
    }
    bar
}

fn plain(done: u64, total: u64, what: &str, taken: Duration) -> String {
    let rate = done as f64 / taken.as_secs_f64();
    let left = Duration::from_secs_f64((total.saturating_sub(done) as f64 / rate).min(1e9));
    format!(
        "{:>3.0}%  {}/{} {what}  {}/s  {} left",
        100.0 * done as f64 / total as f64,
        HumanCount(done),
        HumanCount(total),
        HumanCount(rate as u64),
        HumanDuration(left)
    )
}
