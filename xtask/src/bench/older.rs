//! An older commit, in a worktree of its own under the build directory.

use super::Programs;
use crate::shell::Shell;

/// Builds a commit (some minutes, once); or says why it cannot.
pub(super) fn build(shell: &Shell, commit: &str) -> Result<Result<Programs, String>, String> {
    let tree = shell.target.join("bench").join(format!("tree-{commit}"));
    if !tree.join("Cargo.toml").is_file() {
        let git = |words: &[&str]| {
            let mut git = shell.program("git");
            git.args(["-c", "safe.directory=*"]).args(words);
            git
        };
        let _ = shell.run(&mut git(&["worktree", "prune"])); // forgets folders that were removed by hand
        let mut add = git(&["worktree", "add", "--detach"]);
        if let Err(text) = shell.run(add.arg(&tree).arg(commit)) {
            return Ok(Err(format!("it is not in this clone (git fetch --unshallow)\n{text}")));
        }
    }
    let target = shell.target.join("bench").join(format!("target-{commit}"));
    println!("   building commit {commit} into {} (some minutes, once)", target.display());
    super::build(shell, Some((&tree, &target)), &["nodes"]).map(Ok)
}
