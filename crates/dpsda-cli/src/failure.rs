//! How a command can end badly.

use std::path::Path;
use std::process::ExitCode;

use crate::say;

/// A bad ending.
pub(crate) enum Failure {
    /// The user gave something that cannot be used: exit code 2.
    Input(String),
    /// A file that is not TOML: exit code 2.
    Syntax(String),
    /// The machine failed: exit code 1.
    Io(String),
    /// An audit found a claim to be false: exit code 1.
    Accused(String),
    /// An audit saw a bound above a claim, possibly by accident: exit code 3.
    Undecided(String),
    /// Ctrl-C: exit code 130, after finished results are written.
    Interrupted,
    /// Ctrl-C before anything was finished, so nothing is written: exit code 130.
    Unfinished,
    /// Ctrl-C in a command that keeps nothing: what it had said until then. Exit code 130.
    Dropped(&'static str),
    /// The reader of our output is gone.
    Quiet,
}

impl Failure {
    pub(crate) fn tell(&self) {
        match self {
            Self::Input(text) | Self::Syntax(text) | Self::Io(text) => say::aside(&format!("error: {text}")),
            Self::Accused(text) | Self::Undecided(text) => say::aside(text),
            Self::Interrupted => say::aside("interrupted: finished results are kept"),
            Self::Unfinished => say::aside("interrupted: nothing was finished"),
            Self::Dropped(what) => say::aside(&format!("interrupted: {what}")),
            Self::Quiet => {}
        }
    }

    /// Names the file with the TOML error.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        match self {
            Self::Syntax(text) => Self::Syntax(format!("{}: {text}", path.display())),
            other => other,
        }
    }

    /// The same as a finding of the command, not the user's mistake: exit code 1.
    pub(crate) fn found(self) -> Self {
        match self {
            Self::Input(text) | Self::Syntax(text) => Self::Io(text),
            other => other,
        }
    }

    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Input(_) | Self::Syntax(_) => ExitCode::from(2),
            Self::Io(_) | Self::Accused(_) => ExitCode::FAILURE,
            Self::Undecided(_) => ExitCode::from(3),
            Self::Interrupted | Self::Unfinished | Self::Dropped(_) => ExitCode::from(130),
            Self::Quiet => ExitCode::SUCCESS,
        }
    }
}

impl From<dpsda::Error> for Failure {
    fn from(error: dpsda::Error) -> Self {
        match error {
            dpsda::Error::Syntax(text) => Self::Syntax(text),
            other => Self::Input(other.to_string()),
        }
    }
}
