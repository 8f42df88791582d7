//! `rules`: the version of a file's defaults and words. The meaning of a version never changes.

use dpsda::catalog::Key;
use dpsda::keys::Value;
use dpsda::rng::Generator;
use dpsda::{Error, Keys};

use crate::value;

const KEY: &str = "rules";

/// A version. A signed or stored experiment that states none has the first, for ever. A plain file that states none has the
/// newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rules {
    /// The rules before they had a number.
    First,
    /// The newest.
    Second,
}

/// All versions, oldest first.
pub static RULES: &[Rules] = &[Rules::First, Rules::Second];

impl Rules {
    /// The rules of a plain file that states none.
    pub const NEWEST: Self = Self::Second;

    /// The number that a file states.
    pub fn number(self) -> u32 {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }

    /// The number as text.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "1",
            Self::Second => "2",
        }
    }

    /// Which files have these rules, for people.
    pub fn when(self) -> &'static str {
        match self {
            Self::First => "signed or stored experiments that state no rules: for ever",
            Self::Second => {
                "the newest: plain files that state none, and everything that this program writes"
            }
        }
    }

    /// The rules with this number.
    pub fn of(number: impl TryInto<u32>) -> Option<Self> {
        let number = number.try_into().ok()?;
        RULES.iter().copied().find(|rules| rules.number() == number)
    }

    /// The rules stated at the top of a file, or else `unstated`.
    pub(crate) fn read(top: &Keys<'_>, unstated: Self) -> Result<Self, Error> {
        let Some(found) = top.raw(KEY) else { return Ok(unstated) };
        found.as_integer().and_then(Self::of).ok_or_else(|| {
            let expected = match found {
                Value::List(_) => {
                    "a file has one version of the rules (give one number: 2, or 1 for an old file)"
                }
                _ => "expected 1 or 2, the rules that this program knows (2 is the newest and the default)",
            };
            top.bad(KEY, expected)
        })
    }

    /// The text of an experiment, with these rules stated at its top unless it states its own.
    pub fn stated(self, text: &str) -> Result<String, Error> {
        if value::parse(text)?.contains_key(KEY) {
            return Ok(text.to_owned());
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text); // a byte order mark may only come first
        Ok(format!("{KEY} = {}\n{text}", self.number()))
    }

    /// The same for a parsed experiment.
    pub fn state(self, table: &mut toml::Table) {
        table.entry(KEY).or_insert_with(|| i64::from(self.number()).into());
    }

    /// The default of `algorithm.step`.
    pub fn step(self) -> f64 {
        match self {
            Self::First | Self::Second => 1.0,
        }
    }

    /// The library's name of the mechanism that a file calls `word`.
    pub fn mechanism(self, word: &str) -> &str {
        match self {
            Self::First | Self::Second => word,
        }
    }

    /// What makes random numbers of a seed.
    pub fn generator(self) -> Generator {
        match self {
            Self::First => Generator::First,
            Self::Second => Generator::Second,
        }
    }

    /// What may differ between rules, and what it means under these.
    pub fn about(self) -> &'static [Key] {
        match self {
            Self::First => FIRST,
            Self::Second => SECOND,
        }
    }
}

static FIRST: &[Key] = &[STEP, TOEPLITZ, CLIP, EPSILON, seed("ChaCha20; noise is drawn word by word")];

static SECOND: &[Key] =
    &[STEP, TOEPLITZ, CLIP, EPSILON, seed("AES-256 in counter mode; noise is drawn in blocks")];

const STEP: Key = Key { name: "algorithm.step", about: "when left out: 1.0" };
const TOEPLITZ: Key = Key { name: "toeplitz", about: "the square root of the prefix sums" };
const CLIP: Key =
    Key { name: "privacy.clip", about: "shared by the blocks of a gradient, each clipped to its share" };
const EPSILON: Key = Key { name: "epsilon", about: "by zCDP; exact for pure releases" };

const fn seed(about: &'static str) -> Key {
    Key { name: "seed", about }
}
