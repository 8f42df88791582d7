//! Samples from a CSV file with a header line: one column is the label, every other one a feature, in file order.

use ::csv::ByteRecord;
use dpsda::catalog::{Key, Listing};
use dpsda::features::dense::Dense;
use dpsda::{Error, Keys};

use super::csv_file::{CsvContent, CsvFile};
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
    let path = keys.path("path")?;
    let label = keys.str("label")?;
    let mut labels = Labels::new(keys)?;
    let path = path.ok_or_else(|| Error::missing(keys.name("path"), "name the CSV file to read"))?;
    let content = read(path)?;

    let mut file = CsvFile::open(path, &content, CsvContent { line: "sample", table: false })?;
    let target = find(path, &file.names, keys, label)?;
    let (mut record, mut features) = (ByteRecord::new(), Vec::new());
    while file.next(&mut record)? {
        for (column, field) in record.iter().enumerate() {
            let field = String::from_utf8_lossy(field);
            if column == target {
                labels.push(&field, || file.place(&record, column))?;
            } else {
                let number = text::finite(&field).map_err(|problem| {
                    let remedy = "correct it, or remove the sample or the column";
                    Error::data(file.place(&record, column), format!("{problem} ({remedy})"))
                })?;
                features.push(number);
            }
        }
    }
    let labels = labels.finish(keys, path)?;
    if labels.0.is_empty() {
        return Err(file.bare());
    }
    let features = Dense::new(features, file.names.len() - 1)?;
    Ok(SampleTable::boxed(Box::new(features), labels, &content))
}

/// The label's column.
fn find(path: &str, columns: &[String], keys: &Keys<'_>, label: Option<&str>) -> Result<usize, Error> {
    let names = text::list(columns.iter().map(String::as_str));
    let Some(label) = label else {
        let remedy = format!("name the label's column, one of {names} in {path}");
        return Err(Error::missing(keys.name("label"), remedy));
    };
    let Some(column) = columns.iter().position(|name| name == label.trim()) else {
        let problem = format!("{path} has no such column (its columns: {names})");
        return Err(Error::value(keys.name("label"), text::quote(label), problem));
    };
    if columns.len() == 1 {
        return Err(Error::data(path, "the label is the only column, expected at least one feature"));
    }
    Ok(column)
}
