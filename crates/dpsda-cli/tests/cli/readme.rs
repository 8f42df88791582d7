//! The README is true.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::desk::Desk;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// Runs an experiment of the repository and gives its summary.
fn summary(name: &str) -> Vec<Value> {
    let desk = Desk::new();
    let path = root().join("experiments").join(name);
    let said = desk.works(&["run", path.to_str().unwrap(), "--json", "--out", "o"]);
    let json: Value = serde_json::from_str(&said.out).unwrap();
    json["summary"].as_array().unwrap().clone()
}

/// Three digits, as the README shows them.
fn shown(x: f64) -> String {
    if x < 1.0 { format!("{x:.3}") } else { format!("{x:.2}") }
}

#[test]
fn its_table_of_regrets_is_what_the_command_prints() {
    let rows = summary("regression.toml");
    let text = readme();
    for level in ["inf", "1.0", "0.5", "0.2"] {
        let line = text.lines().find(|l| l.starts_with(&format!("| {level} |"))).unwrap();
        let told: Vec<_> =
            line.split('|').map(|cell| cell.trim().trim_matches('*')).skip(2).take(4).collect();
        let found: Vec<_> = ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"]
            .iter()
            .map(|name| {
                let is = |row: &&Value| {
                    row["algorithm"] == *name
                        && (row["level"] == level || row["level"].as_f64() == level.parse().ok())
                };
                shown(rows.iter().find(is).unwrap()["regret_per_round"].as_f64().unwrap())
            })
            .collect();
        assert_eq!(told, found, "level {level}");
    }
}

#[test]
fn its_figures_on_failing_links_are_what_the_command_prints() {
    let rows = summary("sweeps/loss.toml");
    let any = |name: &str, rate: f64, known: bool, links: &str| {
        let is = |row: &&Value| {
            row["algorithm"] == name
                && row["network.loss.rate"].as_f64() == Some(rate)
                && row["network.loss.known"] == known
                && (links.is_empty() || row["algorithm.dpsda-ps.links"] == links)
        };
        rows.iter().find(is).unwrap()["regret_per_round"].as_f64().unwrap()
    };
    let regret = |name: &str, rate: f64| any(name, rate, true, "");
    let more = |name: &str| format!("{:.0} %", 100.0 * (regret(name, 0.5) / regret(name, 0.0) - 1.0));
    let text = readme().replace('\n', " ");
    let relay = format!("from {} to {}", shown(regret("dpsda-r", 0.0)), shown(regret("dpsda-r", 0.5)));
    let others = format!("pay {} and {}", more("dpsda-c"), more("dpsda-ps"));
    assert!(text.contains(&relay), "{relay}");
    assert!(text.contains(&others), "{others}");
    let push = |rate, links| shown(any("dpsda-ps", rate, false, links));
    let (kept, naive, sums) = (push(0.0, "naive"), push(0.1, "naive"), push(0.1, "running-sums"));
    let naive = format!("{:.1}", naive.parse::<f64>().unwrap());
    let unnoticed = format!(
        "goes from {kept} to {naive}, because its weight leaks away. With running sums, which are the default if no node notices \
         losses, it goes to {sums}"
    );
    assert!(text.contains(&unnoticed), "{unnoticed}");
}

#[test]
fn its_figure_on_late_messages_is_what_the_command_prints() {
    let rows = summary("sweeps/delay.toml");
    let regret = |rounds: i64| {
        let is = |row: &&Value| row["algorithm"] == "dpsda-r" && row["network.delay.rounds"] == rounds;
        rows.iter().find(is).unwrap()["regret_per_round"].as_f64().unwrap()
    };
    let words = format!("ten rounds late DPSDA-R pays {:.0} %", 100.0 * (regret(10) / regret(0) - 1.0));
    assert!(readme().replace('\n', " ").contains(&words), "{words}");
}

#[test]
fn its_picture_and_figures_are_those_of_the_flagship() {
    let desk = Desk::new();
    let said = desk.works(&["--json"]);
    let json: Value = serde_json::from_str(&said.out).unwrap();
    let get = |name: &str, level: &str, column: &str| {
        let is = |row: &&Value| {
            row["algorithm"] == name && (row["level"] == level || row["level"].as_f64() == level.parse().ok())
        };
        json["summary"].as_array().unwrap().iter().find(is).unwrap()[column].as_f64().unwrap()
    };
    let text = readme().replace('\n', " ");
    let price = get("dpsda-r", "0.2", "regret_per_round") / get("dpcda", "0.2", "regret_per_round") - 1.0;
    assert!(
        text.contains(&format!("R pays {:.0} % more than the central learner at level 0.2", 100.0 * price)),
        "{price}"
    );
    let averaged = |name| shown(get(name, "inf", "averaged_regret_per_round"));
    let compared = format!("{} against {}", averaged("dpsda-c"), averaged("dpsda-r"));
    assert!(text.contains(&compared), "{compared}");
    desk.works(&["report", "runs/flagship", "--picture", "picture.svg"]);
    let told = fs::read_to_string(root().join("docs/flagship.svg")).unwrap();
    assert!(
        desk.text("picture.svg") == told,
        "draw docs/flagship.svg anew with the command that the README names"
    );
}

#[test]
fn its_experiment_runs_on_a_file_as_it_describes() {
    let text = readme();
    let toml = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let desk = Desk::new();
    desk.put("mine.toml", toml);
    let mut data = String::from("u,v,w,x,y,class\n");
    for k in 0..700 {
        let x = f64::from(k % 13) - 6.0;
        data += &format!("{x},{},{},1,0.5,{}\n", k % 7, k % 3, if x > 0.0 { "yes" } else { "no" });
    }
    desk.put("mine.csv", &data);
    let said = desk.works(&["check", "mine.toml"]).out;
    assert!(said.contains("at most a factor of exp(1) plus 1e-5"), "{said}");
    desk.works(&["run", "mine.toml"]);
    assert!(desk.path("runs/mine/report.html").exists());
}

