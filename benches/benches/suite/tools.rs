//! The programs that are compared, as `cargo xtask bench` found or built them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where they are. One that is missing leaves lines out, and the tables say so.
#[derive(Default)]
pub(crate) struct Tools {
    /// A Python with NumPy and SciPy.
    pub(crate) python: Option<PathBuf>,
    /// The scripts.
    pub(crate) scripts: PathBuf,
    /// The command line of this version.
    pub(crate) dpsda: Option<PathBuf>,
    /// The command line of the older commit.
    pub(crate) old: Option<PathBuf>,
    /// The benchmark of nodes, of this version and of the older commit.
    pub(crate) nodes: Option<PathBuf>,
    pub(crate) old_nodes: Option<PathBuf>,
    /// The benchmark of samplers.
    pub(crate) samplers: Option<PathBuf>,
    /// Where files are written.
    pub(crate) place: PathBuf,
    /// The JSON.
    pub(crate) json: PathBuf,
    /// The older commit.
    pub(crate) commit: String,
    /// Also what takes long.
    pub(crate) all: bool,
}

impl Tools {
    /// Reads `--name value` pairs; other words name sections.
    pub(crate) fn read(words: impl Iterator<Item = String>) -> (Self, Vec<String>) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let place = root.join("../target/bench");
        let mut tools = Self {
            scripts: root.join("python"),
            json: place.join("../bench.json"),
            place,
            ..Self::default()
        };
        let (mut names, mut words) = (Vec::new(), words);
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--") else {
                names.push(word);
                continue;
            };
            if matches!(option, "all" | "bench") {
                tools.all |= option == "all"; // cargo itself passes --bench
                continue;
            }
            let value = words.next().unwrap_or_default();
            let path = Some(PathBuf::from(&value));
            match option {
                "python" => tools.python = path,
                "dpsda" => tools.dpsda = path,
                "old" => tools.old = path,
                "nodes" => tools.nodes = path,
                "old-nodes" => tools.old_nodes = path,
                "samplers" => tools.samplers = path,
                "place" => tools.place = value.into(),
                "json" => tools.json = value.into(),
                "commit" => tools.commit = value,
                _ => names.push(word),
            }
        }
        (tools, names)
    }

    /// A script of ours, on this many BLAS threads.
    pub(crate) fn script(&self, name: &str, threads: usize) -> Result<Command, String> {
        let python = self.python.as_ref().ok_or("no Python with NumPy and SciPy (--python)")?;
        let mut command = Command::new(python);
        command.arg(self.scripts.join(name));
        command.env("DPSDA_BLAS_THREADS", threads.to_string());
        // Imports must not compile anything: that would be charged to the scripts.
        command.env_remove("PYTHONDONTWRITEBYTECODE").env("PYTHONPYCACHEPREFIX", self.place.join("pycache"));
        Ok(command)
    }

    /// The command line of this version.
    pub(crate) fn dpsda(&self) -> Result<Command, String> {
        Ok(Command::new(self.dpsda.as_ref().ok_or("no dpsda (--dpsda)")?))
    }

    /// Writes a file beside the results.
    pub(crate) fn file(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.place.join(name);
        let written = std::fs::create_dir_all(&self.place).and_then(|()| std::fs::write(&path, text));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }
}
