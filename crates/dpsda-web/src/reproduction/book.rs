//! The book of a paper: what is run, what the paper prints, and what stands on the page. `docs/reproduction.md` describes
//! every table.

use std::collections::BTreeMap;

use dpsda::Error;
use serde::Deserialize;
use toml::Value;

use super::RunFacts;
use crate::text::fill;

type Named<T> = BTreeMap<String, T>;

/// One struct per table of a book. Keys after a semicolon may be left out; a key that is not here is an error.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(; $($more:ident: $other:ty),*)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $(#[doc = concat!("The key `", stringify!($field), "`.")] pub $field: $type,)*
            $($(#[doc = concat!("The key `", stringify!($more), "`.")] #[serde(default)] pub $more: $other,)*)?
        }
    )*};
}
tables! {
    /// The whole book.
    PaperBook {
        title: String, lead: Vec<String>, bands: String, levels: Vec<f64>, columns: Vec<String>, effort: Efforts, decide: DecideRule,
        algorithm: Vec<BookAlgorithm>, measure: Named<BookMeasure>, column: Named<BookColumn>, panels: Named<Vec<BookPanel>>, claim: Named<String>,
        paper: Named<Value>, data: Named<BookData>, departure: Vec<Departure>, experiment: Vec<BookExperiment>, section: Vec<BookSection>, note: Vec<Note>
    }
    /// How much is run, in full and for a quick look.
    Efforts { full: Effort, quick: Effort }
    /// Pairs of runs with the same noise, runs per world with noise of their own, and trials.
    Effort { pairs: u32, runs: u32; trials: Option<u32> }
    /// What statements are decided by.
    DecideRule { trials: usize, runs: usize, confidence: f64, rule: String }
    /// An algorithm, and its colour on the page.
    BookAlgorithm { name: String; hue: Option<usize> }
    /// A column by which algorithms are compared.
    BookMeasure { name: String, places: usize; lower: bool, percent: bool }
    /// A column of a table.
    BookColumn { label: String; group: String, printed: String, value: String, places: usize, percent: bool, bare: bool }
    /// One panel of a figure: every algorithm at every level.
    BookPanel { title: String, who: Vec<String>; levels: Vec<f64> }
    /// What experiments are about, and where the paper's settings differ for it.
    BookData { name: String, paper: Named<Value> }
    /// A departure from the paper: the fact, its conditions, and the reason.
    Departure { of: String, short: String, why: String; only: Named<Vec<String>>, term: Option<String> }
    /// One experiment.
    BookExperiment {
        file: String, data: String, setting: String;
        ours: Option<String>, sums: bool, beside: Option<String>, event: Option<u64>, tune: Option<Tune>
    }
    /// How steps were chosen.
    Tune { steps: Vec<f64>; rules: Option<u32>, by: Option<String>, trials: Option<u32> }
    /// A section of the page.
    BookSection { title: String, targets: Vec<BookTarget>, block: Vec<BookBlock>, statement: Vec<Claim>; printed: Named<Named<Vec<f64>>> }
    /// A word that asks for a section, and the experiments it takes.
    BookTarget { name: String, title: String, takes: Vec<String> }
    /// A text, a table or a figure about some experiments; about all of the section if none is named.
    BookBlock { ; files: Vec<String>, text: Option<String>, table: Option<BookTable>, figure: Option<BookFigure> }
    /// A table.
    BookTable { caption: String, columns: Vec<String> }
    /// A figure, drawn for each experiment.
    BookFigure { title: String, caption: String, column: String, across: String, up: String, panels: String; log: Vec<String>, mark: Option<String> }
    /// A statement: checks of some experiments by some measures.
    Claim {
        files: Vec<String>, check: Vec<String>, by: Vec<String>; who: Vec<String>, than: Vec<String>, levels: Vec<f64>,
        goal: f64, limit: Option<String>, claim: Option<String>, shown: String, note: Option<String>
    }
    /// A term and what is said of it.
    Note { term: String, text: String }
}

