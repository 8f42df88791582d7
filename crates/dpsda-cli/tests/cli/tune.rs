//! `dpsda tune`: a grid of steps, held-out training rounds, a snippet that a file takes.

use crate::desk::Desk;
use crate::sample::SMALL;

#[test]
fn the_chosen_steps_can_be_put_into_the_file_and_run() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let levels = ["-s", "privacy.mechanism=laplace", "-s", "privacy.level=[inf,1.0]", "-s", "rounds=40"];
    let mut args = vec!["tune", "s.toml", "--steps", "1,0.1,0.1,3", "--by", "online"];
    args.extend(levels);
    let said = desk.dpsda(&args);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("step 0.1") && said.out.contains("step 3"), "{}", said.out);
    assert!(said.out.contains("the last 20 % of the training rounds are held out"), "{}", said.out);
    let snippet = said.out.split("for the file:\n").nth(1).unwrap();
    assert!(snippet.contains("\"inf\" = ") && snippet.contains("\"1.0\" = "), "{snippet}");
    desk.put("t.toml", &format!("{SMALL}\n{snippet}"));
    let mut args = vec!["run", "t.toml"];
    args.extend(levels);
    assert_eq!(desk.dpsda(&args).code, Some(0));
    // The same bytes on one thread.
    let mut again = vec!["tune", "s.toml", "--steps", "0.1,1,3", "--by", "online", "--threads", "1"];
    again.extend(levels);
    assert_eq!(desk.dpsda(&again).out, said.out);
}

#[test]
fn costs_without_samples_hold_out_rounds_and_say_nothing_of_test_samples() {
    let desk = Desk::new();
    desk.works(&["new", "e.toml", "--cost", "expert"]);
    let args = [
        "tune",
        "e.toml",
        "--steps",
        "1",
        "-q",
        "--trials",
        "1",
        "-s",
        "rounds=20",
        "-s",
        "algorithm.name=dpcda",
    ];
    let said = desk.works(&args).out;
    assert!(said.contains("the last 20 % of the rounds are held out.\n") && !said.contains("test"), "{said}");
}

/// The printed lines can be put into the file, whatever tells the runs apart.
#[test]
fn no_snippet_is_unusable() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let laplace = ["-s", "privacy.mechanism=laplace", "-s", "privacy.level=0.2", "-s", "rounds=20"];
    let nodes = ["-s", "network.nodes=[2,3]", "-s", "rounds=20"];
    for extra in [&laplace[..], &nodes[..]] {
        let said = desk.dpsda(&[&["tune", "s.toml", "--steps", "0.1,1", "-q"], extra].concat());
        let snippet = said.out.split("for the file:\n").nth(1).unwrap();
        desk.put("t.toml", &format!("{SMALL}\n{snippet}"));
        let ran = desk.dpsda(&[&["run", "t.toml", "-q"], extra].concat());
        assert_eq!(ran.code, Some(0), "{snippet}: {}", ran.err);
    }
}

#[test]
fn json_has_every_score_of_every_step() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let said = desk.dpsda(&["tune", "s.toml", "--steps", "0.1,1", "--json", "-s", "rounds=20"]);
    let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let first = &found["tuned"][0];
    assert_eq!(first["rounds_learned"], 16);
    let tried = first["tried"].as_array().unwrap();
    assert_eq!(tried.len(), 2);
    assert!(tried.iter().all(|t| t["last"].is_number()
        && t["online"].is_number()
        && t["accuracy_last"].is_null()
        && t["auc_averaged"].is_null()));
    let best = first["best"].as_f64().unwrap();
    let least =
        tried.iter().min_by(|a, b| a["last"].as_f64().unwrap().total_cmp(&b["last"].as_f64().unwrap()));
    assert_eq!(least.unwrap()["step"].as_f64(), Some(best));
}

#[test]
fn wrong_grids_and_shares_are_refused() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    for (args, words) in [
        (vec!["--steps", "0.1,-1"], vec!["--steps -1", "above 0"]),
        (vec!["--hold-out", "1"], vec!["--hold-out 1", "below 1"]),
        (vec!["--by", "accuracy-last"], vec!["--by accuracy-last", "does not classify"]),
        (vec!["-s", "rounds=1"], vec!["rounds", "too few"]),
    ] {
        let said = desk.dpsda(&[vec!["tune", "s.toml"], args.clone()].concat());
        assert_eq!(said.code, Some(2), "{args:?}: {}", said.out);
        assert!(words.iter().all(|w| said.err.contains(w)), "{args:?}: {}", said.err);
    }
}

/// Where one class is rare, a step is chosen by how well it ranks.
#[test]
fn a_step_can_be_chosen_by_auc() {
    let desk = Desk::new();
    let file = "[problem]\nloss = \"logistic\"\ndata = \"mushroom\"\nbatch = 50\n[set]\nkind = \"ball\"\nradius = 5.0\n\
                [network]\nnodes = 7\n[algorithm]\nname = \"dpcda\"\n";
    desk.put("m.toml", file);
    let args =
        ["tune", "m.toml", "--steps", "0.000001,1", "--json", "--by", "auc-averaged", "-s", "rounds=20"];
    let said = desk.dpsda(&args);
    let found: serde_json::Value = serde_json::from_str(&said.out).expect(&said.err);
    let tried = found["tuned"][0]["tried"].as_array().unwrap();
    let auc: Vec<f64> = tried.iter().map(|t| t["auc_averaged"].as_f64().unwrap()).collect();
    assert!(auc.iter().all(|a| (0.5..=1.0).contains(a)), "{auc:?}");
    let best = if auc[1] > auc[0] { 1.0 } else { 0.000_001 };
    assert_eq!(found["tuned"][0]["best"].as_f64(), Some(best));
}
