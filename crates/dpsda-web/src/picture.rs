//! A still picture of regret per round for a README: one panel per level, one colour per algorithm.

pub(crate) mod bars;
mod legend;
mod plot;

use dpsda::metric::{self, level, regret_per_round};
use legend::{Head, note};
use plot::{guide, line};

use crate::{
    RunFolder,
    axis::Axis,
    bands::{MeanCurve, bands},
    cells::{ListedRun, cells, swept},
    frame::{PanelFrame, text},
    look::Looks,
    names::{column_of, short},
    plot::Plot,
    text::escape,
};

const WIDTH: f64 = 800.0;
/// Height of the panels and the words around them, without the head.
const BODY: f64 = 254.0;
const PANELS: usize = 4;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 44.0;
const GAP: f64 = 14.0;

pub(crate) fn draw(run: &RunFolder) -> String {
    let cells = cells(std::slice::from_ref(run));
    let regret: Vec<MeanCurve> = bands(&run.series)
        .into_iter()
        .filter(|b| b.column == regret_per_round::LISTING.name)
        .flat_map(|b| b.curves)
        .collect();
    let ends = regret.iter().any(|c| c.ends.is_some());
    let curves: Vec<(&ListedRun, MeanCurve)> = regret
        .iter()
        .filter_map(|c| Some((cells.iter().find(|cell| cell.run == c.run)?, positive(&c.thin(80))?)))
        .collect();
    let Some((t, y)) = domains(&curves) else {
        let none = text(WIDTH / 2.0, BODY / 2.0, "middle", "", "No regret was recorded.");
        return svg(title(), BODY, &none);
    };

    let key = panel_key(&curves);
    let (keys, looks) = (swept(&cells), Looks::of(curves.iter().map(|(cell, _)| *cell)));
    let at = |cell: &ListedRun| key.and_then(|key| cell.setting(key).map(String::from));
    let mut panels: Vec<Option<String>> = Vec::new();
    let mut algorithms: Vec<&str> = Vec::new();
    let mut everywhere: Vec<&str> = Vec::new();
    for (cell, _) in &curves {
        match at(cell) {
            None if !everywhere.contains(&cell.algorithm.as_str()) => everywhere.push(&cell.algorithm),
            Some(value) if !panels.contains(&Some(value.clone())) => panels.push(Some(value)),
            _ => {}
        }
        if !algorithms.contains(&cell.algorithm.as_str()) {
            algorithms.push(&cell.algorithm);
        }
    }
    if panels.is_empty() {
        panels.push(None);
        everywhere.clear();
    }
    let total = panels.len();
    panels.truncate(PANELS);

    let trials = curves.iter().map(|(_, c)| c.trials);
    let trials = (trials.clone().min().unwrap_or(0), trials.max().unwrap_or(0));
    let head = Head::new(title(), &algorithms, &looks, &note(trials, ends, total, &everywhere));
    let (top, bottom) = (head.height + TOP, head.height + BODY - BOTTOM);
    let mut body = head.drawn;
    let width = (WIDTH - LEFT - RIGHT + GAP) / panels.len() as f64 - GAP;
    for (i, panel) in panels.iter().enumerate() {
        let left = LEFT + i as f64 * (width + GAP);
        let (Some(across), Some(up)) = (axis(t, (left, left + width)), axis(y, (bottom, top))) else {
            continue;
        };
        let title =
            key.zip(panel.as_ref()).map(|(key, v)| format!("{} {v}", short(key, &keys))).unwrap_or_default();
        let frame =
            PanelFrame { left, right: left + width, top, bottom, title: &title, across: "round t", up: "" };
        // Only the first panel has values on its axis.
        let mut values = up.ticks(6);
        values.iter_mut().filter(|_| i > 0).for_each(|(_, name)| name.clear());
        body.push_str(&frame.draw(&across.ticks((width / 50.0) as usize), &values));
        let plot = Plot { across, up };
        body.push_str(&guide(&plot, &curves));
        // A run without this key is in every panel.
        let here = |cell: &ListedRun| at(cell).is_none_or(|value| Some(value) == *panel);
        let (floor, others): (Vec<_>, Vec<_>) =
            curves.iter().filter(|(cell, _)| here(cell)).partition(|(cell, _)| cell.central);
        for (cell, curve) in floor.into_iter().chain(others) {
            body.push_str(&line(&plot, curve, &looks, &cell.algorithm));
        }
    }
    svg(&format!("{} by algorithm, {} runs", title(), curves.len()), head.height + BODY, &body)
}

/// What the picture shows.
fn title() -> &'static str {
    metric::all().get(&regret_per_round::LISTING).map_or("", |metric| &metric.label)
}

/// A logarithmic axis between two values.
fn axis((low, high): (f64, f64), places: (f64, f64)) -> Option<Axis> {
    Axis::new([low, high].into_iter(), true, places)
}

/// Only the points that a log axis can show.
fn positive(curve: &MeanCurve) -> Option<MeanCurve> {
    let keep: Vec<usize> = (0..curve.t.len())
        .filter(|&i| curve.mean.get(i).is_some_and(|m| *m > 0.0) && curve.t.get(i).is_some_and(|t| *t > 0))
        .collect();
    let mut out = curve.clone();
    out.t = keep.iter().filter_map(|&i| curve.t.get(i).copied()).collect();
    out.mean = keep.iter().filter_map(|&i| curve.mean.get(i).copied()).collect();
    out.sd = keep.iter().filter_map(|&i| curve.sd.get(i).copied()).collect();
    (!out.t.is_empty()).then_some(out)
}

