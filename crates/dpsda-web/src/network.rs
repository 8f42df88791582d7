//! The networks: their certificates as text, and their links for the script to draw.

use serde_json::{Value, json};

use crate::{
    RunFolder,
    cells::{self, ListedRun, describe},
    html,
    text::{count, escape, label},
};

/// With more networks than this, all but the first start folded.
const OPEN: usize = 3;

pub(crate) fn list(run: &RunFolder) -> &[Value] {
    cells::list(&run.manifest, "networks")
}

/// Links by round for the script. Equal rounds are stored once.
pub(crate) fn links(network: &Value) -> Value {
    let all = cells::list(network, "rounds");
    let period = network.get("period").and_then(Value::as_u64).filter(|&p| p > 0).map(|p| p as usize);
    let shown = all.get(..period.unwrap_or(all.len()).min(all.len())).unwrap_or(all);
    let mut distinct: Vec<&Value> = Vec::new();
    let order: Vec<usize> = shown
        .iter()
        .map(|round| {
            distinct.iter().position(|d| *d == round).unwrap_or_else(|| {
                distinct.push(round);
                distinct.len() - 1
            })
        })
        .collect();
    json!({
        "nodes": network.get("nodes").and_then(Value::as_u64).unwrap_or(0),
        "directed": network.get("directed").and_then(Value::as_bool).unwrap_or(false),
        "links": distinct,
        "rounds": order,
        "period": period,
    })
}

/// One block per network of every folder: a place for the picture, and the certificate.
pub(crate) fn section(runs: &[RunFolder], all: &[ListedRun]) -> String {
    let total: usize = runs.iter().map(|r| list(r).len()).sum();
    let mut html = String::new();
    let mut number = 0;
    for (folder, run) in runs.iter().enumerate() {
        for (index, network) in list(run).iter().enumerate() {
            let name = network.get("name").map_or_else(|| format!("network {index}"), label);
            let open = if total <= OPEN || number == 0 { " open" } else { "" };
            let whose =
                if runs.len() > 1 { format!("<small>{}</small> ", escape(&run.name)) } else { String::new() };
            html.push_str(&format!(
                "<details class=\"network\"{open}><summary><h3>{whose}{}</h3></summary><div class=\"pair\">\
                 <div class=\"graph\" data-network=\"{number}\"></div><div>{}{}{}</div></div></details>\n",
                escape(&name),
                facts(network, &used_by(run, folder, index, all)),
                certificate(network),
                warnings(network),
            ));
            number += 1;
        }
    }
    html
}

fn facts(network: &Value, used: &str) -> String {
    let mut parts = Vec::new();
    if let Some(n) = network.get("nodes").and_then(Value::as_u64) {
        parts.push(format!("{} nodes", count(n)));
    }
    if let Some(directed) = network.get("directed").and_then(Value::as_bool) {
        parts.push(if directed { "directed links" } else { "undirected links" }.into());
    }
    if let Some(period) = network.get("period").and_then(Value::as_u64) {
        parts.push(if period == 1 {
            "the same in every round".into()
        } else {
            format!("repeats every {period} rounds")
        });
    }
    if !used.is_empty() {
        parts.push(format!("used by {}", escape(used)));
    }
    format!("<p class=\"facts\">{}</p>", parts.join(" · "))
}

fn used_by(run: &RunFolder, folder: usize, network: usize, all: &[ListedRun]) -> String {
    let here: Vec<&ListedRun> = all.iter().filter(|c| c.folder == folder).collect();
    let uses = |cell: &&&ListedRun| {
        cells::list(&run.manifest, "runs").iter().enumerate().any(|(i, entry)| {
            entry.get("run").and_then(Value::as_i64).unwrap_or(i as i64) == cell.run
                && entry.get("network").and_then(Value::as_u64) == Some(network as u64)
        })
    };
    describe(&here.iter().filter(uses).copied().collect::<Vec<_>>(), &here)
}

/// Label and text as a definition list.
fn certificate(network: &Value) -> String {
    let pair = |pair: &Value| Some(html::pair(&label(pair.get(0)?), &label(pair.get(1)?)));
    let pairs: Vec<_> = cells::list(network, "certificate").iter().filter_map(pair).collect();
    html::definitions("<h4>Certificate</h4>", "certificate", &pairs)
}

/// Each warning as a paragraph of its own.
pub(crate) fn warnings(of: &Value) -> String {
    cells::list(of, "warnings").iter().map(|warning| html::paragraph("warning", &label(warning))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_periodic_network_is_sent_for_one_period_and_equal_rounds_once() {
        let (a, b) = (json!([[0, 1]]), json!([[1, 2]]));
        let links = links(&json!({"nodes": 3, "rounds": [a, b, a, b, a, b], "period": 4}));
        assert_eq!(links["rounds"], json!([0, 1, 0, 1]));
        assert_eq!(links["links"], json!([a, b]));
        assert_eq!(super::links(&Value::Null)["rounds"], json!([]));
    }

    #[test]
    fn a_certificate_is_a_definition_list_with_escaped_text() {
        let html = certificate(&json!({"certificate": [["phi", "<0.2>"], "not a pair"]}));
        assert_eq!(
            html,
            "<h4>Certificate</h4><dl class=\"certificate\"><div><dt>phi</dt><dd>&lt;0.2&gt;</dd></div></dl>\n"
        );
    }
}
