//! Every command does what its help says.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::desk::Desk;
use crate::sample::SMALL;

#[test]
fn the_starter_file_checks_and_runs() {
    let desk = Desk::new();
    desk.works(&["new", "mine.toml"]);
    let said = desk.dpsda(&["new", "mine.toml"]);
    assert_eq!(said.code, Some(2), "it is not overwritten");
    assert_eq!(desk.works(&["new", "-"]).out, desk.text("mine.toml"));
    assert!(
        desk.works(&["check", "mine.toml"]).out.contains("strongly connected in every window of  4 rounds")
    );
    assert_eq!(desk.names(), ["mine.toml"], "check writes nothing");
    let said = desk.works(&["run", "mine.toml", "--trials", "1", "-s", "rounds=5"]);
    assert!(said.out.contains("regret/T") && said.out.contains("runs/mine/report.html"), "{}", said.out);
}

#[test]
fn every_cost_has_a_starter_that_checks() {
    for cost in dpsda::cost::COSTS {
        let desk = Desk::new();
        let said = desk.works(&["new", "mine.toml", "--cost", cost.name]);
        assert!(said.out.starts_with("wrote mine.toml"), "{}", said.out);
        let (shown, text) = (desk.works(&["new", "-", "--cost", cost.name]), desk.text("mine.toml"));
        assert_eq!(shown.out.replace("run FILE ", "run mine.toml "), text, "the same on standard output");
        let tables = said.out.lines().next().is_some_and(|line| line.contains(".csv"));
        assert_eq!(shown.err.contains("not written"), tables, "{}", shown.err);
        assert!(!text.contains("experiments/"), "a path that the user does not have: {text}");
        desk.works(&["new", "other.toml", "--cost", cost.name]); // its tables are there already
        if said.out.contains("fill in the keys") {
            let said = desk.dpsda(&["check", "mine.toml", "-s", "rounds=3"]); // it may need a file of the user
            let named = |key: &dpsda::catalog::Key| said.err.contains(&format!("problem.{}", key.name));
            assert!(said.code == Some(0) || cost.keys.iter().any(named), "{}: {}", cost.name, said.err);
            assert!(cost.keys.iter().all(|key| text.contains(&format!("# {} ", key.name))), "{text}");
            continue;
        }
        let text = desk.works(&["check", "mine.toml", "-s", "rounds=3"]).out;
        let model = !["samples", "external"].contains(&cost.name);
        assert_eq!(text.contains("constants are not computed for this cost"), model, "{text}");
        if cost.name == "external" {
            let event = "What is protected\n  - An event is one household's hour: what its program sends";
            assert!(text.contains(event), "{text}");
        }
        if cost.name == "tracking" {
            desk.put("tracking.csv", "mine");
            let said = desk.dpsda(&["new", "third.toml", "--cost", cost.name]);
            assert!(said.code == Some(2) && said.err.contains("tracking.csv exists"), "{}", said.err);
            assert!(!desk.names().contains(&"third.toml".to_owned()));
        }
    }
    let said = Desk::new().dpsda(&["new", "mine.toml", "--cost", "exprt"]);
    assert!(said.code == Some(2) && said.err.contains("did you mean `expert`?"), "{}", said.err);
}

#[test]
fn the_flagship_runs_without_any_argument() {
    let desk = Desk::new();
    let said = desk.works(&["--trials", "1"]);
    for name in ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"] {
        assert_eq!(said.out.matches(&format!(" {name} ")).count(), 4, "four levels of {name}\n{}", said.out);
    }
    assert!(desk.text("runs/flagship/report.html").contains("</html>"));
}