/// The ranges of rounds and values that all panels share: from means and upper ends of bands. Lower ends may come near zero and
/// would stretch a log axis without limit.
fn domains(curves: &[(&ListedRun, MeanCurve)]) -> Option<((f64, f64), (f64, f64))> {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)))
    };
    let t = range(&mut curves.iter().flat_map(|(_, c)| c.t.iter().map(|&t| t as f64)));
    let upper = |(m, sd): (&f64, &Option<f64>)| [*m, m + sd.unwrap_or(0.0)];
    let v = range(&mut curves.iter().flat_map(|(_, c)| c.mean.iter().zip(&c.sd).flat_map(upper)));
    let wide = |(low, high): (f64, f64), by: f64| (low / by, high * by);
    (!curves.is_empty()).then(|| (if t.0 < t.1 { t } else { wide(t, 2.0) }, wide(v, 1.3)))
}

/// Panels by level if it varies, else by the first setting that does.
fn panel_key<'a>(curves: &[(&'a ListedRun, MeanCurve)]) -> Option<&'a str> {
    let varies = |key: &&str| {
        let mut values = curves.iter().filter_map(|(cell, _)| cell.setting(key));
        let first = values.next();
        values.any(|v| Some(v) != first)
    };
    let keys: Vec<&str> = swept(curves.iter().map(|(cell, _)| *cell)).into_iter().filter(varies).collect();
    keys.iter().find(|k| column_of(k) == Some(level::LISTING.name)).or(keys.first()).copied()
}

fn svg(title: &str, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         role=\"img\" aria-labelledby=\"t\">\n<title id=\"t\">{}</title>\n<style>\
         text{{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif;fill:#5b6069}}\
         .title,.name{{font-size:13px;font-weight:600;fill:#1b1d21}}.title{{font-size:17px}}\
         path:not([fill]){{fill:none}}.grid{{stroke:#e9e8e3}}.axis{{stroke:#b9b8b3}}\
         .line{{stroke-linejoin:round;stroke-linecap:round}}.guide{{stroke:#5b6069;stroke-width:1.2;stroke-dasharray:5 4}}\
         </style>\n<rect width=\"{WIDTH}\" height=\"{height}\" rx=\"8\" fill=\"#fdfcfa\"/>\n{body}\n</svg>\n",
        escape(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic;

    #[test]
    fn a_picture_has_a_line_for_every_run_and_a_panel_for_every_level() {
        let svg = draw(&synthetic::dense());
        assert_eq!(svg.matches("class=\"line\"").count(), 16);
        for level in ["level ∞", "level 1", "level 0.5", "level 0.2"] {
            assert!(svg.contains(&format!(">{level}<")), "{level}");
        }
    }

    #[test]
    fn a_run_that_the_panels_key_does_not_matter_to_is_in_every_panel_and_has_none_of_its_own() {
        let svg = draw(&synthetic::graphs());
        assert_eq!(svg.matches(">round t<").count(), 4);
        assert_eq!(svg.matches("class=\"line\"").count(), 12 + 4);
        assert!(svg.contains("dpcda: same in every panel") && !svg.contains('–'));
    }

    #[test]
    fn a_sweep_of_one_value_has_one_panel_without_a_name() {
        let mut run = synthetic::graphs();
        for entry in run.manifest["runs"].as_array_mut().unwrap() {
            entry["settings"] = serde_json::json!({});
        }
        let svg = draw(&run);
        assert_eq!((svg.matches(">round t<").count(), svg.matches("class=\"line\"").count()), (1, 13));
        assert!(!svg.contains("same in every panel"));
    }

    #[test]
    fn the_axis_of_values_follows_means_and_upper_ends_of_bands() {
        let cells = cells(&[synthetic::tiny()]);
        let sd = vec![Some(1.9999), Some(0.5), Some(9.0)];
        let curve =
            MeanCurve { run: 0, t: vec![1, 2, 3], mean: vec![2.0, 1.0, 3.0], sd, trials: 2, ends: None };
        let (_, (low, high)) = domains(&[(&cells[0], curve)]).unwrap();
        assert!(low > 1.0 / 3.0 && low < 1.0 && high >= 12.0, "{low} to {high}");
    }

    #[test]
    fn a_line_that_ends_early_is_explained() {
        let mut run = synthetic::dense();
        assert!(!draw(&run).contains("diverges"));
        run.series
            .rows
            .iter_mut()
            .filter(|r| r[0] == Some(0.0) && r[2] > Some(20.0))
            .for_each(|r| r[4] = None);
        assert!(!draw(&run).contains("diverges"), "a checkpoint that no trial has is no loss");
        run.series
            .rows
            .iter_mut()
            .take(60)
            .filter(|r| r[2] > Some(6.0))
            .for_each(|r| r[4] = Some(f64::INFINITY));
        assert!(draw(&run).contains("a line ends where a trial diverges"));
    }

    #[test]
    fn past_four_panels_the_picture_says_what_it_leaves_out() {
        let mut run = synthetic::dense();
        for (i, entry) in run.manifest["runs"].as_array_mut().unwrap().iter_mut().enumerate() {
            entry["settings"]["privacy.level"] = (i + 1).into();
        }
        let svg = draw(&run);
        assert!(svg.contains("4 of 16 panels"));
        assert_eq!(svg.matches(">round t<").count(), 4);
    }

    #[test]
    fn a_run_without_regret_or_with_hostile_names_still_gives_whole_xml() {
        assert!(draw(&RunFolder::default()).contains("No regret was recorded."));
        let svg = draw(&synthetic::hostile());
        assert!(!svg.contains("<script") && !svg.contains("<img"));
        assert!(!draw(&synthetic::tiny()).contains("NaN"));
    }
}
