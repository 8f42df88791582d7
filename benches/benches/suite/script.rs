//! A NumPy learner that does rounds on request, in a process that stays.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::case::Case;
use crate::tools::Tools;
use dpsda_benches::turns::Turn;

pub(crate) struct Script {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Script {
    /// Starts it, and waits until it is ready.
    pub(crate) fn start(tools: &Tools, case: Case, algorithm: &str, more: &[&str]) -> Result<Self, String> {
        let mut command = tools.script("rounds.py", 1)?;
        for size in [case.n, case.d, case.batch] {
            command.arg(size.to_string());
        }
        command.arg(algorithm).args(more).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("rounds.py: {error}"))?;
        let (Some(asks), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("rounds.py: no pipes".into());
        };
        let mut script = Self { child, asks, answers: BufReader::new(answers) };
        script.line()?;
        Ok(script)
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) => Err("rounds.py ended".into()),
            Ok(_) => Ok(line),
            Err(error) => Err(format!("rounds.py: {error}")),
        }
    }

    /// Does `rounds` rounds. Seconds per round, by its own clock.
    pub(crate) fn go(&mut self, rounds: u64) -> Result<f64, String> {
        writeln!(self.asks, "go {rounds}").map_err(|error| format!("rounds.py: {error}"))?;
        self.asks.flush().map_err(|error| format!("rounds.py: {error}"))?;
        let line = self.line()?;
        line.trim().parse().map_err(|_| format!("rounds.py said {line:?}"))
    }

    pub(crate) fn turn(mut self) -> Turn<'static> {
        Box::new(move |rounds| self.go(rounds))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
