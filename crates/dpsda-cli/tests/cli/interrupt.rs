//! Ctrl-C keeps what is finished.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::desk::Desk;
use crate::sample::SMALL;

/// Runs far more trials than the few seconds allow, sends a signal, and looks at what is there.
fn stopped_by(signal: &str) {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let args = ["run", "s.toml", "--out", "o", "-s", "rounds=2000", "-s", "trials=100000"];
    let child = desk.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    sleep(Duration::from_secs(3));
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let ended = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{signal}: {err}");
    let manifest: Value = serde_json::from_str(&desk.text("o/manifest.json")).unwrap();
    assert_eq!(manifest["interrupted"], true);
    let summary: Vec<Value> = serde_json::from_str(&desk.text("o/summary.json")).unwrap();
    let trials = summary[0]["trials"].as_u64().unwrap();
    assert!((1..100_000).contains(&trials), "{trials}");
    assert!(summary[0]["regret_per_round"].as_f64().unwrap() > 0.0);
    assert!(desk.text("o/report.html").contains("</html>"));
    assert_eq!(desk.names(), ["o", "s.toml"], "{signal}");
}

#[test]
fn ctrl_c_and_termination_keep_the_trials_that_are_finished() {
    stopped_by("-INT");
    stopped_by("-TERM");
}
