//! An experiment for hosts, and how one of them starts.

use std::path::Path;
use std::sync::Arc;

use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::objective::{Batch, Objective};
use dpsda::rng::{NoiseKey, Purpose, Seed};
use dpsda_config::RunConfig;
use dpsda_data::Prepared;
use dpsda_node::entry::Digest;
use dpsda_node::frame::Grammar;
use dpsda_node::identity::{Identity, PublicKey};
use dpsda_node::machine::{FreeRounds, Lockstep, Machine, NodeTerms, Record, Todo};
use rand::RngExt;

pub(crate) const MANIFEST: Digest = [5; 32];

/// A machine, and its first instructions.
pub(crate) type Begun = (Box<dyn Machine>, Vec<Todo>);

/// The content of a disk: the last record, and the rounds and digests of all releases in its epoch.
pub(crate) type Kept = (Record, Vec<(u64, Digest)>);

/// An experiment for hosts, and the data that all of them see.
pub(crate) struct Setting {
    pub(crate) run: RunConfig,
    /// Whether its nodes run in lock-step.
    pub(crate) in_step: bool,
    samples: Samples,
    identities: Vec<Arc<Identity>>,
    members: Vec<PublicKey>,
}

impl Setting {
    pub(crate) fn new(text: &str) -> Self {
        let run = Prepared::load(text, &[], Path::new("")).unwrap().runs.swap_remove(0);
        let mut rng = Seed::default().stream(Purpose::Data, 0, 0);
        let (rounds, d) = (run.split.rounds as usize, run.spec.blocks().dim());
        let features: Vec<f64> = (0..rounds * d).map(|_| rng.random::<f64>() - 0.5).collect();
        let labels: Vec<f64> = (0..rounds).map(|_| rng.random::<f64>() - 0.5).collect();
        let samples = Samples { features: Box::new(Dense::new(features, d).unwrap()), labels };
        let identity = |k: usize| Arc::new(Identity::from_secret([k as u8 + 1; 32]));
        let identities: Vec<_> = (0..run.spec.blocks().nodes()).map(identity).collect();
        let members = identities.iter().map(|identity| identity.public()).collect();
        Self { identities, members, run, samples, in_step: false }
    }

    pub(crate) fn in_step(text: &str) -> Self {
        Self { in_step: true, ..Self::new(text) }
    }

    /// A node that never crashes.
    pub(crate) fn node(&self, me: usize) -> Box<dyn Machine> {
        self.start(me, 0, u64::MAX, None).unwrap().0
    }

    /// A node started from its disk. None if the record on it is not its own.
    pub(crate) fn start(&self, me: usize, life: u64, budget: u64, disk: Option<Kept>) -> Option<Begun> {
        let mut randomness = [me as u8; 32];
        randomness[..8].copy_from_slice(&life.to_le_bytes());
        // Noise is never drawn twice from the same name.
        let learner = self.run.spec.durable(me, Seed::default(), Some(NoiseKey::new(randomness))).unwrap();
        let terms = self.terms(me, budget);
        fn boxed<M: Machine + 'static>((machine, todo): (M, Vec<Todo>)) -> Begun {
            (Box::new(machine), todo)
        }
        match (disk, self.in_step) {
            (Some((record, made)), false) => FreeRounds::resume(terms, learner, record, made).map(boxed),
            (None, false) => FreeRounds::new(terms, learner).map(boxed),
            (Some((record, made)), true) => Lockstep::resume(terms, learner, record, made).map(boxed),
            (None, true) => Lockstep::new(terms, learner).map(boxed),
        }
    }

    pub(crate) fn members(&self) -> &[PublicKey] {
        &self.members
    }

    pub(crate) fn averages(&self) -> bool {
        self.run.spec.style().averages()
    }

    /// Shows the cost of round `t`.
    pub(crate) fn reveal(&self, t: u64, see: &mut dyn FnMut(&dyn Objective)) {
        let loss = &*self.run.problem.samples().unwrap().loss;
        see(&Batch { samples: &self.samples, rows: &[t as usize], loss });
    }

    pub(crate) fn grammar(&self) -> Grammar {
        Grammar::of(&self.run)
    }

    /// With a budget for this many releases.
    fn terms(&self, me: usize, budget: u64) -> NodeTerms {
        let (identity, members) = (Arc::clone(&self.identities[me]), self.members.clone());
        let terms = NodeTerms::of(&self.run, me, identity, members, MANIFEST).unwrap();
        NodeTerms { affords: Box::new(move |ledger| ledger.releases() <= budget), ..terms }
    }
}
