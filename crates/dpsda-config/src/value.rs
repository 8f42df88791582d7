//! From TOML to the values that the library reads.

use dpsda::Error;
use dpsda::keys::{Table, Value};

/// A text as a table of the library's values.
///
/// ```
/// let table = dpsda_config::table("kind = 'ball'\nradius = 5.0")?;
/// assert_eq!(table["radius"].as_float(), Some(5.0));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn table(text: &str) -> Result<Table, Error> {
    neutral(&parse(text)?)
}

/// A TOML table as a table of the library's values. No key holds a date, so a date is an error that names its key.
pub fn neutral(table: &toml::Table) -> Result<Table, Error> {
    inside("", table)
}

/// The text as TOML.
pub(crate) fn parse(text: &str) -> Result<toml::Table, Error> {
    text.parse().map_err(|e: toml::de::Error| Error::Syntax(e.to_string().trim_end().to_owned()))
}

fn inside(path: &str, table: &toml::Table) -> Result<Table, Error> {
    let dotted = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    table.iter().map(|(key, found)| Ok((key.clone(), value(&dotted(key), found)?))).collect()
}

/// The value that stands at `key`.
pub(crate) fn value(key: &str, found: &toml::Value) -> Result<Value, Error> {
    Ok(match found {
        toml::Value::Boolean(b) => Value::Bool(*b),
        toml::Value::Integer(i) => Value::Integer(*i),
        toml::Value::Float(x) => Value::Float(*x),
        toml::Value::String(s) => Value::String(s.clone()),
        toml::Value::Array(list) => {
            let parts = list.iter().enumerate().map(|(i, part)| value(&format!("{key}[{i}]"), part));
            Value::List(parts.collect::<Result<_, _>>()?)
        }
        toml::Value::Table(table) => Value::Table(inside(key, table)?),
        toml::Value::Datetime(date) => {
            return Err(Error::value(key, date, "no key holds a date (put it in quotes if it is text)"));
        }
    })
}
