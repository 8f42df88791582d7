//! The summary as a table: the columns that matter first, the best of each group marked.

mod cell;
mod columns;

use cell::{exact, raw, real, shown, words};
use columns::{TableColumn, columns};
use dpsda::metric::{Better, claim, level, run};
use serde_json::Value;

use crate::{
    RunFolder,
    cells::{ListedRun, swept},
    html,
    names::FOLDER,
    text::{escape, label, number},
};

/// A row of `summary.csv`, with the folder and the run it came from.
struct TableRow<'a> {
    folder: &'a str,
    /// Index of the folder.
    number: usize,
    /// Some swept key does not matter to it, so it fits no single group: it stands after the groups of its folder.
    apart: bool,
    cell: Option<usize>,
    /// The centralised floor does not compete.
    central: bool,
    values: &'a Value,
    /// Rows that may be compared with each other: same folder, same settings, any algorithm.
    group: usize,
}

/// The table and the legend of its columns; a sentence if no run was finished.
pub(crate) fn table(runs: &[RunFolder], cells: &[ListedRun]) -> String {
    let rows = rows(runs, cells);
    if rows.is_empty() {
        return "<p class=\"empty\">No run was finished, so there is no summary.</p>".into();
    }
    let columns = columns(&rows, runs.len() > 1, &swept(cells));
    let head: String = columns.iter().map(head).collect();
    let mut body = String::new();
    let mut last = None;
    for row in &rows {
        let class = if last.is_some_and(|g| g != row.group) { " class=\"first\"" } else { "" };
        last = Some(row.group);
        let cell = row.cell.map_or(String::new(), |i| format!(" data-cell=\"{i}\""));
        let tds: String = columns.iter().map(|c| td(c, row, &rows)).collect();
        body.push_str(&format!("<tr{class}{cell}>{tds}</tr>\n"));
    }
    let table =
        format!("<table id=\"summary\"><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>");
    html::scrolling("Summary table", &table) + &legend(&columns)
}

fn rows<'a>(runs: &'a [RunFolder], cells: &[ListedRun]) -> Vec<TableRow<'a>> {
    let mut groups: Vec<String> = Vec::new();
    let mut rows: Vec<TableRow<'a>> = Vec::new();
    for (folder, run) in runs.iter().enumerate() {
        let keys = swept(cells.iter().filter(|c| c.folder == folder));
        for values in &run.summary {
            let id = values.get(run::LISTING.name).and_then(Value::as_i64);
            let cell = cells.iter().position(|c| c.folder == folder && Some(c.run) == id);
            let about = cell.and_then(|i| cells.get(i));
            let settings = about.map(|c| format!("{:?}", c.settings)).unwrap_or_default();
            let level = values.get(level::LISTING.name).map(label).unwrap_or_default();
            let name = format!("{folder} {level} {settings}");
            let group = groups.iter().position(|g| *g == name).unwrap_or_else(|| {
                groups.push(name);
                groups.len() - 1
            });
            let apart = about.is_some_and(|c| keys.iter().any(|key| c.setting(key).is_none()));
            rows.push(TableRow {
                number: folder,
                apart,
                folder: &run.name,
                cell,
                central: about.is_some_and(|c| c.central),
                values,
                group,
            });
        }
    }
    rows.sort_by_key(|r| (r.number, r.apart, r.group));
    rows
}

fn head(c: &TableColumn) -> String {
    let class = if c.main { "" } else { " class=\"more\"" };
    let (key, name, note) = (escape(&c.key), escape(&c.name), escape(&c.note));
    format!(
        "<th scope=\"col\"{class} data-key=\"{key}\" data-name=\"{name}\" title=\"{note}\">{}</th>",
        escape(&c.label)
    )
}

fn td(c: &TableColumn, row: &TableRow<'_>, rows: &[TableRow<'_>]) -> String {
    let value = row.values.get(&c.key).unwrap_or(&Value::Null);
    let (raw, text) = match c.key.as_str() {
        FOLDER => (row.folder.to_string(), row.folder.to_string()),
        _ => (raw(value), shown(c.metric, value, row.values)),
    };
    let numeric = row.values.get(&c.key).is_some_and(|v| real(v).is_some());
    let class =
        [(!c.main, "more"), (numeric, "n"), (c.is(&claim::LISTING), "words"), (best(c, row, rows), "best")];
    let class = class.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect::<Vec<_>>().join(" ");
    let class = if class.is_empty() { class } else { format!(" class=\"{class}\"") };
    let hover = exact(c.metric, value).map_or_else(String::new, |v| format!(" title=\"{}\"", escape(&v)));
    let text = if c.is(&claim::LISTING) { words(&text) } else { escape(&text) };
    format!("<td{class} data-v=\"{}\"{hover}>{text}</td>", escape(&raw))
}

/// Best in its group, as far as the digits shown can tell; a group of one has no best.
fn best(c: &TableColumn, row: &TableRow<'_>, rows: &[TableRow<'_>]) -> bool {
    let sign = match c.metric.map(|metric| metric.better) {
        Some(Better::Lower) => 1.0,
        Some(Better::Higher) => -1.0,
        Some(Better::Neither) | None => return false,
    };
    let value = |r: &TableRow<'_>| r.values.get(&c.key).and_then(real).map(|v| v * sign);
    let rivals: Vec<&TableRow<'_>> =
        rows.iter().filter(|r| r.group == row.group && !r.central && value(r).is_some()).collect();
    let Some(least) = rivals.iter().filter_map(|r| value(r)).min_by(f64::total_cmp) else { return false };
    let near = |v: f64| number(v, 4) == number(least, 4);
    let ties = rivals.iter().filter(|r| value(r).is_some_and(near)).count();
    !row.central && ties < rivals.len() && value(row).is_some_and(near)
}

