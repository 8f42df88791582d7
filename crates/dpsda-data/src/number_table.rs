//! A CSV file of numbers with a header line.

use csv::ByteRecord;
use dpsda::Error;
use dpsda::cost::NumberTable;

use crate::csv_file::{CsvContent, CsvFile};

/// Reads a table. Cells may hold text, as time stamps do, in columns that no cost uses.
pub(crate) fn read(path: &str, bytes: &[u8]) -> Result<NumberTable, Error> {
    let mut file = CsvFile::open(path, bytes, CsvContent { line: "row", table: true })?;
    let (mut record, mut rows) = (ByteRecord::new(), Vec::new());
    while file.next(&mut record)? {
        rows.push((file.number(&record), record.iter().map(number).collect()));
    }
    if rows.is_empty() {
        return Err(file.bare());
    }
    NumberTable::of_lines(path, file.names, rows)
}

fn number(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All columns that hold numbers.
    fn numbers(text: &[u8]) -> Result<(Vec<String>, Vec<Vec<f64>>), String> {
        let table = read("a.csv", text).map_err(|error| error.to_string())?;
        let columns = table.numeric();
        let rows = table.pick(&columns).map_err(|error| error.to_string())?;
        Ok((columns.iter().map(|k| table.columns()[*k].clone()).collect(), rows))
    }

    #[test]
    fn a_table_has_names_and_numbers_beside_text_that_nobody_uses() {
        let (columns, rows) = numbers(b"# power in kW\nwind, sun\n1.5, 2\n-3e1,0\n").unwrap();
        assert_eq!(
            (columns, rows),
            (vec!["wind".into(), "sun".into()], vec![vec![1.5, 2.0], vec![-30.0, 0.0]])
        );
        let (columns, rows) = numbers(b"time,wind,who\n2016-01-04 00:00,1,J\xf6rg\n,2,\n").unwrap();
        assert_eq!((columns, rows), (vec!["wind".into()], vec![vec![1.0], vec![2.0]]));
    }

    #[test]
    fn errors_say_where_and_show_no_cell() {
        let cell = "expected a finite number (correct the cell, or do not use the column)";
        let named = |column: &str| format!("a.csv, line 3, column `{column}`: {cell}");
        for (text, says) in [
            (&b"wind,sun\n1,2\n3,calm\n"[..], named("sun").as_str()),
            (b"wind,sun\n1,2\n3,\n", &named("sun")),
            (b"wind,sun\n# calm\n1,NaN\n", &named("sun")),
            (b"wind,sun\n\n-inf,1\n", &named("wind")),
            (b"wind,sun\n1,2\n1\n", "a.csv, line 3: found 1 column, expected the 2 of the header line"),
            (b"wind,sun\n", "a.csv: there is only a header line, expected a line per row after it"),
            (b"", "a.csv: the file is empty, expected a header line and a line per row"),
            (b"wind,wind\n1,2\n", "a.csv, line 1, column 2 (\"wind\"): the same name as column 1"),
            (b"wind;sun\n1;2\n", "a.csv, line 1: found the separator ';', expected commas between columns"),
            (b"w\xefnd,sun\n1,2\n", "a.csv, line 1, column 1: the name is not UTF-8 text (save the file"),
            (b"1.5,2\n1,2\n", "a.csv, line 1: found numbers, expected the names of the columns"),
            (b"1,1\n1,2\n", "a.csv, line 1: found numbers, expected the names of the columns"),
            (b",sun\n1,2\n", "a.csv, line 1, column 1: found nothing, expected the column's name"),
        ] {
            let error = numbers(text).unwrap_err();
            assert!(error.starts_with(says), "{error}");
        }
        let headless = numbers(b"0,1\n1,0\n").unwrap_err();
        assert!(
            headless.starts_with("a.csv: all columns are called by numbers, so the header line"),
            "{headless}"
        );
        let places = read("a.csv", b"1,2\n0.5,3\n").unwrap().numbered();
        assert_eq!(places.pick(&[1]), Ok(vec![vec![3.0]]), "places have numbers as names");
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let valid = b"# kW\r\nwind,\"sun\"\r\n1.5,2\n-3e1,\"0\"\n";
        for at in 0..valid.len() {
            let _ = numbers(&valid[..at]);
            for odd in *b"\n\r,\"#; \0\xff-.e1n" {
                let mut bytes = valid.to_vec();
                bytes[at] = odd;
                if let Err(error) = numbers(&bytes) {
                    assert!(error.starts_with("a.csv") && !error.contains('\n'), "{error}");
                }
            }
        }
    }
}