/// The README's and the help's changes of keys are those of a file that `dpsda new` wrote.
#[test]
fn the_changes_of_keys_that_are_shown_work_on_the_file_to_start_from() {
    let desk = Desk::new();
    desk.works(&["new", "mine.toml"]);
    let texts = [readme(), desk.works(&["--help"]).out];
    for text in texts {
        let shown = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let shown: Vec<_> = shown.filter(|words| words.starts_with(&["dpsda", "run"])).collect();
        assert!(shown.iter().flatten().any(|word| word.contains("=[")), "{shown:?}");
        for words in shown {
            let sets = words.windows(2).filter(|pair| pair[0] == "-s");
            let sets: Vec<_> = sets.flat_map(|pair| ["-s", pair[1].trim_matches('\'')]).collect();
            desk.works(&[&["check", "mine.toml"][..], &sets].concat());
        }
    }
}

#[test]
fn every_experiment_of_the_repository_checks() {
    let desk = Desk::new();
    for folder in ["experiments", "experiments/sweeps", "experiments/costs", "experiments/applications"] {
        let files = fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|end| end == "toml")) {
            desk.works(&["check", file.to_str().unwrap()]);
        }
    }
}

#[test]
fn its_links_lead_somewhere() {
    for page in [
        "README.md",
        "CONTRIBUTING.md",
        "PAPER.md",
        "docs/algorithms.md",
        "docs/applications.md",
        "docs/costs.md",
        "docs/deploy.md",
        "docs/experiments.md",
        "docs/reproduction.md",
        "docs/bounds.md",
        "docs/design.md",
        "docs/performance.md",
        "docs/scale.md",
        "docs/deviations.md",
        "docs/privacy.md",
        "docs/threat-model.md",
    ] {
        let path = root().join(page);
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let there = path.parent().unwrap().join(link);
            assert!(link.starts_with("http") || there.exists(), "{page}: {link}");
        }
    }
}

/// The table of the private runs: accuracies on data held out, at both epsilons, and the targets behind them.
#[test]
fn its_private_figures_are_those_of_the_private_experiments() {
    let desk = Desk::new();
    let mut columns = Vec::new();
    for (file, column, least) in [
        ("private-mnist.toml", "accuracy_test_averaged", [0.97, 0.96]),
        ("private-mushroom.toml", "accuracy_test_last", [0.94, 0.89]),
    ] {
        let path = root().join("experiments").join(file);
        let said = desk.works(&["run", path.to_str().unwrap(), "--json"]);
        let json: Value = serde_json::from_str(&said.out).unwrap();
        let rows = json["summary"].as_array().unwrap();
        let claim = "per example, whole run, all links and decisions (zCDP, delta 1e-5; toeplitz)";
        for ((row, epsilon), least) in rows.iter().zip([1.0, 0.2]).zip(least) {
            assert_eq!((row["epsilon"].as_f64(), row["delta"].as_f64()), (Some(epsilon), Some(1e-5)));
            assert_eq!((row["trials"].as_u64(), row["spent_event"].as_f64()), (Some(5), Some(epsilon)));
            assert!(row["claim"].as_str().unwrap().contains(claim), "{}", row["claim"]);
            assert!(row[column].as_f64().unwrap() >= least, "{file}: {}", row[column]);
        }
        columns.push(rows.iter().map(|row| row[column].as_f64().unwrap()).collect::<Vec<_>>());
    }
    for (k, epsilon) in ["1.0", "0.2"].into_iter().enumerate() {
        let line = format!("| {epsilon} | {:.1} % | {:.1} % |", 100.0 * columns[0][k], 100.0 * columns[1][k]);
        assert!(readme().contains(&line), "{line}");
    }
}

/// The table of promised epsilons: all four algorithms, and DPSDA-R ahead of the paper's two by more than both bands.
#[test]
fn its_figures_of_promised_epsilons_are_those_of_the_paper_s_experiment() {
    let desk = Desk::new();
    let path = root().join("experiments/paper/mushroom-epsilon-accurate.toml");
    let said = desk.works(&["run", path.to_str().unwrap(), "--json"]);
    let json: Value = serde_json::from_str(&said.out).unwrap();
    let rows = json["summary"].as_array().unwrap();
    for epsilon in ["1.0", "0.5", "0.2"] {
        let at = |algorithm: &str, column: &str| {
            let row = rows.iter().find(|row| {
                row["algorithm"] == algorithm && format!("{:?}", row["epsilon"].as_f64().unwrap()) == epsilon
            });
            row.unwrap()[column].as_f64().unwrap()
        };
        let share = |algorithm: &str| 100.0 * at(algorithm, "accuracy_test_last");
        let line = format!(
            "| {epsilon} | {:.1} % | {:.1} % | **{:.1} %** | {:.1} % |",
            share("dpsda-c"),
            share("dpsda-ps"),
            share("dpsda-r"),
            share("dpcda")
        );
        assert!(readme().contains(&line), "{line}");
        for rival in ["dpsda-c", "dpsda-ps"] {
            let bands = at("dpsda-r", "accuracy_test_last_sd") + at(rival, "accuracy_test_last_sd");
            assert!(share("dpsda-r") - share(rival) > 100.0 * bands, "{rival} at {epsilon}");
        }
    }
}
