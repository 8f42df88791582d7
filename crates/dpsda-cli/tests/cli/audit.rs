//! `dpsda audit`: what it says of a claim that holds, of one that does not, and of none.

use crate::desk::Desk;
use crate::sample::SMALL;

fn experiment(privacy: &str) -> String {
    format!("{SMALL}\n[privacy]\n{privacy}\n")
}

const EXACT: &str = "mechanism = 'discrete-laplace'\nepsilon = 3.0\nclip = 1.0";

#[test]
fn a_claim_that_holds_is_said_to_hold_and_no_more() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment(EXACT));
    let said = desk.works(&["audit", "a.toml", "--runs", "1000", "--picture", "p.svg"]);
    for words in [
        "Claim: eps 3",
        "node 2",
        "all nodes",
        "The claim holds against these attacks: they reached at most",
        "event at all nodes, canary",
        "with 99 % confidence). A coin is right in 50 %",
        "█",
        "An audit never proves privacy",
    ] {
        assert!(said.out.contains(words), "{words}\n{}", said.out);
    }
    assert!(said.err.is_empty(), "no progress where nobody looks: {}", said.err);
    assert!(desk.text("p.svg").starts_with("<svg"));
    let again = desk.works(&["audit", "a.toml", "--runs", "1000", "--picture", "p.svg"]);
    assert_eq!(said.out, again.out, "same seed, same figures");
    let other = desk.works(&["audit", "a.toml", "--runs", "1000", "--picture", "p.svg", "--seed", "2"]);
    assert_ne!(said.out, other.out);
}

#[test]
fn a_claim_that_floating_point_breaks_fails_with_code_1() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment("mechanism = 'laplace'\nepsilon = 1.0\nclip = 1.0"));
    let said = desk.dpsda(&["audit", "a.toml", "--joint"]);
    assert_eq!(said.code, Some(1), "{}\n{}", said.out, said.err);
    assert!(
        said.out.contains("FAIL") && said.out.contains("bits that no noise could have set"),
        "{}",
        said.out
    );
    assert!(said.err.starts_with("FAIL: dpsda-r"), "{}", said.err);
}

#[test]
fn the_papers_order_has_no_claim_and_its_gradients_are_read() {
    let desk = Desk::new();
    let order = "mechanism = 'laplace'\nlevel = 0.2\nnoise = 'all'\ndecide = 'private'";
    desk.put("a.toml", &experiment(order).replace("dpsda-r", "dpsda-c"));
    let said = desk.works(&["audit", "a.toml"]);
    assert!(said.out.contains("No game is played: nothing bounds an event"), "{}", said.out);
    assert!(said.out.contains("right in 100.0 % of cases"), "{}", said.out);
    assert!(
        said.out.contains("messages and decisions: 100.0 % of gradients are exact up to rounding"),
        "{}",
        said.out
    );
}

#[test]
fn one_run_guesses_every_round() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment(EXACT));
    let said = desk.works(&["audit", "a.toml", "--one-run", "--node", "1", "-s", "rounds=2000"]);
    assert!(said.out.contains("One run of 2,000 rounds") && said.out.contains("node 1"), "{}", said.out);
    assert!(!said.out.contains("all nodes") && !said.out.contains("node 0"), "{}", said.out);
}

#[test]
fn what_cannot_be_audited_is_named_with_its_remedy() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment(EXACT));
    for (args, words) in [
        (&["--node", "3"][..], "--node 3: dpsda-r has 3 nodes (use 0 to 2)"),
        (&["--runs", "99"], "99 is not in"),
        (&["--runs", "900000000"], "use at most"),
        (&["--picture", "p.png"], "end the name in .svg"),
        (&["--picture", "nowhere/p.svg"], "--picture nowhere/p.svg: it cannot be written"),
        (&["--runs", "500", "--one-run"], "cannot be used with"),
        (&["-s", "privacy.clip=-1"], "privacy.clip"),
    ] {
        let said = desk.dpsda(&[&["audit", "a.toml"], args].concat());
        assert_eq!(said.code, Some(2), "{args:?} {}", said.out);
        assert!(said.err.contains(words), "{args:?}: {}", said.err);
    }
}

