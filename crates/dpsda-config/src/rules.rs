//! `rules`: what the defaults and the words of a file mean. A meaning never changes under its number.

use dpsda::catalog::Key;
use dpsda::keys::Value;
use dpsda::{Error, Keys};

use crate::value;

const KEY: &str = "rules";

/// Which meaning. What is signed or stored and states none has the first for ever; a plain file that states none has the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rules {
    /// As before rules had a number.
    First,
    /// The newest.
    Second,
}

/// Every one, for people.
pub static RULES: &[Rules] = &[Rules::First, Rules::Second];

impl Rules {
    /// What a plain file means that states none.
    pub const NEWEST: Self = Self::Second;

    /// As a file states it.
    pub fn number(self) -> u32 {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }

    /// The number as a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "1",
            Self::Second => "2",
        }
    }

    /// Who means them.
    pub fn when(self) -> &'static str {
        match self {
            Self::First => "what is signed or stored and states none, as all of before: for ever",
            Self::Second => {
                "the newest: plain files that state none, and whatever is written by this program"
            }
        }
    }

    /// By number.
    pub fn of(number: impl TryInto<u32>) -> Option<Self> {
        let number = number.try_into().ok()?;
        RULES.iter().copied().find(|rules| rules.number() == number)
    }

    /// Those that the top of a file states, or `unstated`.
    pub(crate) fn read(top: &Keys<'_>, unstated: Self) -> Result<Self, Error> {
        let Some(found) = top.raw(KEY) else { return Ok(unstated) };
        found.as_integer().and_then(Self::of).ok_or_else(|| {
            let expected = match found {
                Value::List(_) => "a file has one meaning (give one number: 2, or 1 for a file of before)",
                _ => "expected 1 or 2, the rules that this program knows (2 is the newest, and meant when it is left out)",
            };
            top.bad(KEY, expected)
        })
    }

    /// The text of an experiment, with these rules stated at its top unless it states its own.
    pub fn stated(self, text: &str) -> Result<String, Error> {
        if value::parse(text)?.contains_key(KEY) {
            return Ok(text.to_owned());
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text); // which may only come first
        Ok(format!("{KEY} = {}\n{text}", self.number()))
    }

    /// The same for an experiment that is parsed.
    pub fn state(self, table: &mut toml::Table) {
        table.entry(KEY).or_insert_with(|| i64::from(self.number()).into());
    }

    /// c of an algorithm that is given no step.
    pub fn step(self) -> f64 {
        match self {
            Self::First | Self::Second => 1.0,
        }
    }

    /// The mechanism of the library that a word means.
    pub fn mechanism(self, word: &str) -> &str {
        match self {
            Self::First | Self::Second => word,
        }
    }

    /// What may differ between rules, and how it is under these.
    pub fn about(self) -> &'static [Key] {
        match self {
            // Nothing differs yet.
            Self::First | Self::Second => &[
                Key { name: "algorithm.step", about: "when left out: 1.0" },
                Key { name: "toeplitz", about: "the square root of the prefix sums" },
                Key {
                    name: "privacy.clip",
                    about: "shared by the blocks of a gradient, each clipped to its share",
                },
                Key { name: "epsilon", about: "by zCDP, and exactly where releases are pure" },
                Key { name: "seed", about: "the first generator" },
            ],
        }
    }
}
