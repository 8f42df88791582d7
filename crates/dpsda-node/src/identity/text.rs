//! Keys and signatures as text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{KeyError, PublicKey, Signature};

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The bytes of hexadecimal digits.
pub(crate) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |d: u8| char::from(d).to_digit(16);
        *byte = (16 * digit(pair[0])? + digit(pair[1])?) as u8;
    }
    Some(bytes)
}

/// Reads and writes as hexadecimal digits in formats for people, and as bytes in others.
macro_rules! written {
    ($type:ident, $bytes:literal, $what:literal, $check:expr) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex(self.as_bytes()))
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $type {
            type Err = KeyError;

            fn from_str(text: &str) -> Result<Self, KeyError> {
                let bytes = unhex::<$bytes>(text).ok_or_else(|| KeyError::Digits {
                    what: $what,
                    found: text.into(),
                    digits: 2 * $bytes,
                })?;
                $check(bytes)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                if to.is_human_readable() {
                    to.collect_str(self)
                } else {
                    to.serialize_bytes(self.as_bytes())
                }
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                if from.is_human_readable() {
                    return String::deserialize(from)?.parse().map_err(de::Error::custom);
                }
                let bytes = <&[u8]>::deserialize(from)?;
                let bytes = bytes.try_into().map_err(|_| de::Error::custom(concat!("no ", $what)))?;
                $check(bytes).map_err(de::Error::custom)
            }
        }
    };
}

written!(PublicKey, 32, "public key", PublicKey::from_bytes);
written!(Signature, 64, "signature", |bytes| Ok::<_, KeyError>(Signature(bytes)));
