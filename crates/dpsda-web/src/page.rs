//! The page as a whole: facts about the runs, set into the template with style, script and data.

use sha2::{Digest, Sha256};

use crate::{
    Run, against,
    cells::cells,
    config::configuration,
    data::data,
    header::{lead, meta, notices, title},
    network, privacy,
    table::table,
    text::escape,
};

const TEMPLATE: &str = include_str!("../assets/report.html");
pub(crate) const STYLE: &str = concat!(
    include_str!("../assets/style.css"),
    include_str!("../assets/charts.css"),
    include_str!("../assets/print.css"),
);
/// In order of use; each file is one idea.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../assets/js/start.js"),
    include_str!("../assets/js/scale.js"),
    include_str!("../assets/js/keys.js"),
    include_str!("../assets/js/panel.js"),
    include_str!("../assets/js/hover.js"),
    include_str!("../assets/js/figure.js"),
    include_str!("../assets/js/controls.js"),
    include_str!("../assets/js/cue.js"),
    include_str!("../assets/js/table.js"),
    include_str!("../assets/js/network.js"),
    include_str!("../assets/js/theme.js"),
    include_str!("../assets/js/page.js"),
    "})();\n",
);

pub(crate) fn page(runs: &[Run]) -> String {
    let cells = cells(runs);
    let networks = network::section(runs, &cells);
    let privacy = privacy::section(runs, &cells);
    let against = against::section(runs, &cells);
    let swept = "<a href=\"#against\">Regret against what was swept</a>";
    let curves = "<a href=\"#curves\">Curves</a>";
    let or = |html: String, text: &str| {
        if html.is_empty() { format!("<p class=\"empty\">{text}</p>") } else { html }
    };
    fill(TEMPLATE, |name| match name {
        "title" => escape(&title(runs)),
        "policy" => hash(SCRIPT),
        "style" => STYLE.into(),
        "notices" => notices(runs),
        "lead" => lead(runs, &cells),
        "meta" => meta(runs, &cells),
        "links" if against.html.is_empty() => curves.into(),
        "links" if against.first => format!("{swept}{curves}"),
        "links" => format!("{curves}{swept}"),
        "before" if against.first => against.html.clone(),
        "after" if !against.first => against.html.clone(),
        "table" => table(runs, &cells),
        "networks" => or(networks.clone(), "No run here uses a network."),
        "privacy" => or(privacy.clone(), "The manifest holds no privacy statement."),
        "config" => runs.iter().map(|r| configuration(r, runs.len() > 1)).collect(),
        "data" => data(runs, &cells),
        "script" => SCRIPT.into(),
        _ => String::new(),
    })
}

/// `{{name}}` by its text, in one pass: what is filled in is never looked at again.
pub(crate) fn fill(template: &str, text: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        out.push_str(before);
        out.push_str(&text(name));
        rest = after;
    }
    out + rest
}

/// The only script that the page's policy lets run, by its SHA-256 in base64.
pub(crate) fn hash(script: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::from("sha256-");
    for part in Sha256::digest(script.as_bytes()).chunks(3) {
        let byte = |i: usize| u32::from(part.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * i) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if i > part.len() { '=' } else { char::from(digit) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_never_filled_again() {
        let out = fill("a {{x}} b {{y}} {{", |name| if name == "x" { "{{y}}".into() } else { "Y".into() });
        assert_eq!(out, "a {{y}} b Y {{");
    }

    #[test]
    fn the_policy_names_the_script_by_its_known_digest() {
        assert_eq!(hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }
}
