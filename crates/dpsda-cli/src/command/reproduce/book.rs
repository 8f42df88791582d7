//! `experiments/paper/book.toml`, read: what is run, what the paper prints, and what stands on the page.

use std::collections::BTreeMap;

use dpsda::Error;
use dpsda_web::reproduction::Ink;
use serde::Deserialize;
use toml::Value;

macro_rules! files {
    ($($name:literal)*) => {
        /// The files of `experiments/paper`, which are part of the program.
        const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../../experiments/paper/", $name, ".toml")))),*];
    };
}
files! {
    "book" "fig3" "fig3-sound" "mushroom" "mushroom-sum" "mushroom-tuned" "mushroom-box" "mushroom-sound" "mushroom-accurate"
    "mushroom-epsilon" "mushroom-epsilon-accurate" "mnist" "mnist-sum" "mnist-tuned" "mnist-sound" "mnist-accurate" "mnist-epsilon"
    "mnist-epsilon-accurate" "cifar" "cifar-sound" "cifar-epsilon" "cifar-epsilon-accurate" "adjacent" "adjacent-promise"
    "rivals" "rivals-sound"
}

type Named<T> = BTreeMap<String, T>;

/// One struct per table of the book. Keys after a semicolon may be left out; a key that is not here is an error.
macro_rules! tables {
    ($($name:ident { $($field:ident: $type:ty),* $(; $($more:ident: $other:ty),*)? })*) => {$(
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            $(pub(super) $field: $type,)*
            $($(#[serde(default)] pub(super) $more: $other,)*)?
        }
    )*};
}
tables! {
    Book {
        title: String, lead: Vec<String>, levels: Vec<f64>, columns: Vec<String>, effort: Efforts, decide: Decide,
        algorithm: Vec<Algorithm>, measure: Named<Measure>, column: Named<Column>, claim: Named<String>, paper: Named<Value>,
        data: Named<Data>, departure: Vec<Departure>, experiment: Vec<Part>, section: Vec<Section>, note: Vec<Note>
    }
    Efforts { full: Effort, quick: Effort }
    Effort { pairs: u32, runs: u32; trials: Option<u32> }
    Decide { trials: usize, runs: usize, confidence: f64, rule: String }
    Algorithm { name: String; hue: Option<u8> }
    Measure { name: String, places: usize; lower: bool, percent: bool }
    Column { label: String; group: String, printed: String, value: String, places: usize, percent: bool, bare: bool }
    Data { name: String, paper: Named<Value> }
    Departure { of: String, short: String, why: String; only: Named<Vec<String>>, term: Option<String> }
    Part { file: String, data: String, setting: String; ours: Option<String>, sums: bool, beside: Option<String>, event: Option<u64>, tune: Option<Tune> }
    Tune { steps: Vec<f64>; by: Option<String>, trials: Option<u32> }
    Section { title: String, targets: Vec<Target>, statement: Vec<Claim>; printed: Named<Named<Vec<f64>>>, block: Vec<Block> }
    Target { name: String, title: String, takes: Vec<String> }
    Block { ; files: Vec<String>, text: Option<String>, table: Option<Table>, figure: Option<Figure> }
    Table { caption: String, columns: Vec<String> }
    Figure {
        title: String, caption: String, column: String, across: String, up: String;
        log: Vec<String>, cut: String, who: Vec<String>, levels: Vec<f64>, panels: Vec<Panel>, mark: Option<String>
    }
    Panel { title: String, who: Vec<String> }
    Claim {
        files: Vec<String>, check: Vec<String>, by: Vec<String>; who: Vec<String>, than: Vec<String>, levels: Vec<f64>,
        goal: f64, limit: Option<String>, claim: Option<String>, shown: String, note: Option<String>
    }
    Note { term: String, text: String }
}

impl Book {
    /// The book that is part of the program.
    pub(super) fn own() -> Result<Self, Error> {
        Self::read(text("book"))
    }

    /// A key that is not known is told the nearest one that is.
    pub(super) fn read(text: &str) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(0, |at| text[..at.start].lines().count().max(1));
            let quoted: Vec<String> =
                error.message().split('`').skip(1).step_by(2).map(String::from).collect();
            let problem = match quoted.split_first() {
                Some((key, known)) if error.message().starts_with("unknown field") => {
                    Error::UnknownKey { key: key.clone(), known: known.to_vec() }.to_string()
                }
                _ => error.message().to_owned(),
            };
            Error::data(format!("experiments/paper/book.toml, line {line}"), problem)
        })
    }

    /// The targets that these words name, in the order of the paper; no word is all of them.
    pub(super) fn targets(&self, words: &[String]) -> Result<Vec<&Target>, Error> {
        let all = || self.section.iter().flat_map(|section| &section.targets);
        let known: Vec<String> = all().map(|t| t.name.clone()).chain(["all".to_owned()]).collect();
        if let Some(found) = words.iter().find(|word| !known.contains(word)) {
            return Err(Error::UnknownName { key: "target".into(), found: found.clone(), known });
        }
        let every = words.is_empty() || words.iter().any(|word| word == "all");
        Ok(all().filter(|target| every || words.contains(&target.name)).collect())
    }

    /// The experiments that targets take, each once, in the order in which they run.
    pub(super) fn parts(&self, targets: &[&Target]) -> Vec<&Part> {
        self.experiment.iter().filter(|part| targets.iter().any(|t| t.takes.contains(&part.file))).collect()
    }

    /// The colour of an algorithm, the same on the whole page.
    pub(super) fn hue(&self, name: &str) -> Ink {
        let hue = self.algorithm.iter().find(|a| a.name == name).and_then(|a| a.hue);
        hue.map_or(Ink::Floor, Ink::Hue)
    }

    /// The colour of a level: from none to the most noise along one ramp.
    pub(super) fn ramp(&self, level: f64) -> Ink {
        let at = self.levels.iter().position(|l| *l == level).unwrap_or(0);
        Ink::Ramp(at as u8, self.levels.len().saturating_sub(1) as u8)
    }

    /// What the paper has for a fact of an experiment's cells; nothing if it does not say.
    pub(super) fn printed(&self, part: &Part, fact: &str, algorithm: &str) -> Option<Vec<String>> {
        match self.data.get(&part.data).and_then(|data| data.paper.get(fact)).or(self.paper.get(fact))? {
            Value::Table(by_algorithm) => Some(vec![word(by_algorithm.get(algorithm)?)]),
            Value::Array(several) => Some(several.iter().map(word).collect()),
            one => Some(vec![word(one)]),
        }
    }
}

