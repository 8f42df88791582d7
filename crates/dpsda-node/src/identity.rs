//! The key of a node (Ed25519). Its public half is the node's name on the network and in the manifest.

mod strict;
mod text;

use std::cmp::Ordering;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use hkdf::Hkdf;
use sha2::Sha256;

pub use text::hex;
pub(crate) use text::unhex;

/// The public half of a node's key, which names the node. Written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(VerifyingKey);

/// A signature, 64 bytes. Written as 128 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature([u8; 64]);

/// A node's own key. It cannot be printed or compared.
pub struct Identity(SigningKey);

/// What is wrong with a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Not the right number of hexadecimal digits.
    #[error("{found:?} is not a {what}: expected {digits} hexadecimal digits")]
    Digits {
        /// What it was read as.
        what: &'static str,
        /// What was found.
        found: String,
        /// The number of digits expected.
        digits: usize,
    },
    /// Not a point on the curve.
    #[error("{0} is not a public key of Ed25519")]
    Point(String),
    /// An existing key file is never overwritten.
    #[error("{0}: this file already holds the key of a node (choose another file, or use this one)")]
    Exists(String),
    /// No key file.
    #[error("{0}: there is no key (make one: dpsda node init DIR)")]
    Missing(String),
    /// A key file that cannot be read or written.
    #[error("{path}: {error} (the user that runs the node must own the key file: `node.key`)")]
    File {
        /// The file.
        path: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// The system gave no randomness.
    #[error("the system gave no randomness: {0}")]
    Randomness(getrandom::Error),
}

impl Identity {
    /// A new key, from the system's randomness.
    pub fn generate() -> Result<Self, KeyError> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(KeyError::Randomness)?;
        Ok(Self(SigningKey::from_bytes(&secret)))
    }

    /// From 32 secret bytes.
    pub fn from_secret(secret: [u8; 32]) -> Self {
        Self(SigningKey::from_bytes(&secret))
    }

    /// Reads a key file.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => KeyError::Missing(name),
            _ => KeyError::File { path: name, error },
        })?;
        // The error does not quote the text: it may be a real key with a typing error.
        let secret = unhex::<32>(text.trim()).ok_or_else(|| KeyError::Digits {
            what: "secret key",
            found: path.display().to_string(),
            digits: 64,
        })?;
        Ok(Self::from_secret(secret))
    }

    /// Writes a key file that only its owner may read. An existing file is left unchanged.
    pub fn write(&self, path: &Path) -> Result<(), KeyError> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(path).and_then(|mut file| {
            writeln!(file, "{}", hex(self.0.as_bytes()))?;
            file.sync_all()
        });
        written.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => KeyError::Exists(path.display().to_string()),
            _ => KeyError::File { path: path.display().to_string(), error },
        })
    }

    /// The public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// The secret bytes, for the transport, which uses the same key.
    pub fn secret(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// A secret of this node for one purpose (HKDF-SHA256). It reveals neither the key nor the secrets for other purposes.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        let mut derived = [0; 32];
        let expanded =
            Hkdf::<Sha256>::new(None, self.0.as_bytes()).expand(&tagged(purpose, b""), &mut derived);
        debug_assert!(expanded.is_ok(), "HKDF can give 32 bytes");
        derived
    }

    /// Signs `bytes` for one purpose. The signature is not valid for another purpose.
    pub fn sign(&self, purpose: &str, bytes: &[u8]) -> Signature {
        Signature(self.0.sign(&tagged(purpose, bytes)).to_bytes())
    }
}

impl PublicKey {
    /// From 32 bytes that are a point on the curve.
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, KeyError> {
        match VerifyingKey::from_bytes(&bytes) {
            Ok(key) if !key.is_weak() => Ok(Self(key)),
            _ => Err(KeyError::Point(hex(&bytes))),
        }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Whether this key signed `bytes` for this purpose. The check is strict: a signature has only one valid form.
    ///
    pub fn signed(&self, purpose: &str, bytes: &[u8], signature: &Signature) -> bool {
        strict::is_by(&self.0, &tagged(purpose, bytes), &signature.0)
    }
}

impl Ord for PublicKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl PartialOrd for PublicKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Signature {
    fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

/// The bytes that are really signed. They begin with the length and name of the purpose, so no two purposes sign the same bytes.
fn tagged(purpose: &str, bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(purpose.len() + bytes.len() + 8);
    all.extend(b"dpsda");
    all.push(purpose.len() as u8);
    all.extend(purpose.as_bytes());
    all.extend(bytes);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_for_one_key_one_purpose_and_these_bytes() {
        let (a, b) = (Identity::from_secret([1; 32]), Identity::from_secret([2; 32]));
        let signature = a.sign("entry", b"bytes");
        assert!(a.public().signed("entry", b"bytes", &signature));
        assert!(!b.public().signed("entry", b"bytes", &signature));
        assert!(!a.public().signed("manifest", b"bytes", &signature));
        assert!(!a.public().signed("entr", b"ybytes", &signature));
        assert!(!a.public().signed("entry", b"byte", &signature));
    }

    #[test]
    fn a_derived_secret_is_for_one_key_and_one_purpose() {
        let (a, b) = (Identity::from_secret([1; 32]), Identity::from_secret([2; 32]));
        assert_eq!(a.derive("store"), Identity::from_secret([1; 32]).derive("store"));
        let others = [b.derive("store"), a.derive("other"), a.secret(), [0; 32]];
        assert!(others.iter().all(|other| *other != a.derive("store")));
    }

    #[test]
    fn a_key_file_is_its_owners_alone_and_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("node.key");
        let key = Identity::generate().unwrap();
        key.write(&path).unwrap();
        assert_eq!(Identity::read(&path).unwrap().public(), key.public());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let error = Identity::generate().unwrap().write(&path).unwrap_err().to_string();
        assert!(error.contains("node.key") && error.contains("already"), "{error}");
        assert_eq!(Identity::read(&path).unwrap().public(), key.public());
    }

    #[test]
    fn an_invalid_key_is_refused_and_not_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("node.key");
        fs::write(&path, "0123abc").unwrap();
        let error = Identity::read(&path).err().unwrap().to_string();
        assert!(error.contains("node.key") && !error.contains("0123abc"), "{error}");
        let point = "0".repeat(63) + "1";
        for text in ["", "xy", &point, &"g".repeat(64)] {
            assert!(text.parse::<PublicKey>().is_err(), "{text}");
        }
    }

    #[test]
    fn keys_and_signatures_are_read_back_from_text_and_from_bytes() {
        let key = Identity::from_secret([3; 32]);
        let both = (key.public(), key.sign("x", b"y"));
        let bytes = postcard::to_stdvec(&both).unwrap();
        assert_eq!(postcard::from_bytes::<(PublicKey, Signature)>(&bytes).unwrap(), both);
        assert_eq!(both.0.to_string().parse::<PublicKey>().unwrap(), both.0);
        assert_eq!(both.1.to_string().parse::<Signature>().unwrap(), both.1);
    }
}
