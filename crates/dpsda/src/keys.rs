//! Reading one table of a configuration: every key is asked for by name, and a key that nobody asked for is an error.

use std::cell::RefCell;
use std::fmt;

use crate::Error;

mod value;

pub use value::{Table, Value};

/// One table of a configuration, with its dotted path for error messages.
///
/// ```
/// use dpsda::Keys;
/// use dpsda::keys::Table;
/// let table = Table::from([("radius".into(), 5.0.into()), ("radios".into(), 3.0.into())]);
/// let keys = Keys::new("set", &table);
/// assert_eq!(keys.f64("radius")?, Some(5.0));
/// assert!(keys.finish().unwrap_err().to_string().contains("did you mean `radius`?"));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Keys<'a> {
    path: String,
    table: &'a Table,
    asked: RefCell<Vec<String>>,
}

/// Shows the table, not which keys were asked for.
impl fmt::Debug for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.path, self.table)
    }
}

impl Keys<'static> {
    /// No keys at all: every part has its defaults.
    pub fn none() -> Self {
        static NONE: std::sync::LazyLock<Table> = std::sync::LazyLock::new(Table::new);
        Self::new("", &NONE)
    }
}

impl<'a> Keys<'a> {
    /// The keys of `table`, which stands at `path` (empty for the top of the file).
    pub fn new(path: impl Into<String>, table: &'a Table) -> Self {
        Self { path: path.into(), table, asked: RefCell::default() }
    }

    /// The dotted name of `key`.
    pub fn name(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The names asked for so far, in order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.borrow().clone()
    }

    /// The dotted names asked for so far.
    pub fn asked_names(&self) -> Vec<String> {
        self.asked.borrow().iter().map(|key| self.name(key)).collect()
    }

