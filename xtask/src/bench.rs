//! `cargo xtask bench`: dpsda beside NumPy and SciPy, beside the machine and beside an older dpsda.
//!
//! Prepares what is compared (programs, an older commit, a Python) and starts the suite, `benches/benches/suite`, which measures.

mod instructions;
mod older;

use std::path::PathBuf;

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
    let suite = executable(shell, "suite")?;
    let mut command = shell.program(&suite);
    let place = shell.target.join("bench");
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    command.arg("--place").arg(&place).arg("--json").arg(&asked.json);
    command.arg("--dpsda").arg(dpsda(shell)?);
    command.arg("--commit").arg(commit(shell));
    for name in ["samplers", "nodes"] {
        command.arg(format!("--{name}")).arg(executable(shell, name)?);
    }
    match python::environment(shell)? {
        Ok(python) => drop(command.arg("--python").arg(python)),
        Err(why) => println!("   without NumPy and SciPy: {why}"),
    }
    if NEED_OLDER.iter().any(|name| asked.wants(name)) {
        match older::build(shell, &asked.older)? {
            Ok(older) => {
                command.arg("--old").arg(&older.dpsda).arg("--old-nodes").arg(&older.nodes);
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

/// The command line, as users build it.
fn dpsda(shell: &Shell) -> Result<PathBuf, String> {
    shell.run(shell.cargo().args(["build", "--release", "-p", "dpsda-cli"]))?;
    Ok(shell.target.join("release").join(format!("dpsda{}", std::env::consts::EXE_SUFFIX)))
}

/// A program of `benches`, built as cargo builds benchmarks.
fn executable(shell: &Shell, name: &str) -> Result<PathBuf, String> {
    let text =
        shell.run(shell.cargo().args(["bench", "-p", "dpsda-benches", "--no-run", "--bench", name]))?;
    path_of(&text, name)
        .map(|path| shell.root.join(path))
        .ok_or_else(|| format!("cargo named no program {name}\n{text}"))
}

/// The path that cargo names: `Executable benches/x.rs (target/release/deps/x-0123)`.
fn path_of(text: &str, name: &str) -> Option<PathBuf> {
    let inside = |line: &str| Some(line.rsplit_once('(')?.1.strip_suffix(')')?.to_owned());
    let programs = text.lines().filter(|line| line.trim_start().starts_with("Executable"));
    programs.filter_map(inside).map(PathBuf::from).find(|path| {
        path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&format!("{name}-")))
    })
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
    fn the_program_that_cargo_names_is_found() {
        let text = "   Compiling x\n  Executable benches/nodes.rs (target/release/deps/nodes-12)\n  \
                    Executable benches/suite/main.rs (/t/release/deps/suite-ab)\n";
        assert_eq!(path_of(text, "suite"), Some("/t/release/deps/suite-ab".into()));
        assert_eq!(path_of(text, "nodes"), Some("target/release/deps/nodes-12".into()));
        assert_eq!(path_of(text, "node"), None);
    }
}
