//! Regret against what was swept: one still figure a key, a line an algorithm, a band of one standard deviation.

mod axis;

use axis::Axis;
use serde_json::Value;

use crate::{
    Run,
    cells::{Cell, list, short, swept},
    text::{escape, label, spread},
};

const WIDTH: f64 = 820.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 58.0;
/// Room for the names of lines.
const RIGHT: f64 = 250.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 46.0;
/// Fewer values make a table, not a figure.
const LEAST: usize = 3;
/// More lines than this cannot be told apart, nor half as many rows of marks.
const MOST: usize = 16;
const DASHES: [&str; 4] = ["", "7 4", "2 4", "9 4 2 4"];

/// A line: cells that differ in the key of the figure alone.
struct Line<'a> {
    cell: &'a Cell,
    name: String,
    dash: &'static str,
    /// Where on the axis, the mean and the deviation; a line that the key does not matter to has one point for all.
    points: Vec<(Option<&'a Value>, f64, f64)>,
}

/// The figures of all keys with enough values, as a section of the page; nothing if there are none.
pub(crate) fn section(runs: &[Run], cells: &[Cell]) -> String {
    let figures: String = swept(cells).iter().filter_map(|key| figure(runs, cells, key)).collect();
    if figures.is_empty() {
        return figures;
    }
    format!(
        "<section id=\"against\" aria-labelledby=\"h-against\"><h2 id=\"h-against\">Regret against what was swept</h2>{figures}</section>"
    )
}

fn figure(runs: &[Run], cells: &[Cell], key: &str) -> Option<String> {
    let lines = lines(runs, cells, key);
    let values = || lines.iter().flat_map(|l| &l.points).filter_map(|p| p.0);
    let x = Axis::of_values(values());
    if x.values() < LEAST || lines.len() > if x.is_ordered() { MOST } else { MOST / 2 } {
        return None;
    }
    let y = Axis::of_heights(lines.iter().flat_map(|l| &l.points).flat_map(|p| [p.1, p.1 + p.2]))?;
    let across =
        |value: Option<&Value>| value.and_then(|v| x.part(v)).map(|p| LEFT + (WIDTH - LEFT - RIGHT) * p);
    let up = |v: f64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * y.height(v);
    let mut body = frame(&x, &y, key, &up);
    let (mut bands, mut marks, mut ends) = (String::new(), String::new(), Vec::new());
    for line in &lines {
        let style = format!("--c:{}", colour(cells, line.cell));
        let floor = if line.cell.central { " floor" } else { "" };
        let dash =
            if line.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", line.dash) };
        let mut points: Vec<(f64, f64, f64)> = match line.points[..] {
            [(None, mean, sd)] => [LEFT, WIDTH - RIGHT].map(|at| (at, mean, sd)).to_vec(),
            _ => line.points.iter().filter_map(|p| Some((across(p.0)?, p.1, p.2))).collect(),
        };
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(last) = points.last() else { continue };
        ends.push((up(last.1), line, style.clone()));
        let path = |of: &mut dyn Iterator<Item = (f64, f64)>| {
            of.map(|(at, v)| format!("{at:.1} {:.1}", up(v))).collect::<Vec<_>>().join("L")
        };
        let joined = x.is_ordered() || line.points.len() == 1;
        if joined && points.iter().any(|p| p.2 > 0.0) {
            let (over, under) = (
                path(&mut points.iter().map(|p| (p.0, p.1 + p.2))),
                path(&mut points.iter().rev().map(|p| (p.0, p.1 - p.2))),
            );
            bands += &format!(
                "<g class=\"shade{floor}\" style=\"{style}\"><path class=\"band\" d=\"M{over}L{under}Z\"/></g>"
            );
        }
        marks += &format!("<g class=\"run{floor}\" style=\"{style}\">");
        if joined {
            marks += &format!(
                "<path class=\"line\"{dash} d=\"M{}\"/>",
                path(&mut points.iter().map(|p| (p.0, p.1)))
            );
        }
        for (at, mean, sd) in points.iter().filter(|_| line.points.len() > 1) {
            if !joined {
                marks += &format!(
                    "<path class=\"whisker\" d=\"M{at:.1} {:.1}V{:.1}\"/>",
                    up(mean + sd),
                    up(mean - sd)
                );
            }
            let said = escape(&format!("{}: {}", line.name, spread(*mean, Some(*sd))));
            marks += &format!(
                "<circle class=\"dot\" r=\"3.4\" cx=\"{at:.1}\" cy=\"{:.1}\"><title>{said}</title></circle>",
                up(*mean)
            );
        }
        marks += "</g>";
    }
    body += &(bands + &marks + &names(ends));
    let about = format!("Regret per round against {key}, {} lines", lines.len());
    let same = lines.iter().any(|line| matches!(line.points[..], [(None, ..)]));
    Some(format!(
        "<figure><h3>Regret per round against {}</h3><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">{body}</svg>\
         <figcaption>(2)/T after the last round, mean ± 1 sd over trials{}{}{}.</figcaption></figure>",
        escape(key),
        escape(&about),
        if x.is_log() { "; logarithmic across" } else { "" },
        if y.is_log() { "; logarithmic upwards" } else { "" },
        if same { "; a line without marks is the same at every value" } else { "" },
    ))
}

