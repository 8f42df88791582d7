//! `dpsda`: decentralised online learning with differential privacy, from the command line.

mod args;
mod command;
mod failure;
mod folder;
mod progress;
mod say;
mod table;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match args.command {
        None => command::run::flagship(&args.run),
        Some(Command::Run { file, run }) => command::run::file(&file, &run),
        Some(Command::Check { file, keys, json }) => command::check::check(&file, &keys.set, json),
        Some(Command::Audit { file, audit }) => command::audit::audit(&file, &audit),
        Some(Command::Tune { file, tune }) => command::tune::tune(&file, &tune),
        Some(Command::List { family, json }) => command::list::list(family.as_deref(), json),
        Some(Command::Node(args)) => command::node::node(&args),
        Some(Command::Manifest { command }) => command::manifest::manifest(&command),
        Some(Command::Cluster { command }) => command::cluster::cluster(&command),
        Some(Command::Ledger { dir, json }) => command::ledger::ledger(&dir, json),
        Some(Command::Data { command }) => command::data::data(&command),
        Some(Command::Report { dirs, out, picture }) => {
            command::report::report(&dirs, out.as_deref(), picture.as_deref())
        }
        Some(Command::Reproduce(args)) => command::reproduce::reproduce(&args),
        Some(Command::New { file, cost }) => command::new::new(&file, &cost),
        Some(Command::Completions { shell }) => command::completions::completions(shell),
        Some(Command::Unknown(words)) => Err(unknown(&words)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            failure.code()
        }
    }
}

/// Suggests `dpsda run` for a file name, or the nearest command.
fn unknown(words: &[String]) -> Failure {
    let found = words.first().map_or("", String::as_str);
    if found.ends_with(".toml") {
        return Failure::Input(format!("`{found}` is not a command: did you mean `dpsda run {found}`?"));
    }
    let known = Args::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
    dpsda::Error::UnknownName { key: "command".into(), found: found.into(), known }.into()
}

/// A reader that closes our output early is no failure.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::Quiet,
            _ => Self::Io(error.to_string()),
        }
    }
}
