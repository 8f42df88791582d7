//! How a command can end badly.

use std::process::ExitCode;

use crate::say;

/// A bad ending.
pub(crate) enum Failure {
    /// The user gave something that cannot be: exit code 2.
    Input(String),
    /// The machine would not: exit code 1.
    Io(String),
    /// Ctrl-C: exit code 130, after what was finished is written.
    Interrupted,
    /// Nobody reads our output any more.
    Quiet,
}

impl Failure {
    pub(crate) fn tell(&self) {
        match self {
            Self::Input(text) | Self::Io(text) => say::aside(&format!("error: {text}")),
            Self::Interrupted => say::aside("interrupted: the folder holds what was finished"),
            Self::Quiet => {}
        }
    }

    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Input(_) => ExitCode::from(2),
            Self::Io(_) => ExitCode::FAILURE,
            Self::Interrupted => ExitCode::from(130),
            Self::Quiet => ExitCode::SUCCESS,
        }
    }
}

impl From<dpsda::Error> for Failure {
    fn from(error: dpsda::Error) -> Self {
        Self::Input(error.to_string())
    }
}
