//! A node with the real driver and a slow disk: nothing is sent before the disk has it.

use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dpsda_data::Prepared;
use dpsda_node::board::{Board, Who};
use dpsda_node::driver::{Parts, Tempo, drive};
use dpsda_node::entry::Entry;
use dpsda_node::frame::{Frame, Grammar};
use dpsda_node::identity::Identity;
use dpsda_node::machine::{FreeRounds, Lockstep, Machine, NodeTerms, Todo};
use dpsda_node::manifest::{Manifest, Member, Pledge};
use dpsda_node::store::Store as _;
use dpsda_node::store::disk::{Disk, Keeping};
use dpsda_node::store::ledger::{About, NodeBudget};
use dpsda_node::stream::{CostSource, CostTerms};
use dpsda_node::transport::local::{Ether, Local, Weather};
use dpsda_node::transport::session::{Group, Limits};
use dpsda_node::transport::{Counts, Queued, Transport};
use redb::StorageBackend;
use tokio::time::timeout;

use crate::drive::Drive;

const ROUNDS: u64 = 20;

const EXPERIMENT: &str = r#"
rounds = 20
[problem]
loss = "squared"
data = "synthetic-regression"
features = 4
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
nodes = 2
graph = "complete"
[privacy]
mechanism = "discrete-gaussian"
epsilon = 1.0
delta = 1e-5
clip = 1.0
"#;

const AVERAGES: &str = "arithmetic = \"grid\"\n[algorithm]\nlinks = \"running-sums\"\n";

/// A disk whose syncs take a while. A message that does not wait for them is sent before they end.
#[derive(Debug)]
struct Slow(Drive);

impl StorageBackend for Slow {
    fn len(&self) -> std::io::Result<u64> {
        StorageBackend::len(&self.0)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> std::io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> std::io::Result<()> {
        std::thread::sleep(Duration::from_millis(5));
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.0.write(offset, data)
    }
}

/// A transport that looks at the disk whenever a message is given to it.
struct Tap {
    local: Local,
    grammar: Grammar,
    drive: Drive,
    keeping: Box<dyn Fn() -> Keeping + Send + Sync>,
    releases: AtomicUsize,
    early: Arc<Mutex<Vec<String>>>,
}

impl Tap {
    /// Whether a loss of power now would leave this release, or a later one, in the store.
    fn is_durable(&self, entry: &Entry) -> bool {
        let mut disk = Disk::on(Drive::with(self.drive.synced()), (self.keeping)()).unwrap();
        let Some(record) = disk.last().unwrap() else { return false };
        let at = |entry: &Entry| (entry.content.epoch, entry.content.version);
        at(&record.entry) > at(entry) || record.entry == *entry || record.others.contains(entry)
    }
}

impl Transport for Tap {
    fn send(&self, to: usize, bytes: Vec<u8>) -> Queued {
        let entries = match self.grammar.read(&bytes).unwrap() {
            Frame::Know { entries, .. } => entries,
            Frame::Sum { token, .. } | Frame::Yours(token) => vec![token],
            Frame::Hello { .. } | Frame::Manifest(_) => Vec::new(),
        };
        for entry in entries.iter().filter(|entry| entry.content.owner == 0) {
            self.releases.fetch_add(1, Ordering::Relaxed);
            if !self.is_durable(entry) {
                self.early.lock().unwrap().push(format!("version {}", entry.content.version));
            }
        }
        self.local.send(to, bytes)
    }

