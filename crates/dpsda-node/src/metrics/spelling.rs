//! The text format of a metric and its values.

use std::fmt::Write as _;

/// The text written so far.
#[derive(Default)]
pub(super) struct Exposition {
    pub(super) text: String,
}

/// A metric, to which values are added.
pub(super) struct MetricSeries<'a> {
    page: &'a mut Exposition,
    name: &'a str,
}

impl Exposition {
    /// A value that goes up and down.
    pub(super) fn gauge<'a>(&'a mut self, name: &'a str, help: &str) -> MetricSeries<'a> {
        self.family(name, help, "gauge")
    }

    /// A value that only grows.
    pub(super) fn counter<'a>(&'a mut self, name: &'a str, help: &str) -> MetricSeries<'a> {
        self.family(name, help, "counter")
    }

    fn family<'a>(&'a mut self, name: &'a str, help: &str, kind: &str) -> MetricSeries<'a> {
        let help = help.replace('\\', r"\\").replace('\n', r"\n");
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        MetricSeries { page: self, name }
    }
}

impl MetricSeries<'_> {
    /// Its one value.
    pub(super) fn is(&mut self, value: f64) {
        self.with(&[], value);
    }

    /// Its one value, if it is known.
    pub(super) fn maybe(&mut self, value: Option<f64>) {
        value.into_iter().for_each(|value| self.is(value));
    }

    /// A value with labels.
    pub(super) fn with(&mut self, labels: &[(&str, &str)], value: f64) {
        let text = &mut self.page.text;
        text.push_str(self.name);
        for (k, (name, value)) in labels.iter().enumerate() {
            let value = value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
            let _ = write!(text, "{}{name}=\"{value}\"", if k == 0 { '{' } else { ',' });
        }
        let _ = writeln!(text, "{} {}", if labels.is_empty() { "" } else { "}" }, spell(value));
    }
}

/// A number as Prometheus reads it (Go's spelling).
fn spell(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        value => value.to_string(), // NaN is spelled the same
    }
}
