//! The chain of digests over a ledger's lines, and the signature that ends it.

use dpsda_config::Rules;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{About, LedgerLine};
use crate::entry::Digest;
use crate::identity::{Identity, PublicKey, Signature};

const PURPOSE: &str = "ledger";

/// A line in the chain. When old lines are dropped, the last of them stays as a checkpoint: its totals include all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainLink {
    /// The digest of all lines before this one.
    pub previous: Digest,
    /// The line.
    pub line: LedgerLine,
    /// `SHA-256(previous, line)`
    pub digest: Digest,
}

/// Where the chain ends, signed by the node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainEnd {
    /// The number of lines, dropped ones included.
    pub lines: u64,
    /// The digest of all of them.
    pub digest: Digest,
    /// The signature over both, and over the ledger's head.
    pub signature: Signature,
}

/// The first fault in a ledger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokenChain {
    /// A line is missing: a later line exists, or the end counts more lines.
    #[error("line {0} is missing")]
    Missing(u64),
    /// A line cannot be read.
    #[error("line {0} cannot be read")]
    Unreadable(u64),
    /// A line does not follow the line before it.
    #[error("line {0} was altered, or a line before it was")]
    Altered(u64),
    /// A line comes after the signed end.
    #[error("line {0} was added after the last line that the node signed")]
    Added(u64),
    /// The signature fits neither the end nor the ledger's head.
    #[error("the signature after line {0} is not the node's: the end, the budget or the promise was altered")]
    Unsigned(u64),
    /// The stored record is not the record of the last line.
    #[error("the stored record is not the record of line {0}")]
    Record(u64),
}

/// The digest that a chain begins with.
pub(in crate::store) fn beginning(about: &About) -> Digest {
    Sha256::digest(about.bytes()).into()
}

impl ChainLink {
    /// The link of a line after `previous`.
    pub(in crate::store) fn new(previous: Digest, line: LedgerLine) -> Self {
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
    /// The end of a chain with this beginning, signed by its node.
    pub(in crate::store) fn new(beginning: &Digest, lines: u64, digest: Digest, identity: &Identity) -> Self {
        Self { lines, digest, signature: identity.sign(PURPOSE, &said(beginning, lines, &digest)) }
    }

    fn is_by(&self, key: &PublicKey, about: &About) -> bool {
        key.signed(PURPOSE, &said(&beginning(about), self.lines, &self.digest), &self.signature)
    }
}

fn said(beginning: &Digest, lines: u64, digest: &Digest) -> Vec<u8> {
    [&beginning[..], &lines.to_le_bytes(), digest].concat()
}

/// A whole ledger, as read from a store and not yet verified.
pub struct Book {
    /// Its head.
    pub about: About,
    /// The checkpoint of the dropped lines.
    pub folded: Option<ChainLink>,
    /// The lines that are kept, by the number they are stored under. None if the line cannot be read.
    pub links: Vec<(u64, Option<ChainLink>)>,
    /// Its signed end.
    pub end: ChainEnd,
    /// The digest of the stored record, if there is one.
    pub(in crate::store) record: Option<Digest>,
}

impl Book {
    /// The last line. Its totals are what is spent so far.
    pub fn last(&self) -> Option<&LedgerLine> {
        let kept = self.links.iter().rev().find_map(|(_, link)| link.as_ref());
        kept.or(self.folded.as_ref()).map(|link| &link.line)
    }

    /// Checks the chain, from the checkpoint if there is one, to the node's signature.
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
