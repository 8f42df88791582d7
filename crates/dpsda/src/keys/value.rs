//! The values of keys, as any file format gives them to the library.

use std::collections::BTreeMap;
use std::fmt;

/// Keys and their values, in the order of the keys.
///
/// ```
/// use dpsda::keys::Table;
/// let set = Table::from([("kind".into(), "ball".into()), ("radius".into(), 5.into())]);
/// assert_eq!(set["radius"].as_number(), Some(5.0));
/// ```
pub type Table = BTreeMap<String, Value>;

/// One value. It prints as TOML writes it, so that an error shows the value as in the file.
///
/// ```
/// use dpsda::keys::{Table, Value};
/// let set = Table::from([("kind".into(), "ball".into()), ("radius".into(), 5.0.into())]);
/// assert_eq!(Value::from(set).to_string(), r#"{ kind = "ball", radius = 5.0 }"#);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number, an infinity, or NaN.
    Float(f64),
    /// A text.
    String(String),
    /// Several values.
    List(Vec<Value>),
    /// Keys and values of their own.
    Table(Table),
}

impl Value {
    /// True or false, if that is what it is.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(b) = self { Some(*b) } else { None }
    }

    /// The whole number, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(i) = self { Some(*i) } else { None }
    }

    /// The number, if it was written with a point or an exponent.
    pub fn as_float(&self) -> Option<f64> {
        if let Self::Float(x) = self { Some(*x) } else { None }
    }

    /// The number, whole or not.
    pub fn as_number(&self) -> Option<f64> {
        self.as_float().or(self.as_integer().map(|i| i as f64))
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(s) = self { Some(s) } else { None }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&Table> {
        if let Self::Table(table) = self { Some(table) } else { None }
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),+) => {
        $(impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        })+
    };
}

from!(bool => Bool, i64 => Integer, f64 => Float, &str => String, String => String, Vec<Value> => List, Table => Table);

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(b) => write!(f, "{b}"),
            Self::Integer(i) => write!(f, "{i}"),
            Self::Float(x) if x.is_nan() => f.write_str("nan"),
            Self::Float(x) if x.fract() == 0.0 => write!(f, "{x}.0"),
            Self::Float(x) => write!(f, "{x}"),
            Self::String(s) => f.write_str(&quoted(s)),
            Self::List(list) => {
                let parts: Vec<_> = list.iter().map(Self::to_string).collect();
                write!(f, "[{}]", parts.join(", "))
            }
            Self::Table(table) if table.is_empty() => f.write_str("{}"),
            Self::Table(table) => {
                let parts: Vec<_> =
                    table.iter().map(|(key, value)| format!("{} = {value}", name(key))).collect();
                write!(f, "{{ {} }}", parts.join(", "))
            }
        }
    }
}

/// A text in the quotes that need the fewest escapes: `"a"`, `'a "word"'`, and over several lines three of either.
fn quoted(text: &str) -> String {
    let single = longest(text, '\'');
    let double = longest(text, '"');
    let (lines, escapes) = (text.contains('\n'), text.contains('\\'));
    let open = if lines { "\n" } else { "" };
    match (controls(text), lines) {
        (false, false) if double == 0 && !escapes => format!("\"{}\"", escaped(text, 0, false)),
        (false, false) if single == 0 => format!("'{text}'"),
        (false, _) if double <= 2 && !escapes => format!("\"\"\"{open}{}\"\"\"", escaped(text, 2, true)),
        (false, _) if single <= 2 => format!("'''{open}{text}'''"),
        (_, true) => format!("\"\"\"{open}{}\"\"\"", escaped(text, 2, true)),
        (_, false) => format!("\"{}\"", escaped(text, 0, false)),
    }
}

/// A key, in quotes where TOML needs them.
fn name(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let controls = controls(key) || key.contains('\n');
    if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else if !controls && (key.contains('"') || key.contains('\\')) && !key.contains('\'') {
        format!("'{key}'")
    } else {
        format!("\"{}\"", escaped(key, 0, false))
    }
}

/// Whether it has characters that must always be escaped.
fn controls(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_control() && c != '\t' && c != '\n')
}

/// The longest run of `mark`.
fn longest(text: &str, mark: char) -> usize {
    text.split(|c| c != mark).map(str::len).max().unwrap_or(0)
}

/// The text between double quotes, with at most `run` unescaped quotes in a row.
fn escaped(text: &str, run: usize, lines: bool) -> String {
    let mut out = String::new();
    let mut quotes = 0;
    for c in text.chars() {
        quotes = if c == '"' { quotes + 1 } else { 0 };
        match c {
            '"' if quotes > run => {
                out.push_str("\\\"");
                quotes = 0;
            }
            '\n' if lines => out.push('\n'),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            c if c.is_ascii_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
