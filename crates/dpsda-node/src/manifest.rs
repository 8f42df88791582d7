//! The manifest: what the members of a run have agreed on and signed. It names the members, the experiment and the privacy
//! promise.

mod differences;
mod pledge;

use std::collections::BTreeSet;

use dpsda_config::RunConfig;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::entry::Digest;
use crate::identity::{Identity, PublicKey, Signature};

pub use self::differences::differences;
pub use self::pledge::Pledge;
pub(crate) use self::pledge::alike;

const PURPOSE: &str = "manifest";

/// The part that members sign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The name of the run, for people.
    pub name: String,
    /// Counts the manifests of a group.
    pub epoch: u64,
    /// How many members must have signed before a node runs it.
    pub needs: u32,
    /// The experiment: a TOML file as the simulator takes it. An experiment without the key `rules` always means rules 1.
    pub experiment: String,
    /// The privacy promise that follows from the experiment, written down so that signers can read it.
    pub promise: Pledge,
    /// Member `i` is node `i` and owns block `i`.
    pub member: Vec<Member>,
}

/// One member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The member's name, for people.
    pub name: String,
    /// Its key.
    pub key: PublicKey,
    /// The number of coordinates of its block.
    pub coordinates: u64,
}

/// A manifest file: the manifest and the signatures collected so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// The manifest.
    pub manifest: Manifest,
    /// The signatures.
    #[serde(default)]
    pub signature: Vec<Vote>,
}

/// One member's signature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// The key of the member that signed.
    pub by: PublicKey,
    /// Its signature over the manifest's digest.
    pub signature: Signature,
}

/// Why a node refuses a manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Not a manifest.
    #[error("not a manifest: {0}")]
    Unreadable(String),
    /// Two members share a name or a key.
    #[error("member {0:?}: two members have this {1} (give every member its own)")]
    Twice(String, &'static str),
    /// The number of signatures needed is zero, or larger than the number of members.
    #[error("needs = {found}: expected a number from 1 to {members}, the number of members")]
    Needs {
        /// What was found.
        found: u32,
        /// How many members there are.
        members: usize,
    },
    /// This node is not a member.
    #[error(
        "this node's key {0} is not the key of a member (ask for a manifest that has it, or use a member's key)"
    )]
    NotAMember(Box<PublicKey>),
    /// Too few members have signed.
    #[error("{found} of {needs} signatures needed; {missing} did not sign (sign it: dpsda manifest sign)")]
    Unsigned {
        /// How many valid signatures there are.
        found: usize,
        /// How many are needed.
        needs: u32,
        /// The names of the members that have not signed.
        missing: String,
    },
    /// A signature that does not fit this manifest.
    #[error(
        "the signature of {0} is not valid for this manifest (it was changed after signing: have it signed again)"
    )]
    BadSignature(String),
    /// The experiment gives another value than the manifest states.
    #[error(
        "{what}: the manifest says {written}, its experiment gives {given} (make a new manifest from the experiment)"
    )]
    Pledge {
        /// The key of the manifest.
        what: &'static str,
        /// The value in the manifest.
        written: String,
        /// The value that the experiment gives.
        given: String,
    },
}

impl Manifest {
    /// The digest that names it.
    pub fn digest(&self) -> Digest {
        let bytes = postcard::to_stdvec(self).unwrap_or_default(); // writing to memory cannot fail
        Sha256::digest(bytes).into()
    }

    /// The number of the node that has this key.
    pub fn node(&self, key: &PublicKey) -> Option<usize> {
        self.member.iter().position(|member| member.key == *key)
    }

    /// Checks that the manifest is consistent, and that it agrees with its experiment `run`.
    pub fn check(&self, run: &RunConfig) -> Result<(), Unfit> {
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
        let sizes = run.spec.blocks().sizes();
        if self.member.len() != sizes.len() {
            let (written, given) = (self.member.len(), sizes.len());
            return differs("member", format!("{written} of them"), format!("{given} nodes"));
        }
        for (member, size) in self.member.iter().zip(sizes) {
            if member.coordinates != size as u64 {
                return differs("member.coordinates", member.coordinates.to_string(), size.to_string());
            }
        }
        match self.promise.differs(&Pledge::of(run)) {
            Some((what, written, given)) => differs(what, written, given),
            None => Ok(()),
        }
    }
}

impl Signed {
    /// A manifest without signatures.
    pub fn new(manifest: Manifest) -> Self {
        Self { manifest, signature: Vec::new() }
    }

    /// Reads a file.
    pub fn read(text: &str) -> Result<Self, Unfit> {
        toml::from_str(text).map_err(|error| Unfit::Unreadable(error.to_string()))
    }

    /// Writes it as a file.
    pub fn write(&self) -> Result<String, Unfit> {
        toml::to_string(self).map_err(|error| Unfit::Unreadable(error.to_string()))
    }

    /// Adds a member's signature. It replaces an earlier signature of the same member.
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

    /// The members whose signatures are valid.
    pub fn signers(&self) -> BTreeSet<usize> {
        let digest = self.manifest.digest();
        let good = self.signature.iter().filter(|vote| vote.by.signed(PURPOSE, &digest, &vote.signature));
        good.filter_map(|vote| self.manifest.node(&vote.by)).collect()
    }

    /// The members whose signatures are not valid: the manifest was changed after they signed.
    pub fn outdated(&self) -> BTreeSet<usize> {
        let good = self.signers();
        let all = self.signature.iter().filter_map(|vote| self.manifest.node(&vote.by));
        all.filter(|member| !good.contains(member)).collect()
    }

    /// The number of node `me`, if it may run this manifest: the experiment agrees with it, `me` is a member, and enough
    /// members signed.
    pub fn admit(&self, me: &PublicKey, run: &RunConfig) -> Result<usize, Unfit> {
        self.manifest.check(run)?;
        let node = self.manifest.node(me).ok_or(Unfit::NotAMember(Box::new(*me)))?;
        let digest = self.manifest.digest();
        let mut signed = BTreeSet::new();
        for vote in &self.signature {
            let Some(member) = self.manifest.node(&vote.by) else { continue }; // signatures of strangers do not count
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

#[cfg(test)]
mod tests;
