//! Lock-step nodes over any transport, and the simulator's decisions for the same run.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dpsda::learner::Durable;
use dpsda::metric::Observers;
use dpsda_data::Prepared;
use dpsda_node::board::{Board, Who};
use dpsda_node::driver::{Parts, Tempo, drive};
use dpsda_node::frame::Grammar;
use dpsda_node::identity::{Identity, PublicKey};
use dpsda_node::machine::{Lockstep, NodeTerms, Todo};
use dpsda_node::manifest::{Manifest, Member, Pledge};
use dpsda_node::store::ledger::NodeBudget;
use dpsda_node::store::memory::InMemory;
use dpsda_node::stream::{CostSource, CostTerms};
use dpsda_node::transport::session::Group;
use dpsda_node::transport::{Events, Transport};
use dpsda_sim::engine;
use tokio::task::JoinSet;

#[path = "../common/watched.rs"]
mod watched;

use watched::Watched;

const EXPERIMENT: &str = r#"
rounds = 30
record = ["decisions"]
[problem]
loss = "logistic"
data = "mushroom"
batch = 10
[set]
kind = "ball"
radius = 5.0
[network]
nodes = 4
graph = "ring"
[privacy]
mechanism = "discrete-gaussian"
epsilon = 2.0
delta = 1e-5
adjacency = "example"
clip = 1.0
[algorithm]
name = "dpsda-r"
"#;

/// The decisions of a node, by round. Clones share one list.
type Decisions = Arc<Mutex<BTreeMap<u64, Vec<f64>>>>;

/// A run, before it has a network.
pub(crate) struct Nodes {
    experiment: Prepared,
    identities: Vec<Arc<Identity>>,
    manifest: Manifest,
}

impl Nodes {
    pub(crate) fn new() -> Self {
        let experiment = Prepared::load(EXPERIMENT, &[], Path::new("")).unwrap();
        let run = &experiment.runs[0];
        let sizes = run.spec.blocks().sizes();
        let identities: Vec<Arc<Identity>> =
            (0..sizes.len()).map(|k| Arc::new(Identity::from_secret([k as u8 + 1; 32]))).collect();
        let member = |(k, identity): (usize, &Arc<Identity>)| Member {
            name: format!("node-{k}"),
            key: identity.public(),
            coordinates: sizes[k] as u64,
        };
        let manifest = Manifest {
            name: "own transport".into(),
            epoch: 1,
            needs: 1,
            experiment: EXPERIMENT.into(),
            promise: Pledge::of(run),
            member: identities.iter().enumerate().map(member).collect(),
        };
        Self { experiment, identities, manifest }
    }

    pub(crate) fn count(&self) -> usize {
        self.identities.len()
    }

    fn keys(&self) -> Vec<PublicKey> {
        self.identities.iter().map(|identity| identity.public()).collect()
    }

    /// The session settings of one node.
    pub(crate) fn group(&self, me: usize) -> Group {
        Group {
            me,
            identity: Arc::clone(&self.identities[me]),
            members: self.keys(),
            grammar: Grammar::of(&self.experiment.runs[0]),
            manifest: self.manifest.digest(),
            text: String::new(),
        }
    }

    /// The simulator's decisions, round by round.
    pub(crate) fn simulated(&self) -> Vec<Vec<f64>> {
        let run = &self.experiment.runs[0];
        let fleet = run.spec.fleet(run.seed_of(0));
        let (costs, go_on) = (self.experiment.costs(0, 0), || std::ops::ControlFlow::Continue(()));
        let run = engine::run(run, run.split.rounds, &*costs, fleet, Observers::default(), &[], &go_on);
        run.unwrap().decisions
    }

    /// The nodes' decisions, round by round, with the real driver. `join` connects each node to a network.
    pub(crate) async fn decide<T, J>(&self, mut join: impl FnMut(usize) -> J) -> Vec<Vec<f64>>
    where
        T: Transport + 'static,
        J: Future<Output = (T, Events)>,
    {
        let run = &self.experiment.runs[0];
        let seed = run.seed_of(0);
        let (mut running, mut decided) = (JoinSet::new(), Vec::new());
        for me in 0..self.count() {
            let learner = run.spec.durable(me, seed, None).unwrap();
            let (transport, events) = join(me).await;
            let own = Decisions::default();
            decided.push(Arc::clone(&own));
            running.spawn(drive(
                self.parts(me, learner, Arc::new(transport), events, own),
                std::future::pending(),
            ));
        }
        while let Some(ended) = running.join_next().await {
            ended.unwrap().unwrap();
        }
        let of = |t| decided.iter().flat_map(|own| own.lock().unwrap()[&t].clone()).collect();
        (0..run.split.rounds).map(of).collect()
    }

    fn parts(
        &self,
        me: usize,
        learner: Box<dyn Durable>,
        transport: Arc<dyn Transport>,
        events: Events,
        decisions: Decisions,
    ) -> Parts {
        let run = &self.experiment.runs[0];
        let identity = Arc::clone(&self.identities[me]);
        let terms = NodeTerms::of(run, me, identity, self.keys(), self.manifest.digest()).unwrap();
        let (machine, first) = Lockstep::new(terms, learner).unwrap();
        let look = move |todo: &[Todo]| {
            for one in todo {
                if let Todo::Decide { round, block } = one {
                    decisions.lock().unwrap().insert(*round, block.clone());
                }
            }
        };
        let machine = Watched { machine: Box::new(machine), look };
        (machine.look)(&first);
        Parts {
            me,
            machine: Box::new(machine),
            first,
            store: Box::new(InMemory::default()),
            on_disk: false,
            transport,
            events,
            source: CostSource::Known(self.experiment.costs(0, 0)),
            costs: CostTerms::of(run, me),
            asked: false,
            horizon: run.split.rounds,
            board: self.board(me),
            manifest: self.manifest.clone(),
            output: None,
            tempo: Tempo {
                pace: None,
                wait: Duration::from_secs(60), // a round that ends without a peer would not be the simulator's
                ask: Duration::from_millis(500),
                in_step: true,
                linger: Some(Duration::from_secs(1)),
            },
        }
    }

    fn board(&self, me: usize) -> Board {
        let run = &self.experiment.runs[0];
        Board::new(Who {
            run: self.manifest.name.clone(),
            node: self.manifest.member[me].name.clone(),
            number: me,
            key: String::new(),
            manifest: String::new(),
            algorithm: run.spec.algorithm().name().into(),
            rounds: "lock-step".into(),
            horizon: run.split.rounds,
            members: self.manifest.member.iter().map(|member| member.name.clone()).collect(),
            claim: String::new(),
            delta: run.spec.plan().delta(),
            budget: NodeBudget::default(),
            listen: Vec::new(),
            version: String::new(),
        })
    }
}
