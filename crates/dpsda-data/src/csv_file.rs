//! Files of comma-separated values with a header line: their columns, their lines, and places in them for errors.

use std::cell::Cell;
use std::collections::HashMap;

use ::csv::{ByteRecord, Reader, ReaderBuilder, Trim};
use dpsda::Error;

use super::text;

/// What a file holds.
#[derive(Clone, Copy)]
pub(super) struct CsvContent {
    /// What a line after the header is, e.g. "sample".
    pub(super) line: &'static str,
    /// Whether it is a table, from which a cost picks columns by name. Then names are UTF-8 text, and lines that start with `#` are
    /// left out.
    pub(super) table: bool,
}

/// A file that is being read. Errors name lines and columns. They do not show cells, which may be private.
pub(super) struct CsvFile<'a> {
    path: &'a str,
    bytes: &'a [u8],
    content: CsvContent,
    reader: Reader<&'a [u8]>,
    /// How many lines end before this byte. Records come in order, so that every byte is looked at once.
    counted: Cell<(usize, u64)>,
    /// The names of the columns.
    pub(super) names: Vec<String>,
}

impl<'a> CsvFile<'a> {
    /// Reads the header line.
    pub(super) fn open(path: &'a str, content: &'a [u8], of: CsvContent) -> Result<Self, Error> {
        let bytes = text::without_bom(content);
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).trim(Trim::All).comment(of.table.then_some(b'#'));
        let (reader, counted) = (builder.from_reader(bytes), Cell::new((0, 0)));
        let mut file = Self { path, bytes, content: of, reader, counted, names: Vec::new() };
        let mut record = ByteRecord::new();
        if !file.record(&mut record)? {
            let problem = format!("the file is empty, expected a header line and a line per {}", of.line);
            return Err(Error::data(path, problem));
        }
        for (column, name) in record.iter().enumerate() {
            let name = String::from_utf8_lossy(name);
            if of.table && name.contains(char::REPLACEMENT_CHARACTER) {
                let place = format!("{}, column {}", file.line(&record), column + 1);
                return Err(Error::data(place, "the name is not UTF-8 text (save the file as UTF-8)"));
            }
            file.names.push(name.into_owned());
        }
        file.check(&record)?;
        Ok(file)
    }

    /// The next line; false if there is none. It has as many columns as the header line.
    pub(super) fn next(&mut self, record: &mut ByteRecord) -> Result<bool, Error> {
        if !self.record(record)? {
            return Ok(false);
        }
        let (found, names) = (record.len(), self.names.len());
        if found == names {
            return Ok(true);
        }
        let found = if found == 1 { "1 column".into() } else { format!("{found} columns") };
        Err(Error::data(self.line(record), format!("found {found}, expected the {names} of the header line")))
    }

    fn record(&mut self, record: &mut ByteRecord) -> Result<bool, Error> {
        self.reader.read_byte_record(record).map_err(|e| Error::data(self.path, e.to_string()))
    }

    /// Every column has a name of its own, and commas separate them.
    fn check(&self, record: &ByteRecord) -> Result<(), Error> {
        if let [one] = &self.names[..]
            && let Some(other) = [';', '\t'].into_iter().find(|mark| one.contains(*mark))
        {
            let problem = format!("found the separator {other:?}, expected commas between columns");
            return Err(Error::data(self.line(record), problem));
        }
        let mut columns = HashMap::new();
        let twice = self
            .names
            .iter()
            .enumerate()
            .find_map(|(column, name)| columns.insert(name, column).map(|first| (column, first)));
        let numbers: Option<Vec<f64>> = self.names.iter().map(|name| name.parse().ok()).collect();
        // Columns may be called by whole numbers, e.g. those of places: `NumberTable::numbered`, and `label` of samples.
        if numbers.is_some_and(|all| twice.is_some() || all.iter().any(|x| x.fract() != 0.0)) {
            let problem = "found numbers, expected the names of the columns (add a header line)";
            return Err(Error::data(self.line(record), problem));
        }
        if let Some(column) = self.names.iter().position(String::is_empty) {
            return Err(Error::data(self.place(record, column), "found nothing, expected the column's name"));
        }
        twice.map_or(Ok(()), |(column, first)| {
            let problem = format!("the same name as column {}, expected another name", first + 1);
            Err(Error::data(self.place(record, column), problem))
        })
    }

    /// The line a record starts on, as an editor counts.
    pub(super) fn number(&self, record: &ByteRecord) -> u64 {
        let mut start = record.position().map_or(0, |p| p.byte() as usize).min(self.bytes.len());
        // Line ends, empty lines and comments before a record belong to it, as the reader sees it.
        loop {
            let rest = &self.bytes[start..];
            start += rest.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            let rest = &self.bytes[start..];
            if !(self.content.table && rest.first() == Some(&b'#')) {
                break;
            }
            start += rest.iter().take_while(|b| !matches!(b, b'\r' | b'\n')).count();
        }
        let (from, lines) = Some(self.counted.get()).filter(|(from, _)| *from <= start).unwrap_or((0, 0));
        let next = |k: usize| self.bytes.get(k + 1).copied().unwrap_or(0);
        let ends = |k: &usize| self.bytes[*k] == b'\n' || self.bytes[*k] == b'\r' && next(*k) != b'\n';
        let lines = lines + (from..start).filter(ends).count() as u64;
        self.counted.set((start, lines));
        lines + 1
    }

    /// Where a record is.
    pub(super) fn line(&self, record: &ByteRecord) -> String {
        format!("{}, line {}", self.path, self.number(record))
    }

    /// Where a cell is.
    pub(super) fn place(&self, record: &ByteRecord, column: usize) -> String {
        let name = self.names.get(column).map_or("", String::as_str);
        let name = if name.is_empty() { String::new() } else { format!(" ({})", text::quote(name)) };
        format!("{}, column {}{name}", self.line(record), column + 1)
    }

    /// The error of a file that has no line after its header.
    pub(super) fn bare(&self) -> Error {
        let problem =
            format!("there is only a header line, expected a line per {} after it", self.content.line);
        Error::data(self.path, problem)
    }
}
