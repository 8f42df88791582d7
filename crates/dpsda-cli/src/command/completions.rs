//! `dpsda completions`

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Args;
use crate::failure::Failure;
use crate::say;

pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "dpsda", &mut script);
    Ok(say::out(String::from_utf8_lossy(&script).trim_end())?)
}
