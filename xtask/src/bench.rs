//! `cargo xtask bench`: dpsda beside NumPy and SciPy, beside the machine and beside an older dpsda.
//!
//! Prepares what is compared (programs, an older commit, a Python) and starts the suite, `benches/benches/suite`, which measures.

mod instructions;
mod older;

use std::path::{Path, PathBuf};

use crate::python;
use crate::shell::Shell;

/// The commit that is compared with if no other is named: the last one before this suite.
const OLDER: &str = "af85f0b";
/// Sections that need it.
const NEED_OLDER: [&str; 2] = ["nodes", "reproduce"];
/// The section that counts, and measures no time.
const COUNTED: &str = "instructions";

/// What is asked for on the command line.
struct Asked {
    names: Vec<String>,
    json: PathBuf,
    older: String,
    write: bool,
}

impl Asked {
    fn read(shell: &Shell, words: &[String]) -> Result<Self, String> {
        let json = shell.target.join("bench.json");
        let mut asked = Self { names: Vec::new(), json, older: OLDER.to_owned(), write: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--json" => asked.json = value()?.into(),
                "--against" => asked.older = value()?,
                "--write" => asked.write = true,
                word if word.starts_with('-') => return Err(format!("unknown option {word}")),
                name => asked.names.push(name.to_owned()),
            }
        }
        Ok(asked)
    }

    fn all(&self) -> bool {
        self.names.iter().any(|name| name == "all")
    }

    fn wants(&self, name: &str) -> bool {
        self.all() || self.names.iter().any(|asked| asked == name)
    }

    /// The sections of the suite that are named.
    fn sections(&self) -> impl Iterator<Item = &String> {
        self.names.iter().filter(|name| *name != "all" && *name != COUNTED)
    }
}

/// The named sections, or those that take minutes, or (`all`) everything.
pub(crate) fn run(shell: &Shell, words: &[String]) -> Result<String, String> {
    let asked = Asked::read(shell, words)?;
    let counted = asked.wants(COUNTED).then(|| instructions(shell, asked.write));
    if let Some(counted) = counted.clone().filter(|_| asked.names.iter().all(|name| name == COUNTED)) {
        return counted;
    }
    if let Some(Ok(counted) | Err(counted)) = &counted {
        println!("### {COUNTED}: {counted}\n");
    }
    let programs = build(shell, None, &["suite", "nodes", "samplers"])?;
    let suite = programs.path("suite")?;
    let mut command = shell.program(&suite);
    let place = shell.target.join("bench");
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    command.arg("--place").arg(&place).arg("--json").arg(&asked.json);
    command.arg("--commit").arg(commit(shell));
    for name in ["dpsda", "samplers", "nodes"] {
        command.arg(format!("--{name}")).arg(programs.path(name)?);
    }
    match python::environment(shell)? {
        Ok(python) => {
            command.arg("--python").arg(python);
        }
        Err(why) => println!("   without NumPy and SciPy: {why}"),
    }
    if NEED_OLDER.iter().any(|name| asked.wants(name)) {
        match older::build(shell, &asked.older)? {
            Ok(older) => {
                command.arg("--old").arg(older.path("dpsda")?).arg("--old-nodes").arg(older.path("nodes")?);
            }
            Err(why) => println!("   without commit {}: {why}", asked.older),
        }
    }
    if asked.all() {
        command.arg("--all");
    }
    let status = command.args(asked.sections()).status().map_err(|e| format!("{}: {e}", suite.display()))?;
    if status.success() {
        counted.transpose()?;
        Ok(format!(
            "figures in {}, picture in {}",
            asked.json.display(),
            place.join("performance.svg").display()
        ))
    } else {
        Err(format!("{} ended with {status}", suite.display()))
    }
}

/// Counts instructions. Without valgrind that is skipped, but not in CI.
pub(crate) fn instructions(shell: &Shell, write: bool) -> Result<String, String> {
    match instructions::count(shell, write)? {
        Ok(counts) => Ok(counts),
        Err(why) if shell.ci => Err(why),
        Err(why) => Ok(format!("skipped: {why}")),
    }
}

/// Builds `dpsda` and some programs of `benches` for `shell`'s workspace, or for that of another folder and build directory.
/// All in one command: with other packages, features differ, and everything would be built twice.
fn build(shell: &Shell, elsewhere: Option<(&Path, &Path)>, benches: &[&str]) -> Result<Programs, String> {
    let mut cargo = shell.cargo();
    if let Some((folder, target)) = elsewhere {
        cargo.current_dir(folder).env("CARGO_TARGET_DIR", target);
    }
    cargo.args(["build", "--release", "-p", "dpsda-cli", "-p", "dpsda-benches", "--bin", "dpsda"]);
    for name in benches {
        cargo.args(["--bench", name]);
    }
    shell.run(cargo.arg("--message-format=json-render-diagnostics")).map(Programs)
}

/// What cargo says about programs that it has built.
struct Programs(String);

impl Programs {
    /// The path of one of them.
    fn path(&self, name: &str) -> Result<PathBuf, String> {
        let file = |path: &str| Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let executable = |line: &str| {
            let (_, rest) = line.split_once("\"executable\":\"")?;
            Some(rest.split_once('"')?.0.replace("\\\\", "\\"))
        };
        // A benchmark's file has a hash after its name.
        let named = |path: &String| {
            file(path).is_some_and(|stem| {
                stem == name || stem.rsplit_once('-').is_some_and(|(word, _)| word == name)
            })
        };
        let found = self.0.lines().filter_map(executable).find(named).map(PathBuf::from);
        found.ok_or_else(|| format!("cargo has built no program {name}\n{}", self.0))
    }
}

fn commit(shell: &Shell) -> String {
    let mut git = shell.program("git");
    git.args(["-c", "safe.directory=*", "describe", "--always", "--dirty"]);
    shell.run(&mut git).map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_that_cargo_names_are_found() {
        let artifact = |path: &str| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"filenames\":[\"x\"],\"executable\":\"{path}\",\"fresh\":true}}\n"
            )
        };
        let library = "{\"reason\":\"compiler-artifact\",\"executable\":null}\n".to_owned();
        let programs =
            Programs(library + &artifact("/t/release/dpsda") + &artifact("/t/release/deps/suite-0a1b"));
        assert_eq!(programs.path("suite"), Ok("/t/release/deps/suite-0a1b".into()));
        assert_eq!(programs.path("dpsda"), Ok("/t/release/dpsda".into()));
        assert!(programs.path("nodes").is_err());
    }
}
