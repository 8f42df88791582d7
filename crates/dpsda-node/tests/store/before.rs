//! Manifests and stores from before rules had a number: they stay valid, and go on under rules 1.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dpsda::privacy::Price;
use dpsda_config::{Rules, RunConfig};
use dpsda_data::Prepared;
use dpsda_node::identity::{Identity, hex};
use dpsda_node::machine::{FreeRounds, Lockstep, NodeTerms};
use dpsda_node::manifest::{Pledge, Signed};
use dpsda_node::store::Store as _;
use dpsda_node::store::disk::{self, Disk, Keeping, LINES};
use dpsda_node::store::ledger::{About, NodeBudget};
use flate2::read::GzDecoder;
use serde_json::Value;

/// A cluster that was stopped halfway.
struct Cluster {
    name: &'static str,
    /// The digest of its manifest.
    digest: &'static str,
    /// Whether its noise is seeded, and whether it runs in lock-step.
    seeded: bool,
}

const CLUSTERS: [Cluster; 3] = [
    Cluster {
        name: "relay",
        digest: "d2321f36bf88f1c2b7688528bc8ced3f816aa535043518c2b5e7e7147ff8f915",
        seeded: true,
    },
    Cluster {
        name: "gossip",
        digest: "6e40dc34cf52d0c8a2d9424c867108b4b83754c7b44b04af6a22389528ff62f2",
        seeded: true,
    },
    Cluster {
        name: "free",
        digest: "22d8a2e071e7b15974b188001de496af18388e43c9d41bdb9ca2bdd650659cad",
        seeded: false,
    },
];

impl Cluster {
    fn path(&self, file: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rules-1").join(self.name).join(file)
    }

    fn signed(&self) -> (Signed, RunConfig) {
        let signed = Signed::read(&fs::read_to_string(self.path("manifest.toml")).unwrap()).unwrap();
        let run = Prepared::signed(&signed.manifest.experiment, Path::new("")).unwrap().runs.swap_remove(0);
        (signed, run)
    }

    fn identity(&self, k: usize) -> Arc<Identity> {
        Arc::new(Identity::read(&self.path(&format!("node-{k}/node.key"))).unwrap())
    }

    /// A copy of a store.
    fn store(&self, k: usize, to: &Path) {
        let packed = File::open(self.path(&format!("node-{k}/store/releases.redb.gz"))).unwrap();
        let mut bytes = Vec::new();
        GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
        fs::write(to.join("releases.redb"), bytes).unwrap();
        fs::copy(self.path(&format!("node-{k}/store/lock")), to.join("lock")).unwrap();
    }

    fn expected(&self, k: usize) -> Value {
        let text = fs::read_to_string(self.path(&format!("expected/node-{k}.ledger.json"))).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// The head that a node of this version would give a new store, in today's words.
    fn keeping(&self, k: usize, signed: &Signed, run: &RunConfig) -> Keeping {
        let (identity, share, promise) = (self.identity(k), run.spec.plan().share(k), Pledge::of(run));
        let promise = if self.seeded { promise.seeded() } else { promise };
        let about = About {
            run: signed.manifest.name.clone(),
            node: signed.manifest.member[k].name.clone(),
            manifest: signed.manifest.digest(),
            key: identity.public(),
            promise: Pledge { claim: format!("{} In words of today.", promise.claim), ..promise },
            budget: NodeBudget { event: share.event, person: share.person, lifetime: share.lifetime },
            rules: run.rules,
        };
        Keeping { identity, about, lines: LINES, clock: Box::new(|| 1_800_000_000) }
    }
}

#[test]
fn a_manifest_of_before_means_rules_1_and_its_signatures_hold() {
    for cluster in &CLUSTERS {
        let (signed, run) = cluster.signed();
        assert_eq!(hex(&signed.manifest.digest()), cluster.digest);
        assert_eq!((run.rules, signed.outdated().len()), (Rules::First, 0));
        for k in 0..3 {
            assert_eq!(signed.admit(&cluster.identity(k).public(), &run), Ok(k), "{}", cluster.name);
        }
    }
}

#[test]
fn an_old_ledger_is_whole_and_has_the_same_totals() {
    for cluster in &CLUSTERS {
        for k in 0..3 {
            let folder = tempfile::tempdir().unwrap();
            cluster.store(k, folder.path());
            let (book, expected) = (disk::ledger(folder.path()).unwrap(), cluster.expected(k));
            assert_eq!((book.verify(), book.about.rules), (Ok(()), Rules::First));
            assert_eq!(hex(&book.end.digest), expected["chain"]["digest"]);
            let last = book.last().unwrap();
            let spent = |what: &str| {
                let nano_rho = expected["spent"][what]["charged"]["nano_rho"].as_u64().unwrap();
                Price::Zcdp { nano_rho }
            };
            assert_eq!(last.releases, expected["releases"]);
            assert_eq!((last.totals.event, last.totals.lifetime), (spent("event"), spent("lifetime")));
        }
    }
}

#[test]
fn a_node_goes_on_from_an_old_store_also_if_the_wording_has_changed() {
    for cluster in &CLUSTERS {
        let (signed, run) = cluster.signed();
        let members: Vec<_> = signed.manifest.member.iter().map(|member| member.key).collect();
        for k in 0..3 {
            let folder = tempfile::tempdir().unwrap();
            cluster.store(k, folder.path());
            let mut store = Disk::open(folder.path(), cluster.keeping(k, &signed, &run)).unwrap();
            let (record, made) = (store.last().unwrap().unwrap(), store.made().unwrap());
            let releases = record.saved.ledger.releases();
            assert_eq!(releases, cluster.expected(k)["releases"]);
            let learner = run.spec.durable(k, run.seed_of(0), None).unwrap();
            let digest = signed.manifest.digest();
            let terms = NodeTerms::of(&run, k, cluster.identity(k), members.clone(), digest).unwrap();
            let resumed = match cluster.seeded {
                true => Lockstep::resume(terms, learner, record, made).is_some(),
                false => FreeRounds::resume(terms, learner, record, made).is_some(),
            };
            assert!(resumed, "{}, node {k}", cluster.name);
            assert_eq!(store.book().unwrap().verify(), Ok(()));
            // Noise of the seed and secret noise do not share a store, whatever it says in words.
            let mut other = cluster.keeping(k, &signed, &run);
            other.about.promise = match cluster.seeded {
                true => Pledge::of(&run),
                false => Pledge::of(&run).seeded(),
            };
            drop(store);
            assert!(Disk::open(folder.path(), other).is_err());
        }
    }
}
