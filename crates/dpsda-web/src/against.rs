//! Regret by setting: one still figure per swept key, one line per algorithm, with a band of one standard deviation.

mod axis;
mod plot;

use std::collections::BTreeSet;

use axis::{SweepAxis, heights};
use dpsda::metric::{self, regret_per_round, rounds, run, trials};
use plot::SweepPlot;
use serde_json::Value;

use crate::{
    RunFolder,
    cells::{ListedRun, list, swept},
    html,
    look::{Looks, dash},
    names::{short, words},
    plot::Pen,
    text::{count, escape, plural},
};

/// Fewer values are better read in the table.
const LEAST: usize = 3;
/// More lines than this cannot be told apart. For unordered values the limit is half as many.
const MOST: usize = 16;

/// A line: runs that differ only in the key of the figure.
struct SweepLine<'a> {
    cell: &'a ListedRun,
    pen: Pen,
    /// Place on the axis, mean and standard deviation. If the key does not matter to a line, it has one point without a place.
    points: Vec<(Option<&'a Value>, f64, f64)>,
}

struct SweepFigure {
    html: String,
    /// Whether its key is a quantity.
    ordered: bool,
}

/// The section of the page, and whether it comes first: a sweep over a quantity is what the reader came for.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) html: String,
    pub(crate) title: String,
    pub(crate) first: bool,
}

/// The figures of all keys with enough values, as a section of the page; nothing if there are none.
pub(crate) fn section(runs: &[RunFolder], cells: &[ListedRun]) -> Section {
    let keys = swept(cells);
    let figures: Vec<(&str, SweepFigure)> =
        keys.iter().filter_map(|key| Some((*key, figure(runs, cells, key)?))).collect();
    let title = match figures[..] {
        [] => return Section::default(),
        [(key, _)] => format!("Regret by {}", words(key)),
        _ => "Regret by setting".into(),
    };
    let first = figures.iter().any(|(_, figure)| figure.ordered);
    let figures: String = figures.into_iter().map(|(_, figure)| figure.html).collect();
    Section { html: html::section("against", &title, &figures), title, first }
}

/// A figure drawn twice: with names at the ends of lines, and for narrow windows with a list of them below.
fn figure(runs: &[RunFolder], cells: &[ListedRun], key: &str) -> Option<SweepFigure> {
    let lines = lines(runs, cells, key);
    let values = || lines.iter().flat_map(|l| &l.points).filter_map(|p| p.0);
    let x = SweepAxis::new(values());
    if x.values() < LEAST || lines.len() > if x.is_ordered() { MOST } else { MOST / 2 } {
        return None;
    }
    let y = heights(lines.iter().flat_map(|l| &l.points).flat_map(|p| [p.1, p.1 + p.2]))?;
    let label = metric::all().get(&regret_per_round::LISTING).map_or("", |metric| &metric.label);
    let about = escape(&format!("{label} by {}, {} lines", words(key), lines.len()));
    let drawn = |class: &str, plot: &SweepPlot<'_>, names: bool| {
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-label=\"{about}\"><title>{about}</title>{}</svg>",
            plot.width,
            plot.height,
            plot.draw(&lines, &words(key), names)
        )
    };
    let list: String = lines.iter().map(|line| format!("<li>{}</li>", line.pen.sample())).collect();
    let same = lines.iter().any(|line| matches!(line.points[..], [(None, ..)]));
    let html = format!(
        "<figure><h3>{label} by {}</h3>{}{}<ul class=\"names narrow\">{list}</ul>\
         <figcaption>{label} {} (eq. 2): {}.{}{}{}</figcaption></figure>",
        escape(&words(key)),
        drawn("broad", &SweepPlot::broad(&x, y, &lines), true),
        drawn("narrow", &SweepPlot::narrow(&x, y), false),
        last_round(runs),
        spread_over(runs),
        if x.is_log() { " Log x-axis." } else { "" },
        if y.1 { " Log y-axis." } else { "" },
        if same { " A line without marks is the same at every value." } else { "" },
    );
    Some(SweepFigure { html, ordered: x.is_ordered() })
}

