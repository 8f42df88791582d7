//! What the members of a run have agreed on, signed: who they are, what they compute, and what is promised.

use std::collections::{BTreeMap, BTreeSet};

use dpsda::privacy::plan::Adjacency;
use dpsda_config::RunConfig;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::entry::Digest;
use crate::identity::{Identity, PublicKey, Signature, hex};

const PURPOSE: &str = "manifest";

/// What is promised of noise that is no secret.
const SEEDED: &str =
    "Nothing is private: node.noise = \"seed\" draws noise that whoever has the manifest can repeat.";

/// What is signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// What people call it.
    pub name: String,
    /// Counts the manifests of a group.
    pub epoch: u64,
    /// How many members must have signed before a node runs it.
    pub needs: u32,
    /// The experiment: a TOML file as the simulator takes it. One that states no `rules` means rules 1, for ever.
    pub experiment: String,
    /// What follows from it, written down so that whoever signs can see it.
    pub promise: Pledge,
    /// Member `i` is node `i` and owns block `i`.
    pub member: Vec<Member>,
}

/// Clip, noise and claim, as they follow from the experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pledge {
    /// What is protected: a "round" or an "example".
    pub adjacency: String,
    /// The noise.
    pub mechanism: String,
    /// Its scale, in the unit of a gradient.
    pub scale: f64,
    /// What one unit on the wire stands for.
    pub unit: f64,
    /// What one event costs in all, if that is bounded.
    pub epsilon: Option<f64>,
    /// At this delta.
    pub delta: f64,
    /// In words.
    pub claim: String,
}

/// One member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// What people call it.
    pub name: String,
    /// Its key.
    pub key: PublicKey,
    /// How many coordinates its block has.
    pub coordinates: u64,
}

/// A manifest with the signatures that it has so far: a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// What is signed.
    pub manifest: Manifest,
    /// By whom.
    #[serde(default)]
    pub signature: Vec<Vote>,
}

/// One member's signature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// Whose.
    pub by: PublicKey,
    /// Over the manifest's digest.
    pub signature: Signature,
}

/// Why a node does not run a manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Not a manifest.
    #[error("not a manifest: {0}")]
    Unreadable(String),
    /// Two members alike.
    #[error("member {0:?}: there are two with this {1} (give every member its own)")]
    Twice(String, &'static str),
    /// More signatures asked for than there are members, or none.
    #[error("needs = {found}: expected a number from 1 to {members}, the members there are")]
    Needs {
        /// What was found.
        found: u32,
        /// How many members there are.
        members: usize,
    },
    /// This node is not in it.
    #[error("this node's key {0} is no member's (ask for a manifest with it, or use the key of a member)")]
    NotAMember(Box<PublicKey>),
    /// Too few have signed.
    #[error(
        "{found} of {needs} signatures that it needs; {missing} did not sign (sign it: dpsda manifest sign)"
    )]
    Unsigned {
        /// How many good ones there are.
        found: usize,
        /// How many it needs.
        needs: u32,
        /// Who has not signed.
        missing: String,
    },
    /// A signature that is none.
    #[error(
        "the signature of {0} is not over this manifest (it was changed after signing: have it signed again)"
    )]
    BadSignature(String),
    /// The experiment does not give what is written.
    #[error(
        "{what}: the manifest says {written}, its experiment gives {given} (make it anew from the experiment)"
    )]
    Pledge {
        /// Which of its keys.
        what: &'static str,
        /// What stands there.
        written: String,
        /// What would be right.
        given: String,
    },
}

impl Pledge {
    /// What an experiment gives.
    pub fn of(cell: &RunConfig) -> Self {
        Self {
            adjacency: match cell.spec.plan().adjacency() {
                Adjacency::Round => "round".into(),
                Adjacency::Example => "example".into(),
            },
            mechanism: cell.spec.plan().mechanism().name().into(),
            scale: cell.spec.plan().scale(),
            unit: cell.spec.plan().unit().unwrap_or(0.0),
            epsilon: cell.spec.plan().epsilon(),
            delta: cell.spec.plan().delta(),
            claim: cell.spec.plan().claim(),
        }
    }

    /// The same where whoever has the manifest can repeat the noise: it hides what no noise hides, and nothing is bounded.
    #[must_use]
    pub fn seeded(self) -> Self {
        Self { scale: 0.0, epsilon: None, claim: SEEDED.into(), ..self }
    }

