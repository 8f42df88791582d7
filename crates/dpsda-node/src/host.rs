//! Builds one node from its key, its manifest, its store and its network address.

mod fits;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use dpsda::Error;
use dpsda::learner::Durable;
use dpsda::rng::NoiseKey;
use dpsda_config::RunConfig;

use self::fits::unhosted;
use crate::board::{Board, Who};
use crate::config::Config;
use crate::driver::{DriverError, Parts, Tempo};
use crate::frame::Grammar;
use crate::identity::{Identity, KeyError, PublicKey, hex};
use crate::machine::{FreeRounds, Lockstep, Machine, NodeTerms, Todo};
use crate::manifest::{Manifest, Pledge, Signed, Unfit};
use crate::store::disk::{Disk, Keeping, LINES};
use crate::store::ledger::{About, NodeBudget};
use crate::store::memory::InMemory;
use crate::store::{Store, StoreError};
use crate::stream::{CostSource, CostTerms};
use crate::transport::lossy::Lossy;
use crate::transport::quic::{Quic, Settings, Unbound};
use crate::transport::session::{Group, Limits};

pub use self::fits::fits;

/// Rounds per second of a data set if no pace is set, so that people can follow a demonstration.
const PACE: f64 = 50.0;

/// Why a node does not start.
#[derive(Debug, thiserror::Error)]
pub enum Unstarted {
    /// An error in its file, or in the experiment.
    #[error(transparent)]
    Input(#[from] Error),
    /// An error in its key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// An error in its manifest.
    #[error("{path}: {why}")]
    Manifest {
        /// The file.
        path: String,
        /// What is wrong.
        why: Unfit,
    },
    /// An error in its store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An error in its network settings.
    #[error("node.{0}")]
    Network(#[from] Unbound),
    /// A stored record that does not fit.
    #[error("{0}: the last record in the store does not fit this experiment (give every run its own folder)")]
    Record(String),
    /// An error of the driver.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// A node that is a member of its manifest, before it starts.
pub struct Admitted {
    /// Its number among the members.
    pub me: usize,
    /// Its key.
    pub identity: Arc<Identity>,
    /// The signed manifest that it runs.
    pub signed: Signed,
    /// The experiment of the manifest.
    pub run: RunConfig,
}

impl Admitted {
    /// Reads the key and the manifest that a file names. `read` turns the manifest's text into an experiment; paths in it are
    /// relative to the given folder.
    pub fn read(
        config: &Config,
        read: impl FnOnce(&str, &Path) -> Result<RunConfig, Error>,
    ) -> Result<Self, Unstarted> {
        let identity = Arc::new(Identity::read(&config.key)?);
        let path = config.manifest.display().to_string();
        let text = std::fs::read_to_string(&config.manifest).map_err(|error| {
            Error::data(
                &path,
                format!(
                    "cannot be read: {error} (node.manifest names the file that dpsda manifest make wrote)"
                ),
            )
        })?;
        let unfit = |why| Unstarted::Manifest { path: path.clone(), why };
        let signed = Signed::read(&text).map_err(unfit)?;
        let base = config.manifest.parent().unwrap_or(Path::new(""));
        let run = read(&signed.manifest.experiment, base)?;
        fits(&run)?;
        let me = signed.admit(&identity.public(), &run).map_err(unfit)?;
        Ok(Self { me, identity, signed, run })
    }

    fn manifest(&self) -> &Manifest {
        &self.signed.manifest
    }

    fn name(&self) -> &str {
        &self.manifest().member[self.me].name
    }

    /// This node's part of the budget.
    fn budget(&self) -> NodeBudget {
        let share = self.run.spec.plan().share(self.me);
        NodeBudget { event: share.event, person: share.person, lifetime: share.lifetime }
    }

    /// The learner. Its noise comes from the system's randomness, new after every start, unless it is seeded.
    fn learner(&self, seeded: bool) -> Result<Box<dyn Durable>, Unstarted> {
        let key = match seeded {
            true => None,
            false => {
                let mut randomness = [0; 32];
                getrandom::fill(&mut randomness).map_err(KeyError::Randomness)?;
                Some(NoiseKey::new(randomness).with(self.run.rules.generator()))
            }
        };
        let found = self.run.spec.durable(self.me, self.run.seed_of(0), key);
        found.ok_or_else(|| unhosted(&self.run).into())
    }

    fn keys(&self) -> Vec<PublicKey> {
        self.manifest().member.iter().map(|member| member.key).collect()
    }

    fn terms(&self) -> Result<NodeTerms, Error> {
        let (identity, manifest) = (Arc::clone(&self.identity), self.manifest().digest());
        let terms = NodeTerms::of(&self.run, self.me, identity, self.keys(), manifest);
        terms.ok_or_else(|| Error::missing("network.graph", "which nodes hear which"))
    }

    fn store(&self, config: &Config) -> Result<Box<dyn Store>, Unstarted> {
        let Some(folder) = &config.store else { return Ok(Box::new(InMemory::default())) };
        let about = About {
            run: self.manifest().name.clone(),
            node: self.name().to_owned(),
            manifest: self.manifest().digest(),
            key: self.identity.public(),
            promise: self.promise(config.seeded),
            budget: self.budget(),
            rules: self.run.rules,
        };
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let keeping =
            Keeping { identity: Arc::clone(&self.identity), about, lines: LINES, clock: Box::new(clock) };
        Ok(Box::new(Disk::open(folder, keeping)?))
    }

    fn in_step(&self, config: &Config) -> Result<bool, Error> {
        let averages = self.run.spec.style().averages();
        match config.lock_step {
            Some(false) if averages => {
                let remedy = format!(
                    "{} averages round by round (use \"lock-step\", or leave it out)",
                    self.run.spec.algorithm().name()
                );
                Err(Error::value("node.rounds", "\"free\"", remedy))
            }
            found => Ok(found.unwrap_or(averages)),
        }
    }

    /// The machine, from the last record if there is one.
    fn machine(
        &self,
        in_step: bool,
        seeded: bool,
        store: &mut dyn Store,
    ) -> Result<(Box<dyn Machine>, Vec<Todo>), Unstarted> {
        let (terms, learner) = (self.terms()?, self.learner(seeded)?);
        fn boxed<M: Machine + 'static>((machine, first): (M, Vec<Todo>)) -> (Box<dyn Machine>, Vec<Todo>) {
            (Box::new(machine), first)
        }
        let begun = match (in_step, store.last()?) {
            (false, None) => FreeRounds::new(terms, learner).map(boxed),
            (false, Some(record)) => FreeRounds::resume(terms, learner, record, store.made()?).map(boxed),
            (true, None) => Lockstep::new(terms, learner).map(boxed),
            (true, Some(record)) => Lockstep::resume(terms, learner, record, store.made()?).map(boxed),
        };
        begun.ok_or_else(|| Unstarted::Record(self.name().to_owned()))
    }

    /// The peers' addresses, by node number.
    fn addresses(&self, config: &Config) -> Result<Vec<Vec<SocketAddr>>, Error> {
        let names: Vec<String> = self.manifest().member.iter().map(|member| member.name.clone()).collect();
        let mut addresses = vec![Vec::new(); names.len()];
        for (name, at) in &config.peers {
            let node = names.iter().position(|known| known == name).ok_or_else(|| Error::UnknownName {
                key: "node.peers".into(),
                found: name.clone(),
                known: names.clone(),
            })?;
            addresses[node].clone_from(at);
        }
        Ok(addresses)
    }

    /// Opens the store and the network, and returns the parts for the driver.
    pub async fn start(self, config: &Config, source: CostSource) -> Result<(Parts, Board), Unstarted> {
        let in_step = self.in_step(config)?;
        let addresses = self.addresses(config)?;
        let mut store = self.store(config)?;
        let (machine, first) = self.machine(in_step, config.seeded, &mut *store)?;
        let text = self
            .signed
            .write()
            .map_err(|why| Unstarted::Manifest { path: config.manifest.display().to_string(), why })?;
        let group = Group {
            me: self.me,
            identity: Arc::clone(&self.identity),
            members: self.keys(),
            grammar: Grammar::of(&self.run),
            manifest: self.manifest().digest(),
            text,
        };
        let limits = Limits { idle: config.idle, in_turn: in_step, ..Limits::default() };
        let settings = Settings {
            listen: config.listen.clone(),
            peers: addresses,
            relays: config.relays.clone(),
            limits,
            ..Settings::default()
        };
        let (quic, events) = Quic::bind(group, settings).await?;
        let board = Board::new(self.who(in_step, config.seeded, quic.addresses()));
        let known = matches!(source, CostSource::Known(_));
        let tempo = Tempo {
            pace: config.pace.or((known && !in_step).then_some(PACE)),
            wait: config.wait,
            ask: config.ask,
            in_step,
            linger: config.linger,
        };
        let parts = Parts {
            me: self.me,
            machine,
            first,
            store,
            on_disk: config.store.is_some(),
            transport: Arc::new(Lossy::new(quic, config.drop, self.me as u64 + 1)),
            events,
            source,
            costs: CostTerms::of(&self.run, self.me),
            asked: config.http.is_some(),
            horizon: self.run.split.rounds,
            board: board.clone(),
            output: config.decisions.clone(),
            tempo,
            manifest: self.signed.manifest,
        };
        Ok((parts, board))
    }

    /// The privacy promise, which depends on whether the noise is secret.
    fn promise(&self, seeded: bool) -> Pledge {
        let promise = Pledge::of(&self.run);
        if seeded { promise.seeded() } else { promise }
    }

    fn who(&self, in_step: bool, seeded: bool, listen: Vec<SocketAddr>) -> Who {
        Who {
            run: self.manifest().name.clone(),
            node: self.name().to_owned(),
            number: self.me,
            key: self.identity.public().to_string(),
            manifest: hex(&self.manifest().digest()),
            algorithm: self.run.spec.algorithm().name().to_owned(),
            rounds: if in_step { "lock-step" } else { "free" }.to_owned(),
            horizon: self.run.split.rounds,
            members: self.manifest().member.iter().map(|member| member.name.clone()).collect(),
            claim: self.promise(seeded).claim,
            delta: self.run.spec.plan().delta(),
            budget: self.budget(),
            listen: listen.iter().map(ToString::to_string).collect(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}
