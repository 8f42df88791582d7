//! Messages that are late, and messages that vanish without anybody knowing.

use dpsda_sim::check::Check;
use dpsda_sim::folder::summary_rows;
use dpsda_sim::{Experiment, Options, Progress};

use crate::{Rows, load};

/// Section 6.1's problem on its graph.
const SETTING: &str = r#"
rounds = 300
trials = 3
record = ["decisions"]
[problem]
loss = "squared"
data = "synthetic-regression"
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
graph = "paper-fig2"
[algorithm]
name = ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"]
"#;

const LOST: &str = "network.loss={kind='bernoulli',rate=0.1,known=false}";
const NOISE: [&str; 4] = [
    "privacy.mechanism='discrete-laplace'",
    "privacy.level=1",
    "privacy.clip=1",
    "algorithm.name=['dpsda-c','dpsda-ps']",
];

struct Ran {
    experiment: Experiment,
    decisions: Vec<Vec<Vec<f64>>>,
    rows: Rows,
}

fn run(overrides: &[&str], threads: usize) -> Ran {
    let experiment = load(SETTING, overrides);
    let outcome = experiment.run(Options { threads }, &Progress::default());
    let rows = summary_rows(&experiment, &outcome);
    let decisions = outcome.runs.iter().map(|run| run.trials[&0].trial.decisions.clone()).collect();
    Ran { experiment, decisions, rows }
}

impl Ran {
    fn get(&self, name: &str, column: &str) -> f64 {
        let row = self.rows.iter().find(|row| row["algorithm"] == name).unwrap();
        row[column].as_f64().unwrap_or_else(|| panic!("{name} has no {column}"))
    }

    fn regret(&self, name: &str) -> f64 {
        self.get(name, "regret_per_round")
    }
}

fn apart(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn no_delay_changes_no_bit() {
    let (plain, fixed) = (run(&[], 0), run(&["network.delay={kind='fixed',rounds=0}"], 0));
    let uniform = run(&["network.delay={kind='uniform',max=0}"], 0);
    assert_eq!(plain.decisions, fixed.decisions);
    assert_eq!(plain.decisions, uniform.decisions);
}

/// Real and grid arithmetic, with noise and without: the books change nothing as long as everything arrives.
#[test]
fn running_sums_where_every_message_arrives_are_the_algorithm_itself() {
    let sums = "algorithm.links='running-sums'";
    let (plain, kept) = (run(&[], 0), run(&[sums], 0));
    for (a, b) in plain.decisions.iter().zip(&kept.decisions) {
        assert!(apart(a, b) < 1e-7, "off by {}", apart(a, b));
    }
    assert_eq!(plain.decisions[2..], kept.decisions[2..], "relay and the central learner keep no books");
    // Push-sum splits whole units alike. What flows over a link of DPSDA-C is rounded otherwise: a unit here or there.
    for (arithmetic, far) in [("real", 1e-7), ("grid", 1e-4)] {
        let arithmetic = format!("privacy.arithmetic='{arithmetic}'");
        let with = |extra: &[&str]| run(&[&NOISE[..], &[&arithmetic], extra].concat(), 0);
        for (a, b) in with(&[]).decisions.iter().zip(&with(&[sums]).decisions) {
            assert!(apart(a, b) < far, "{arithmetic}: off by {}", apart(a, b));
        }
    }
}

#[test]
fn a_late_network_costs_relay_staleness_and_little_else() {
    let prompt = run(&[], 0);
    for delay in ["{kind='fixed',rounds=5}", "{kind='uniform',max=5}"] {
        let late = run(&[&format!("network.delay={delay}")], 0);
        assert!(
            late.regret("dpsda-r") < 1.2 * prompt.regret("dpsda-r"),
            "{delay}: {}",
            late.regret("dpsda-r") / prompt.regret("dpsda-r")
        );
        // The certificate knew beforehand how old blocks would get.
        let (check, relay) = (Check::new(&late.experiment), 2);
        let certificate = &check.networks[check.of_run[relay].unwrap()].certificate;
        assert_eq!(late.get("dpsda-r", "staleness_max"), certificate.staleness as f64, "{delay}");
        assert!(certificate.staleness <= certificate.staleness_bound().unwrap());
        assert!(late.get("dpsda-r", "staleness_max") > prompt.get("dpsda-r", "staleness_max"));
        for name in ["dpsda-c", "dpsda-ps"] {
            assert!(late.regret(name) > prompt.regret(name), "{name} pays for {delay}");
        }
        assert_eq!(late.regret("dpcda"), prompt.regret("dpcda"), "nothing is sent");
    }
}

#[test]
fn naive_push_sum_is_ruined_by_unnoticed_losses_and_running_sums_repair_it() {
    let (kept, repaired) = (run(&[], 0), run(&[LOST], 0));
    let naive = run(&[LOST, "algorithm.links='naive'"], 0);
    let regret = |ran: &Ran| ran.regret("dpsda-ps");
    assert!(regret(&naive) > 10.0 * regret(&repaired), "{} {}", regret(&naive), regret(&repaired));
    assert!(regret(&repaired) < 2.0 * regret(&kept), "{} {}", regret(&repaired), regret(&kept));
    // Rows that sum to one do so whatever arrives: DPSDA-C needs no repair, and by default gets none.
    assert!(repaired.regret("dpsda-c") < 1.2 * kept.regret("dpsda-c"));
    assert_eq!(repaired.regret("dpsda-c"), naive.regret("dpsda-c"));
    assert!(repaired.regret("dpsda-r") < 1.05 * kept.regret("dpsda-r"));
}

#[test]
fn late_lost_and_private_runs_are_the_same_on_any_number_of_threads() {
    let wild = [LOST, "network.delay={kind='uniform',max=4}", "rounds=60"];
    let (one, many) = (run(&wild, 1), run(&wild, 4));
    assert_eq!(one.decisions, many.decisions);
    assert!(one.decisions.iter().flatten().flatten().all(|x| x.is_finite() && x.abs() <= 5.0));
    for extra in ["privacy.decide='private'", "privacy.arithmetic='grid'", "privacy.noise='all'"] {
        for links in ["algorithm.links='naive'", "algorithm.links='running-sums'"] {
            let ran = run(&[&wild[..], &NOISE, &[extra, links]].concat(), 0);
            assert!(ran.decisions.iter().flatten().flatten().all(|x| x.abs() <= 5.0), "{extra} {links}");
        }
    }
}

/// Rows sum to one whatever arrives, by every rule: without that, duals grow or shrink with the traffic.
#[test]
fn uniform_weights_stand_late_messages_too() {
    let prompt =
        run(&["algorithm.name=dpsda-c", "algorithm.weights=uniform"], 2).get("dpsda-c", "regret_per_round");
    for rounds in 1..=3 {
        let delay = format!("network.delay={{kind='fixed',rounds={rounds}}}");
        let late = run(&["algorithm.name=dpsda-c", "algorithm.weights=uniform", &delay], 2);
        let late = late.get("dpsda-c", "regret_per_round");
        assert!(late < 4.0 * prompt, "{rounds} rounds late: {late} against {prompt}");
    }
}
