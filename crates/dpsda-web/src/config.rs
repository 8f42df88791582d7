//! The end of the page: the configuration that was run, and the facts of the manifest.

use dpsda::metric::algorithm;
use serde_json::Value;

use crate::{
    RunFolder, cells,
    header::data_line,
    html,
    text::{escape, label},
};

/// Configuration, data and manifest facts of one folder. Folded where there are several folders.
pub(crate) fn configuration(run: &RunFolder, several: bool) -> String {
    let mut html = String::new();
    if let Some(config) = run.manifest.get("config").and_then(Value::as_str) {
        html.push_str(&html::configuration(config));
    }
    let mut facts: Vec<(String, String)> = Vec::new();
    for data in cells::list(&run.manifest, "data") {
        let sha = data.get("sha256").map(|h| format!("<br><code>sha256 {}</code>", escape(&label(h))));
        let columns: String = cells::list(data, "columns").iter().map(columns).collect();
        facts.push(("data".into(), escape(&data_line(data)) + &columns + &sha.unwrap_or_default()));
    }
    if let Some(manifest) = run.manifest.as_object() {
        let plain = |v: &Value| !v.is_array() && !v.is_object() && !v.is_null();
        let told = ["config", "title"];
        let more = manifest.iter().filter(|(k, v)| plain(v) && !told.contains(&k.as_str()));
        facts.extend(more.map(|(k, v)| (escape(k), escape(&label(v)))));
        if !manifest.contains_key("rules") {
            facts.push(("rules".into(), "1".into())); // a folder that states none means rules 1, for ever
        }
    }
    let mut abouts: Vec<(String, String)> = Vec::new();
    for entry in cells::list(&run.manifest, "runs") {
        if let (Some(name), Some(about)) = (entry.get(algorithm::LISTING.name), entry.get("about")) {
            let pair = html::pair(&label(name), &label(about));
            if !abouts.contains(&pair) {
                abouts.push(pair);
            }
        }
    }
    html.push_str(&html::definitions("<h3>Algorithms</h3>", "facts", &abouts));
    html.push_str(&html::definitions("<h3>Manifest</h3>", "facts", &facts));
    let name = escape(&run.name);
    match several {
        true => html::folded("folder", &format!("<h3>{name}</h3>"), &html),
        false => html,
    }
}

/// The columns of a table that have one role.
fn columns(used: &Value) -> String {
    let names: Vec<String> = cells::list(used, "names").iter().map(label).collect();
    let role = used.get("role").map_or_else(String::new, label);
    format!("<br>{}: {}", escape(&role), escape(&names.join(", ")))
}