/// The text of a file.
fn text(name: &str) -> &'static str {
    FILES.iter().find(|(file, _)| *file == name).map_or("", |(_, text)| text)
}

/// A value as facts have it: a number without an empty fraction.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Float(number) => number.to_string(),
        other => other.to_string(),
    }
}

impl Part {
    /// The file's text.
    pub(super) fn text(&self) -> &'static str {
        text(&self.file)
    }

    /// What a dotted key of the file holds.
    pub(super) fn key(&self, key: &str) -> Option<String> {
        let file: toml::Table = self.text().parse().ok()?;
        let (table, key) = key.split_once('.').unwrap_or(("", key));
        let table = if table.is_empty() { &file } else { file.get(table)?.as_table()? };
        table.get(key).map(word)
    }

    /// The command that chose its steps.
    pub(super) fn tuning(&self) -> Option<String> {
        let tune = self.tune.as_ref()?;
        let by = tune.by.as_ref().map_or_else(String::new, |by| format!(" --by {by}"));
        let trials = tune.trials.map_or_else(String::new, |n| format!(" --trials {n}"));
        let steps: Vec<String> = tune.steps.iter().map(f64::to_string).collect();
        Some(format!("dpsda tune experiments/paper/{}.toml{by}{trials} --steps {}", self.file, steps.join(",")))
    }
}
