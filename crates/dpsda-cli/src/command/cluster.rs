//! `dpsda cluster`: every node of an experiment as a process on this machine.

mod lay;
mod process;
mod verdict;
mod watch;

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::args::{ClusterCommand, UpArgs};
use crate::failure::Failure;
use crate::say;

use self::lay::Layout;
use self::process::Nodes;
use self::watch::Seen;

/// How often the nodes are asked.
const LOOK: Duration = Duration::from_millis(250);
/// How often a plain line is printed where there is no terminal.
const PLAIN: Duration = Duration::from_secs(10);

pub(crate) fn cluster(command: &ClusterCommand) -> Result<(), Failure> {
    match command {
        ClusterCommand::Up(args) => up(args),
        ClusterCommand::Status { dir, json } => status(dir, *json),
    }
}

fn status(dir: &Path, as_json: bool) -> Result<(), Failure> {
    let layout = Layout::open(dir)?;
    let seen = watch::look(&layout);
    if as_json {
        let all: Vec<_> = seen.iter().map(Seen::json).collect();
        say::out(&format!("{:#}", serde_json::Value::from(all)))?;
    } else {
        let width = std::io::stdout().is_terminal().then(textwrap::termwidth);
        say::out(&watch::table(&layout.nodes, &seen, width))?;
    }
    if !seen.iter().any(Seen::answers) {
        let dir = dir.display();
        return Err(Failure::Io(format!(
            "{dir}: no node answers (start them: dpsda cluster up FILE --dir {dir})"
        )));
    }
    Ok(())
}

fn up(args: &UpArgs) -> Result<(), Failure> {
    let layout = Layout::make(args)?;
    let count = layout.nodes.len();
    let asked = Arc::new(AtomicBool::new(false));
    let ask = Arc::clone(&asked);
    ctrlc::set_handler(move || ask.store(true, Ordering::Relaxed)).map_err(|e| Failure::Io(e.to_string()))?;
    if !args.quiet {
        say::aside(&format!(
            "{count} nodes in {}; the first one's page: http://{}",
            args.dir.display(),
            layout.nodes[0].http
        ));
    }
    for warning in &layout.warnings {
        say::aside(&format!("warning: {warning}"));
    }
    let mut nodes = Nodes::start(&layout, &args.kill, &args.pause)?;
    let (start, mut printed) = (Instant::now(), Instant::now());
    let mut screen = Screen::new(args.quiet);
    let mut seen = watch::look(&layout);
    let done = loop {
        std::thread::sleep(LOOK);
        let at = start.elapsed().as_secs_f64();
        for remark in nodes.faults(at)? {
            screen.remark(&remark);
        }
        for remark in nodes.alive(&layout, at)? {
            screen.remark(&remark);
        }
        let now = watch::look(&layout);
        if asked.load(Ordering::Relaxed) {
            break false; // nodes may be interrupted too and be stopping: keep the state seen before
        }
        seen = now;
        screen.show(&layout, &seen, &mut printed);
        let ended = |(k, seen): (usize, &Seen)| seen.done() || nodes.has_ended(k);
        let all_done = !nodes.busy() && seen.iter().enumerate().all(ended);
        if all_done || args.seconds.is_some_and(|limit| at >= limit) {
            break all_done;
        }
    };
    for deed in nodes.undone() {
        screen.remark(&deed);
    }
    nodes.stop();
    screen.end(&layout, &seen);
    if asked.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted);
    }
    if args.json {
        say::out(&format!("{:#}", verdict::json(&layout, done)?))?;
    } else if !args.quiet {
        say::out(&verdict::words(&layout, done)?)?;
    }
    Ok(())
}

/// Refuses faults of nodes that do not exist.
fn fit(args: &UpArgs, count: usize) -> Result<(), Failure> {
    for (flag, faults) in [("--kill", &args.kill), ("--pause", &args.pause)] {
        if let Some(fault) = faults.iter().find(|fault| fault.node >= count) {
            return Err(Failure::Input(format!(
                "{flag} {}@{}: there are {count} nodes, counted from 0 (give one of 0 to {})",
                fault.node,
                fault.at,
                count.saturating_sub(1)
            )));
        }
    }
    Ok(())
}

/// The table, redrawn in place on a terminal; elsewhere a line every ten seconds.
struct Screen {
    quiet: bool,
    terminal: bool,
    /// Lines of the last table.
    lines: usize,
}

impl Screen {
    fn new(quiet: bool) -> Self {
        Self { quiet, terminal: std::io::stderr().is_terminal(), lines: 0 }
    }

    fn remark(&mut self, text: &str) {
        if !self.quiet {
            self.clear();
            say::aside(text);
        }
    }

    fn clear(&mut self) {
        if self.lines > 0 {
            let _ = write!(std::io::stderr(), "\x1b[{}A\x1b[J", self.lines);
            self.lines = 0;
        }
    }

    fn show(&mut self, layout: &Layout, seen: &[Seen], printed: &mut Instant) {
        if self.quiet {
            return;
        }
        if self.terminal {
            let table = self.table(layout, seen);
            self.clear();
            self.lines = table.lines().count();
            say::aside(&table);
        } else if printed.elapsed() >= PLAIN {
            *printed = Instant::now();
            say::aside(&watch::line(seen));
        }
    }

    fn end(&mut self, layout: &Layout, seen: &[Seen]) {
        if !self.quiet {
            self.clear();
            say::aside(&self.table(layout, seen));
        }
    }

    /// No line is wider than the terminal: a folded line counts as two, and the cursor would not go up far enough.
    fn table(&self, layout: &Layout, seen: &[Seen]) -> String {
        watch::table(&layout.nodes, seen, self.terminal.then(textwrap::termwidth))
    }
}
