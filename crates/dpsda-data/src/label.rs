//! Labels: numbers, or one value that means +1 while all others mean -1.

use dpsda::keys::Value;
use dpsda::{Error, Keys};

use super::text;

/// A key of every source that reads a file.
pub(super) const POSITIVE: dpsda::catalog::Key = dpsda::catalog::Key {
    name: "positive",
    about: "the label that means +1, all others -1 (a number also matches its other spellings); \
            without it labels are numbers",
};

/// The labels of a file, read one by one.
pub(super) struct Labels {
    positive: Option<(String, Option<f64>)>,
    met: bool,
    /// Where the first other label stands.
    other: Option<String>,
    values: Vec<f64>,
    no_class: Option<Error>,
}

impl Labels {
    pub(super) fn new(keys: &Keys<'_>) -> Result<Self, Error> {
        let positive = match keys.raw(POSITIVE.name) {
            None => None,
            Some(Value::String(text)) => Some(text.trim().to_owned()),
            Some(Value::Integer(number)) => Some(number.to_string()),
            Some(Value::Float(number)) => Some(number.to_string()),
            Some(_) => return Err(keys.bad(POSITIVE.name, "expected one label, as \"p\" or 1")),
        };
        let positive = positive.map(|text| {
            let number = text::finite(&text).ok();
            (text, number)
        });
        Ok(Self { positive, met: false, other: None, values: Vec::new(), no_class: None })
    }

    /// The next label; `place` says where it stands.
    pub(super) fn push(&mut self, label: &str, place: impl FnOnce() -> String) -> Result<(), Error> {
        let number = text::finite(label);
        let Some((positive, as_number)) = &self.positive else {
            let found = match number {
                Ok(found) => found,
                Err(problem) if label.is_empty() => return Err(Error::data(place(), problem)),
                Err(problem) => {
                    let remedy = "as label (or set problem.positive to the label that means +1)";
                    return Err(Error::data(place(), format!("{problem} {remedy}")));
                }
            };
            if found.abs() != 1.0 && self.no_class.is_none() {
                let remedy =
                    "set problem.positive to the label that means +1, or loss to \"squared\" or \"huber\"";
                self.no_class = Some(Error::data(
                    place(),
                    format!("the label is neither -1 nor +1, as this loss needs ({remedy})"),
                ));
            }
            self.values.push(found);
            return Ok(());
        };
        if label.is_empty() {
            return Err(Error::data(place(), "found nothing, expected a label"));
        }
        if label == positive || as_number.is_some() && *as_number == number.ok() {
            self.met = true;
            self.values.push(1.0);
        } else {
            if self.other.is_none() {
                self.other = Some(place());
            }
            self.values.push(-1.0);
        }
        Ok(())
    }

    /// All labels, and an error that names the first one that is not a class.
    pub(super) fn finish(self, keys: &Keys<'_>, file: &str) -> Result<(Vec<f64>, Option<Error>), Error> {
        if let (Some((positive, _)), false) = (&self.positive, self.met || self.values.is_empty()) {
            // Labels are as private as the rest of a sample, so none is shown.
            let other = self.other.unwrap_or_default();
            let problem = format!("no sample of {file} has this label (use one that occurs, as at {other})");
            return Err(Error::value(keys.name(POSITIVE.name), text::quote(positive), problem));
        }
        Ok((self.values, self.no_class))
    }
}
