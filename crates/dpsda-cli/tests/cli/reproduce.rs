//! The paper's section 6, on a small scale.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::desk::Desk;

/// Every file under a folder but those that tell the time, with its bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.file_name().is_none_or(|name| name != "timing.json") {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn table_2_stands_beside_ours_with_every_departure_read_off_the_settings() {
    let desk = Desk::new();
    let said = desk.works(&["reproduce", "table2", "--quick", "--out", "o"]);
    assert!(said.out.contains("Table 2: mushroom. Regret per round, as printed"), "{}", said.out);
    let page = desk.text("o/report.html");
    for text in
        ["<td class=\"n printed\">97.95</td>", "<td class=\"n printed\">73.00</td>", "What holds", "DPSDA-R"]
    {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("Table 3"), "nothing that was not asked for");
    assert!(
        page.contains("2 trials of each experiment, not the files&#39; 10: to see whether it works"),
        "says what it is"
    );
    assert!(page.contains("DPSDA-R has steps by coordinate, DPSDA-C and DPSDA-PS steps c/sqrt(t)"));
    assert!(
        !said.out.lines().any(|line| line.starts_with("holds") || line.starts_with("does not")),
        "{}",
        said.out
    );
    let found: Value = serde_json::from_str(&desk.text("o/reproduction.json")).unwrap();
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.iter().filter(|row| row["experiment"] == "mushroom").count(), 16);
    for row in rows {
        let best = row["values"]["accuracy_test_best"]["mean"].as_f64().unwrap();
        assert!(best > 0.98, "the ceiling stands beside every accuracy: {row}");
        assert_eq!(row["values"]["regret_per_round"]["trials"], 2);
    }
    // What was done differently is read off the settings.
    let departs = |experiment: &str, algorithm: &str| {
        let this =
            |r: &&Value| r["experiment"] == experiment && r["algorithm"] == algorithm && r["level"] == 0.2;
        let row = rows.iter().find(this).unwrap();
        row["departures"].to_string()
    };
    assert_eq!(departs("mushroom", "dpsda-c"), "[]", "as printed is as printed");
    assert!(departs("mushroom-sum", "dpsda-c").contains("costs are sums"));
    for words in [
        "metropolis weights",
        "noise on the own block",
        "decides from what is published",
        "exact gradients",
        "step ",
    ] {
        assert!(departs("mushroom-sound", "dpsda-c").contains(words), "{words}");
    }
    assert!(departs("mushroom-tuned", "dpsda-c").contains("\"step 0.1\""), "in the paper's units");
    for (algorithm, noise) in [("dpsda-ps", "discrete-gaussian noise"), ("dpsda-r", "toeplitz noise")] {
        let found = departs("mushroom-epsilon", algorithm);
        for words in [
            noise,
            "one example's gradient clipped to norm 1",
            "epsilon 0.200 at delta 1e-5 in place of a level",
            "one example is protected, not a round",
        ] {
            assert!(found.contains(words), "{words}: {found}");
        }
    }
    assert!(departs("mushroom-accurate", "dpsda-ps").contains("the shortest of its grid"));
    assert!(departs("mushroom-box", "dpsda-r").contains("a box for the set"));
    assert!(desk.text("o/mushroom/report.html").contains("</html>"), "each experiment has its own report");
}

#[test]
fn a_reproduction_is_the_same_on_any_number_of_threads() {
    let desk = Desk::new();
    let run = ["reproduce", "fig3", "--quick", "--quiet", "--threads"];
    desk.works(&[&run[..], &["1", "--out", "o"]].concat());
    desk.works(&[&run[..], &["3", "--out", "p"]].concat());
    let (o, p) = (files(&desk.path("o")), files(&desk.path("p")));
    assert_eq!(o.len(), p.len());
    for ((a, one), (b, other)) in o.iter().zip(&p) {
        assert_eq!(a.strip_prefix(desk.path("o")).unwrap(), b.strip_prefix(desk.path("p")).unwrap());
        assert!(one == other, "{} differs", a.display());
    }
}

#[test]
fn a_target_that_the_paper_does_not_have_is_told_those_it_has() {
    let said = Desk::new().dpsda(&["reproduce", "tabel2"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("table2"), "{}", said.err);
}

#[test]
fn an_earlier_reproduction_is_replaced_only_if_asked() {
    let desk = Desk::new();
    let run = ["reproduce", "fig3", "--trials", "1", "--quiet", "--out", "o"];
    desk.works(&run);
    let again = desk.dpsda(&run);
    assert!(again.code == Some(2) && again.err.contains("--force"), "{}", again.err);
    desk.works(&[&run[..], &["--force"]].concat());
    assert_eq!(desk.names(), ["o"]);
}

/// x(400) is committed before f(400) is seen, so Table 5 as printed is 0; x(401) is not.
#[test]
fn the_decision_of_round_400_cannot_know_its_cost_and_the_next_one_does() {
    let desk = Desk::new();
    let said = desk.works(&["reproduce", "fig6", "--quick", "--out", "o"]);
    assert!(said.out.contains("does not hold  Table 5 and Fig. 6. Table 5: x(400) differs"), "{}", said.out);
    assert_eq!(
        said.out.matches("not decided").count(),
        4,
        "two runs per world decide nothing else: {}",
        said.out
    );
    let worlds: Value = serde_json::from_str(&desk.text("o/reproduction.json")).unwrap();
    for cell in worlds["worlds"].as_array().unwrap() {
        assert_eq!(cell["before"], 0.0, "{cell}");
        assert!(cell["norm"]["min"].as_f64().unwrap() > 0.0, "{cell}");
    }
}
