//! The runs of a sweep (its cells): each is one line of every chart and one row of the table.

use dpsda::metric::{algorithm, run};
use serde_json::Value;

use crate::{RunFolder, names::short, text::label};

/// One run of one folder, with the settings that tell it apart.
#[derive(Clone, Debug)]
pub(crate) struct ListedRun {
    /// Index of the folder among those passed.
    pub(crate) folder: usize,
    pub(crate) run: i64,
    pub(crate) algorithm: String,
    /// Swept keys and their labels, without the algorithm's name. A key that does not matter to the run is left out: the run
    /// is the same at every value of that key.
    pub(crate) settings: Vec<(String, String)>,
    /// It runs on no network: the centralised floor.
    pub(crate) central: bool,
}

/// Every run that the manifest, the summary or the series of a folder mentions.
pub(crate) fn cells(runs: &[RunFolder]) -> Vec<ListedRun> {
    runs.iter().enumerate().flat_map(|(folder, run)| of_folder(folder, run)).collect()
}

fn of_folder(folder: usize, run: &RunFolder) -> Vec<ListedRun> {
    let listed = list(&run.manifest, "runs").iter().enumerate();
    let mut cells: Vec<ListedRun> = listed
        .map(|(i, entry)| ListedRun {
            folder,
            run: entry.get("run").and_then(Value::as_i64).unwrap_or(i as i64),
            algorithm: entry.get(algorithm::LISTING.name).map_or_else(|| format!("run {i}"), label),
            settings: settings(entry),
            central: entry.get("network").is_some_and(Value::is_null),
        })
        .collect();
    let run_at = run.series.column(run::LISTING.name);
    let in_series =
        run.series.rows.iter().filter_map(|row| Some((row.get(run_at?).copied().flatten()? as i64, None)));
    let in_summary = run
        .summary
        .iter()
        .filter_map(|row| Some((row.get(run::LISTING.name)?.as_i64()?, row.get(algorithm::LISTING.name))));
    for (id, algorithm) in in_summary.chain(in_series) {
        // Rows of one run follow each other, so this search is almost always short.
        if cells.iter().rev().all(|c| c.run != id) {
            let algorithm = algorithm.map_or_else(|| format!("run {id}"), label);
            cells.push(ListedRun { folder, run: id, algorithm, settings: vec![], central: false });
        }
    }
    cells
}

fn settings(entry: &Value) -> Vec<(String, String)> {
    let Some(map) = entry.get("settings").and_then(Value::as_object) else { return Vec::new() };
    let matters = |(key, v): &(&String, &Value)| *key != "algorithm.name" && !v.is_null();
    map.iter().filter(matters).map(|(key, v)| (key.clone(), label(v))).collect()
}

/// The array under a key, or nothing.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl ListedRun {
    /// The label of a swept key, if it matters to the run.
    pub(crate) fn setting(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }
}

/// The swept keys of some runs, in order of appearance.
pub(crate) fn swept<'a>(cells: impl IntoIterator<Item = &'a ListedRun>) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in cells.into_iter().flat_map(|c| &c.settings) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    keys
}

/// Some of a folder's runs in few words: `dpsda-c, dpsda-ps at level 1, 0.5; dpcda`.
pub(crate) fn describe(some: &[&ListedRun], all: &[&ListedRun]) -> String {
    let mut by_algorithm: Vec<(String, Vec<String>)> = Vec::new();
    let keys = swept(all.iter().copied());
    for cell in some {
        let setting = setting(cell, &keys);
        match by_algorithm.iter_mut().find(|(name, _)| *name == cell.algorithm) {
            Some((_, settings)) => settings.push(setting),
            None => by_algorithm.push((cell.algorithm.clone(), vec![setting])),
        }
    }
    // An algorithm with all its runs needs no settings. Algorithms with equal settings share them.
    let mut said: Vec<(Vec<String>, String)> = Vec::new();
    for (name, settings) in by_algorithm {
        let whole = settings.len() == all.iter().filter(|c| c.algorithm == name).count();
        let settings = if whole { String::new() } else { settings.join(", ") };
        match said.iter_mut().find(|(_, s)| *s == settings) {
            Some((names, _)) => names.push(name),
            None => said.push((vec![name], settings)),
        }
    }
    let parts = said.into_iter().map(|(names, settings)| match settings.as_str() {
        "" => names.join(", "),
        settings => format!("{} at {settings}", names.join(", ")),
    });
    parts.collect::<Vec<_>>().join("; ")
}

fn setting(cell: &ListedRun, keys: &[&str]) -> String {
    cell.settings.iter().map(|(key, v)| format!("{} {v}", short(key, keys))).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Series, synthetic};

    #[test]
    fn some_cells_are_named_by_what_sets_them_apart() {
        let cells = cells(&[synthetic::dense()]);
        let all: Vec<&ListedRun> = cells.iter().collect();
        let noisy: Vec<&ListedRun> =
            cells.iter().filter(|c| c.settings[0].1 == "0.5" && c.algorithm != "dpcda").collect();
        assert_eq!(describe(&noisy, &all), "dpsda-c, dpsda-ps, dpsda-r at level 0.5");
        assert_eq!(describe(&all, &all), "dpsda-c, dpsda-ps, dpsda-r, dpcda");
    }

    #[test]
    fn a_run_missing_from_the_manifest_is_still_a_cell() {
        let series = Series {
            columns: ["run", "trial", "t"].map(String::from).to_vec(),
            rows: vec![vec![Some(3.0); 3]; 2],
        };
        let summary = vec![serde_json::json!({"run": 1, "algorithm": "dpsda-r"})];
        let cells = cells(&[RunFolder { summary, series, ..RunFolder::default() }]);
        let names: Vec<_> = cells.iter().map(|c| (c.run, c.algorithm.as_str())).collect();
        assert_eq!(names, [(1, "dpsda-r"), (3, "run 3")]);
    }
}