    fn counts(&self) -> Counts {
        self.local.counts()
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.local.close()
    }
}

/// Runs node 0 of two to its end. The other never comes, and nobody waits for it.
async fn nothing_is_early(algorithm: &str, in_step: bool) {
    let table = if algorithm == "dpsda-r" { "[algorithm]\n" } else { AVERAGES };
    let text = format!("{EXPERIMENT}{table}name = \"{algorithm}\"\n");
    let experiment = Prepared::load(&text, &[], Path::new("")).unwrap();
    let run = &experiment.runs[0];
    let identities: Vec<Arc<Identity>> = (1..=2).map(|k| Arc::new(Identity::from_secret([k; 32]))).collect();
    let keys: Vec<_> = identities.iter().map(|identity| identity.public()).collect();
    let member = |k: usize| Member { name: format!("node-{k}"), key: keys[k], coordinates: 2 };
    let manifest = Manifest {
        name: "order".into(),
        epoch: 1,
        needs: 1,
        experiment: String::new(),
        promise: Pledge::of(run),
        member: (0..2).map(member).collect(),
    };
    let digest = manifest.digest();
    let about = About {
        run: manifest.name.clone(),
        node: "node-0".into(),
        manifest: digest,
        key: keys[0],
        promise: Pledge::of(run),
        rules: run.rules,
        budget: NodeBudget::default(),
    };
    let identity = Arc::clone(&identities[0]);
    let keeping = move || Keeping {
        identity: Arc::clone(&identity),
        about: about.clone(),
        lines: 100,
        clock: Box::new(|| 1_700_000_000),
    };
    let disk = Drive::with(Vec::new());
    let store = Disk::on(Slow(disk.clone()), keeping()).unwrap();
    let terms = NodeTerms::of(run, 0, Arc::clone(&identities[0]), keys.clone(), digest).unwrap();
    let learner = run.spec.durable(0, run.seed_of(0), None).unwrap();
    let (machine, first): (Box<dyn Machine>, Vec<Todo>) = match in_step {
        true => Lockstep::new(terms, learner).map(|(m, first)| (Box::new(m) as _, first)).unwrap(),
        false => FreeRounds::new(terms, learner).map(|(m, first)| (Box::new(m) as _, first)).unwrap(),
    };
    let group = Group {
        me: 0,
        identity: Arc::clone(&identities[0]),
        members: keys,
        grammar: Grammar::of(run),
        manifest: digest,
        text: String::new(),
    };
    let (local, events) = Ether::new(2, Weather::default()).join(group, Limits::default()).unwrap();
    let early = Arc::default();
    let tap = Arc::new(Tap {
        local,
        grammar: Grammar::of(run),
        drive: disk,
        keeping: Box::new(keeping),
        releases: AtomicUsize::new(0),
        early: Arc::clone(&early),
    });
    let parts = Parts {
        me: 0,
        machine,
        first,
        store: Box::new(store),
        on_disk: true,
        transport: Arc::clone(&tap) as _,
        events,
        source: CostSource::Known(experiment.costs(0, 0)),
        costs: CostTerms::of(run, 0),
        asked: false,
        horizon: ROUNDS,
        board: board(&manifest),
        manifest,
        output: None,
        tempo: Tempo {
            pace: None,
            wait: Duration::ZERO,
            ask: Duration::ZERO,
            in_step,
            linger: Some(Duration::ZERO),
        },
    };
    timeout(Duration::from_secs(60), drive(parts, std::future::pending())).await.unwrap().unwrap();
    assert_eq!(*early.lock().unwrap(), Vec::<String>::new(), "{algorithm}: sent before the disk had it");
    let releases = tap.releases.load(Ordering::Relaxed);
    assert!(releases as u64 >= ROUNDS, "{algorithm}: {releases} releases were given to the transport");
}

fn board(manifest: &Manifest) -> Board {
    Board::new(Who {
        run: manifest.name.clone(),
        node: manifest.member[0].name.clone(),
        number: 0,
        key: String::new(),
        manifest: String::new(),
        algorithm: String::new(),
        rounds: String::new(),
        horizon: ROUNDS,
        members: manifest.member.iter().map(|member| member.name.clone()).collect(),
        claim: String::new(),
        delta: 1e-5,
        budget: NodeBudget::default(),
        listen: Vec::new(),
        version: String::new(),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_release_is_sent_before_the_disk_has_it() {
    for (algorithm, in_step) in [("dpsda-r", false), ("dpsda-r", true), ("dpsda-c", true), ("dpsda-ps", true)]
    {
        nothing_is_early(algorithm, in_step).await;
    }
}
