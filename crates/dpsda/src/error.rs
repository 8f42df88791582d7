//! Everything that can be wrong with a user's input.

use std::fmt;

mod nearest;
pub(crate) use nearest::nearest;

/// Wrong input. The error names the key or the place, the value found there, and what would be right.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A text that does not parse.
    Syntax(String),
    /// A key nobody reads.
    UnknownKey {
        /// The dotted key.
        key: String,
        /// The keys that could stand there.
        known: Vec<String>,
    },
    /// A key that another member of the family would read.
    ForeignKey {
        /// The dotted key.
        key: String,
        /// What would read it, e.g. `set.kind = "ball"`.
        owners: String,
        /// The keys that could stand there.
        known: Vec<String>,
    },
    /// A name that is in no table.
    UnknownName {
        /// The dotted key.
        key: String,
        /// The name found.
        found: String,
        /// The names of the table.
        known: Vec<String>,
    },
    /// A key that must be there and is not.
    Missing {
        /// The dotted key.
        key: String,
        /// What it should hold.
        expected: String,
    },
    /// A value that is wrong, by itself or together with others.
    Value {
        /// The dotted key.
        key: String,
        /// The value found.
        found: String,
        /// Why it is wrong and what would be right.
        expected: String,
    },
    /// A data, graph or configuration file that cannot be read as one.
    Data {
        /// File, line and column.
        place: String,
        /// What was found and what would be right.
        problem: String,
    },
}

/// The same sentence: it is what a `main` that returns an error prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(text) => f.write_str(text),
            Self::UnknownKey { key, known } => write!(f, "unknown key `{key}`{}", hint(key, known)),
            Self::ForeignKey { key, owners, known } => write!(
                f,
                "`{key}` is a key of {owners}, which is not chosen here (remove the key, or choose that). Known here: {}.",
                known.join(", ")
            ),
            Self::UnknownName { key, found, known } => {
                write!(f, "{key} = {found:?} is not known{}", hint(found, known))
            }
            Self::Missing { key, expected } => write!(f, "`{key}` is missing: {expected}"),
            Self::Value { key, found, expected } => write!(f, "{key} = {found}: {expected}"),
            Self::Data { place, problem } => write!(f, "{place}: {problem}"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// The same error about an argument inside a table: `radius` within `set` becomes `set.radius`. The library names its
    /// arguments, and the file format adds the table.
    ///
    /// ```
    /// use dpsda::Error;
    /// let error = Error::value("radius", -1.0, "a ball needs a positive finite radius");
    /// assert_eq!(error.within("set").to_string(), "set.radius = -1: a ball needs a positive finite radius");
    /// ```
    #[must_use]
    pub fn within(mut self, table: &str) -> Self {
        if let Some(key) = self.key_mut().filter(|_| !table.is_empty()) {
            *key = format!("{table}.{key}");
        }
        self
    }

    /// The same error with the key `usual` renamed to `place`. An empty `place` changes nothing.
    #[must_use]
    pub fn at(mut self, usual: &str, place: &str) -> Self {
        if let Some(key) = self.key_mut().filter(|key| *key == usual && !place.is_empty()) {
            place.clone_into(key);
        }
        self
    }

    /// The key or the argument that the error is about.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::UnknownKey { key, .. }
            | Self::ForeignKey { key, .. }
            | Self::UnknownName { key, .. }
            | Self::Missing { key, .. }
            | Self::Value { key, .. } => Some(key),
            Self::Syntax(_) | Self::Data { .. } => None,
        }
    }

    fn key_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::UnknownKey { key, .. }
            | Self::ForeignKey { key, .. }
            | Self::UnknownName { key, .. }
            | Self::Missing { key, .. }
            | Self::Value { key, .. } => Some(key),
            Self::Syntax(_) | Self::Data { .. } => None,
        }
    }

    /// A wrong value.
    pub fn value(key: impl Into<String>, found: impl ToString, expected: impl Into<String>) -> Self {
        Self::Value { key: key.into(), found: found.to_string(), expected: expected.into() }
    }

    /// A key that must be there and is not.
    pub fn missing(key: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Missing { key: key.into(), expected: expected.into() }
    }

    /// Trouble inside a file.
    pub fn data(place: impl ToString, problem: impl Into<String>) -> Self {
        Self::Data { place: place.to_string(), problem: problem.into() }
    }
}

/// The known word that is nearest, if one is near, and all known words.
fn hint(found: &str, known: &[String]) -> String {
    let found = found.rsplit('.').next().unwrap_or(found);
    let meant = nearest(found, known).map_or_else(|| ".".into(), |word| format!(": did you mean `{word}`?"));
    format!("{meant} Known here: {}.", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_becomes_a_key_where_it_stands_in_a_file() {
        let error = Error::missing("radius", "a ball needs one");
        assert_eq!(error.clone().within("set").key(), Some("set.radius"));
        assert_eq!(error.clone().within("").key(), Some("radius"));
        assert_eq!(error.clone().at("radius", "set.each[2].radius").key(), Some("set.each[2].radius"));
        assert_eq!(error.clone().at("radius", ""), error);
        assert_eq!(error.clone().at("lower", "set.lower"), error);
        let place = Error::data("line 3", "no number");
        assert_eq!(place.clone().within("set").at("line 3", "x"), place);
        assert_eq!(place.key(), None);
    }

    #[test]
    fn an_unknown_name_is_followed_by_the_nearest_one_if_one_is_near() {
        let unknown = |found: &str| {
            let known = vec!["ring".into(), "star".into()];
            Error::UnknownName { key: "graph".into(), found: found.into(), known }.to_string()
        };
        assert_eq!(
            unknown("rink"),
            "graph = \"rink\" is not known: did you mean `ring`? Known here: ring, star."
        );
        assert_eq!(unknown("torus"), "graph = \"torus\" is not known. Known here: ring, star.");
    }
}