fn legend(columns: &[TableColumn]) -> String {
    let pairs: Vec<_> = columns.iter().map(|c| html::pair(&c.label, &c.note)).collect();
    html::folded("legend", "What the columns mean", &html::definitions("", "", &pairs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cells::cells, synthetic};

    fn html(runs: &[RunFolder]) -> String {
        table(runs, &cells(runs))
    }

    #[test]
    fn the_best_of_each_level_is_marked_and_the_floor_does_not_compete() {
        let html = html(&[synthetic::dense()]);
        let best: Vec<&str> = html.lines().filter(|l| l.contains("best\" data-v")).collect();
        assert_eq!(best.len(), 4, "one row per level leads in every measure");
        assert!(best.iter().all(|l| l.contains(">dpsda-r<")));
        assert_eq!(html.matches("<tr class=\"first\"").count(), 3, "a rule between levels");
    }

    #[test]
    fn a_run_that_a_swept_key_does_not_matter_to_stands_after_the_groups_with_an_empty_cell() {
        let mut run = synthetic::graphs();
        run.summary.rotate_right(1);
        let html = html(&[run]);
        let rows: Vec<&str> = html.lines().filter(|l| l.starts_with("<tr") && l.contains("<td")).collect();
        assert_eq!(rows.len(), 13);
        let last = rows.last().unwrap();
        assert!(last.starts_with("<tr class=\"first\"") && last.contains(">dpcda<"), "{last}");
        assert!(last.contains("<td data-v=\"\"></td>") && !last.contains("best"), "{last}");
        let best: Vec<&&str> = rows.iter().filter(|l| l.contains("best\" data-v")).collect();
        assert!(best.len() == 4 && best.iter().all(|l| l.contains(">dpsda-r<")), "one per graph");
    }

    #[test]
    fn empty_columns_are_left_out_and_doubled_ones_wait() {
        let html = html(&[synthetic::dense()]);
        assert!(!html.contains("data-key=\"epsilon\""));
        assert!(html.contains("class=\"more\" data-key=\"privacy.level\""));
        assert!(html.contains("data-v=\"inf\">∞<"));
    }

    #[test]
    fn the_loss_on_held_out_data_is_shown_first_only_where_there_is_no_accuracy() {
        let mut run = synthetic::dense();
        for row in &mut run.summary {
            row["loss_test_last"] = 0.25.into();
        }
        let classes = html(std::slice::from_ref(&run));
        assert!(classes.contains("class=\"more\" data-key=\"loss_test_last\""));
        for row in &mut run.summary {
            row["accuracy_test_last"] = Value::Null;
        }
        assert!(html(&[run]).contains("<th scope=\"col\" data-key=\"loss_test_last\""));
    }

    #[test]
    fn a_swept_key_of_its_own_stands_before_what_was_measured() {
        let mut run = synthetic::dense();
        for (i, row) in run.summary.iter_mut().enumerate() {
            row["network.nodes"] = (7 + i % 2).into();
        }
        let html = html(&[run]);
        let at = |key: &str| html.find(&format!("data-key=\"{key}\"")).unwrap();
        assert!(at("level") < at("network.nodes") && at("network.nodes") < at("regret_per_round"));
    }

    #[test]
    fn rounds_trials_and_seed_tell_rows_apart_when_they_are_swept() {
        let shown = |html: &str, key: &str| html.contains(&format!("<th scope=\"col\" data-key=\"{key}\""));
        let plain = html(&[synthetic::dense()]);
        assert!(!["rounds", "trials", "seed", "mechanism"].iter().any(|key| shown(&plain, key)));
        for key in ["rounds", "trials", "seed"] {
            let html = html(&[synthetic::swept(key, [10, 20])]);
            assert!(shown(&html, key), "{key}");
            let at = |key: &str| html.find(&format!("data-key=\"{key}\"")).unwrap();
            assert!(at(key) < at("regret_per_round"), "{key} stands with the settings");
            assert_eq!(html.matches("<tr class=\"first\"").count(), 3, "{key}: two levels at two values");
        }
        let mut run = synthetic::dense();
        for (i, entry) in run.manifest["runs"].as_array_mut().unwrap().iter_mut().enumerate() {
            entry["settings"]["privacy.mechanism"] = run.summary[i]["mechanism"].clone();
        }
        assert!(shown(&html(&[run]), "mechanism"));
    }

    #[test]
    fn a_level_is_never_shown_as_an_epsilon() {
        let html = html(&[synthetic::dense()]);
        assert!(!html.contains('ε') && !html.contains("epsilon"));
        assert!(html.contains("guarantees nothing"));
    }

    #[test]
    fn several_folders_get_a_column_and_none_a_sentence() {
        assert!(html(&[synthetic::dense(), synthetic::tiny()]).contains("data-key=\"folder\""));
        assert!(html(&[synthetic::empty()]).contains("No run was finished"));
    }
}