/// The lines of a figure, in the order of the cells.
fn lines<'a>(runs: &'a [Run], cells: &'a [Cell], key: &str) -> Vec<Line<'a>> {
    let mut lines: Vec<(Line<'a>, Vec<(String, String)>)> = Vec::new();
    let mut others: Vec<Vec<(String, String)>> = Vec::new();
    for cell in cells {
        let Some((mean, sd)) = regret(runs, cell) else { continue };
        let rest: Vec<_> = cell.settings.iter().filter(|(k, _)| k != key).cloned().collect();
        let point = (setting(runs, cell, key), mean, sd);
        let same = |(line, others): &&mut (Line<'a>, Vec<(String, String)>)| {
            (&line.cell.algorithm, line.cell.folder, others) == (&cell.algorithm, cell.folder, &rest)
        };
        if let Some((line, _)) = lines.iter_mut().find(same) {
            line.points.push(point);
            continue;
        }
        if !rest.is_empty() && !others.contains(&rest) {
            others.push(rest.clone());
        }
        let at = others.iter().position(|o| *o == rest).unwrap_or(0);
        let mut name = cell.algorithm.clone();
        rest.iter().for_each(|(key, value)| name += &format!(" · {}", said(key, value)));
        if runs.len() > 1 {
            name += &format!(" · {}", runs.get(cell.folder).map_or("", |run| run.name.as_str()));
        }
        lines.push((Line { cell, name, dash: DASHES[at % DASHES.len()], points: vec![point] }, rest));
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

/// The regret of a cell and its deviation over trials.
fn regret(runs: &[Run], cell: &Cell) -> Option<(f64, f64)> {
    let row = runs
        .get(cell.folder)?
        .summary
        .iter()
        .find(|row| row.get("run").and_then(Value::as_i64) == Some(cell.run))?;
    let mean = row.get("regret_per_round")?.as_f64()?;
    Some((mean, row.get("regret_per_round_sd").and_then(Value::as_f64).unwrap_or(0.0)))
}

/// What a key was set to in a cell, as the manifest has it; nothing where it does not matter.
fn setting<'a>(runs: &'a [Run], cell: &Cell, key: &str) -> Option<&'a Value> {
    let listed = list(&runs.get(cell.folder)?.manifest, "runs");
    let entry = listed.iter().find(|entry| entry.get("run").and_then(Value::as_i64) == Some(cell.run))?;
    entry.get("settings")?.get(key).filter(|value| !value.is_null())
}

/// The page's colours: hues in order of appearance, the centralised floor in ink.
fn colour(cells: &[Cell], of: &Cell) -> String {
    if of.central {
        return "var(--floor)".into();
    }
    let mut seen: Vec<&str> = Vec::new();
    for cell in cells.iter().filter(|c| !c.central) {
        if !seen.contains(&cell.algorithm.as_str()) {
            seen.push(&cell.algorithm);
        }
    }
    format!("var(--c{})", seen.iter().position(|name| *name == of.algorithm).unwrap_or(0) % 8)
}

fn frame(x: &Axis, y: &Axis, key: &str, up: &dyn Fn(f64) -> f64) -> String {
    let (base, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    let mut out = String::new();
    for (v, text) in y.ticks() {
        let at = up(v);
        out += &format!(
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 7.0,
            at + 4.0,
            escape(&text)
        );
    }
    out += &format!("<path class=\"axis\" d=\"M{LEFT} {base}H{right}\"/>");
    for (value, text) in x.marks() {
        let at = LEFT + (right - LEFT) * value;
        out += &format!(
            "<path class=\"axis\" d=\"M{at:.1} {base}v5\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            base + 18.0,
            escape(&text)
        );
    }
    out + &format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 8.0,
        escape(key)
    )
}

/// The names of lines at their ends, moved apart where they would cover each other.
fn names(mut ends: Vec<(f64, &Line<'_>, String)>) -> String {
    const APART: f64 = 13.0;
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut at: Vec<f64> = ends.iter().map(|e| e.0).collect();
    // Down from the top, then up from the bottom: whoever is pushed out below pushes back.
    for i in 1..at.len() {
        at[i] = at[i].max(at[i - 1] + APART);
    }
    let mut limit = HEIGHT - BOTTOM;
    for at in at.iter_mut().rev() {
        *at = at.min(limit);
        limit = *at - APART;
    }
    let text = |(at, (_, line, style)): (f64, (f64, &Line<'_>, String))| {
        format!(
            "<text class=\"direct\" style=\"{style}\" x=\"{}\" y=\"{:.1}\">{}</text>",
            WIDTH - RIGHT + 9.0,
            at + 4.0,
            escape(&short_name(&line.name))
        )
    };
    at.into_iter().zip(ends).map(text).collect()
}

/// A setting in a name: with its key, unless the value is a word that speaks for itself.
fn said(key: &str, value: &str) -> String {
    let word = value.chars().all(|c| c.is_alphabetic() || c == '-') && !matches!(value, "true" | "false");
    if word { value.into() } else { format!("{} {value}", short(key)) }
}

/// As much of a name as there is room for.
fn short_name(name: &str) -> String {
    const ROOM: usize = 36;
    if name.chars().count() <= ROOM {
        name.into()
    } else {
        name.chars().take(ROOM - 1).chain(['…']).collect()
    }
}

/// A value of a key as the axis shows it.
fn shown(value: &Value) -> String {
    label(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{cells::cells, synthetic};

    /// The dense run of tests, swept over a key of the network instead of the level.
    fn over(key: &str, values: [Value; 4]) -> Run {
        let mut run = synthetic::dense();
        for (i, entry) in run.manifest["runs"].as_array_mut().unwrap().iter_mut().enumerate() {
            let name = entry["algorithm"].clone();
            entry["settings"] = json!({"algorithm.name": name, key: values[i % 4]});
        }
        run
    }

    fn drawn(run: Run) -> String {
        let runs = [run];
        section(&runs, &cells(&runs))
    }

    #[test]
    fn a_swept_key_has_a_figure_with_a_line_and_a_name_for_every_algorithm() {
        let html = drawn(over("network.delay.rounds", [0, 1, 5, 10].map(Value::from)));
        assert!(html.contains("Regret per round against network.delay.rounds"));
        assert_eq!(
            (html.matches("class=\"line\"").count(), html.matches("class=\"direct\"").count()),
            (4, 4)
        );
        assert_eq!(html.matches("<circle").count(), 16, "a mark for every run");
        assert!(!html.contains("NaN") && !html.contains("logarithmic across"));
    }

    #[test]
    fn values_that_grow_by_factors_get_a_logarithmic_axis_and_infinity_its_own_place() {
        let html = drawn(over("privacy.epsilon", [json!(0.1), json!(1), json!(10), json!("inf")]));
        assert!(html.contains("logarithmic across") && html.contains(">∞<"));
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
        assert_eq!(section(&[], &[]), "");
    }
}
