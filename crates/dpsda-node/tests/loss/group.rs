//! Nodes with the real driver, on a simulated clock.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dpsda_config::RunConfig;
use dpsda_node::board::{Board, Who};
use dpsda_node::driver::{Parts, Tempo, drive};
use dpsda_node::frame::Grammar;
use dpsda_node::identity::Identity;
use dpsda_node::machine::{FreeRounds, Lockstep, Machine, NodeTerms, Todo};
use dpsda_node::manifest::{Manifest, Member, Pledge};
use dpsda_node::store::ledger::NodeBudget;
use dpsda_node::store::memory::InMemory;
use dpsda_node::stream::{CostSource, CostTerms};
use dpsda_node::transport::local::{Ether, Weather};
use dpsda_node::transport::session::{Group, Limits};
use dpsda_sim::Experiment;

use crate::watched::Watched;
use crate::witness::{Seen, Shown, Witness};

const EXPERIMENT: &str = r#"
[problem]
loss = "logistic"
data = "mushroom"
batch = 10
[set]
kind = "ball"
radius = 5.0
[network]
nodes = 7
graph = "paper-fig2"
[privacy]
mechanism = "discrete-gaussian"
arithmetic = "grid"
epsilon = 4.0
delta = 1e-5
adjacency = "example"
clip = 1.0
"#;

/// An algorithm on the mushrooms data, with noise and order from a seed.
pub(crate) fn experiment(name: &str, rounds: u64, seed: u64) -> Experiment {
    let links = if name == "dpsda-r" { "" } else { "links = \"running-sums\"" };
    let text =
        format!("rounds = {rounds}\nseed = {seed}\n{EXPERIMENT}\n[algorithm]\nname = \"{name}\"\n{links}\n");
    Experiment::load(&text, &[], Path::new("")).unwrap()
}

/// Runs all nodes to the end over a network that loses this share of messages.
pub(crate) async fn run(experiment: &Experiment, loss: f64, seed: u64) -> Vec<Seen> {
    let run = &experiment.runs[0];
    let count = run.spec.blocks().nodes();
    // Messages overtake each other now and then.
    let delay = Duration::from_micros(200)..=Duration::from_millis(5);
    let ether = Ether::new(count, Weather { seed, loss, delay, ..Weather::default() });
    let identities: Vec<Arc<Identity>> =
        (0..count).map(|k| Arc::new(Identity::from_secret([k as u8 + 1; 32]))).collect();
    let manifest = manifest(run, &identities);
    let seeded = run.seed_of(0);
    let (mut nodes, mut witnesses) = (tokio::task::JoinSet::new(), Vec::new());
    for me in 0..count {
        let learner = run.spec.durable(me, seeded, None).unwrap();
        let terms = terms(run, me, &identities, &manifest);
        let (machine, first): (Box<dyn Machine>, Vec<Todo>) = match run.spec.style().averages() {
            true => Lockstep::new(terms, learner).map(|(m, first)| (Box::new(m) as _, first)).unwrap(),
            false => FreeRounds::new(terms, learner).map(|(m, first)| (Box::new(m) as _, first)).unwrap(),
        };
        let by = Witness::default();
        by.watch()(&first);
        witnesses.push(by.clone());
        let group = Group {
            me,
            identity: Arc::clone(&identities[me]),
            members: identities.iter().map(|identity| identity.public()).collect(),
            grammar: Grammar::of(run),
            manifest: manifest.digest(),
            text: String::new(),
        };
        let (local, events) = ether.join(group, Limits::default()).unwrap();
        let parts = Parts {
            me,
            machine: Box::new(Watched { machine, look: by.watch() }),
            first,
            store: Box::new(Shown { store: InMemory::default(), to: by }),
            on_disk: false,
            transport: Arc::new(local),
            events,
            source: CostSource::Known(experiment.costs(0, 0)),
            costs: CostTerms::of(run, me),
            asked: false,
            horizon: run.split.rounds,
            board: board(run, me, &manifest),
            manifest: manifest.clone(),
            output: None,
            tempo: Tempo {
                pace: Some(50.0),
                wait: Duration::from_secs(1),
                ask: Duration::from_millis(500),
                in_step: run.spec.style().averages(),
                linger: Some(Duration::from_secs(5)),
            },
        };
        nodes.spawn(drive(parts, std::future::pending()));
    }
    while let Some(ended) = nodes.join_next().await {
        ended.unwrap().unwrap();
    }
    witnesses.iter().map(|witness| std::mem::take(&mut *witness.seen())).collect()
}

fn terms(run: &RunConfig, me: usize, identities: &[Arc<Identity>], manifest: &Manifest) -> NodeTerms {
    let members = identities.iter().map(|identity| identity.public()).collect();
    NodeTerms::of(run, me, Arc::clone(&identities[me]), members, manifest.digest()).unwrap()
}

fn manifest(run: &RunConfig, identities: &[Arc<Identity>]) -> Manifest {
    let sizes = run.spec.blocks().sizes();
    let member = |(k, identity): (usize, &Arc<Identity>)| Member {
        name: format!("node-{k}"),
        key: identity.public(),
        coordinates: sizes[k] as u64,
    };
    Manifest {
        name: "loss".into(),
        epoch: 1,
        needs: 1,
        experiment: EXPERIMENT.into(),
        promise: Pledge::of(run),
        member: identities.iter().enumerate().map(member).collect(),
    }
}

fn board(run: &RunConfig, me: usize, manifest: &Manifest) -> Board {
    Board::new(Who {
        run: manifest.name.clone(),
        node: manifest.member[me].name.clone(),
        number: me,
        key: String::new(),
        manifest: String::new(),
        algorithm: run.spec.algorithm().name().into(),
        rounds: String::new(),
        horizon: run.split.rounds,
        members: manifest.member.iter().map(|member| member.name.clone()).collect(),
        claim: String::new(),
        delta: run.spec.plan().delta(),
        budget: NodeBudget::default(),
        listen: Vec::new(),
        version: String::new(),
    })
}