    /// Its numbers, key by key. Stores of before say of noise of the seed in words alone that it hides nothing.
    fn numbers(&self) -> [(&'static str, f64); 4] {
        let seeded = self.claim == SEEDED;
        [
            ("promise.scale", if seeded { 0.0 } else { self.scale }),
            ("promise.unit", self.unit),
            ("promise.epsilon", self.epsilon.filter(|_| !seeded).unwrap_or(f64::INFINITY)),
            ("promise.delta", self.delta),
        ]
    }

    /// The first key of which the two promise something else, and both. Numbers are compared, and what an event is; the claim and
    /// the mechanism are words about them, which may be others in another version.
    pub fn differs(&self, other: &Self) -> Option<(&'static str, String, String)> {
        if self.adjacency != other.adjacency {
            let quoted = |promise: &Self| format!("{:?}", promise.adjacency);
            return Some(("promise.adjacency", quoted(self), quoted(other)));
        }
        let shown = |x: f64| if x == f64::INFINITY { "no bound".into() } else { x.to_string() };
        let mut pairs = self.numbers().into_iter().zip(other.numbers());
        let ((key, ours), (_, theirs)) = pairs.find(|((_, a), (_, b))| !alike(*a, *b))?;
        Some((key, shown(ours), shown(theirs)))
    }
}

/// The same number, but for the last digits: not every machine's logarithm ends in the same.
pub(crate) fn alike(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) && (a - b).is_finite()
}

impl Manifest {
    /// What it is known by.
    pub fn digest(&self) -> Digest {
        let bytes = postcard::to_stdvec(self).unwrap_or_default(); // writing to memory cannot fail
        Sha256::digest(bytes).into()
    }

    /// Which node a key is.
    pub fn node(&self, key: &PublicKey) -> Option<usize> {
        self.member.iter().position(|member| member.key == *key)
    }

    /// Whether it fits itself, and the experiment as it was read.
    pub fn check(&self, cell: &RunConfig) -> Result<(), Unfit> {
        let (mut names, mut keys) = (BTreeSet::new(), BTreeSet::new());
        for member in &self.member {
            if !names.insert(&member.name) {
                return Err(Unfit::Twice(member.name.clone(), "name"));
            }
            if !keys.insert(member.key) {
                return Err(Unfit::Twice(member.name.clone(), "key"));
            }
        }
        if self.needs == 0 || self.needs as usize > self.member.len() {
            return Err(Unfit::Needs { found: self.needs, members: self.member.len() });
        }
        let differs = |what, written: String, given: String| Err(Unfit::Pledge { what, written, given });
        let sizes = cell.spec.blocks().sizes();
        if self.member.len() != sizes.len() {
            let (written, given) = (self.member.len(), sizes.len());
            return differs("member", format!("{written} of them"), format!("{given} nodes"));
        }
        for (member, size) in self.member.iter().zip(sizes) {
            if member.coordinates != size as u64 {
                return differs("member.coordinates", member.coordinates.to_string(), size.to_string());
            }
        }
        match self.promise.differs(&Pledge::of(cell)) {
            Some((what, written, given)) => differs(what, written, given),
            None => Ok(()),
        }
    }
}

impl Signed {
    /// A manifest that nobody has signed yet.
    pub fn new(manifest: Manifest) -> Self {
        Self { manifest, signature: Vec::new() }
    }

    /// Reads a file.
    pub fn read(text: &str) -> Result<Self, Unfit> {
        toml::from_str(text).map_err(|error| Unfit::Unreadable(error.to_string()))
    }

    /// As a file.
    pub fn write(&self) -> Result<String, Unfit> {
        toml::to_string(self).map_err(|error| Unfit::Unreadable(error.to_string()))
    }

    /// Adds a member's signature, in place of an earlier one of its.
    pub fn sign(&mut self, identity: &Identity) -> Result<(), Unfit> {
        let by = identity.public();
        if self.manifest.node(&by).is_none() {
            return Err(Unfit::NotAMember(Box::new(by)));
        }
        let signature = identity.sign(PURPOSE, &self.manifest.digest());
        self.signature.retain(|vote| vote.by != by);
        self.signature.push(Vote { by, signature });
        Ok(())
    }

