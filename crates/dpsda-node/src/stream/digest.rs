//! A short name of an estimate.

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::identity::{hex, unhex};

/// Eight bytes of a hash of a round and its estimate, written as 16 hexadecimal digits. It is public, as the estimate is.
///
/// ```
/// use dpsda_node::stream::EstimateDigest;
/// let at = EstimateDigest::of(12, &[0.5, -1.25]);
/// assert_eq!(EstimateDigest::parse(&at.to_string()), Some(at));
/// assert_ne!(EstimateDigest::of(12, &[0.5, -1.0]), at);
/// assert_eq!(EstimateDigest::parse("not a digest"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EstimateDigest([u8; 8]);

impl EstimateDigest {
    /// The digest of the estimate `y` of round `t`.
    pub fn of(t: u64, y: &[f64]) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"dpsda estimate");
        hash.update(t.to_le_bytes());
        y.iter().for_each(|x| hash.update(x.to_le_bytes()));
        let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(hash.finalize());
        Self([a, b, c, d, e, f, g, h])
    }

    /// From its 16 digits.
    pub fn parse(digits: &str) -> Option<Self> {
        unhex(digits).map(Self)
    }
}

impl std::fmt::Display for EstimateDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Serialize for EstimateDigest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