#[test]
fn check_says_what_is_and_is_not_promised() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let noisy = ["-s", "privacy.mechanism=laplace", "-s", "privacy.level=1", "-s", "algorithm.name=dpsda-c"];
    let check = |more: &[&str]| desk.works(&[&["check", "s.toml"], &noisy[..], more].concat()).out;
    assert!(check(&[]).contains("Sensitivity: unbounded"));
    let clipped = check(&["-s", "privacy.clip=0.5"]);
    assert!(
        clipped.contains("every node with 2 coordinates by 0.3333")
            && clipped.contains("at most a factor of exp(3)"),
        "{clipped}"
    );
    let private = check(&["-s", "privacy.clip=0.5", "-s", "privacy.decide=private"]);
    assert!(
        private.contains("Decisions are not protected") && private.contains("36 over 12 rounds"),
        "{private}"
    );
    let json: Value = serde_json::from_str(&check(&["--json"])).unwrap();
    assert_eq!(json["networks"][0]["nodes"], 3);
}

#[test]
fn check_prints_what_theory_promises_and_why_it_does_not() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let check = |more: &[&str]| desk.works(&[&["check", "s.toml"], more].concat()).out;
    let all = ["-s", "algorithm.name=[\"dpsda-c\", \"dpsda-ps\", \"dpsda-r\", \"dpcda\"]"];
    let said = check(&all);
    let line =
        |name: &str| said.lines().find(|l| l.trim().starts_with(name) && !l.contains(':')).map(str::to_owned);
    for name in ["dpsda-c ", "dpsda-ps ", "dpsda-r ", "dpcda "] {
        assert!(line(name).is_some_and(|l| l.split_whitespace().count() >= 6), "{name}: {said}");
    }
    assert!(said.contains("not proved"), "{said}");
    let json: Value = serde_json::from_str(&check(&[&all[..], &["--json"]].concat())).unwrap();
    let bounds = json["bounds"].as_array().unwrap();
    assert_eq!(bounds.len(), 4);
    for bound in bounds {
        let number = |key: &str| bound[key]["regret_per_round"].as_f64().unwrap();
        assert!(
            number("real") <= number("certified") * (1.0 + 1e-9)
                && bound["constants"]["L"].as_f64().unwrap() > 0.0
        );
        assert_eq!(bound["printed"].is_null(), bound["run"].as_u64().unwrap() > 1);
    }
    assert_eq!(bounds[0]["printed"]["proved"], false);
    let free = check(&[&all[..], &["-s", "set.upper=inf"]].concat());
    assert!(free.contains("none for dpsda-r: the set is unbounded"), "{free}");
}

/// Lemma 3 and Theorem 3 need columns that sum to one; where they do not, what is printed says so.
#[test]
fn check_quotes_no_lemma_where_it_does_not_hold() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let check = |more: &[&str]| {
        let more: Vec<&str> = more.iter().flat_map(|o| ["-s", *o]).collect();
        desk.works(&[&["check", "s.toml"], &more[..]].concat()).out
    };
    let line = |said: &str, start: &str| {
        let found = said.lines().find(|l| l.trim().starts_with(start) && l.split_whitespace().count() > 4);
        found.unwrap_or_else(|| panic!("no {start} in {said}")).to_owned()
    };
    let star = ["network.graph=star", "algorithm.name=dpsda-c"];
    let metropolis = check(&star);
    assert!(line(&metropolis, "1 - theta").ends_with("(phi / (4 n^2), Lemma 3)"), "{metropolis}");
    assert!(!line(&metropolis, "dpsda-c").contains('*') && !metropolis.contains("\n  * "), "{metropolis}");
    let late = check(&[star[0], star[1], "network.delay={ kind = 'fixed', rounds = 1 }"]);
    assert!(
        late.contains("  * dpsda-c: messages arrive late") && late.contains("Lemma 3 and its consequences"),
        "{late}"
    );
    for network in [&["network.loss={ kind = 'bernoulli', rate = 0.1, known = false }"][..], &[]] {
        let uniform = check(&[&star[..], &["algorithm.weights=uniform"], network].concat());
        assert!(line(&uniform, "1 - theta").ends_with("Lemma 3 needs columns that sum to 1)"), "{uniform}");
        assert!(line(&uniform, "dpsda-c").contains(" *"), "{uniform}");
        assert!(uniform.contains("  * dpsda-c: columns of the weights do not sum to 1"), "{uniform}");
        assert!(!uniform.contains("Lemma 3 and its consequences"), "{uniform}");
    }
    let row = check(&[star[0], "algorithm.name=dpsr"]);
    assert!(line(&row, "1 - theta").ends_with("Lemma 3 needs columns that sum to 1)"), "{row}");
    assert!(row.contains("none for dpsr: nothing is proved"), "{row}");
}