    /// The members whose signatures are good.
    pub fn signers(&self) -> BTreeSet<usize> {
        let digest = self.manifest.digest();
        let good = self.signature.iter().filter(|vote| vote.by.signed(PURPOSE, &digest, &vote.signature));
        good.filter_map(|vote| self.manifest.node(&vote.by)).collect()
    }

    /// The members whose signatures are not over this manifest: it was changed since.
    pub fn outdated(&self) -> BTreeSet<usize> {
        let good = self.signers();
        let all = self.signature.iter().filter_map(|vote| self.manifest.node(&vote.by));
        all.filter(|member| !good.contains(member)).collect()
    }

    /// Which node `me` is, if it may run this: its experiment gives what it says, it has `me`'s block and enough signatures.
    pub fn admit(&self, me: &PublicKey, cell: &RunConfig) -> Result<usize, Unfit> {
        self.manifest.check(cell)?;
        let node = self.manifest.node(me).ok_or(Unfit::NotAMember(Box::new(*me)))?;
        let digest = self.manifest.digest();
        let mut signed = BTreeSet::new();
        for vote in &self.signature {
            let Some(member) = self.manifest.node(&vote.by) else { continue }; // strangers may sign what they like
            if !vote.by.signed(PURPOSE, &digest, &vote.signature) {
                return Err(Unfit::BadSignature(self.manifest.member[member].name.clone()));
            }
            signed.insert(member);
        }
        if signed.len() < self.manifest.needs as usize {
            let names = self.manifest.member.iter().enumerate().filter(|(i, _)| !signed.contains(i));
            let missing = names.map(|(_, member)| member.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(Unfit::Unsigned { found: signed.len(), needs: self.manifest.needs, missing });
        }
        Ok(node)
    }
}

/// So many lines of what differs are shown, and of a key or a value so many characters: the other manifest is anybody's.
const SHOWN: usize = 64;
const LONGEST: usize = 200;

/// What differs between two manifests, a line each, for the people who run them.
pub fn differences(ours: &Manifest, theirs: &Manifest) -> Vec<String> {
    let (mut a, mut b) = (BTreeMap::new(), BTreeMap::new());
    for (manifest, keys) in [(ours, &mut a), (theirs, &mut b)] {
        let table = toml::Table::try_from(manifest).unwrap_or_default();
        flatten("", &toml::Value::Table(table), keys);
        // The experiment key by key, where both are TOML.
        if let Ok(experiment) = manifest.experiment.parse::<toml::Table>() {
            keys.remove("experiment");
            flatten("experiment", &toml::Value::Table(experiment), keys);
        }
    }
    let all: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let line = |key: &&String| {
        let (ours, theirs) = (a.get(*key), b.get(*key));
        let shown = |value: Option<&String>| value.cloned().unwrap_or_else(|| "nothing".into());
        (ours != theirs).then(|| format!("{key}: {} here, {} there", shown(ours), shown(theirs)))
    };
    let mut different = all.iter().filter_map(line);
    let mut lines: Vec<String> = different.by_ref().take(SHOWN).collect();
    if different.next().is_some() {
        lines.push("and more".into());
    }
    if lines.is_empty() && ours != theirs {
        return vec!["experiment: the same keys, written differently (comments, order or spaces)".into()];
    }
    lines
}

fn flatten(name: &str, value: &toml::Value, into: &mut BTreeMap<String, String>) {
    let below = |key: &str| if name.is_empty() { cut(key) } else { cut(&format!("{name}.{key}")) };
    match value {
        toml::Value::Table(table) => table.iter().for_each(|(key, value)| flatten(&below(key), value, into)),
        toml::Value::Array(list) if list.iter().any(toml::Value::is_table) => {
            list.iter().enumerate().for_each(|(k, value)| flatten(&below(&k.to_string()), value, into));
        }
        value => _ = into.insert(name.to_owned(), cut(&value.to_string())),
    }
}

/// What is too long to be shown ends in a digest of all of it, so that what differs stays different.
fn cut(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let first: String = text.chars().take(LONGEST / 4).collect();
    format!("{first}… ({} bytes, {})", text.len(), hex(&Sha256::digest(text)[..4]))
}

#[cfg(test)]
mod tests;
