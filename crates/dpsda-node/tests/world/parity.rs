//! Lock-step nodes and the simulator make the same decisions, to the bit.

use std::path::Path;
use std::sync::Arc;

use dpsda::metric::Observers;
use dpsda_data::Prepared;
use dpsda_node::frame::Grammar;
use dpsda_node::identity::Identity;
use dpsda_node::machine::{Happened, Lockstep, Machine as _};
use dpsda_node::machine::{NodeTerms, Todo};
use dpsda_sim::engine;

const EXPERIMENT: &str = r#"
rounds = 40
record = ["decisions"]
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
epsilon = 2.0
delta = 1e-5
adjacency = "example"
clip = 1.0
"#;

/// The decisions of seven nodes, round by round. A seed shuffles the order in which messages arrive.
fn nodes(experiment: &Prepared, order: usize) -> Vec<Vec<f64>> {
    let run = &experiment.runs[0];
    let n = run.spec.blocks().nodes();
    let costs = experiment.costs(0, 0);
    let identities: Vec<Arc<Identity>> =
        (0..n).map(|k| Arc::new(Identity::from_secret([k as u8 + 1; 32]))).collect();
    let terms = |me: usize| NodeTerms {
        me,
        identity: Arc::clone(&identities[me]),
        manifest: [1; 32],
        members: identities.iter().map(|identity| identity.public()).collect(),
        style: run.spec.style(),
        topology: Arc::clone(&run.spec.network().unwrap().topology),
        grammar: Grammar::of(run),
        unit: run.spec.plan().unit().unwrap(),
        horizon: run.split.rounds,
        affords: Box::new(|_| true),
        plan: run.spec.shared_plan(),
    };
    let seed = run.seed_of(0);
    let mut todo: Vec<(usize, Todo)> = Vec::new();
    let mut nodes = Vec::new();
    for i in 0..n {
        let learner = run.spec.durable(i, seed, None).unwrap();
        let (node, first) = Lockstep::new(terms(i), learner).unwrap();
        nodes.push(node);
        todo.extend(first.into_iter().map(|one| (i, one)));
    }
    let rounds = run.split.rounds;
    let mut decisions = vec![vec![Vec::new(); n]; rounds as usize + 1];
    loop {
        while !todo.is_empty() {
            let k = (order * todo.len() / 7).min(todo.len() - 1);
            let (i, one) = todo.remove(k);
            let more = match one {
                Todo::Decide { round, block } => {
                    decisions[round as usize][i] = block;
                    Vec::new()
                }
                Todo::Store(_) => nodes[i].on(Happened::Durable).into_iter().map(|m| (i, m)).collect(),
                Todo::Send { to, bytes } => {
                    let more = nodes[to].on(Happened::Heard { from: i, bytes: &bytes });
                    more.into_iter().map(|m| (to, m)).collect::<Vec<_>>()
                }
                Todo::Refuse { from, why } => panic!("{i} refuses {why} from {from}"),
                _ => panic!("nothing else"),
            };
            todo.extend(more);
        }
        let ready: Vec<usize> = (0..n).filter(|i| nodes[*i].ready() && nodes[*i].round() < rounds).collect();
        let Some(i) = ready.get(order % ready.len().max(1)).copied() else { break };
        let f = costs.cost(nodes[i].round()).unwrap();
        todo.extend(nodes[i].on(Happened::Cost(&*f)).into_iter().map(|m| (i, m)));
    }
    decisions.truncate(rounds as usize);
    decisions.into_iter().map(|blocks| blocks.concat()).collect()
}

#[test]
fn lock_step_nodes_and_the_simulator_decide_alike_to_the_bit() {
    let average = "links = \"running-sums\"\n";
    // On a complete graph, peers may be heard before a node speaks.
    let complete = EXPERIMENT.replace("paper-fig2", "complete");
    for (experiment, name, keys, mechanism, arithmetic) in [
        (EXPERIMENT, "dpsda-r", "", "discrete-gaussian", "real"),
        (EXPERIMENT, "dpsda-r", "steps = \"coordinate\"\n", "toeplitz", "real"),
        (EXPERIMENT, "dpsda-r", "step = \"auto\"\n", "toeplitz", "real"),
        (EXPERIMENT, "dpsda-r", "step = \"auto\"\n", "discrete-laplace", "real"),
        (EXPERIMENT, "dpsda-c", average, "discrete-gaussian", "grid"),
        (EXPERIMENT, "dpsda-ps", average, "discrete-laplace", "grid"),
        (&complete, "dpsda-r", "", "discrete-gaussian", "real"),
    ] {
        let text = format!(
            "{experiment}mechanism = \"{mechanism}\"\narithmetic = \"{arithmetic}\"\n[algorithm]\nname = \"{name}\"\n{keys}"
        );
        let experiment = Prepared::load(&text, &[], Path::new("")).unwrap();
        let run = &experiment.runs[0];
        let fleet = run.spec.fleet(run.seed_of(0));
        let go_on = || std::ops::ControlFlow::Continue(());
        let costs = experiment.costs(0, 0);
        let run =
            engine::run(run, run.split.rounds, &*costs, fleet, Observers::default(), &[], &go_on).unwrap();
        for order in [0, 3, 6] {
            let found = nodes(&experiment, order);
            assert_eq!(found.len(), run.decisions.len());
            for (t, (found, expected)) in found.iter().zip(&run.decisions).enumerate() {
                let same = found.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(
                    same && found.len() == expected.len(),
                    "{name}, {mechanism}: round {t}, order {order}"
                );
            }
        }
    }
}
