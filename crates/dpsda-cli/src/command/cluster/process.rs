//! The processes of a cluster, and the faults they are given.

use std::fs::OpenOptions;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::args::Fault;
use crate::command::node::parent::PARENT;
use crate::failure::Failure;

use super::lay::{Layout, NodeFiles};

/// How long a node may take to stop by itself.
const PATIENCE: Duration = Duration::from_secs(12);

/// What is done to a node.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Deed {
    Kill,
    Start,
    Pause,
    Resume,
}

/// The nodes that run.
pub(super) struct Nodes {
    children: Vec<Option<Child>>,
    commands: Vec<(std::path::PathBuf, std::path::PathBuf)>,
    /// In order of time.
    deeds: Vec<(f64, usize, Deed)>,
}

impl Nodes {
    pub(super) fn start(layout: &Layout, kills: &[Fault], pauses: &[Fault]) -> Result<Self, Failure> {
        let mut deeds = Vec::new();
        for (faults, begin, end) in [(kills, Deed::Kill, Deed::Start), (pauses, Deed::Pause, Deed::Resume)] {
            for fault in faults {
                deeds.push((fault.at, fault.node, begin));
                deeds.push((fault.at + fault.lasts, fault.node, end));
            }
        }
        deeds.sort_by(|a, b| a.0.total_cmp(&b.0));
        let paths = |place: &NodeFiles| (place.file.clone(), place.log.clone());
        let commands: Vec<_> = layout.nodes.iter().map(paths).collect();
        let mut nodes = Self { children: Vec::new(), commands, deeds };
        for k in 0..layout.nodes.len() {
            let child = nodes.spawn(k)?;
            nodes.children.push(Some(child));
        }
        Ok(nodes)
    }

    fn spawn(&self, k: usize) -> Result<Child, Failure> {
        let (file, log) = &self.commands[k];
        let trouble = |e: std::io::Error| Failure::Io(format!("{}: {e}", log.display()));
        let log = OpenOptions::new().create(true).append(true).open(log).map_err(trouble)?;
        let own = std::env::current_exe()?;
        let mut command = Command::new(own);
        command.arg("node").arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        command.env(PARENT, std::process::id().to_string());
        Ok(command.spawn()?)
    }

    /// Whether a node is down or paused that is still to come back.
    pub(super) fn busy(&self) -> bool {
        let begun = self.deeds.iter().map(|(_, k, deed)| (k, matches!(deed, Deed::Start | Deed::Resume)));
        (0..self.commands.len())
            .any(|node| begun.clone().find(|(k, _)| **k == node).is_some_and(|(_, back)| back))
    }

    /// The faults that did not happen, in words.
    pub(super) fn undone(&self) -> Vec<String> {
        let begins = self.deeds.iter().filter(|(_, _, deed)| matches!(deed, Deed::Kill | Deed::Pause));
        begins
            .map(|(at, k, _)| {
                format!("node-{k} was to be killed or paused at {at} s, but the run ended before that")
            })
            .collect()
    }

    /// Carries out the faults due after `at` seconds, and says what was done.
    pub(super) fn faults(&mut self, at: f64) -> Result<Vec<String>, Failure> {
        let due = self.deeds.iter().take_while(|deed| deed.0 <= at).count();
        let mut remarks = Vec::new();
        for (_, k, deed) in self.deeds.drain(..due).collect::<Vec<_>>() {
            let said = match deed {
                Deed::Kill => {
                    if let Some(mut child) = self.children[k].take() {
                        child.kill()?;
                        child.wait()?;
                    }
                    "killed"
                }
                Deed::Start => {
                    if self.children[k].is_none() {
                        self.children[k] = Some(self.spawn(k)?);
                    }
                    "started again"
                }
                Deed::Pause => {
                    self.signal(k, ProcessSignal::Stop)?;
                    "paused"
                }
                Deed::Resume => {
                    self.signal(k, ProcessSignal::Continue)?;
                    "running again"
                }
            };
            remarks.push(format!("{at:>6.1} s: node-{k} is {said}"));
        }
        Ok(remarks)
    }

    fn signal(&self, k: usize, signal: ProcessSignal) -> Result<(), Failure> {
        match &self.children[k] {
            Some(child) => send(child, signal).map_err(|e| Failure::Io(format!("node-{k}: {e}"))),
            None => Ok(()), // it is down
        }
    }

    /// Whether a node's process has ended.
    pub(super) fn has_ended(&self, k: usize) -> bool {
        self.children.get(k).is_none_or(Option::is_none)
    }

    /// Fails if a node has failed; the last line of its log says why. A node that ended without an error is fine. One that somebody
    /// killed is said, and the others go on.
    pub(super) fn alive(&mut self, layout: &Layout, at: f64) -> Result<Vec<String>, Failure> {
        let mut remarks = Vec::new();
        for (k, slot) in self.children.iter_mut().enumerate() {
            let Some(child) = slot else { continue };
            let Some(code) = child.try_wait()? else { continue };
            *slot = None;
            if let Some(signal) = killed(code) {
                let file = layout.nodes[k].file.display();
                remarks.push(format!(
                    "{at:>6.1} s: node-{k} was killed (signal {signal}); the others go on (start it again: dpsda node {file})"
                ));
            } else if !code.success() {
                let log = std::fs::read_to_string(&layout.nodes[k].log).unwrap_or_default();
                let last = log.lines().last().unwrap_or("it said nothing").to_owned();
                self.stop();
                return Err(Failure::Io(format!("node-{k} ended ({code}): {last}")));
            }
        }
        Ok(remarks)
    }

    /// Asks all nodes to stop, and kills those that do not.
    pub(super) fn stop(&mut self) {
        for child in self.children.iter().flatten() {
            let _ = send(child, ProcessSignal::Continue);
            let _ = send(child, ProcessSignal::Terminate);
        }
        let asked = Instant::now();
        for child in self.children.iter_mut().flatten() {
            while asked.elapsed() < PATIENCE && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
        self.children.clear();
    }
}

/// The signal that ended a process, if one did.
fn killed(code: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&code);
    #[cfg(not(unix))]
    {
        let _ = code;
        None
    }
}

/// The nodes end with this program.
impl Drop for Nodes {
    fn drop(&mut self) {
        self.stop();
    }
}

#[derive(Clone, Copy)]
enum ProcessSignal {
    Stop,
    Continue,
    Terminate,
}

#[cfg(unix)]
fn send(child: &Child, signal: ProcessSignal) -> std::io::Result<()> {
    use rustix::process::{Pid, Signal as Number, kill_process};
    let number = match signal {
        ProcessSignal::Stop => Number::STOP,
        ProcessSignal::Continue => Number::CONT,
        ProcessSignal::Terminate => Number::TERM,
    };
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    match pid {
        Some(pid) => Ok(kill_process(pid, number)?),
        None => Ok(()),
    }
}

#[cfg(not(unix))]
fn send(_: &Child, signal: ProcessSignal) -> std::io::Result<()> {
    match signal {
        ProcessSignal::Terminate => Ok(()), // it is killed
        ProcessSignal::Stop | ProcessSignal::Continue => Err(std::io::ErrorKind::Unsupported.into()),
    }
}
