//! `dpsda ledger`: what a node has spent, and whether that was altered.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use dpsda::objective::Objective;
use dpsda::rng::{NoiseKey, Seed};
use dpsda_data::Prepared;
use dpsda_node::identity::Identity;
use dpsda_node::machine::{FreeRounds, Happened, Machine as _, NodeTerms, Todo};
use dpsda_node::manifest::Pledge;
use dpsda_node::store::Store as _;
use dpsda_node::store::disk::{self, Disk, Keeping};
use dpsda_node::store::ledger::{About, NodeBudget};
use serde_json::Value;

use crate::desk::Desk;
use crate::sample::SMALL;

/// It costs nothing.
struct Flat(usize);

impl Objective for Flat {
    fn dim(&self) -> usize {
        self.0
    }

    fn value(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn partial(&self, _: &[f64], _: std::ops::Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
    }
}

/// The store of a node, with this many releases and this many kept lines. It is open as long as this value lives.
fn store(folder: &Path, releases: u64, lines: u64) -> Disk {
    let noise = "[privacy]\nmechanism = \"discrete-gaussian\"\nepsilon = 1.0\ndelta = 1e-5\nclip = 1.0\n";
    let text = format!("{SMALL}{noise}");
    let run = Prepared::load(&text, &[], Path::new("")).unwrap().runs.swap_remove(0);
    let learner = run.spec.durable(0, Seed::default(), Some(NoiseKey::new([3; 32]))).unwrap();
    let identity = |k: u8| Arc::new(Identity::from_secret([k + 1; 32]));
    let members = (0..3).map(|k| identity(k).public()).collect();
    let terms = NodeTerms::of(&run, 0, identity(0), members, [5; 32]).unwrap();
    let about = About {
        run: "garden".into(),
        node: "rose".into(),
        manifest: [5; 32],
        key: identity(0).public(),
        promise: Pledge::of(&run),
        budget: NodeBudget { lifetime: Some(9.0), ..NodeBudget::default() },
        rules: run.rules,
    };
    let clock = Box::new(|| 1_700_000_000);
    let mut disk = Disk::open(folder, Keeping { identity: identity(0), about, lines, clock }).unwrap();
    let (mut machine, _) = FreeRounds::new(terms, learner).unwrap();
    for _ in 0..releases {
        let todo = machine.on(Happened::Cost(&Flat(run.spec.blocks().dim()))).swap_remove(0);
        let Todo::Store(record) = todo else { panic!("a record") };
        disk.commit(&record).unwrap();
        machine.on(Happened::Durable);
    }
    disk
}

#[test]
fn it_says_what_was_spent_when_on_what_and_what_is_left_also_while_the_node_runs() {
    let desk = Desk::new();
    let running = store(&desk.path("rose"), 12, 11);
    let said = desk.works(&["ledger", "rose"]).out;
    for words in [
        "rose of garden",
        "12 releases, the last at 2023-11-14 22:13:20 UTC (epoch 0, round 11)",
        "epsilon (delta 1e-5)",
        "zCDP",
        "no budget",
        "Lines 1 to 1, until 2023-11-14",
        "These are the last 10 of 11 lines kept",
        "The chain of 12 lines is intact",
        &Identity::from_secret([1; 32]).public().to_string(),
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let json: Value = serde_json::from_str(&desk.works(&["ledger", "rose", "--json"]).out).unwrap();
    let rho = |value: &Value| value["nano_rho"].as_u64().unwrap();
    let spent = &json["spent"]["lifetime"];
    assert_eq!(rho(&spent["charged"]), 12 * rho(&json["spent"]["event"]["charged"]));
    let budget = dpsda::privacy::accounting::zcdp::rho(9.0, 1e-5) * 1e9;
    assert_eq!(rho(&spent["left"]), budget as u64 - rho(&spent["charged"]));
    assert_eq!(
        (json["lines"].as_array().unwrap().len(), &json["lines"][10]["event"]),
        (11, &Value::from(11))
    );
    assert_eq!((&json["chain"]["whole"], &json["folded"]["line"]), (&Value::from(true), &Value::from(1)));
    drop(running);
    assert_eq!(desk.works(&["ledger", "rose"]).out, said, "the same when it has stopped");
}

#[test]
fn an_altered_line_is_named_with_exit_code_1() {
    let desk = Desk::new();
    drop(store(&desk.path("rose"), 5, 100));
    let line = disk::ledger(&desk.path("rose")).unwrap().links.swap_remove(2).1.unwrap();
    let file = desk.path("rose/releases.redb");
    let mut bytes = fs::read(&file).unwrap();
    let places: Vec<usize> =
        (0..bytes.len() - 32).filter(|k| bytes[*k..*k + 32] == line.line.entry).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at] ^= 1); // wherever the engine has kept it
    fs::write(&file, bytes).unwrap();
    let said = desk.dpsda(&["ledger", "rose"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.err.contains("line 3 was altered"), "{}", said.err);
    assert!(!said.out.contains("is intact"), "{}", said.out);
    let said = desk.dpsda(&["ledger", "rose", "--json"]);
    let json: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &json["chain"]["whole"]), (Some(1), &Value::from(false)));
}

#[test]
fn what_is_no_store_is_said() {
    let desk = Desk::new();
    let said = desk.dpsda(&["ledger", "nowhere"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("nowhere: no store is here"), "{}", said.err);
    drop(store(&desk.path("new"), 0, 100));
    assert!(desk.works(&["ledger", "new"]).out.contains("Nothing was released yet"));
    desk.put("new/releases.redb", "something else");
    let said = desk.dpsda(&["ledger", "new"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("damaged"), "{}", said.err);
}
