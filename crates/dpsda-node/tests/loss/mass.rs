//! DPSDA-C and DPSDA-PS finish, and no unit of mass is lost or created.

use std::time::Duration;

use dpsda::learner::Standing;
use tokio::time::Instant;

use crate::group::{experiment, run};
use crate::sums::count;
use crate::witness::{Seen, units};

const ROUNDS: u64 = 120;

/// The total dual of nodes and links minus everything released, and the total weight minus one per node.
fn error(nodes: &[Seen]) -> (Vec<i64>, i64) {
    let (mut dual_error, mut weight_error) = (Vec::new(), 0_i64);
    for node in nodes {
        let record = node.last.as_ref().unwrap();
        assert_eq!(record.round, ROUNDS, "the end");
        let Standing::Gossip { dual, books: Some(books), .. } = &record.saved.standing else {
            panic!("books")
        };
        count(&mut dual_error, units(dual), 1);
        count(&mut dual_error, &node.released, -1);
        weight_error = weight_error.wrapping_add(books.weight).wrapping_sub(1 << 40);
        for sum in &books.sent {
            count(&mut dual_error, units(&sum.dual), 1);
            weight_error = weight_error.wrapping_add(sum.weight);
        }
        for (_, _, dual, weight) in &books.heard {
            count(&mut dual_error, units(dual), -1);
            weight_error = weight_error.wrapping_sub(*weight);
        }
    }
    (dual_error, weight_error)
}

async fn keeps_its_mass(name: &str) {
    let experiment = experiment(name, ROUNDS, 1);
    let nothing = vec![0; experiment.runs[0].spec.blocks().dim()];
    let mut fair = None;
    for loss in [0.0, 0.1, 0.3, 0.5] {
        let start = Instant::now();
        let nodes = run(&experiment, loss, 1).await;
        let took = start.elapsed() - Duration::from_secs(5); // they linger
        assert_eq!(error(&nodes), (nothing.clone(), 0), "{name}, {loss}");
        let decided = nodes.iter().map(|node| node.decided.len() as u64);
        assert!(decided.clone().all(|rounds| rounds == ROUNDS + 1), "{name}, {loss}");
        let whole = |t| nodes.iter().flat_map(|node| node.decided[&t].clone()).collect();
        let decisions: Vec<Vec<f64>> = (0..ROUNDS).map(whole).collect();
        let regret = experiment.judge(0, &decisions).regret_per_round;
        let fair = *fair.get_or_insert(regret);
        println!(
            "{name}, {:.0} % lost: {ROUNDS} rounds in {:.1} s, mass error 0, regret {regret:.5} per round, {:.4} times as much",
            100.0 * loss,
            took.as_secs_f64(),
            regret / fair
        );
    }
}

#[tokio::test(start_paused = true)]
async fn c_finishes_and_keeps_its_mass_when_half_of_all_messages_are_lost() {
    keeps_its_mass("dpsda-c").await;
}

#[tokio::test(start_paused = true)]
async fn ps_finishes_and_keeps_its_mass_when_half_of_all_messages_are_lost() {
    keeps_its_mass("dpsda-ps").await;
}
