//! Lost messages hardly change the regret of DPSDA-R.

use crate::group::{experiment, run};
use crate::witness::Seen;

const ROUNDS: u64 = 400;
/// The seeds. Each draws its own noise and losses.
const SEEDS: [u64; 2] = [1, 2];

/// `x(0), x(1), ...`
fn decisions(nodes: &[Seen]) -> Vec<Vec<f64>> {
    let whole = |t| nodes.iter().flat_map(|node| node.decided[&t].clone()).collect();
    (0..ROUNDS).map(whole).collect()
}

/// The mean regret per round.
async fn regret(loss: f64) -> f64 {
    let mut sum = 0.0;
    for seed in SEEDS {
        let experiment = experiment("dpsda-r", ROUNDS, seed);
        let nodes = run(&experiment, loss, seed).await;
        sum += experiment.judge(0, &decisions(&nodes)).regret_per_round;
    }
    sum / SEEDS.len() as f64
}

#[tokio::test(start_paused = true)]
async fn the_regret_of_r_grows_by_less_than_a_twentieth_when_half_of_all_messages_are_lost() {
    let fair = regret(0.0).await;
    println!("regret a round without loss: {fair:.5}");
    for loss in [0.1, 0.3, 0.5] {
        let found = regret(loss).await;
        println!("{:.0} % lost: {found:.5}, {:.4} times as much", 100.0 * loss, found / fair);
        assert!(found <= 1.05 * fair, "{loss}: {found} against {fair}");
    }
    let deaf = regret(1.0).await;
    println!("all lost: {deaf:.5}, {:.4} times as much", deaf / fair);
    assert!(deaf > 1.05 * fair, "the regret does not depend on messages: {deaf} against {fair}");
}