#[test]
fn a_network_that_never_connects_is_named() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    desk.put("g.csv", "round,from,to\n0,0,1\n1,1,0\n");
    let said = desk.works(&["check", "s.toml", "-s", "network.graph=file", "-s", "network.path=g.csv"]);
    assert!(said.out.contains("warning: ") && said.out.contains("never"), "{}", said.out);
}

#[test]
fn list_shows_every_table() {
    let desk = Desk::new();
    let all = desk.works(&["list"]).out;
    for name in [
        "dpsda-r",
        "huber",
        "mushroom",
        "mnist-68",
        "simplex",
        "geometric",
        "gilbert-elliott",
        "metropolis",
        "laplace",
    ] {
        assert!(all.contains(&format!("  {name} ")), "{name}");
    }
    let graphs: Value = serde_json::from_str(&desk.works(&["list", "graphs", "--json"]).out).unwrap();
    assert_eq!(graphs[0]["members"].as_array().unwrap().len(), dpsda::network::TOPOLOGIES.len());
    let metrics: Value = serde_json::from_str(&desk.works(&["list", "metrics", "--json"]).out).unwrap();
    let members = metrics[0]["members"].as_array().unwrap();
    let listed: Vec<_> = members.iter().map(|member| member["name"].as_str().unwrap()).collect();
    assert_eq!(listed, dpsda::metric::METRICS.iter().map(|listing| listing.name).collect::<Vec<_>>());
    let violation = members.iter().find(|member| member["name"] == "violation").unwrap();
    assert_eq!(
        (&violation["summary.csv"], &violation["series.csv"]),
        (&"violation_max".into(), &"violation".into())
    );
    assert!(
        listed.iter().all(|name| all.contains(&format!("  {name} "))),
        "all are in the list of everything too"
    );
    let said = desk.dpsda(&["list", "graph"]);
    assert!(said.code == Some(2) && said.err.contains("did you mean `graphs`?"), "{}", said.err);
}

#[test]
fn report_rebuilds_one_run_and_compares_several() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    desk.works(&["run", "s.toml", "--out", "a"]);
    desk.works(&["run", "s.toml", "--out", "b", "-s", "algorithm.name=dpcda"]);
    let page = desk.text("a/report.html");
    desk.put("a/report.html", "gone");
    desk.works(&["report", "a", "--picture", "a.svg"]);
    assert!(desk.text("a/report.html") == page);
    assert!(desk.text("a.svg").starts_with("<svg"));
    desk.works(&["run", "s.toml", "--out", "c/b"]);
    desk.works(&["report", "b", "c/b", "--out", "alike.html"]);
    assert!(desk.text("alike.html").contains("c/b"), "folders of one name are called by their paths");
    assert_eq!(desk.works(&["report", "a", "b"]).out, "comparison.html\n");
    assert!(desk.text("comparison.html").contains("dpcda"));
    let said = desk.dpsda(&["report", "a", "--out", "s.toml"]);
    assert!(said.code == Some(2) && said.err.contains(".html"), "{}", said.err);
    assert_eq!(desk.text("s.toml"), SMALL, "no other file is overwritten");
    let said = desk.dpsda(&["report", "nothing"]);
    assert!(said.code == Some(2) && said.err.contains("nothing/manifest.json"), "{}", said.err);
}

#[test]
fn json_and_quiet_do_what_they_say() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let said = desk.works(&["run", "s.toml", "--json", "--out", "a"]);
    let json: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&json["folder"], &json["summary"][0]["algorithm"]), (&"a".into(), &"dpsda-r".into()));
    let said = desk.works(&["run", "s.toml", "--quiet", "--out", "b"]);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn completions_and_help_are_there() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(desk.works(&["completions", shell]).out.contains("dpsda"), "{shell}");
    }
    assert!(desk.works(&["--help"]).out.contains("Examples:"));
}