impl PaperBook {
    /// Reads a book. An error names the key that is not known, and the nearest one that is.
    pub fn read(text: &str) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| {
            let message = error.message();
            let quoted: Vec<String> = message.split('`').skip(1).step_by(2).map(String::from).collect();
            match quoted.split_first() {
                Some((key, known)) if message.starts_with("unknown field") => {
                    Error::UnknownKey { key: key.clone(), known: known.to_vec() }
                }
                _ => Error::Syntax(error.to_string()),
            }
        })
    }

    /// The targets that these words name, in the order of the book; no word is all of them.
    pub fn targets(&self, words: &[String]) -> Result<Vec<&BookTarget>, Error> {
        let all = || self.section.iter().flat_map(|section| &section.targets);
        let known: Vec<String> = all().map(|t| t.name.clone()).chain(["all".to_owned()]).collect();
        if let Some(found) = words.iter().find(|word| !known.contains(word)) {
            return Err(Error::UnknownName { key: "target".into(), found: found.clone(), known });
        }
        let every = words.is_empty() || words.iter().any(|word| word == "all");
        Ok(all().filter(|target| every || words.contains(&target.name)).collect())
    }

    /// The experiments that targets take, each once, in the order in which they run.
    pub fn parts(&self, targets: &[&BookTarget]) -> Vec<&BookExperiment> {
        self.experiment.iter().filter(|part| targets.iter().any(|t| t.takes.contains(&part.file))).collect()
    }

    /// Where a run with these facts departs from the paper, in the order of the book. Each departure has three texts: a short
    /// one, the same without its numbers, and the reason.
    pub(super) fn departures(&self, part: &BookExperiment, facts: &RunFacts) -> Vec<[String; 3]> {
        let one = |row: &Departure| {
            let (ours, paper) = (facts.get(&*row.of)?, self.printed(part, &row.of, facts)?);
            let fits = |(fact, words): (&String, &Vec<String>)| {
                facts.get(&**fact).is_some_and(|ours| words.contains(ours))
            };
            if paper.contains(ours) || !row.only.iter().all(fits) {
                return None;
            }
            let word = |name: &str| match name {
                "paper" => paper.join(" or "),
                _ => facts.get(name).map_or_else(|| format!("{{{{{name}}}}}"), String::clone),
            };
            let texts = [&row.short, row.term.as_ref().unwrap_or(&row.short), &row.why];
            Some(texts.map(|text| fill(text, word)))
        };
        self.departure.iter().filter_map(one).collect()
    }

    /// What the paper has for a fact; nothing if it does not say.
    fn printed(&self, part: &BookExperiment, fact: &str, facts: &RunFacts) -> Option<Vec<String>> {
        match self.data.get(&part.data).and_then(|data| data.paper.get(fact)).or(self.paper.get(fact))? {
            Value::Table(by_algorithm) => Some(vec![plain(by_algorithm.get(facts.get("algorithm")?)?)]),
            Value::Array(several) => Some(several.iter().map(plain).collect()),
            one => Some(vec![plain(one)]),
        }
    }
}

/// A value as a reader knows it: a text without quotes, a number without an empty fraction.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Float(number) => number.to_string(),
        other => other.to_string(),
    }
}

impl BookExperiment {
    /// The command that chose its steps.
    pub(super) fn tuning(&self) -> Option<String> {
        let tune = self.tune.as_ref()?;
        let steps: Vec<String> = tune.steps.iter().map(f64::to_string).collect();
        let mut words = vec![format!("dpsda tune experiments/paper/{}.toml", self.file)];
        words.extend(tune.rules.iter().map(|rules| format!("-s rules={rules}")));
        words.extend(tune.by.iter().map(|by| format!("--by {by}")));
        words.extend(tune.trials.iter().map(|trials| format!("--trials {trials}")));
        words.push(format!("--steps {}", steps.join(",")));
        Some(words.join(" "))
    }
}
