//! Ctrl-C keeps what is finished.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::desk::{Desk, SMALL};

#[test]
fn ctrl_c_keeps_the_trials_that_are_finished() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    // Far more trials than the few seconds below allow.
    let args = ["run", "s.toml", "--out", "o", "-s", "rounds=2000", "-s", "trials=100000"];
    let child = desk.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    sleep(Duration::from_secs(3));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let ended = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{err}");
    let manifest: Value = serde_json::from_str(&desk.text("o/manifest.json")).unwrap();
    assert_eq!(manifest["interrupted"], true);
    let summary: Vec<Value> = serde_json::from_str(&desk.text("o/summary.json")).unwrap();
    let trials = summary[0]["trials"].as_u64().unwrap();
    assert!((1..100_000).contains(&trials), "{trials}");
    assert!(summary[0]["regret_per_round"].as_f64().unwrap() > 0.0);
    assert!(desk.text("o/report.html").contains("</html>"));
}
