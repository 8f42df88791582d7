//! The arguments of the commands about nodes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::KeyArgs;

/// How to run a node, or to make one.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct NodeArgs {
    #[command(subcommand)]
    pub(crate) command: Option<NodeCommand>,
    /// A TOML file with a table [node] (`dpsda node init` writes one)
    pub(crate) file: Option<PathBuf>,
    /// How much to log: error, warn, info or debug
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = ["error", "warn", "info", "debug"])]
    pub(crate) log: String,
}

#[derive(Subcommand)]
pub(crate) enum NodeCommand {
    /// Make a secret key and a commented starter file in DIR
    Init {
        /// The folder; it is made if it does not exist
        dir: PathBuf,
        /// The name of the node [default: the folder's name]
        #[arg(long)]
        name: Option<String>,
    },
}

#[derive(Subcommand)]
pub(crate) enum ManifestCommand {
    /// Make an unsigned manifest of an experiment and its members
    Make {
        /// The experiment, a TOML file as `dpsda run` takes it
        file: PathBuf,
        /// A member, by name and public key, in the order of the nodes (`dpsda node init` prints both)
        #[arg(long, value_name = "NAME=KEY", required = true)]
        member: Vec<String>,
        /// How many members must sign before a node runs it [default: all]
        #[arg(long, value_name = "N")]
        needs: Option<u32>,
        /// The number of this manifest in the group: give the next number when members agree on a new one
        #[arg(long, value_name = "N", default_value_t = 1)]
        epoch: u64,
        /// The name of the run [default: the experiment's title]
        #[arg(long)]
        name: Option<String>,
        /// Where to write it
        #[arg(short, long, value_name = "FILE", default_value = "manifest.toml")]
        out: PathBuf,
    },
    /// Show what a manifest promises, and add a member's signature to it
    Sign {
        /// The manifest
        file: PathBuf,
        /// The member's secret key
        #[arg(long, value_name = "FILE", default_value = "node.key")]
        key: PathBuf,
    },
    /// Collect the signatures of several copies of one manifest in the first copy
    Join {
        /// The copies
        #[arg(required = true, num_args = 2..)]
        files: Vec<PathBuf>,
    },
    /// Show what a manifest promises, who has signed it and who has not
    Show {
        /// The manifest
        file: PathBuf,
    },
}

#[derive(Subcommand)]
pub(crate) enum ClusterCommand {
    /// Start every node of an experiment on this machine, one process each, and watch them
    Up(UpArgs),
    /// Show the state of a running cluster's nodes
    Status {
        /// The folder that `dpsda cluster up` made
        #[arg(default_value = "cluster")]
        dir: PathBuf,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
}

/// How to start a cluster.
#[derive(Args)]
pub(crate) struct UpArgs {
    /// The experiment, a TOML file; keys in its table [node] go to every node
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    /// The folder for keys, manifest, stores and logs; an existing cluster goes on
    #[arg(long, value_name = "DIR", default_value = "cluster")]
    pub(crate) dir: PathBuf,
    /// Kill node NODE (kill -9) after AT seconds, and start it again BACK seconds later [default BACK: 2] (repeatable)
    #[arg(long, value_name = "NODE@AT[+BACK]")]
    pub(crate) kill: Vec<Fault>,
    /// Pause node NODE (SIGSTOP) after AT seconds, for FOR seconds [default FOR: 2] (repeatable)
    #[arg(long, value_name = "NODE@AT[+FOR]")]
    pub(crate) pause: Vec<Fault>,
    /// Make every node drop this share of its messages
    #[arg(long, value_name = "SHARE")]
    pub(crate) drop: Option<f64>,
    /// Stop after this many seconds [default: when all rounds are done]
    #[arg(long = "for", value_name = "SECONDS")]
    pub(crate) seconds: Option<f64>,
    /// No table, no remarks
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A fault of a node: when it begins and how long it lasts, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fault {
    pub(crate) node: usize,
    pub(crate) at: f64,
    pub(crate) lasts: f64,
}

impl std::str::FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected NODE@AT, or NODE@AT+SECONDS for how long, e.g. 3@5+2".to_owned();
        let (node, when) = text.split_once('@').ok_or_else(wrong)?;
        let (at, lasts) = when.split_once('+').unwrap_or((when, "2"));
        let seconds = |text: &str| text.parse().ok().filter(|s: &f64| (0.0..1e9).contains(s));
        let (at, lasts) = seconds(at).zip(seconds(lasts)).ok_or_else(wrong)?;
        Ok(Self { node: node.parse().map_err(|_| wrong())?, at, lasts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_with_and_without_their_length() {
        assert_eq!("3@5".parse(), Ok(Fault { node: 3, at: 5.0, lasts: 2.0 }));
        assert_eq!("0@1.5+0.25".parse(), Ok(Fault { node: 0, at: 1.5, lasts: 0.25 }));
        for wrong in ["3", "@5", "3@", "3@-1", "x@1", "3@1+x", "3@inf"] {
            assert!(wrong.parse::<Fault>().is_err(), "{wrong}");
        }
    }
}
