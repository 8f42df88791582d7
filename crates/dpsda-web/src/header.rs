//! The head of the page: one line on what was run, and warnings.

use dpsda::metric::{self, epsilon, level, rounds, trials};
use serde_json::Value;

use crate::{
    RunFolder,
    cells::{self, ListedRun, swept},
    names::{column_of, short},
    network, privacy,
    text::{count, escape, label, plural},
};

pub(crate) fn title(runs: &[RunFolder]) -> String {
    match runs {
        [run] => {
            run.manifest.get("title").map(label).filter(|t| !t.is_empty()).unwrap_or_else(|| run.name.clone())
        }
        [] => "No runs".into(),
        many => format!("Comparison of {} run folders", many.len()),
    }
}

/// How many warnings are shown at once. The others open on a click.
const WARNINGS: usize = 6;

/// Notices above everything else: interrupted runs, warnings about the whole run, and links to further warnings.
pub(crate) fn notices(runs: &[RunFolder]) -> String {
    let mut html = String::new();
    for run in runs {
        let whose = if runs.len() > 1 { format!("{}: ", escape(&run.name)) } else { String::new() };
        if run.manifest.get("interrupted").and_then(Value::as_bool) == Some(true) {
            html.push_str(&format!(
                "<p class=\"warning\">{whose}<strong>This run was interrupted.</strong> The page shows the trials that were \
                 finished, so means may be over fewer trials than were asked for.</p>"
            ));
        }
        let warnings = distinct(cells::list(&run.manifest, "warnings").iter().map(label));
        let lines = |some: &[String]| -> String {
            some.iter().map(|w| format!("<p class=\"warning\">{whose}{}</p>", escape(w))).collect()
        };
        // A single further warning is shown too.
        let fold = if warnings.len() > WARNINGS + 1 { WARNINGS } else { warnings.len() };
        let (first, rest) = warnings.split_at_checked(fold).unwrap_or((&warnings, &[]));
        html.push_str(&lines(first));
        if !rest.is_empty() {
            html.push_str(&format!(
                "<details class=\"warnings\"><summary>{}</summary>{}</details>",
                plural(rest.len() as u64, "more warning"),
                lines(rest)
            ));
        }
    }
    let places: Vec<String> = [("runs", "privacy", "Privacy"), ("networks", "network", "Network")]
        .iter()
        .map(|(key, id, name)| (privacy::warnings(runs, key), id, name))
        .filter(|(n, ..)| *n > 0)
        .map(|(n, id, name)| format!("{} under <a href=\"#{id}\">{name}</a>", plural(n as u64, "warning")))
        .collect();
    if !places.is_empty() {
        html.push_str(&format!("<p class=\"aside\">{}.</p>", places.join(", ")));
    }
    html
}

/// What was run, one line per folder.
pub(crate) fn lead(runs: &[RunFolder], all: &[ListedRun]) -> String {
    let line = |(folder, run): (usize, &RunFolder)| {
        let here: Vec<&ListedRun> = all.iter().filter(|c| c.folder == folder).collect();
        let name =
            if runs.len() > 1 { format!("<strong>{}</strong> ", escape(&run.name)) } else { String::new() };
        format!("<p class=\"lead\">{name}{}</p>", escape(&what_was_run(run, &here, &swept(all))))
    };
    runs.iter().enumerate().map(line).collect()
}

fn what_was_run(run: &RunFolder, here: &[&ListedRun], keys: &[&str]) -> String {
    let mut parts = Vec::new();
    let mut algorithms: Vec<&str> = Vec::new();
    for cell in here {
        if !algorithms.contains(&cell.algorithm.as_str()) {
            algorithms.push(&cell.algorithm);
        }
    }
    if !algorithms.is_empty() {
        parts.push(algorithms.join(", "));
    }
    let swept = swept(here.iter().copied());
    // Rounds, trials and seeds follow below.
    for key in swept.iter().filter(|key| !COUNTED.iter().any(|(k, _)| k == *key)) {
        parts.push(format!("{} {}", short(key, keys), swept_values(key, here).join(", ")));
    }
    for listing in [&level::LISTING, &epsilon::LISTING] {
        let (key, values) = (listing.name, in_summary(run, listing.name));
        let column = metric::all().get(listing).and_then(|metric| metric.column.as_ref());
        let name = column.map_or(key, |column| &column.heading);
        if !values.is_empty() && !swept.iter().any(|k| column_of(k) == Some(key)) {
            parts.push(format!("{name} {}", values.join(", ")));
        }
    }
    let mut nodes: Vec<u64> = network::list(run).iter().filter_map(|n| n.get("nodes")?.as_u64()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    if !nodes.is_empty() {
        let many = nodes.iter().map(|n| count(*n)).collect::<Vec<_>>().join(" or ");
        parts.push(format!("{many} node{}", if nodes == [1] { "" } else { "s" }));
    }
    for (key, word) in COUNTED.iter().filter(|(key, _)| *key != "seed") {
        let values = counted(run, key, here);
        if !values.is_empty() {
            let spaced = |v: &String| v.parse().map_or_else(|_| v.clone(), count);
            let many = values.iter().map(spaced).collect::<Vec<_>>().join(", ");
            parts.push(format!("{many} {word}{}", if values == ["1"] { "" } else { "s" }));
        }
    }
    parts.extend(cells::list(&run.manifest, "data").iter().map(data_line));
    parts.join(" · ")
}

/// Keys that every run has, and their words.
const COUNTED: [(&str, &str); 3] =
    [(rounds::LISTING.name, "round"), (trials::LISTING.name, "trial"), ("seed", "seed")];

/// The values of such a key in a folder: from the summary, else from the settings of runs, else from the manifest, which has
/// one value only.
fn counted(run: &RunFolder, key: &str, here: &[&ListedRun]) -> Vec<String> {
    let said = [in_summary(run, key), swept_values(key, here)].into_iter().find(|values| !values.is_empty());
    said.unwrap_or_else(|| run.manifest.get(key).filter(|v| v.is_u64()).map(label).into_iter().collect())
}

fn swept_values(key: &str, here: &[&ListedRun]) -> Vec<String> {
    distinct(here.iter().filter_map(|c| c.setting(key).map(String::from)))
}

fn in_summary(run: &RunFolder, key: &str) -> Vec<String> {
    let there = |v: &&Value| !v.is_null() && v.as_str() != Some("");
    distinct(run.summary.iter().filter_map(|row| row.get(key).filter(there).map(label)))
}

fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for value in values {
        if !out.contains(&value) {
            out.push(value);
        }
    }
    out
}