#[test]
fn a_bound_that_may_be_an_accident_is_undecided_with_code_3() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment("mechanism = 'laplace'\nepsilon = 1.0\nclip = 1.0"));
    let said = desk.dpsda(&["audit", "a.toml", "--joint", "--runs", "1750"]);
    assert_eq!(said.code, Some(3), "{}\n{}", said.out, said.err);
    assert!(said.out.contains("Undecided: a bound is above its claim"), "{}", said.out);
    assert!(said.err.starts_with("undecided: dpsda-r (use more --runs)"), "{}", said.err);
}

#[test]
fn runs_that_see_nothing_are_said_to_be_too_few() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment(EXACT));
    let said = desk.works(&["audit", "a.toml", "--runs", "100", "-s", "privacy.epsilon=0.1"]);
    assert!(said.out.contains("too few to see anything"), "{}", said.out);
    assert!(!said.out.contains("The claim holds"), "{}", said.out);
}

#[test]
fn noise_that_cancels_over_time_is_played_from_end_to_end() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment("mechanism = 'tree'\nepsilon = 4.0\ndelta = 1e-2\nclip = 1.0"));
    let said = desk.works(&["audit", "a.toml", "--joint", "--runs", "1000", "-s", "rounds=1000"]);
    let words = "a run of 8 rounds is planned for the same claim, and played instead of 1,000";
    assert!(
        said.out.contains(words) && said.out.contains("runs per world, each of 8 rounds"),
        "{}",
        said.out
    );
    let said = desk.works(&["audit", "a.toml", "--joint", "--runs", "1000", "-s", "rounds=6"]);
    assert!(
        !said.out.contains("planned") && said.out.contains("runs per world, each of 6 rounds"),
        "{}",
        said.out
    );
}

#[test]
fn with_nothing_to_draw_no_picture_is_written() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment(EXACT));
    let said = desk.works(&["audit", "a.toml", "--one-run", "--picture", "p.svg"]);
    assert!(said.out.contains("p.svg is not written: no game of two worlds"), "{}", said.out);
    assert_eq!(desk.names(), ["a.toml"]);
}

#[test]
fn a_baseline_promises_nothing_and_is_not_audited() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment("mechanism = 'laplace'\nlevel = 1.0"));
    let said = desk.dpsda(&["audit", "a.toml", "-s", "algorithm.name=dpps"]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.err.contains("algorithm.name = \"dpps\": a baseline promises nothing"), "{}", said.err);
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_the_runs_that_are_finished() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};

    let desk = Desk::new();
    desk.put("a.toml", &experiment("mechanism = 'discrete-laplace'\nlevel = [inf, 1]\nclip = 1.0"));
    let args = ["audit", "a.toml", "--runs", "10000000"];
    let mut child = desk.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The first run has no noise and no game; the second would take an hour.
    let first = lines.by_ref().map(Result::unwrap).find(|line| line.contains("messages and decisions"));
    assert!(first.is_some());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(!rest.iter().any(|line| line.contains("runs per world")), "{rest:?}");
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{err}");
    assert!(err.starts_with("interrupted"), "{err}");
}

#[test]
fn networks_that_lose_or_delay_unnoticed_are_refused_by_key() {
    let desk = Desk::new();
    desk.put("a.toml", &experiment(EXACT));
    for (setting, words) in [
        ("network.delay={kind='uniform',max=3}", "network.delay = up to 3 rounds"),
        ("network.loss={kind='bernoulli',rate=0.1,known=false}", "network.loss.known = false"),
    ] {
        let said = desk.dpsda(&["audit", "a.toml", "-s", setting]);
        assert_eq!(said.code, Some(2), "{}", said.out);
        assert!(said.err.contains(words) && said.err.contains("use -s"), "{}", said.err);
    }
    let books = ["-s", "algorithm.name=dpsda-ps", "-s", "algorithm.links=running-sums"];
    let said = desk.dpsda(&[&["audit", "a.toml"][..], &books].concat());
    assert!(said.code == Some(2) && said.err.contains("algorithm.links = "), "{}", said.err);
    let prompt = "network.delay={kind='fixed',rounds=0}";
    desk.works(&["audit", "a.toml", "--runs", "100", "-s", prompt]);
}
