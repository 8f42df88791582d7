//! The lines of the tables: on the screen as Markdown, and as JSON.

use dpsda_web::text::number;
use serde_json::{Value, json};

use crate::tools::Tools;
use dpsda_benches::turns::Spread;

/// What is asked of a ratio, or of our own value if there is no ratio.
#[derive(Clone, Copy)]
pub(crate) enum Asked {
    AtLeast(f64),
    AtMost(f64),
}

/// What a value is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Unit {
    Seconds,
    PerSecond,
    Bytes,
    BytesPerSecond,
    Share,
    Plain,
}

/// One line.
pub(crate) struct Line {
    pub(crate) what: String,
    pub(crate) unit: Unit,
    pub(crate) ours: f64,
    pub(crate) theirs: Option<f64>,
    pub(crate) ratio: Option<Spread>,
    pub(crate) asked: Option<Asked>,
    pub(crate) note: String,
}

impl Line {
    pub(crate) fn new(what: impl Into<String>, unit: Unit, ours: f64) -> Self {
        Self { what: what.into(), unit, ours, theirs: None, ratio: None, asked: None, note: String::new() }
    }

    /// Something that does not run, and why: it does not show what is asked.
    pub(crate) fn missing(what: impl Into<String>, unit: Unit, problem: &str) -> Self {
        let why = problem.rsplit_once("error: ").map_or(problem, |(_, why)| why);
        Self::new(what, unit, f64::NAN).note(format!("does not run: {why}"))
    }

    /// Something beside ours, and a ratio: how many times better ours is.
    pub(crate) fn beside(self, theirs: f64, ratio: Spread) -> Self {
        Self { theirs: Some(theirs), ratio: Some(ratio), ..self }
    }

    pub(crate) fn asked(self, asked: Option<Asked>) -> Self {
        Self { asked, ..self }
    }

    pub(crate) fn at_least(self, least: f64) -> Self {
        self.asked(Some(Asked::AtLeast(least)))
    }

    pub(crate) fn at_most(self, most: f64) -> Self {
        self.asked(Some(Asked::AtMost(most)))
    }

    pub(crate) fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Whether it shows what is asked.
    fn kept(&self) -> Option<bool> {
        let value = self.ratio.map_or(self.ours, |ratio| ratio.median);
        self.asked.map(|asked| match asked {
            Asked::AtLeast(least) => value >= least,
            Asked::AtMost(most) => value <= most,
        })
    }

    fn row(&self) -> String {
        let shown = |value: f64| if value.is_nan() { "-".to_owned() } else { show(value, self.unit) };
        let ratio = self.ratio.map_or_else(String::new, |r| {
            let [low, median, high] = [r.low, r.median, r.high].map(|v| number(v, 3));
            if r.low == r.high { median } else { format!("**{median}** ({low} to {high})") }
        });
        let asked = match self.asked {
            None => String::new(),
            Some(asked) => {
                let (word, value) = match asked {
                    Asked::AtLeast(v) => ("at least", v),
                    Asked::AtMost(v) => ("at most", v),
                };
                let value = if self.ratio.is_some() { number(value, 3) } else { shown(value) };
                let verdict = if self.kept() == Some(true) { "yes" } else { "**no**" };
                format!("{word} {value}: {verdict}")
            }
        };
        let theirs = self.theirs.map_or_else(String::new, shown);
        format!("| {} | {} | {theirs} | {ratio} | {asked} | {} |", self.what, shown(self.ours), self.note)
    }

    fn json(&self, section: &str) -> Value {
        let unit = match self.unit {
            Unit::Seconds => "s",
            Unit::PerSecond => "1/s",
            Unit::Bytes => "B",
            Unit::BytesPerSecond => "B/s",
            Unit::Share => "share",
            Unit::Plain => "",
        };
        let asked = self.asked.map(|asked| match asked {
            Asked::AtLeast(v) => json!({ "at_least": v }),
            Asked::AtMost(v) => json!({ "at_most": v }),
        });
        json!({
            "section": section, "what": self.what, "unit": unit, "dpsda": self.ours, "beside": self.theirs,
            "ratio": self.ratio.map(|r| r.median), "ratio_quartiles": self.ratio.map(|r| [r.low, r.high]),
            "asked": asked, "kept": self.kept(), "note": self.note,
        })
    }
}

/// A value with its unit.
pub(crate) fn show(value: f64, unit: Unit) -> String {
    let scaled = |steps: &[(f64, &str)]| {
        let (size, name) = steps
            .iter()
            .find(|(size, _)| value.abs() >= *size)
            .or(steps.last())
            .copied()
            .unwrap_or((1.0, ""));
        format!("{} {name}", number(value / size, 3))
    };
    match unit {
        Unit::Seconds => scaled(&[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")]),
        Unit::PerSecond => scaled(&[(1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")]),
        Unit::Bytes => {
            scaled(&[(f64::from(1 << 30), "GiB"), (f64::from(1 << 20), "MiB"), (1024.0, "KiB"), (1.0, "B")])
        }
        Unit::BytesPerSecond => scaled(&[(1e9, "GB/s"), (1e6, "MB/s"), (1.0, "B/s")]),
        Unit::Share => format!("{} %", number(100.0 * value, 3)),
        Unit::Plain => number(value, 3),
    }
}

/// All lines so far.
#[derive(Default)]
pub(crate) struct Report {
    lines: Vec<(&'static str, Line)>,
    section: &'static str,
    machine: Value,
}

impl Report {
    /// The machine, in a line.
    pub(crate) fn machine(&mut self, tools: &Tools) -> String {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let file = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let named = |word: &str| {
            let line = file.lines().find(|line| line.starts_with(word))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let name = named("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let flags = named("flags").unwrap_or_default();
        let wide =
            ["avx2", "avx512f", "vaes"].into_iter().filter(|flag| flags.split(' ').any(|f| f == *flag));
        let wide: Vec<_> = wide.collect();
        let versions = tools.script("versions.py", 1).ok().and_then(|mut script| script.output().ok());
        let versions =
            versions.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned()).unwrap_or_default();
        self.machine = json!({ "processor": name, "cores": cores, "flags": wide, "python": versions });
        format!("{name}, {cores} cores, {}; {versions}", wide.join(" "))
    }

    /// Begins a table.
    pub(crate) fn section(&mut self, name: &'static str, about: &str) {
        self.section = name;
        println!(
            "\n### {name}: {about}\n\n| | dpsda | beside | ratio (quartiles) | asked | |\n|---|---|---|---|---|---|"
        );
    }

    /// Adds a line, and prints it.
    pub(crate) fn add(&mut self, line: Line) {
        println!("{}", line.row());
        self.lines.push((self.section, line));
    }

    /// The lines of a section.
    pub(crate) fn of(&self, section: &str) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |(name, _)| *name == section).map(|(_, line)| line)
    }

    /// How many lines show what is asked.
    pub(crate) fn summary(&self) -> String {
        let asked: Vec<bool> = self.lines.iter().filter_map(|(_, line)| line.kept()).collect();
        let kept = asked.iter().filter(|kept| **kept).count();
        format!("{kept} of {} lines show what is asked", asked.len())
    }

    /// Writes the JSON.
    pub(crate) fn write(&self, tools: &Tools) -> Result<(), String> {
        let lines: Vec<Value> = self.lines.iter().map(|(section, line)| line.json(section)).collect();
        let text =
            format!("{:#}\n", json!({ "machine": self.machine, "commit": tools.commit, "lines": lines }));
        if let Some(folder) = tools.json.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        std::fs::write(&tools.json, text).map_err(|error| format!("{}: {error}", tools.json.display()))
    }
}