pub(crate) fn data_line(data: &Value) -> String {
    let name = data.get("name").map_or_else(|| "data".into(), label);
    let sizes: Vec<String> = ["samples", "features"]
        .iter()
        .filter_map(|key| Some(format!("{} {key}", count(data.get(key)?.as_u64()?))))
        .collect();
    if sizes.is_empty() { name } else { format!("{name} ({})", sizes.join(", ")) }
}

/// Version, seed and number of runs, in small print.
pub(crate) fn meta(runs: &[RunFolder], cells: &[ListedRun]) -> String {
    let versions = runs.iter().filter_map(|run| Some(format!("dpsda {}", label(run.manifest.get("dpsda")?))));
    let seeds = distinct(runs.iter().enumerate().flat_map(|(folder, run)| {
        let here: Vec<&ListedRun> = cells.iter().filter(|c| c.folder == folder).collect();
        counted(run, "seed", &here)
    }));
    let mut parts = distinct(versions);
    match seeds.as_slice() {
        [] => {}
        [one] => parts.push(format!("seed {one}")),
        many => parts.push(format!("seeds {}", many.join(", "))),
    }
    parts.push(plural(cells.len() as u64, "run"));
    escape(&parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cells::cells, synthetic};

    fn heads(run: RunFolder) -> (String, String) {
        let runs = [run];
        let cells = cells(&runs);
        (lead(&runs, &cells), meta(&runs, &cells))
    }

    #[test]
    fn a_sweep_of_rounds_trials_or_seeds_is_said_once_and_whole() {
        let (lead, _) = heads(synthetic::swept("rounds", [10, 20]));
        assert!(lead.contains("7 nodes · 10, 20 rounds · 5 trials"), "{lead}");
        assert_eq!(lead.matches("round").count(), 1, "{lead}");
        let (lead, _) = heads(synthetic::swept("trials", [1, 3]));
        assert!(lead.contains("60 rounds · 1, 3 trials") && lead.matches("trial").count() == 1, "{lead}");
        let (lead, meta) = heads(synthetic::swept("seed", [4, 9]));
        assert!(meta.contains(" · seeds 4, 9 · ") && !lead.contains("seed"), "{meta} / {lead}");
        let mut unsaid = synthetic::swept("rounds", [10, 20]);
        unsaid.manifest["rounds"] = Value::Null;
        assert!(heads(unsaid).0.contains("10, 20 rounds"));
    }

    #[test]
    fn a_level_that_is_not_swept_is_said_too_and_a_swept_one_not_twice() {
        let mut run = synthetic::graphs();
        assert!(!heads(run.clone()).0.contains("level"));
        run.summary.iter_mut().for_each(|row| row["level"] = 0.5.into());
        let (lead, _) = heads(run);
        assert!(lead.contains(" · level 0.5 · 7 nodes"), "{lead}");
        assert_eq!(heads(synthetic::dense()).0.matches("level").count(), 1);
    }

    #[test]
    fn the_warnings_of_a_run_stand_at_its_head_and_many_of_them_fold() {
        let mut run = synthetic::dense();
        run.manifest["warnings"] = serde_json::json!(["run 3: the cost became <infinite>", "twice", "twice"]);
        let html = notices(std::slice::from_ref(&run));
        assert!(html.contains("<p class=\"warning\">run 3: the cost became &lt;infinite&gt;</p>"));
        assert_eq!((html.matches("twice").count(), html.matches("<details").count()), (1, 0));
        let many: Vec<String> = (0..20).map(|i| format!("warning number {i}")).collect();
        run.manifest["warnings"] = many.into();
        let html = notices(&[run.clone(), run]);
        assert_eq!(html.matches("<summary>14 more warnings</summary>").count(), 2);
        assert_eq!(html.matches("<p class=\"warning\">dense: warning number").count(), 40);
    }
}
