//! `dpsda reproduce all`, of this version and of an older commit.

use std::path::Path;
use std::process::Command;

use crate::line::{Line, Report, Unit};
use crate::process;
use crate::tools::Tools;
use dpsda_benches::turns::Spread;

pub(crate) fn run(tools: &Tools, report: &mut Report) -> Result<(), String> {
    let new = tools.dpsda.as_deref().ok_or("no dpsda (--dpsda)")?;
    let Some(old) = tools.old.as_deref() else { return Err("no older commit (--old)".into()) };
    let listed = process::run(Command::new(new).args(["data", "list"]))?.text;
    let cached = listed.lines().any(|line| line.contains("cifar10-cat") && line.contains("cached"));
    // Without CIFAR-10 in the cache, what needs no data that are fetched.
    let targets: &[&str] = if cached { &["all"] } else { &["fig3", "table2", "table3", "table5", "fig6"] };
    let time = |program: &Path, name: &str| {
        let mut command = Command::new(program);
        command
            .arg("reproduce")
            .args(targets)
            .args(["--quiet", "--force", "--out"])
            .arg(tools.place.join(name));
        Ok::<_, String>(process::run(&mut command)?.seconds)
    };
    let (ours, theirs) = (time(new, "reproduce-new")?, time(old, "reproduce-old")?);
    let ratio = theirs / ours;
    let line = Line::new(format!("dpsda reproduce {}", targets.join(" ")), Unit::Seconds, ours);
    let line = line.beside(theirs, Spread { low: ratio, median: ratio, high: ratio }).at_least(4.0);
    report.add(line.note(if cached { "" } else { "without CIFAR-10 (`dpsda data get cifar10-cat`)" }));
    Ok(())
}
