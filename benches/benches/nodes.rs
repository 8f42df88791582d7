//! Three nodes with 3072 coordinates on the loopback: rounds per second with everything that a round needs (gradient, clip,
//! exact noise, signature, store, QUIC with TLS, verification), and bytes beside dense `f64`.
//!
//! In lock-step a round ends when all nodes have heard all others. Otherwise no node waits, and each goes as fast as it can.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a table is what it is for")]

use std::net::UdpSocket;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dpsda::cost::samples::SampleCosts;
use dpsda::loss::Squared;
use dpsda_data::Prepared;
use dpsda_node::board::Board;
use dpsda_node::config::Config;
use dpsda_node::driver;
use dpsda_node::host::Admitted;
use dpsda_node::identity::Identity;
use dpsda_node::manifest::{self, Manifest, Pledge, Signed};
use dpsda_node::stream::CostSource;
use tokio::sync::Notify;

const NODES: usize = 3;
const DIM: usize = 3072;
const ROUNDS: usize = 1_000_000;
/// Seconds before the measurement, and during it.
const WARM: Duration = Duration::from_millis(1500);
const SPAN: Duration = Duration::from_secs(4);

const EXPERIMENT: &str = r#"
rounds = 1000000
[problem]
loss = "squared"
data = "stream"
features = 3072
batch = 1
[set]
kind = "ball"
radius = 1.0
[network]
nodes = 3
graph = "complete"
[algorithm]
name = "dpsda-r"
[privacy]
mechanism = "discrete-gaussian"
epsilon = 1.0
delta = 1e-5
clip = 1.0
"#;

/// The same few samples again and again: what is learned does not matter here.
fn source(samples: &Arc<dpsda::features::Samples>) -> CostSource {
    let rows = (0..ROUNDS).map(|t| t % samples.labels.len()).collect();
    let costs = SampleCosts::new(Arc::clone(samples), rows, Vec::new(), Arc::new(Squared), 1).unwrap();
    CostSource::Known(Arc::new(costs))
}

fn samples() -> Arc<dpsda::features::Samples> {
    let text = EXPERIMENT.replace("\"stream\"", "\"synthetic-regression\"").replace("1000000", "64");
    Prepared::load(&text, &[], Path::new("")).unwrap().draw(0, 0).unwrap().samples
}

fn signed(identities: &[Identity]) -> Signed {
    let run = Prepared::hosted(EXPERIMENT, &[], Path::new("")).unwrap().runs.swap_remove(0);
    let member = |(k, identity): (usize, &Identity)| manifest::Member {
        name: format!("node-{k}"),
        key: identity.public(),
        coordinates: (DIM / NODES) as u64,
    };
    let mut signed = Signed::new(Manifest {
        name: "benchmark".into(),
        epoch: 1,
        needs: NODES as u32,
        experiment: EXPERIMENT.into(),
        promise: Pledge::of(&run),
        member: identities.iter().enumerate().map(member).collect(),
    });
    identities.iter().for_each(|identity| signed.sign(identity).unwrap());
    signed
}

/// Rounds and bytes sent so far, of all nodes.
fn so_far(boards: &[Board]) -> (u64, u64) {
    let sent = |board: &Board| board.now().peers.iter().map(|peer| peer.traffic.sent_bytes).sum::<u64>();
    (boards.iter().map(|board| board.now().round).sum(), boards.iter().map(sent).sum())
}

async fn run(samples: &Arc<dpsda::features::Samples>, rounds: &str, disk: bool) -> (f64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let identities: Vec<_> = (1..=NODES).map(|k| Identity::from_secret([k as u8; 32])).collect();
    let signed = signed(&identities);
    let sockets: Vec<_> = (0..NODES).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    let at: Vec<_> = sockets.iter().map(|socket| socket.local_addr().unwrap()).collect();
    drop(sockets);
    let stop = Arc::new(Notify::new());
    let (mut boards, mut running) = (Vec::new(), Vec::new());
    for (me, identity) in identities.into_iter().enumerate() {
        let store = if disk { format!("store-{me}") } else { "memory".into() };
        let peers: String =
            (0..NODES).filter(|k| *k != me).map(|k| format!("node-{k} = \"{}\"\n", at[k])).collect();
        let text = format!(
            "[node]\nlisten = \"{}\"\nstore = \"{store}\"\nrounds = \"{rounds}\"\npace = 1000000\n[node.peers]\n{peers}",
            at[me]
        );
        let config = Config::read(&text, folder.path()).unwrap();
        let run = Prepared::hosted(EXPERIMENT, &[], Path::new("")).unwrap().runs.swap_remove(0);
        let member = Admitted { me, identity: Arc::new(identity), signed: signed.clone(), run };
        let (parts, board) = member.start(&config, source(samples)).await.unwrap();
        let stop = Arc::clone(&stop);
        running.push(tokio::spawn(driver::drive(parts, async move { stop.notified().await })));
        boards.push(board);
    }
    tokio::time::sleep(WARM).await;
    let before = so_far(&boards);
    tokio::time::sleep(SPAN).await;
    let after = so_far(&boards);
    for _ in 0..NODES {
        stop.notify_one();
    }
    stop.notify_waiters();
    for node in running {
        node.await.unwrap().unwrap();
    }
    let rounds = (after.0 - before.0) as f64 / NODES as f64;
    let messages = rounds * (NODES * (NODES - 1)) as f64;
    (rounds / SPAN.as_secs_f64(), (after.1 - before.1) as f64 / messages)
}

/// Names of rows, or parts of them, on the command line choose: `-- lock-step`.
#[tokio::main]
async fn main() {
    let samples = samples();
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!(
        "three nodes, d = {DIM}, dpsda-r, discrete-gaussian        rounds/s   bytes a message   of dense f64"
    );
    for rounds in ["lock-step", "free"] {
        for disk in [false, true] {
            let store = if disk { "synced to disk" } else { "in memory" };
            let name = format!("{rounds:<10} store {store:<15}");
            if !chosen.iter().all(|word| name.contains(word)) {
                continue;
            }
            let (rate, bytes) = run(&samples, rounds, disk).await;
            println!("{name} {rate:>39.0} {bytes:>17.0} {:>13.0} %", 100.0 * bytes / (8 * DIM) as f64);
        }
    }
}
