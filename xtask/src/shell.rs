//! Running other programs: quiet when they succeed, everything when they fail.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The programs run so far. Each has a log of its own, because some run at the same time.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// How a step ended, if it did not fail.
pub(crate) enum Done {
    /// Passed, with a few words on what was checked.
    Passed(String),
    /// Skipped, with the reason.
    Skipped(String),
}

/// A failure carries everything that the failing program printed.
pub(crate) type Outcome = Result<Done, String>;

/// The repository and its environment.
pub(crate) struct Shell {
    /// The top of the repository.
    pub(crate) root: PathBuf,
    /// The build directory that cargo itself uses here.
    pub(crate) target: PathBuf,
    /// Whether this is CI, where no step may be skipped.
    pub(crate) ci: bool,
    /// Whether programs run with the lowest priority, so that other steps do not wait for them.
    background: bool,
}

impl Shell {
    /// The workspace this binary was built from.
    pub(crate) fn new() -> Result<Self, String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().unwrap_or(here).to_owned();
        let ci = std::env::var("CI").is_ok_and(|v| v == "true");
        let mut shell = Self { target: root.join("target"), root, ci, background: false };
        let metadata = shell.cargo().args(["metadata", "--no-deps", "--format-version=1"]).output();
        let metadata = metadata.map_err(|e| format!("cannot run cargo: {e}"))?;
        if !metadata.status.success() {
            return Err(String::from_utf8_lossy(&metadata.stderr).into_owned());
        }
        // Target directories may be set by flags, variables and files; only cargo knows.
        let text = String::from_utf8_lossy(&metadata.stdout);
        if let Some((_, rest)) = text.split_once("\"target_directory\":\"")
            && let Some((path, _)) = rest.split_once('"')
        {
            shell.target = PathBuf::from(path.replace("\\\\", "\\"));
        }
        fs::create_dir_all(shell.target.join("xtask"))
            .map_err(|e| format!("{}: {e}", shell.target.display()))?;
        Ok(shell)
    }

    /// The same repository, for programs that run beside others and give way to them.
    pub(crate) fn in_background(&self) -> Self {
        Self { root: self.root.clone(), target: self.target.clone(), background: true, ..*self }
    }

    /// Another program, at the top of the repository.
    pub(crate) fn program(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = if self.background && cfg!(unix) {
            let mut nice = Command::new("nice");
            nice.args(["-n", "19"]).arg(name);
            nice
        } else {
            Command::new(name)
        };
        command.current_dir(&self.root);
        // Variables that `cargo run` sets for this package are wrong for the packages built below.
        for (key, _) in std::env::vars_os() {
            let name = key.to_string_lossy();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&key);
            }
        }
        command
    }

    /// The cargo that runs us.
    pub(crate) fn cargo(&self) -> Command {
        let mut cargo = self.program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        if self.ci {
            cargo.env("CARGO_INCREMENTAL", "0"); // nothing is built a second time there
        }
        cargo
    }

    /// Runs a program to its end. Its output is the result or the error.
    pub(crate) fn run(&self, command: &mut Command) -> Result<String, String> {
        self.run_within(command, Duration::MAX)
    }

    /// The same, but killed after `limit`.
    pub(crate) fn run_within(&self, command: &mut Command, limit: Duration) -> Result<String, String> {
        let log = format!("{}.log", RUNS.fetch_add(1, Ordering::Relaxed));
        let log = self.target.join("xtask").join(log);
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let line = format!("$ {}", words.map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" "));
        let told = |e: std::io::Error| format!("{line}\n{e}");
        let out = File::create(&log).map_err(told)?;
        let err = out.try_clone().map_err(told)?;
        let mut child = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().map_err(told)?;
        let status = if limit == Duration::MAX {
            child.wait().map_err(told)?
        } else {
            let start = Instant::now();
            loop {
                match child.try_wait().map_err(told)? {
                    Some(status) => break status,
                    None if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(50)),
                    None => {
                        child.kill().map_err(told)?;
                        break child.wait().map_err(told)?;
                    }
                }
            }
        };
        let text = String::from_utf8_lossy(&fs::read(&log).map_err(told)?).into_owned();
        let _ = fs::remove_file(&log); // its text is the result
        if status.success() { Ok(text) } else { Err(format!("{line}\n{text}({status})")) }
    }

    /// Whether a program can be found and answers `--version`.
    pub(crate) fn has(&self, program: &str) -> bool {
        self.program(program).arg("--version").output().is_ok_and(|o| o.status.success())
    }

    /// Whether we are root, and so may install system packages.
    pub(crate) fn is_root(&self) -> bool {
        self.program("id").arg("-u").output().is_ok_and(|o| o.stdout == b"0\n")
    }

    /// Installs packages of Debian.
    pub(crate) fn apt_install(&self, packages: &[&str]) -> Result<(), String> {
        let apt = || {
            let mut apt = self.program("apt-get");
            apt.env("DEBIAN_FRONTEND", "noninteractive");
            apt
        };
        self.run(apt().arg("update"))?;
        self.run(apt().args(["install", "-y", "--no-install-recommends"]).args(packages)).map(drop)
    }

    /// Every file of the repository, tracked or not ignored, relative to its top.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, String> {
        // In containers, another user often owns the checkout; listing it is safe.
        let mut git = self.program("git");
        git.args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let list = self.run(&mut git)?;
        let mut files: Vec<_> = list.split('\0').filter(|f| !f.is_empty()).map(PathBuf::from).collect();
        files.retain(|f| self.root.join(f).is_file());
        files.sort();
        files.dedup();
        if files.is_empty() { Err("git lists no file here".to_owned()) } else { Ok(files) }
    }
}
