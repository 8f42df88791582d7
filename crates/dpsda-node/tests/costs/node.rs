//! One node of two with the real driver. The other never comes, and the first does not wait for it.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dpsda_data::Prepared;
use dpsda_node::board::{Board, Who};
use dpsda_node::driver::{Parts, Tempo, drive};
use dpsda_node::frame::Grammar;
use dpsda_node::identity::Identity;
use dpsda_node::machine::{FreeRounds, Lockstep, Machine, NodeTerms, Todo};
use dpsda_node::manifest::{Manifest, Member, Pledge};
use dpsda_node::store::ledger::NodeBudget;
use dpsda_node::store::memory::InMemory;
use dpsda_node::stream::{Arrival, CostReply, CostSource, CostTerms, Estimate, GivenCost};
use dpsda_node::transport::local::{Ether, Weather};
use dpsda_node::transport::session::{Group, Limits};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

#[path = "../common/watched.rs"]
mod watched;
use watched::Watched;

/// Nothing here takes longer.
const LONG: Duration = Duration::from_secs(30);

/// What a node decided, round by round.
pub(crate) type Decided = Arc<Mutex<Vec<(u64, Vec<f64>)>>>;

/// A node that runs, and a program's side of it.
pub(crate) struct Running {
    pub(crate) board: Board,
    pub(crate) decided: Decided,
    to: mpsc::Sender<Arrival>,
}

pub(crate) fn experiment(text: &str) -> Prepared {
    Prepared::load(text, &[], Path::new("")).unwrap()
}

impl Running {
    /// Node 1 of an experiment with costs that arrive.
    pub(crate) fn start(experiment: &Prepared, in_step: bool) -> Self {
        let (to, arriving) = mpsc::channel(1);
        let (board, decided) = spawn(experiment, in_step, CostSource::Arriving(arriving));
        Self { board, decided, to }
    }

    /// The estimate of the first round after this one.
    pub(crate) async fn after(&self, round: Option<u64>) -> Arc<Estimate> {
        let mut estimates = self.board.estimates();
        let later = |one: &Option<Arc<Estimate>>| one.as_ref().is_some_and(|one| Some(one.t) > round);
        timeout(LONG, estimates.wait_for(later)).await.unwrap().unwrap().clone().unwrap()
    }

    /// What the node answers.
    pub(crate) async fn send(&self, round: u64, cost: GivenCost) -> CostReply {
        let (answer, answered) = oneshot::channel();
        let arrival = Arrival { round: Some(round), cost, answer: Some(answer) };
        assert!(self.to.send(arrival).await.is_ok(), "the driver has ended");
        timeout(LONG, answered).await.unwrap().unwrap()
    }
}

/// A gradient without a public part.
pub(crate) fn gradient(own: &[f64]) -> GivenCost {
    GivenCost::Gradient { own: own.to_vec(), public: Vec::new(), at: None }
}

/// Node 1 with the costs of the experiment: what it decided, to the end.
pub(crate) async fn built_in(experiment: &Prepared, in_step: bool) -> Vec<(u64, Vec<f64>)> {
    let (board, decided) = spawn(experiment, in_step, CostSource::Known(experiment.costs(0, 0)));
    let mut decisions = board.decisions();
    let last = experiment.rounds(0);
    let done = decisions.wait_for(|one| one.as_ref().is_some_and(|one| one.round >= last));
    timeout(LONG, done).await.unwrap().unwrap();
    assert!(board.estimates().borrow().is_none(), "nobody can ask for estimates, so there are none");
    decided.lock().unwrap().clone()
}

fn spawn(experiment: &Prepared, in_step: bool, source: CostSource) -> (Board, Decided) {
    let (run, me) = (&experiment.runs[0], 1);
    let identities: Vec<Arc<Identity>> = (1..=2).map(|k| Arc::new(Identity::from_secret([k; 32]))).collect();
    let keys: Vec<_> = identities.iter().map(|identity| identity.public()).collect();
    let sizes = run.spec.blocks().sizes();
    let member = |k: usize| Member { name: format!("node-{k}"), key: keys[k], coordinates: sizes[k] as u64 };
    let manifest = Manifest {
        name: "costs".into(),
        epoch: 1,
        needs: 1,
        experiment: String::new(),
        promise: Pledge::of(run),
        member: (0..2).map(member).collect(),
    };
    let digest = manifest.digest();
    let terms = NodeTerms::of(run, me, Arc::clone(&identities[me]), keys.clone(), digest).unwrap();
    let learner = run.spec.durable(me, run.seed_of(0), None).unwrap();
    let (machine, first): (Box<dyn Machine>, Vec<Todo>) = match in_step {
        true => Lockstep::new(terms, learner).map(|(m, first)| (Box::new(m) as _, first)).unwrap(),
        false => FreeRounds::new(terms, learner).map(|(m, first)| (Box::new(m) as _, first)).unwrap(),
    };
    let decided = Decided::default();
    let all = Arc::clone(&decided);
    let look = move |todo: &[Todo]| {
        for one in todo {
            if let Todo::Decide { round, block } = one {
                all.lock().unwrap().push((*round, block.clone()));
            }
        }
    };
    look(&first);
    let identity = Arc::clone(&identities[me]);
    let group = Group {
        me,
        identity,
        members: keys,
        grammar: Grammar::of(run),
        manifest: digest,
        text: String::new(),
    };
    let (transport, events) = Ether::new(2, Weather::default()).join(group, Limits::default()).unwrap();
    let board = board(run.split.rounds, &manifest);
    let asked = matches!(source, CostSource::Arriving(_));
    let parts = Parts {
        me,
        machine: Box::new(Watched { machine, look }),
        first,
        store: Box::new(InMemory::default()),
        on_disk: false,
        transport: Arc::new(transport),
        events,
        source,
        costs: CostTerms::of(run, me),
        asked,
        horizon: run.split.rounds,
        board: board.clone(),
        manifest,
        output: None,
        tempo: Tempo { pace: None, wait: Duration::ZERO, ask: Duration::ZERO, in_step, linger: None },
    };
    tokio::spawn(drive(parts, std::future::pending()));
    (board, decided)
}

fn board(horizon: u64, manifest: &Manifest) -> Board {
    Board::new(Who {
        run: manifest.name.clone(),
        node: manifest.member[1].name.clone(),
        number: 1,
        key: String::new(),
        manifest: String::new(),
        algorithm: String::new(),
        rounds: String::new(),
        horizon,
        members: manifest.member.iter().map(|member| member.name.clone()).collect(),
        claim: String::new(),
        delta: 1e-5,
        budget: NodeBudget::default(),
        listen: Vec::new(),
        version: String::new(),
    })
}
