//! The whole page: the template, filled with the facts of the runs, the script and its data.

use crate::{
    RunFolder, against,
    cells::cells,
    config::configuration,
    data::data,
    header::{lead, meta, notices, title},
    network, privacy,
    shell::{Page, shell},
    table::table,
    text::{escape, fill},
};

const TEMPLATE: &str = include_str!("../assets/report.html");
/// In order of use; each file is one idea.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../assets/js/errors.js"),
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

pub(crate) fn page(runs: &[RunFolder]) -> String {
    let cells = cells(runs);
    let networks = network::section(runs, &cells);
    let privacy = privacy::section(runs, &cells);
    let against = against::section(runs, &cells);
    let or = |html: &str, text: &str| {
        if html.is_empty() { format!("<p class=\"empty\">{text}</p>") } else { html.into() }
    };
    let main = fill(TEMPLATE, |name| match name {
        "before" if against.first => against.html.clone(),
        "after" if !against.first => against.html.clone(),
        "table" => table(runs, &cells),
        "networks" => or(&networks, "No run here uses a network."),
        "privacy" => or(&privacy, "The manifest holds no privacy statement."),
        "config" => runs.iter().map(|r| configuration(r, runs.len() > 1)).collect(),
        _ => String::new(),
    });
    shell(&Page {
        title: &title(runs),
        meta: meta(runs, &cells),
        lead: lead(runs, &cells),
        notices: notices(runs),
        nav: links(&against),
        main,
        style: "",
        data: format!("<script type=\"application/json\" id=\"data\">{}</script>\n", data(runs, &cells)),
        script: SCRIPT,
    })
}

/// The sections in their order.
fn links(against: &against::Section) -> String {
    let link = |(id, name): (&str, &str)| format!("<a href=\"#{id}\">{name}</a>");
    let title = escape(&against.title);
    let mut all = vec![
        ("curves", "Curves"),
        ("table", "Table"),
        ("network", "Network"),
        ("privacy", "Privacy"),
        ("configuration", "Configuration"),
    ];
    if !against.html.is_empty() {
        all.insert(usize::from(!against.first), ("against", &title));
    }
    all.into_iter().map(link).collect()
}
