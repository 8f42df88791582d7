//! The chain of digests over a ledger's lines, and the signature that ends it.

use dpsda_config::Rules;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{About, Line};
use crate::entry::Digest;
use crate::identity::{Identity, PublicKey, Signature};

const PURPOSE: &str = "ledger";

/// A line in the chain. The last of lines that are gone stays as their checkpoint: its totals are those of all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainLink {
    /// Of all lines before this one.
    pub previous: Digest,
    /// The line.
    pub line: Line,
    /// `SHA-256(previous, line)`
    pub digest: Digest,
}

/// Where the chain ends, signed by the node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainEnd {
    /// How many lines there were.
    pub lines: u64,
    /// The digest of all of them.
    pub digest: Digest,
    /// Over both, and over what the ledger is about.
    pub signature: Signature,
}

/// The first thing that is wrong with a ledger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokenChain {
    /// A line that is not there, though a later one is, or the end says so.
    #[error("line {0} is missing")]
    Missing(u64),
    /// A line that is no line.
    #[error("line {0} cannot be read")]
    Unreadable(u64),
    /// A line that does not follow the one before it.
    #[error("line {0} was altered, or one before it was")]
    Altered(u64),
    /// A line after the end.
    #[error("line {0} was added after the last one that the node signed")]
    Added(u64),
    /// The end, or what the ledger is about.
    #[error("the signature after line {0} is not the node's: the end, the budget or the promise was altered")]
    Unsigned(u64),
    /// The record is not the one that the last line tells of.
    #[error("the record is not the one that line {0} was written with")]
    Record(u64),
}

/// What a chain begins with.
pub(in crate::store) fn beginning(about: &About) -> Digest {
    Sha256::digest(about.bytes()).into()
}

impl ChainLink {
    /// The link of a line after `previous`.
    pub(in crate::store) fn new(previous: Digest, line: Line) -> Self {
        let bytes = postcard::to_stdvec(&line).unwrap_or_default(); // writing to memory cannot fail
        let digest = Sha256::new().chain_update(previous).chain_update(bytes).finalize().into();
        Self { previous, line, digest }
    }

    fn is_whole(&self) -> bool {
        Self::new(self.previous, self.line.clone()).digest == self.digest
    }
}

impl About {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = postcard::to_stdvec(self).unwrap_or_default(); // writing to memory cannot fail
        if self.rules != Rules::First {
            bytes.extend(self.rules.number().to_le_bytes());
        }
        bytes
    }
}

impl ChainEnd {
    /// Signed by its node.
    pub(in crate::store) fn new(about: &About, lines: u64, digest: Digest, identity: &Identity) -> Self {
        Self { lines, digest, signature: identity.sign(PURPOSE, &said(about, lines, &digest)) }
    }

    fn is_by(&self, key: &PublicKey, about: &About) -> bool {
        key.signed(PURPOSE, &said(about, self.lines, &self.digest), &self.signature)
    }
}

fn said(about: &About, lines: u64, digest: &Digest) -> Vec<u8> {
    [&beginning(about)[..], &lines.to_le_bytes(), digest].concat()
}

/// A whole ledger, as it was found.
pub struct Book {
    /// What it is about.
    pub about: About,
    /// What was folded.
    pub folded: Option<ChainLink>,
    /// The lines that are kept, under the numbers that they were found at; none where there is no line to be read.
    pub links: Vec<(u64, Option<ChainLink>)>,
    /// Where it ends.
    pub end: ChainEnd,
    /// What the record that is there is named, if there is one.
    pub(in crate::store) record: Option<Digest>,
}

impl Book {
    /// The last line: what is spent by now.
    pub fn last(&self) -> Option<&Line> {
        let kept = self.links.iter().rev().find_map(|(_, link)| link.as_ref());
        kept.or(self.folded.as_ref()).map(|link| &link.line)
    }

    /// Walks the chain, from the checkpoint if there is one, to the node's signature.
    pub fn verify(&self) -> Result<(), BrokenChain> {
        let (mut number, mut digest) = (0, beginning(&self.about));
        let mut record = None;
        if let Some(folded) = &self.folded {
            number = folded.line.number;
            if !folded.is_whole() || number == 0 {
                return Err(BrokenChain::Altered(number));
            }
            (digest, record) = (folded.digest, Some(folded.line.record));
        }
        for (found, link) in &self.links {
            number = number.saturating_add(1);
            if *found > number {
                return Err(BrokenChain::Missing(number));
            }
            let link = link.as_ref().ok_or(BrokenChain::Unreadable(number))?;
            if *found != number || link.line.number != number || link.previous != digest || !link.is_whole() {
                return Err(BrokenChain::Altered(number));
            }
            if number > self.end.lines {
                return Err(BrokenChain::Added(number));
            }
            (digest, record) = (link.digest, Some(link.line.record));
        }
        if number < self.end.lines {
            return Err(BrokenChain::Missing(number + 1));
        }
        if self.end.lines != number
            || self.end.digest != digest
            || !self.end.is_by(&self.about.key, &self.about)
        {
            return Err(BrokenChain::Unsigned(number));
        }
        if record != self.record {
            return Err(BrokenChain::Record(number));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