    /// The raw value of `key`.
    pub fn raw(&self, key: &str) -> Option<&'a Value> {
        let mut asked = self.asked.borrow_mut();
        if !asked.iter().any(|k| k == key) {
            asked.push(key.to_owned());
        }
        self.table.get(key)
    }

    /// All keys and values, in order. This does not count as asking for them.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        self.table.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Whether `key` is there. This does not count as asking for it, so errors about misspelt keys do not suggest it.
    pub fn holds(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// An error about the value that stands at `key`.
    pub fn bad(&self, key: &str, expected: impl Into<String>) -> Error {
        match self.table.get(key) {
            Some(Value::Float(x)) if x.abs() >= 1e15 => {
                Error::value(self.name(key), format!("{x:e}"), expected)
            }
            Some(found) => Error::value(self.name(key), found, expected),
            None => Error::missing(self.name(key), expected),
        }
    }

    /// The error of a constructor whose arguments have the names of keys in this table. It then names the dotted key and shows
    /// the value as it stands in the table.
    pub fn locate(&self, error: Error) -> Error {
        match error {
            Error::Value { key, expected, .. } if self.holds(&key) => self.bad(&key, expected),
            Error::Value { key, found, expected } => Error::Value { key: self.name(&key), found, expected },
            Error::Missing { key, expected } => Error::Missing { key: self.name(&key), expected },
            other => other,
        }
    }

    fn read<T>(
        &self,
        key: &str,
        what: &str,
        get: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        match self.raw(key) {
            None => Ok(None),
            Some(v) => get(v).map(Some).ok_or_else(|| {
                let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
                let quoted = what.starts_with("a number") || what.starts_with("a whole number");
                let remedy = match v.as_str().filter(|text| quoted && is_number(text)) {
                    Some(_) => " (write it without quotes)",
                    None => "",
                };
                self.bad(key, format!("expected {what}{remedy}"))
            }),
        }
    }

    /// A number (infinity allowed, NaN not).
    pub fn f64(&self, key: &str) -> Result<Option<f64>, Error> {
        self.read(key, "a number", number)
    }

    /// A number for which `fits` holds; `what` describes such numbers in the error.
    pub fn f64_where(
        &self,
        key: &str,
        default: f64,
        what: &str,
        fits: impl Fn(f64) -> bool,
    ) -> Result<f64, Error> {
        let x = self.f64(key)?.unwrap_or(default);
        if fits(x) { Ok(x) } else { Err(self.bad(key, format!("expected {what}"))) }
    }

    /// A list of numbers.
    pub fn f64s(&self, key: &str) -> Result<Option<Vec<f64>>, Error> {
        self.read(key, "a list of numbers", |v| v.as_list()?.iter().map(number).collect())
    }

    /// A whole number of at least `least`.
    pub fn count(&self, key: &str, least: u64) -> Result<Option<u64>, Error> {
        self.read(key, &format!("a whole number of at least {least}"), |v| {
            v.as_integer().and_then(|i| u64::try_from(i).ok()).filter(|i| *i >= least)
        })
    }

    /// A list of whole numbers of at least one.
    pub fn counts(&self, key: &str) -> Result<Option<Vec<usize>>, Error> {
        self.read(key, "a list of whole numbers of at least 1", |v| {
            let one = |v: &Value| v.as_integer().and_then(|i| usize::try_from(i).ok()).filter(|i| *i >= 1);
            v.as_list()?.iter().map(one).collect()
        })
    }

    /// True or false.
    pub fn bool(&self, key: &str) -> Result<Option<bool>, Error> {
        self.read(key, "true or false", Value::as_bool)
    }

    /// A string.
    pub fn str(&self, key: &str) -> Result<Option<&'a str>, Error> {
        self.read(key, "a string", Value::as_str)
    }

    /// The path of a file.
    pub fn path(&self, key: &str) -> Result<Option<&'a str>, Error> {
        match self.str(key)? {
            Some(path) if path.trim().is_empty() => {
                Err(self.bad(key, "expected the path of a file, e.g. \"mine.csv\""))
            }
            path => Ok(path),
        }
    }

    /// One of `choices`, the first of which is the default.
    pub fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Result<T, Error> {
        let Some(found) = self.str(key)? else {
            return choices
                .first()
                .map(|c| c.1)
                .ok_or_else(|| self.bad(key, "there is nothing to choose from"));
        };
        choices.iter().find(|c| c.0 == found).map(|c| c.1).ok_or_else(|| Error::UnknownName {
            key: self.name(key),
            found: found.to_owned(),
            known: choices.iter().map(|c| c.0.to_owned()).collect(),
        })
    }

    /// A list of strings.
    pub fn strs(&self, key: &str) -> Result<Option<Vec<&'a str>>, Error> {
        self.read(key, "a list of strings", |v| v.as_list()?.iter().map(Value::as_str).collect())
    }

    /// A table inside this one.
    pub fn table(&self, key: &str) -> Result<Option<Keys<'a>>, Error> {
        Ok(self.read(key, "a table", Value::as_table)?.map(|t| Keys::new(self.name(key), t)))
    }

    /// A list of tables.
    pub fn tables(&self, key: &str) -> Result<Option<Vec<Keys<'a>>>, Error> {
        let list = self.read(key, "a list of tables", |v| {
            v.as_list()?.iter().map(Value::as_table).collect::<Option<Vec<_>>>()
        })?;
        Ok(list.map(|l| {
            l.into_iter().enumerate().map(|(i, t)| Keys::new(format!("{}[{i}]", self.name(key)), t)).collect()
        }))
    }

    /// One error for every key that was not asked for.
    pub fn unknown(&self) -> Vec<Error> {
        let known = self.asked();
        let stray = self.table.keys().filter(|k| !known.contains(k));
        stray.map(|k| Error::UnknownKey { key: self.name(k), known: known.clone() }).collect()
    }

    /// A key that was not asked for so far is an error.
    pub fn known(&self) -> Result<(), Error> {
        self.unknown().into_iter().next().map_or(Ok(()), Err)
    }

    /// Ends the reading: a key that was not asked for is an error.
    pub fn finish(self) -> Result<(), Error> {
        self.known()
    }
}

fn number(v: &Value) -> Option<f64> {
    v.as_number().filter(|x| !x.is_nan())
}
