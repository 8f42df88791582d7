//! Samples from a CSV file with a header line: one column is the label, every other one a feature, in file order.

use std::collections::HashMap;

use ::csv::{ByteRecord, ReaderBuilder, Trim};
use dpsda::catalog::{Key, Listing};
use dpsda::features::dense::Dense;
use dpsda::{Error, Keys};

use super::label::{Labels, POSITIVE};
use super::table::SampleTable;
use super::{Build, Source, text};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "csv",
    about: "a CSV file with a header line",
    keys: &[
        Key { name: "path", about: "the file" },
        Key { name: "label", about: "the label's column; every other column is a feature" },
        POSITIVE,
    ],
    build,
};

fn build(keys: &Keys<'_>, read: &dyn Fn(&str) -> Result<Vec<u8>, Error>) -> Result<Box<dyn Source>, Error> {
    let path = keys.str("path")?;
    let label = keys.str("label")?;
    let mut labels = Labels::new(keys)?;
    let path = path.ok_or_else(|| Error::missing(keys.name("path"), "name the CSV file to read"))?;
    let content = read(path)?;

    let bytes = text::without_bom(&content);
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(bytes);
    let mut record = ByteRecord::new();
    let mut next = |record: &mut ByteRecord| {
        reader.read_byte_record(record).map_err(|e| Error::data(path, e.to_string()))
    };

    if !next(&mut record)? {
        return Err(Error::data(path, "the file is empty, expected a header line and a line per sample"));
    }
    let header = Header::read(path, bytes, &record)?;
    let target = header.find(keys, label)?;

    let mut features = Vec::new();
    while next(&mut record)? {
        if record.len() != header.names.len() {
            let names = header.names.len();
            let found =
                if record.len() == 1 { "1 column".into() } else { format!("{} columns", record.len()) };
            let problem = format!("found {found}, expected the {names} of the header line");
            return Err(Error::data(header.line(&record), problem));
        }
        for (column, field) in record.iter().enumerate() {
            let field = String::from_utf8_lossy(field);
            if column == target {
                labels.push(&field, || header.place(&record, column))?;
            } else {
                let number = text::finite(&field).map_err(|problem| {
                    let remedy = "correct it, or remove the sample or the column";
                    Error::data(header.place(&record, column), format!("{problem} ({remedy})"))
                })?;
                features.push(number);
            }
        }
    }
    let labels = labels.finish(keys, path)?;
    if labels.0.is_empty() {
        return Err(Error::data(path, "there is only a header line, expected a line per sample after it"));
    }
    let features = Dense::new(features, header.names.len() - 1)?;
    Ok(SampleTable::boxed(Box::new(features), labels, &content))
}

/// The names of the columns, and positions in the file for error messages.
struct Header<'a> {
    path: &'a str,
    bytes: &'a [u8],
    names: Vec<String>,
}

impl<'a> Header<'a> {
    fn read(path: &'a str, bytes: &'a [u8], record: &ByteRecord) -> Result<Self, Error> {
        let names: Vec<_> = record.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let header = Self { path, bytes, names };
        let mut columns = HashMap::new();
        for (column, name) in header.names.iter().enumerate() {
            let problem = match columns.insert(name, column) {
                _ if name.is_empty() => "found nothing, expected the column's name".to_owned(),
                Some(first) => format!("the same name as column {}, expected another name", first + 1),
                None => continue,
            };
            return Err(Error::data(header.place(record, column), problem));
        }
        Ok(header)
    }

    /// The label's column.
    fn find(&self, keys: &Keys<'_>, label: Option<&str>) -> Result<usize, Error> {
        let names = text::list(self.names.iter().map(String::as_str));
        let Some(label) = label else {
            let remedy = format!("name the label's column, one of {names} in {}", self.path);
            return Err(Error::missing(keys.name("label"), remedy));
        };
        let Some(column) = self.names.iter().position(|name| name == label.trim()) else {
            let remedy = match &self.names[..] {
                [one] if one.contains([';', '\t']) => "; columns must be separated by commas",
                _ => "",
            };
            let problem = format!("{} has no such column (its columns: {names}{remedy})", self.path);
            return Err(Error::value(keys.name("label"), text::quote(label), problem));
        };
        if self.names.len() == 1 {
            return Err(Error::data(
                self.path,
                "the label is the only column, expected at least one feature",
            ));
        }
        Ok(column)
    }

    /// The line a record starts on, as an editor counts. Counted only when something is wrong.
    fn line(&self, record: &ByteRecord) -> String {
        let start = record.position().map_or(0, |p| p.byte() as usize).min(self.bytes.len());
        let (before, rest) = self.bytes.split_at(start);
        // Line ends and empty lines before a record belong to it, as the reader sees it.
        let skipped = rest.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let end = before.len() + skipped;
        let ends = self.bytes.iter().zip(self.bytes.iter().skip(1).chain([&0])).take(end);
        let lines = ends.filter(|(b, next)| **b == b'\n' || **b == b'\r' && **next != b'\n').count();
        format!("{}, line {}", self.path, lines + 1)
    }

    fn place(&self, record: &ByteRecord, column: usize) -> String {
        let name = self.names.get(column).map_or("", String::as_str);
        let name = if name.is_empty() { String::new() } else { format!(" ({})", text::quote(name)) };
        format!("{}, column {}{name}", self.line(record), column + 1)
    }
}
