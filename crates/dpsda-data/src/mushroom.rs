//! 8,124 mushrooms, edible or poisonous (Table 2): bundled, see `data/README.md`.

use std::collections::BTreeSet;
use std::io::Read;

use dpsda::Error;
use dpsda::catalog::Listing;
use flate2::read::GzDecoder;

use super::rows::Rows;
use super::table::SampleTable;
use super::{Build, Source};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "mushroom",
    about: "8,124 mushrooms in 112 features of 0 or 1, +1 = poisonous (UCI, bundled)",
    keys: &[],
    build: |_, _| read(include_bytes!("../data/agaricus-lepiota.data.gz")),
};

/// Columns of the file: the class, then the attributes.
const COLUMNS: usize = 23;

/// The one attribute with missing values: left out, as in the 112 features of the paper.
const STALK_ROOT: usize = 11;

/// One feature for every value that an attribute takes: attributes in the order of the file, values in the order of
/// the alphabet.
fn read(gz: &[u8]) -> Result<Box<dyn Source>, Error> {
    let broken =
        |problem: &str| Error::data("the bundled mushroom data", format!("{problem} (rebuild the program)"));
    let mut content = String::new();
    GzDecoder::new(gz).read_to_string(&mut content).map_err(|e| broken(&e.to_string()))?;
    let rows: Vec<Vec<&str>> = content.lines().map(|line| line.split(',').collect()).collect();
    if rows.iter().any(|row| row.len() != COLUMNS) {
        return Err(broken("a row does not have 23 columns"));
    }

    let mut values = BTreeSet::new();
    for row in &rows {
        values.extend(attributes(row));
    }
    let values: Vec<_> = values.into_iter().collect();
    let mut ones = Rows::new();
    for row in &rows {
        for (column, value) in (0..).zip(&values) {
            if row.get(value.0) == Some(&value.1) {
                ones.push(column, 1.0);
            }
        }
        ones.end();
    }
    let features = ones.finish(values.len())?;
    let labels = rows.iter().map(|row| if row.first() == Some(&"p") { 1.0 } else { -1.0 }).collect();
    Ok(SampleTable::boxed(Box::new(features), (labels, None), content.as_bytes()))
}

/// The attributes of a row that are features, with their place in the file.
fn attributes<'a>(row: &[&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    row.iter().copied().enumerate().skip(1).filter(|(place, _)| *place != STALK_ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_bundles_are_errors() {
        let whole = include_bytes!("../data/agaricus-lepiota.data.gz");
        assert!(read(whole).is_ok());
        for damaged in [&whole[..1000], &whole[1..], b""] {
            assert!(read(damaged).is_err());
        }
    }
}
