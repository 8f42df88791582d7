//! The targets in `fuzz/`, each for a while, from real messages, records and files on.

use crate::shell::Shell;
use crate::tool::Tool;

const FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2" };

/// Fuzzes every target for a minute, or for `DPSDA_FUZZ_SECONDS`. Inputs that break a target stay in `target/fuzz`. Inputs that
/// reach new code stay there too, and the next run starts from them.
pub(crate) fn run(shell: &Shell) -> Result<String, String> {
    if !shell.has("c++") {
        if !shell.is_root() || !shell.has("apt-get") {
            return Err(
                "libFuzzer needs a C++ compiler, and only root can install one (apt-get install g++)"
                    .to_owned(),
            );
        }
        println!("   installing g++");
        shell.apt_install(&["g++"])?;
    }
    let fuzz = FUZZ.path(shell)?;
    let seconds =
        std::env::var("DPSDA_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60_u64);
    let folder = shell.target.join("fuzz");
    let cargo_fuzz = |verb: &str| {
        let mut command = shell.program(&fuzz);
        command.args(["fuzz", verb]);
        command
    };
    // The same versions of all dependencies as ours.
    let lock = |folder: &str| shell.root.join(folder).join("Cargo.lock");
    std::fs::copy(lock(""), lock("fuzz")).map_err(|e| format!("{}: {e}", lock("fuzz").display()))?;
    let list = shell.run(&mut cargo_fuzz("list"))?;
    let targets: Vec<&str> = list.lines().collect();
    let mut runs = 0;
    for target in &targets {
        let mut one = cargo_fuzz("run");
        // Sanitizers are for nightly toolchains, and there is no unsafe code here for them to watch.
        one.args(["--sanitizer", "none", "--target-dir"]).arg(folder.join("build")).arg(target);
        let corpus = folder.join("corpus").join(target);
        std::fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
        one.env("DPSDA_CORPUS", &corpus).arg(&corpus);
        one.args(["--", &format!("-max_total_time={seconds}"), "-timeout=10", "-rss_limit_mb=2048"]);
        one.args(["-print_final_stats=1", "-verbosity=0"]);
        one.arg(format!("-artifact_prefix={}/broke-{target}-", folder.display()));
        let text = shell.run(&mut one)?;
        let done = executed(&text).ok_or_else(|| format!("{target}: nothing ran\n{text}"))?;
        println!("   {target}: {done} inputs");
        runs += done;
    }
    Ok(format!("{runs} inputs to {} targets, none of which broke", targets.len()))
}

/// How many inputs libFuzzer says it has tried.
fn executed(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))?;
    line.trim().parse().ok().filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_counted_and_none_is_a_failure() {
        assert_eq!(executed("Done\nstat::number_of_executed_units: 1234\nstat::x: 1"), Some(1234));
        assert_eq!(executed("stat::number_of_executed_units: 0"), None);
        assert_eq!(executed("error"), None);
    }
}
