//! The head of the page: what was run, in one line, and what a reader must know first.

use serde_json::Value;

use crate::{
    Run,
    cells::{self, Cell, short},
    network, privacy,
    text::{count, escape, label, plural},
};

pub(crate) fn title(runs: &[Run]) -> String {
    match runs {
        [run] => {
            run.manifest.get("title").map(label).filter(|t| !t.is_empty()).unwrap_or_else(|| run.name.clone())
        }
        [] => "No runs".into(),
        many => format!("Comparison of {} run folders", many.len()),
    }
}

/// What stands above everything else: runs that were cut short, and where the warnings are.
pub(crate) fn notices(runs: &[Run]) -> String {
    let mut html = String::new();
    for run in runs {
        if run.manifest.get("interrupted").and_then(Value::as_bool) == Some(true) {
            let whose = if runs.len() > 1 { format!("{}: ", escape(&run.name)) } else { String::new() };
            html.push_str(&format!(
                "<p class=\"warning\">{whose}<strong>This run was interrupted.</strong> Only what was finished before \
                 is shown, and means may rest on fewer trials than were asked for.</p>"
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

/// One line per folder of what was run.
pub(crate) fn lead(runs: &[Run], all: &[Cell]) -> String {
    let line = |(folder, run): (usize, &Run)| {
        let here: Vec<&Cell> = all.iter().filter(|c| c.folder == folder).collect();
        let name =
            if runs.len() > 1 { format!("<strong>{}</strong> ", escape(&run.name)) } else { String::new() };
        format!("<p class=\"lead\">{name}{}</p>", escape(&what_was_run(run, &here)))
    };
    runs.iter().enumerate().map(line).collect()
}

fn what_was_run(run: &Run, here: &[&Cell]) -> String {
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
    let mut swept: Vec<(&str, Vec<&str>)> = Vec::new();
    for (key, value) in here.iter().flat_map(|c| &c.settings) {
        match swept.iter_mut().find(|(k, _)| k == key) {
            Some((_, values)) if !values.contains(&value.as_str()) => values.push(value),
            Some(_) => {}
            None => swept.push((key, vec![value])),
        }
    }
    parts.extend(swept.iter().map(|(key, values)| format!("{} {}", short(key), values.join(", "))));
    let mut nodes: Vec<u64> = network::list(run).iter().filter_map(|n| n.get("nodes")?.as_u64()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    if !nodes.is_empty() {
        let many = nodes.iter().map(|n| count(*n)).collect::<Vec<_>>().join(" or ");
        parts.push(format!("{many} node{}", if nodes == [1] { "" } else { "s" }));
    }
    for (key, word) in [("rounds", "round"), ("trials", "trial")] {
        parts.extend(run.manifest.get(key).and_then(Value::as_u64).map(|n| plural(n, word)));
    }
    parts.extend(cells::list(&run.manifest, "data").iter().map(data_line));
    parts.join(" · ")
}

pub(crate) fn data_line(data: &Value) -> String {
    let name = data.get("name").map_or_else(|| "data".into(), label);
    let sizes: Vec<String> = ["samples", "features"]
        .iter()
        .filter_map(|key| Some(format!("{} {key}", count(data.get(key)?.as_u64()?))))
        .collect();
    if sizes.is_empty() { name } else { format!("{name} ({})", sizes.join(", ")) }
}

/// Version and seed, small.
pub(crate) fn meta(runs: &[Run], cells: &[Cell]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for run in runs {
        let version = run.manifest.get("dpsda").map(|v| format!("dpsda {}", label(v)));
        let seed = run.manifest.get("seed").map(|v| format!("seed {}", label(v)));
        for part in version.into_iter().chain(seed) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
    }
    parts.push(plural(cells.len() as u64, "run"));
    escape(&parts.join(" · "))
}
