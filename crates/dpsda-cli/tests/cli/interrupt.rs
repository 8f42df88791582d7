//! Ctrl-C keeps what is finished.

#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::desk::Desk;
use crate::sample::SMALL;

/// Runs the small experiment or a reproduction, and sends it a signal a while after its headline. Gives its exit code and what it
/// said.
fn signalled(desk: &Desk, args: &[&str], signal: &str, after: Duration) -> (Option<i32>, String) {
    let mut child = desk.command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("small: ") && !said.contains("[1/") {
        assert!(err.read_line(&mut said).unwrap() > 0, "it ended: {said}");
    }
    sleep(after);
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    err.read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

/// Runs far more trials than the few seconds allow, sends a signal, and looks at what is there.
fn stopped_by(signal: &str) {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let args = ["run", "s.toml", "--out", "o", "-s", "rounds=2000", "-s", "trials=100000"];
    let (code, err) = signalled(&desk, &args, signal, Duration::from_secs(3));
    assert_eq!(code, Some(130), "{signal}: {err}");
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

#[test]
fn an_interrupted_run_replaces_no_other_and_stands_beside_it() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    desk.works(&["run", "s.toml", "--out", "o"]);
    let old = desk.text("o/manifest.json");
    let args = ["run", "s.toml", "--out", "o", "--force", "-s", "rounds=2000", "-s", "trials=100000"];
    let (code, err) = signalled(&desk, &args, "-INT", Duration::from_secs(3));
    assert_eq!(code, Some(130), "{err}");
    assert!(err.contains("o is not replaced: what is finished is in o-2"), "{err}");
    assert_eq!(desk.text("o/manifest.json"), old);
    let manifest: Value = serde_json::from_str(&desk.text("o-2/manifest.json")).unwrap();
    assert_eq!(manifest["interrupted"], true);
    assert_eq!(desk.names(), ["o", "o-2", "s.toml"]);
}

#[test]
fn an_interrupted_reproduction_replaces_no_other_and_stands_beside_it() {
    let desk = Desk::new();
    desk.works(&["reproduce", "fig3", "--trials", "1", "--quiet", "--out", "o"]);
    let old = desk.text("o/reproduction.json");
    let args = ["reproduce", "fig3", "--trials", "15000", "--out", "o", "--force"];
    let (code, err) = signalled(&desk, &args, "-INT", Duration::from_secs(3));
    assert_eq!(code, Some(130), "{err}");
    assert!(err.contains("o is not replaced: what is finished is in o-2"), "{err}");
    assert_eq!(desk.text("o/reproduction.json"), old);
    assert!(desk.text("o-2/report.html").contains("was interrupted"));
    assert_eq!(desk.names(), ["o", "o-2"]);
}

/// `tune` compares steps when all of them are done, and `audit` prints as it goes. Neither keeps a file.
#[test]
fn interrupted_commands_that_keep_nothing_say_so() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let noise = "privacy={ mechanism = 'discrete-gaussian', delta = 1e-5, clip = 1.0, adjacency = 'round', epsilon = 1.0 }";
    for (args, says) in [
        (
            &["tune", "s.toml", "--steps", "0.1,1", "-s", "rounds=5000", "-s", "trials=100000"][..],
            "interrupted: no step was chosen, and nothing is kept",
        ),
        (
            &["audit", "s.toml", "-s", noise, "--runs", "2000000"],
            "interrupted: the audits printed above are finished; nothing else is kept",
        ),
    ] {
        let mut child = desk.command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        sleep(Duration::from_secs(3));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
        assert!(said.contains(says) && !said.contains("results are kept"), "{said}");
        assert_eq!(desk.names(), ["s.toml"]);
    }
}

#[test]
fn an_interrupted_run_that_finished_nothing_writes_nothing() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    desk.works(&["run", "s.toml", "--out", "o"]);
    let old = desk.text("o/manifest.json");
    for (out, force) in [("o", &["--force"][..]), ("p", &[])] {
        let nodes = ["-s", "network.nodes=24", "-s", "problem.features=24"];
        let long = ["-s", "rounds=50000", "-s", "trials=1"];
        let args = [&["run", "s.toml", "--out", out], &nodes[..], &long, force].concat();
        let (code, err) = signalled(&desk, &args, "-INT", Duration::from_millis(300));
        assert_eq!(code, Some(130), "{err}");
        assert!(err.contains("interrupted: nothing was finished"), "{err}");
    }
    assert_eq!(desk.text("o/manifest.json"), old);
    assert_eq!(desk.names(), ["o", "s.toml"]);
}
