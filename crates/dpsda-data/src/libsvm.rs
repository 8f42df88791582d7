//! Samples from a LIBSVM file: one `label index:value ...` per line, indices from 1 and increasing.

use dpsda::catalog::{Key, Listing};
use dpsda::{Error, Keys};

use super::label::{Labels, POSITIVE};
use super::rows::Rows;
use super::table::SampleTable;
use super::{Build, MAX_FEATURES, Source, text};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "libsvm",
    about: "a file of lines `label index:value ...`, indices from 1; text after # is ignored",
    keys: &[
        Key { name: "path", about: "the file" },
        Key { name: "features", about: "how many features (default: the largest index in the file)" },
        POSITIVE,
    ],
    build,
};

fn build(keys: &Keys<'_>, read: &dyn Fn(&str) -> Result<Vec<u8>, Error>) -> Result<Box<dyn Source>, Error> {
    let path = keys.path("path")?;
    let features = keys.count("features", 1)?;
    let mut labels = Labels::new(keys)?;
    let path = path.ok_or_else(|| Error::missing(keys.name("path"), "name the LIBSVM file to read"))?;
    if features.is_some_and(|features| features > u64::from(MAX_FEATURES)) {
        return Err(keys.bad("features", format!("expected at most {MAX_FEATURES}")));
    }
    let content = read(path)?;

    let mut rows = Rows::new();
    for (number, line) in (1..).zip(text::without_bom(&content).split(|b| *b == b'\n')) {
        let line = String::from_utf8_lossy(line.split(|b| *b == b'#').next().unwrap_or_default());
        let place = |column: usize| format!("{path}, line {number}, column {column}");
        let mut words = words(&line);
        let Some((column, label)) = words.next() else { continue };
        labels.push(label, || place(column))?;
        let mut last = 0;
        for (column, word) in words {
            let (index, value) =
                entry(word, last, features).map_err(|problem| Error::data(place(column), problem))?;
            rows.push(index - 1, value);
            last = index;
        }
        rows.end();
    }
    let labels = labels.finish(keys, path)?;
    if labels.0.is_empty() {
        return Err(Error::data(path, "the file has no samples, expected lines like `+1 3:0.5 7:1`"));
    }
    let Some(dim) =
        features.map(|features| features as usize).or(rows.largest().map(|column| column as usize + 1))
    else {
        return Err(Error::data(path, "no line has a feature (set problem.features if all of them are 0)"));
    };
    Ok(SampleTable::boxed(Box::new(rows.finish(dim)?), labels, &content))
}

/// `index:value`, with an index after `last` and among the `features`, if their number is given. Errors do not show the word, which
/// may be private.
fn entry(word: &str, last: u32, features: Option<u64>) -> Result<(u32, f64), String> {
    let (index, value) = word.split_once(':').ok_or("found no colon, expected index:value")?;
    let index: u64 = index.parse().map_err(|_| "expected a whole number before the colon")?;
    if index == 0 {
        return Err("found an index of 0, expected at least 1".into());
    }
    if let Some(features) = features.filter(|features| index > *features) {
        return Err(format!("found an index above problem.features = {features}"));
    }
    let Some(index) = u32::try_from(index).ok().filter(|index| *index <= MAX_FEATURES) else {
        return Err(format!("found an index above {MAX_FEATURES}, the largest"));
    };
    if index <= last {
        return Err("found an index that is not above the one before (indices rise within a line)".into());
    }
    Ok((index, text::finite(value).map_err(|problem| format!("{problem} after the colon"))?))
}

/// The words of a line and the columns they start in, from 1.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut column = 1;
    line.split(char::is_whitespace).filter_map(move |word| {
        let start = column;
        column += word.chars().count() + 1;
        (!word.is_empty()).then_some((start, word))
    })
}