/// The counts that a column of the summaries holds, in order.
fn counts(runs: &[RunFolder], column: &str) -> Vec<u64> {
    let rows = runs.iter().flat_map(|run| &run.summary);
    let found: BTreeSet<u64> = rows.filter_map(|row| row.get(column)?.as_u64()).collect();
    found.into_iter().collect()
}

/// `after round 60`
fn last_round(runs: &[RunFolder]) -> String {
    match counts(runs, rounds::LISTING.name)[..] {
        [one] => format!("after round {}", count(one)),
        _ => "after the last round".into(),
    }
}

/// `mean and one standard deviation over 10 trials`
fn spread_over(runs: &[RunFolder]) -> String {
    let over = match counts(runs, trials::LISTING.name)[..] {
        [1] => return "one trial".into(),
        [] => "trials".into(),
        [one] => plural(one, "trial"),
        [least, .., most] => format!("{} to {}", count(least), plural(most, "trial")),
    };
    format!("mean and one standard deviation over {over}")
}

/// The lines of a figure, in the order of the runs.
fn lines<'a>(runs: &'a [RunFolder], cells: &'a [ListedRun], key: &str) -> Vec<SweepLine<'a>> {
    let mut lines: Vec<(SweepLine<'a>, Vec<(String, String)>)> = Vec::new();
    let mut others: Vec<Vec<(String, String)>> = Vec::new();
    let (looks, keys) = (Looks::of(cells), swept(cells));
    for cell in cells {
        let Some((mean, sd)) = regret(runs, cell) else { continue };
        let rest: Vec<_> = cell.settings.iter().filter(|(k, _)| k != key).cloned().collect();
        let point = (setting(runs, cell, key), mean, sd);
        let same = |(line, others): &&mut (SweepLine<'a>, Vec<(String, String)>)| {
            (&line.cell.algorithm, line.cell.folder, others) == (&cell.algorithm, cell.folder, &rest)
        };
        if let Some((line, _)) = lines.iter_mut().find(same) {
            line.points.push(point);
            continue;
        }
        if !rest.is_empty() && !others.contains(&rest) {
            others.push(rest.clone());
        }
        let mut name = cell.algorithm.clone();
        rest.iter().for_each(|(key, value)| name += &format!(" · {}", said(key, value, &keys)));
        if runs.len() > 1 {
            name += &format!(" · {}", runs.get(cell.folder).map_or("", |run| run.name.as_str()));
        }
        let hue = looks.hue(&cell.algorithm).map_or_else(|| "floor".into(), |hue| format!("c{hue}"));
        let floor = looks.floor == Some(cell.algorithm.as_str());
        let pen = Pen { name, colour: format!("var(--{hue})"), dash: "", floor };
        lines.push((SweepLine { cell, pen, points: vec![point] }, rest));
    }
    // Once colours are used up, dashes beyond those of settings tell algorithms apart.
    for (line, rest) in &mut lines {
        let at = others.iter().position(|o| o == rest).unwrap_or(0);
        line.pen.dash = dash(looks.layer(&line.cell.algorithm) * others.len().max(1) + at);
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

/// The regret of a run and its deviation over trials.
fn regret(runs: &[RunFolder], cell: &ListedRun) -> Option<(f64, f64)> {
    let row = runs
        .get(cell.folder)?
        .summary
        .iter()
        .find(|row| row.get(run::LISTING.name).and_then(Value::as_i64) == Some(cell.run))?;
    let mean = row.get(regret_per_round::LISTING.name)?.as_f64()?;
    let sd =
        metric::all().beside(&regret_per_round::LISTING).and_then(|sd| row.get(sd.column_name()?)?.as_f64());
    Some((mean, sd.unwrap_or(0.0)))
}

/// The value of a key in a run, from the manifest; none where the key does not matter.
fn setting<'a>(runs: &'a [RunFolder], cell: &ListedRun, key: &str) -> Option<&'a Value> {
    let listed = list(&runs.get(cell.folder)?.manifest, "runs");
    let entry = listed.iter().find(|entry| entry.get("run").and_then(Value::as_i64) == Some(cell.run))?;
    entry.get("settings")?.get(key).filter(|value| !value.is_null())
}

/// A setting as part of a name: with its key, unless the value is a word that needs none.
fn said(key: &str, value: &str, keys: &[&str]) -> String {
    let word = value.chars().all(|c| c.is_alphabetic() || c == '-') && !matches!(value, "true" | "false");
    if word { value.into() } else { format!("{} {value}", short(key, keys)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{cells::cells, synthetic};

    /// The dense run of tests, swept over a key of the network instead of the level.
    fn over(key: &str, values: [Value; 4]) -> RunFolder {
        let mut run = synthetic::dense();
        for (i, entry) in run.manifest["runs"].as_array_mut().unwrap().iter_mut().enumerate() {
            let name = entry["algorithm"].clone();
            entry["settings"] = json!({"algorithm.name": name, key: values[i % 4]});
        }
        run
    }

    fn whole(run: RunFolder) -> Section {
        let runs = [run];
        section(&runs, &cells(&runs))
    }

    /// Without the drawing for narrow windows.
    fn drawn(run: RunFolder) -> String {
        let html = whole(run).html;
        match (html.find("<svg class=\"narrow\""), html.find("<figcaption>")) {
            (Some(from), Some(to)) => html[..from].to_owned() + &html[to..],
            _ => html,
        }
    }

    #[test]
    fn a_swept_key_has_a_figure_with_a_line_and_a_name_for_every_algorithm() {
        let html = drawn(over("network.delay.rounds", [0, 1, 5, 10].map(Value::from)));
        assert!(html.contains("Regret per round by delay rounds"));
        assert_eq!(
            (html.matches("class=\"line\"").count(), html.matches("class=\"direct\"").count()),
            (4, 4)
        );
        assert_eq!(html.matches("<circle").count(), 16, "a mark for every run");
        assert!(!html.contains("NaN") && !html.contains("Log x-axis"));
    }

    #[test]
    fn the_caption_says_what_is_drawn_after_which_round_and_over_how_many_trials() {
        let html = drawn(synthetic::dense());
        assert!(html.contains(">Regret by privacy level</h2>"));
        let said = "Regret per round after round 60 (eq. 2): mean and one standard deviation over 5 trials.";
        assert!(html.contains(said), "{html}");
    }

    #[test]
    fn values_that_grow_by_factors_get_a_logarithmic_axis_and_infinity_its_own_place() {
        let html = drawn(over("privacy.epsilon", [json!(0.1), json!(1), json!(10), json!("inf")]));
        assert!(html.contains("Log x-axis") && html.contains(">∞<"));
    }

    #[test]
    fn names_have_no_order_so_no_line_joins_them() {
        let html = drawn(over("network.graph", ["ring", "grid", "star", "complete"].map(Value::from)));
        assert!(html.contains("class=\"whisker\"") && !html.contains("class=\"line\""));
        // The centralised run of a real sweep is the same on every graph: a line across.
        let html = drawn(synthetic::graphs());
        assert_eq!(html.matches("class=\"line\"").count(), 1);
    }

    #[test]
    fn two_values_are_a_table_and_hostile_names_stay_text() {
        assert_eq!(drawn(over("a.b", [0, 1, 0, 1].map(Value::from))), "");
        let html = drawn(over("x.<script>", ["<img>", "\"a", "'b", "&c"].map(Value::from)));
        assert!(html.contains("&lt;img&gt;") && !html.contains("<script") && !html.contains("<img"));
        assert_eq!(section(&[], &[]).html, "");
    }
}
