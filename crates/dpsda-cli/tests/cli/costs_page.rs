//! The examples of docs/costs.md are whole files that run.

use std::fs;
use std::path::Path;

use crate::desk::Desk;

/// The code blocks of this language, in order.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    text.split(&open).skip(1).filter_map(|rest| rest.split_once("```").map(|(block, _)| block)).collect()
}

/// The CSV files that an experiment names, in order.
fn named(experiment: &str) -> Vec<&str> {
    experiment.split('"').filter(|word| word.ends_with(".csv")).collect()
}

#[test]
fn every_example_of_the_page_about_costs_runs() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/costs.md")).unwrap();
    let (first, sections) = page.split_once("\n## ").unwrap();
    let (rules, network) = blocks(first, "toml")[0].split_once("\n\n").unwrap();
    let mut seen = Vec::new();
    for section in sections.split("\n## ") {
        let (name, text) = section.split_once('\n').unwrap();
        let Some(experiment) = blocks(text, "toml").first().copied().filter(|one| one.contains("[problem]"))
        else {
            continue;
        };
        seen.push(name);
        let desk = Desk::new();
        let (files, tables) = (named(experiment), blocks(text, "csv"));
        assert_eq!(files.len(), tables.len(), "{name}: a table for every file");
        files.iter().zip(tables).for_each(|(file, table)| desk.put(file, table));
        desk.put("e.toml", &format!("{rules}\n{experiment}\n{network}"));
        let said = desk.works(&["check", "e.toml"]);
        assert!(!said.out.contains("not used"), "{name}: {}", said.out);
        if name == "external" {
            assert_eq!(desk.dpsda(&["run", "e.toml"]).code, Some(2), "there is nothing to simulate");
            continue;
        }
        desk.works(&["run", "e.toml", "--quiet", "--out", "runs/e"]);
        if name == "tracking" {
            let (_, dynamic) = page.split_once("**Dynamic regret.**").unwrap();
            desk.put("sequence.csv", blocks(dynamic, "csv")[0]);
            let keys = [
                "dynamic={ segments = 4 }",
                "dynamic={ segments = 4, borders = 32 }",
                "dynamic={ path = 'sequence.csv' }",
            ];
            for key in keys {
                let said = desk.works(&["run", "e.toml", "-s", key, "--json", "--force", "--out", "runs/e"]);
                assert!(said.out.contains("\"dynamic_regret_per_round\": "), "{key}: {}", said.out);
            }
        }
    }
    assert_eq!(seen, ["samples", "tracking", "routing", "portfolio", "expert", "external"]);
}