#[test]
fn a_reader_that_leaves_early_causes_no_panic() {
    let desk = Desk::new();
    let mut child = desk.command(&["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::with_capacity(1, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(first.starts_with("algorithms"));
}

#[test]
fn a_file_where_a_command_belongs_is_understood() {
    let desk = Desk::new();
    let said = desk.dpsda(&["mine.toml"]);
    assert!(said.code == Some(2) && said.err.contains("did you mean `dpsda run mine.toml`?"), "{}", said.err);
    let said = desk.dpsda(&["chek"]);
    assert!(said.code == Some(2) && said.err.contains("did you mean `check`?"), "{}", said.err);
    let said = desk.dpsda(&["run", "x.toml", "--threads", "0"]);
    assert_eq!(said.code, Some(2));
}

#[test]
fn every_column_of_the_summary_is_explained() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    desk.works(&["run", "s.toml", "--out", "o"]);
    let told = desk.works(&["list", "columns"]).out;
    for column in desk.text("o/summary.csv").lines().next().unwrap().split(',') {
        assert!(told.contains(&format!("  {column} ")), "{column}");
    }
}

#[test]
fn a_damaged_series_is_named_by_file_line_and_column_and_shows_no_cell() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    desk.works(&["run", "s.toml", "--out", "a"]);
    let series = desk.text("a/series.csv");
    let (header, rest) = series.split_once('\n').unwrap();
    let column = header.split(',').nth(3).unwrap();
    let mut rows: Vec<String> = rest.lines().map(Into::into).collect();
    let mut cells: Vec<&str> = rows[1].split(',').collect();
    cells[3] = "1.2x7";
    rows[1] = cells.join(",");
    desk.put("a/series.csv", &format!("{header}\n{}\n", rows.join("\n")));
    let said = desk.dpsda(&["report", "a"]);
    let words = format!("a/series.csv: line 3, column `{column}`: expected a number or nothing");
    assert!(said.code == Some(2) && said.err.contains(&words) && !said.err.contains("1.2x7"), "{}", said.err);
}

#[test]
fn a_swept_epsilon_stands_in_the_table_once_and_in_the_files_beside_what_the_run_has() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let noise = "privacy={ mechanism = 'discrete-gaussian', delta = 1e-5, clip = 1.0, adjacency = 'round', epsilon = [1.0, 2.0] }";
    let out = desk.works(&["run", "s.toml", "-s", noise, "--out", "a"]).out;
    let header = out.lines().next().unwrap();
    assert_eq!(header.matches("epsilon").count(), 1, "{header}");
    let files = desk.text("a/summary.csv");
    let header = files.lines().next().unwrap();
    assert!(header.contains(",epsilon,") && header.contains("privacy.epsilon"), "{header}");
    let out = desk.works(&["run", "s.toml", "-s", &noise.replace("[1.0, 2.0]", "1.0"), "--out", "b"]).out;
    assert_eq!(out.lines().next().unwrap().matches("epsilon").count(), 1, "without a sweep it stays");
}

/// A file need not name the agents.
#[test]
fn a_run_says_which_columns_are_its_agents() {
    let desk = Desk::new();
    desk.works(&["new", "mine.toml", "--cost", "tracking"]);
    let said = desk.works(&["run", "mine.toml", "-s", "rounds=5"]);
    let agents = "7 agents, one per column of tracking.csv: wish0, wish1, wish2, wish3, wish4, wish5, wish6";
    assert!(said.err.contains(agents), "{}", said.err);
    desk.put("small.csv", "wind,who,anna\n1,x,0.5\n2,y,0.25\n");
    let own =
        ["-s", "problem.path=small.csv", "-s", "problem.reference=wind", "-s", "network={ graph = 'ring' }"];
    let said = desk.works(&[&["run", "mine.toml", "-s", "algorithm.name=dpcda"], &own[..]].concat());
    assert!(said.err.contains("1 agent, one per column of small.csv: anna"), "{}", said.err);
}
