//! Instructions of small pieces of work, counted by valgrind and compared with `benches/instructions.txt`.
//!
//! Counts do not depend on how busy a machine is, so that a slower inner loop shows at once. Valgrind has no AVX-512: a processor
//! that has AVX2 always takes the same path.

use std::collections::BTreeMap;
use std::path::Path;

use super::build;
use crate::shell::Shell;

/// The works of `benches/benches/instructions.rs`, and how often each is done: the difference of two counts has no start-up.
const WORKS: [(&str, u64, u64); 7] = [
    ("round-c", 10, 60),
    ("round-ps", 10, 60),
    ("round-r", 10, 60),
    ("laplace", 10, 110),
    ("gaussian", 10, 110),
    ("squared", 4, 12),
    ("logistic", 4, 12),
];
/// Compilers and C libraries may change this much, one part in so many.
const TOLERANCE: f64 = 0.1;

/// Counts all works. `Ok(Err(_))` says why it cannot. `write` replaces the stored counts.
pub(super) fn count(shell: &Shell, write: bool) -> Result<Result<String, String>, String> {
    if let Some(why) = missing(shell)? {
        return Ok(Err(why));
    }
    let program = build(shell, None, &["instructions"])?.path("instructions")?;
    let file = shell.root.join("benches/instructions.txt");
    let known = read(&std::fs::read_to_string(&file).unwrap_or_default());
    let (mut lines, mut worse, mut text) = (Vec::new(), Vec::new(), String::new());
    for (name, few, many) in WORKS {
        let count = |times| counted(shell, &program, name, times);
        let each = (count(many)? - count(few)?) / (many - few) as f64;
        text.push_str(&format!("{name} {each:.0}\n"));
        match known.get(name) {
            Some(before) => {
                let change = each / before - 1.0;
                lines.push(format!("{name} {each:.0} ({:+.1} %)", 100.0 * change));
                if change > TOLERANCE {
                    worse.push(format!("{name}: {each:.0} instructions, {before:.0} before"));
                }
            }
            None => lines.push(format!("{name} {each:.0} (new)")),
        }
    }
    if write || known.is_empty() {
        let head =
            "# Instructions per piece of work, below AVX-512: `cargo xtask bench instructions --write`\n";
        std::fs::write(&file, format!("{head}{text}")).map_err(|e| format!("{}: {e}", file.display()))?;
    } else if !worse.is_empty() {
        let remedy = "if this is meant: cargo xtask bench instructions --write";
        return Err(format!("more instructions than before, {remedy}\n{}", worse.join("\n")));
    }
    Ok(Ok(lines.join(", ")))
}

/// Why it cannot run here. Installs valgrind where that is allowed.
fn missing(shell: &Shell) -> Result<Option<String>, String> {
    let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    if !(cfg!(target_arch = "x86_64") && flags.contains(" avx2")) {
        return Ok(Some("the stored counts are for x86-64 with AVX2".to_owned()));
    }
    if !shell.has("valgrind") {
        if !shell.is_root() || !shell.has("apt-get") {
            return Ok(Some(
                "valgrind is missing, and only root can install it (apt-get install valgrind)".to_owned(),
            ));
        }
        println!("   installing valgrind");
        shell.apt_install(&["valgrind"])?;
    }
    Ok(None)
}

/// All instructions of one start.
fn counted(shell: &Shell, program: &Path, name: &str, times: u64) -> Result<f64, String> {
    let mut valgrind = shell.program("valgrind");
    valgrind
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([name, &times.to_string()]);
    let text = shell.run(&mut valgrind)?;
    collected(&text).ok_or_else(|| format!("valgrind counted nothing\n{text}"))
}

/// The count in `==12== Collected : 34`.
fn collected(text: &str) -> Option<f64> {
    let (_, rest) = text.split_once("Collected :")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// `name count` by line.
fn read(text: &str) -> BTreeMap<String, f64> {
    let line = |line: &str| {
        let (name, count) = line.split_once(' ')?;
        Some((name.to_owned(), count.trim().parse().ok()?))
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_what_valgrind_prints_and_from_our_file() {
        assert_eq!(collected("==7== \n==7== Collected : 1234\n"), Some(1234.0));
        assert_eq!(collected("nothing"), None);
        let known = read("# words 1\nround-c 120\nround-r x\n");
        assert_eq!((known.len(), known.get("round-c")), (1, Some(&120.0)));
    }
}
