//! The noise-free reference runs, given to `dpsda run` as anybody would: a CSV file, a graph file and a TOML.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::desk::Desk;
use crate::sample::csv;

fn list(v: &Value) -> &Vec<Value> {
    v.as_array().unwrap()
}

fn samples(run: &Value, d: usize) -> String {
    let mut text = (0..d).map(|k| format!("a{k},")).collect::<String>() + "b\n";
    for (a, b) in list(&run["a"]).iter().zip(list(&run["b"])) {
        for (a, b) in list(a).iter().zip(list(b)) {
            list(a).iter().for_each(|x| write!(text, "{x},").unwrap());
            writeln!(text, "{b}").unwrap();
        }
    }
    text
}

fn graph(run: &Value) -> String {
    let mut text = String::from("round,from,to\n");
    for (round, links) in list(&run["graph"]).iter().enumerate() {
        list(links).iter().for_each(|link| writeln!(text, "{round},{},{}", link[0], link[1]).unwrap());
    }
    text
}

fn experiment(run: &Value) -> String {
    let set = run["set"].as_object().unwrap().iter().map(|(k, v)| format!("{k} = {v}\n")).collect::<String>();
    let algorithm = match (run["algorithm"].as_str(), run["weights"].as_str()) {
        (Some("relay"), _) => "name = \"dpsda-r\"".to_owned(),
        (_, Some("push-sum")) => "name = \"dpsda-ps\"".to_owned(),
        (_, weights) => format!("name = \"dpsda-c\"\nweights = \"{}\"", weights.unwrap()),
    };
    format!(
        "rounds = {}\nrecord = [\"decisions\"]\n[problem]\nloss = {}\ndata = \"csv\"\npath = \"data.csv\"\nlabel = \"b\"\n\
         batch = {}\nshuffle = false\n[set]\n{set}[network]\nnodes = {}\nblocks = {}\ngraph = \"file\"\npath = \"graph.csv\"\n\
         [algorithm]\n{algorithm}\n[privacy]\ndecide = {}\n",
        run["rounds"],
        run["loss"],
        run["batch"],
        run["nodes"],
        run["block_sizes"],
        run.get("decide").unwrap_or(&"published".into()),
    )
}

#[test]
fn the_noise_free_references_are_matched_to_1e_9_by_the_command_line() {
    let mut matched = 0;
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../dpsda/tests/reference")).unwrap()
    {
        let run: Value = serde_json::from_str(&fs::read_to_string(file.unwrap().path()).unwrap()).unwrap();
        if run.get("noise").is_some() {
            continue;
        }
        let desk = Desk::new();
        let d = list(&run["block_sizes"]).iter().map(|s| s.as_u64().unwrap() as usize).sum();
        desk.put("data.csv", &samples(&run, d));
        desk.put("graph.csv", &graph(&run));
        desk.put("run.toml", &experiment(&run));
        desk.works(&["run", "run.toml", "--out", "out"]);
        let (header, rows) = csv(&desk.text("out/decisions.csv"));
        assert_eq!(header[..4], ["run", "trial", "t", "x0"]);
        let expected = list(&run["expected_decisions"]);
        assert_eq!(rows.len(), expected.len(), "{}", run["name"]);
        for (t, (row, expected)) in rows.iter().zip(expected).enumerate() {
            assert_eq!(row[..3], ["0", "0", &t.to_string()]);
            for (found, expected) in row[3..].iter().zip(list(expected)) {
                let away = (found.parse::<f64>().unwrap() - expected.as_f64().unwrap()).abs();
                assert!(away < 1e-9, "{} t = {t}: {found} is {away:e} from {expected}", run["name"]);
            }
        }
        matched += 1;
    }
    assert_eq!(matched, 5);
}
