//! Long checks: the auditor at full length, millions of faulty worlds, counted instructions, and a cluster under constant faults.

mod churn;
mod fuzz;

use std::process::Command;
use std::time::Instant;

use crate::rust::tests_passed;
use crate::shell::Shell;

/// One long check.
struct Part {
    name: &'static str,
    about: &'static str,
    run: fn(&Shell) -> Result<String, String>,
}

const PARTS: &[Part] = &[
    Part {
        name: "audit",
        about: "3 % too little noise is found and a clean build is not accused, in 10^6 runs per world; the bound comes near \
                the claim in every algorithm, in 2*10^5",
        run: audit,
    },
    Part {
        name: "worlds",
        about: "two million worlds in which hosts crash, and messages, records, files and manifests that are wrong, in an \
                hour or so (or as many times those of every day as DPSDA_SEEDS says, instead of 215)",
        run: worlds,
    },
    Part {
        name: "captures",
        about: "the auditor on captured traffic of faulty worlds, ten times as long as every day",
        run: captures,
    },
    Part {
        name: "fuzz",
        about: "every decoder under a fuzzer that sees what is covered, for a minute each (or DPSDA_FUZZ_SECONDS)",
        run: fuzz::run,
    },
    Part {
        name: "instructions",
        about: "no small piece of work takes 10 % more instructions than the stored count, below AVX-512",
        run: |shell| crate::bench::instructions(shell, false),
    },
    Part {
        name: "churn",
        about: "seven nodes for ten minutes (or DPSDA_SOAK_SECONDS), killed and paused: memory, disk and files stay flat",
        run: churn::run,
    },
];

/// The named parts, or all of them, one after the other, until one fails.
pub(crate) fn run(shell: &Shell, names: &[String]) -> Result<String, String> {
    if let Some(name) = names.iter().find(|name| PARTS.iter().all(|part| part.name != **name)) {
        let known: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        return Err(format!("unknown part `{name}` (there are {})", known.join(", ")));
    }
    let mut done = 0;
    for part in PARTS.iter().filter(|part| names.is_empty() || names.iter().any(|name| name == part.name)) {
        println!("== {}: {}", part.name, part.about);
        let start = Instant::now();
        let found = (part.run)(shell)?;
        println!("   ok in {:.1} s: {found}", start.elapsed().as_secs_f64());
        done += 1;
    }
    Ok(format!("{done} of {} parts", PARTS.len()))
}

/// `cargo test` as every part calls it: other packages or features would build all dependencies again.
fn cargo_test(shell: &Shell) -> Command {
    let mut cargo = shell.cargo();
    cargo.args(["test", "--release", "--workspace", "--features", "dpsda-audit/soak"]);
    cargo
}

/// Runs tests of one binary. How many have passed.
fn tests(shell: &Shell, times: u64, binary: &str, names: &[&str]) -> Result<usize, String> {
    let mut cargo = cargo_test(shell);
    // Output of panicking threads would otherwise be captured with the output of the test that started them.
    cargo.args(["--test", binary, "--", "--nocapture"]).args(names).env("DPSDA_SEEDS", times.to_string());
    let text = shell.run(&mut cargo)?;
    match tests_passed(&text) {
        0 => Err(format!("no test ran\n{text}")),
        passed => Ok(passed),
    }
}

/// The long audits.
fn audit(shell: &Shell) -> Result<String, String> {
    tests(shell, 1, "planted", &["soak_"]).map(|passed| format!("{passed} long audits passed"))
}

/// The factor on the number of seeds in `cargo test`, where the tests below play [`WORLDS`].
fn times() -> u64 {
    std::env::var("DPSDA_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(215)
}

/// Crashes, old disks, free and in step, and rounds in step: 4 times 500, 6 times 400, 3 times 1000; 4 times 500 fuzzed nodes.
const WORLDS: u64 = 2000 + 2400 + 3000 + 2000;

fn worlds(shell: &Shell) -> Result<String, String> {
    shell.run(cargo_test(shell).args(["--no-run", "--test", "world"]))?;
    let (start, times) = (Instant::now(), times());
    let passed = tests(shell, times, "world", &["crash::", "old::", "step::", "fuzz::", "manifest::"])?;
    let each = 1e3 * start.elapsed().as_secs_f64() / (times * WORLDS) as f64;
    println!("   {passed} tests of {} seeds, {each:.2} ms each", times * WORLDS);
    let fuzzed = tests(shell, times, "store", &["fuzz::"])?;
    Ok(format!("{} tests, {} worlds; {times} times the fuzz of files", passed + fuzzed, times * WORLDS))
}

fn captures(shell: &Shell) -> Result<String, String> {
    tests(shell, 10, "world", &["audit::"]).map(|passed| format!("{passed} audits"))
}
