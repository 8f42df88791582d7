//! An older commit, in a worktree of its own under the build directory.

use std::path::{Path, PathBuf};

use super::path_of;
use crate::shell::Shell;

/// Its programs.
pub(super) struct Older {
    pub(super) dpsda: PathBuf,
    pub(super) nodes: PathBuf,
}

/// Builds a commit (some minutes, once); or says why it cannot.
pub(super) fn build(shell: &Shell, commit: &str) -> Result<Result<Older, String>, String> {
    let tree = shell.target.join("bench").join(format!("tree-{commit}"));
    if !tree.join("Cargo.toml").is_file() {
        let git = |words: &[&str]| {
            let mut git = shell.program("git");
            git.args(["-c", "safe.directory=*"]).args(words);
            git
        };
        let _ = shell.run(&mut git(&["worktree", "prune"])); // of folders that were removed by hand
        let mut add = git(&["worktree", "add", "--detach"]);
        if let Err(text) = shell.run(add.arg(&tree).arg(commit)) {
            return Ok(Err(format!("it is not in this clone (git fetch --unshallow)\n{text}")));
        }
    }
    let target = shell.target.join("bench").join(format!("target-{commit}"));
    println!("   building commit {commit} into {} (some minutes, once)", target.display());
    let cargo = |words: &[&str]| {
        let mut cargo = shell.cargo();
        cargo.current_dir(&tree).env("CARGO_TARGET_DIR", &target).args(words);
        shell.run(&mut cargo)
    };
    cargo(&["build", "--release", "-p", "dpsda-cli"])?;
    let text = cargo(&["bench", "-p", "dpsda-benches", "--no-run", "--bench", "nodes"])?;
    let nodes = path_of(&text, "nodes").ok_or_else(|| format!("cargo named no program nodes\n{text}"))?;
    let name = format!("dpsda{}", std::env::consts::EXE_SUFFIX);
    Ok(Ok(Older { dpsda: target.join("release").join(name), nodes: from(&tree, nodes) }))
}

/// Cargo may name a path relative to the workspace.
fn from(tree: &Path, path: PathBuf) -> PathBuf {
    if path.is_absolute() { path } else { tree.join(path) }
}
