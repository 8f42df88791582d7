//! Panels of curves with bands as still pictures: no script draws them, and the page's colours apply.

use super::{Figure, Ink, Line, Panel, Point, Scale};
use crate::{
    axis::Axis,
    frame::{Frame, LETTER, text},
    look,
    text::escape,
};

/// About as many pixels as four panels beside each other have on a desktop, so that letters keep their size.
const WIDTH: f64 = 288.0;
const HEIGHT: f64 = 218.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 276.0;
// Three digits at the end of the base have room.
const _: () = assert!(RIGHT + 1.5 * LETTER <= WIDTH);
const TOP: f64 = 26.0;
const BOTTOM: f64 = 176.0;

/// A figure: heading, names of the lines, panels, caption.
pub(super) fn figure(figure: &Figure) -> String {
    let points = || figure.panels.iter().flat_map(|p| &p.lines).flat_map(|l| &l.points);
    let across = Axis::new(points().map(|p| p.t), figure.across.log, (LEFT, RIGHT));
    // On a log axis a band may reach towards zero; it may not squeeze the lines to the top.
    let least = points().map(|p| p.value).filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
    let lower = |v: f64| if figure.up.log { v.max(least / 2.0) } else { v };
    let ends = points()
        .flat_map(|p| [p.value, p.band.map_or(p.value, |b| lower(b.0)), p.band.map_or(p.value, |b| b.1)]);
    let up = Axis::new(ends, figure.up.log, (BOTTOM, TOP));
    let title = escape(&figure.title);
    let body = match (across, up) {
        (Some(across), Some(up)) => {
            let panels: String = figure.panels.iter().map(|p| panel(figure, p, &across, &up)).collect();
            format!("{}<div class=\"panels still\">{panels}</div>", legend(figure))
        }
        _ => "<p class=\"empty\">Nothing was recorded that could be drawn.</p>".into(),
    };
    format!(
        "<figure><div class=\"top\"><h3>{title}</h3></div>{body}<figcaption>{}</figcaption></figure>\n",
        escape(&figure.caption)
    )
}

/// Every name once, in order of appearance.
fn legend(figure: &Figure) -> String {
    let mut seen: Vec<&Line> = Vec::new();
    for line in figure.panels.iter().flat_map(|p| &p.lines) {
        if seen.iter().all(|other| other.name != line.name) {
            seen.push(line);
        }
    }
    let entry = |line: &&Line| {
        format!(
            "<span class=\"key\"><svg width=\"22\" height=\"8\" aria-hidden=\"true\" class=\"{}\" style=\"--c:{}\">\
             <line class=\"line\" x1=\"1\" x2=\"21\" y1=\"4\" y2=\"4\"{}/></svg>{}</span>",
            if line.ink == Ink::Floor { "floor" } else { "" },
            colour(line.ink),
            dash(figure, line),
            escape(&line.name)
        )
    };
    format!("<div class=\"keys\">{}</div>", seen.iter().map(entry).collect::<String>())
}

fn panel(figure: &Figure, panel: &Panel, across: &Axis, up: &Axis) -> String {
    let ends = panel.lines.iter().filter_map(|l| Some(format!("{} {:.4}", l.name, l.points.last()?.value)));
    let words = format!(
        "{}, {}: {}. At the right end: {}.",
        figure.title,
        panel.title,
        figure.up.label,
        ends.collect::<Vec<_>>().join(", ")
    );
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\" style=\"--band:{:.3}\">",
        escape(&words),
        0.3 / panel.lines.len().max(2) as f64
    );
    let measured = |of: &Scale| format!("{}{}", of.label, if of.log { " (log)" } else { "" });
    let frame = Frame {
        left: LEFT,
        right: RIGHT,
        top: TOP,
        bottom: BOTTOM,
        title: &panel.title,
        across: &measured(&figure.across),
        up: &measured(&figure.up),
    };
    out.push_str(&frame.draw(&across.ticks(6), &up.ticks(5)));
    let marks: Vec<(f64, &str)> =
        panel.marks.iter().filter(|m| across.shows(m.0)).map(|m| (across.at(m.0), m.1.as_str())).collect();
    out.extend(marks.iter().map(|(x, _)| format!("<path class=\"guide\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/>")));
    let (floor, others): (Vec<&Line>, Vec<&Line>) = panel.lines.iter().partition(|l| l.ink == Ink::Floor);
    let lines = || floor.iter().chain(&others);
    out.extend(lines().map(|l| band(l, across, up)));
    out.extend(lines().map(|l| line(figure, l, across, up)));
    // Words lie over the lines, on the side that has room.
    for (x, what) in marks {
        let fits = x + 4.0 + LETTER * what.chars().count() as f64 <= WIDTH;
        let (x, anchor) = if fits { (x + 4.0, "start") } else { (x - 4.0, "end") };
        out.push_str(&text(x, TOP + 9.0, anchor, "guide-name halo", what));
    }
    out + "</svg>"
}

/// The part of a line that both axes can show, piece by piece.
fn pieces<'a>(line: &'a Line, across: &Axis, up: &Axis) -> Vec<Vec<&'a Point>> {
    let mut pieces: Vec<Vec<&Point>> = vec![Vec::new()];
    for point in &line.points {
        match (across.shows(point.t) && up.shows(point.value), pieces.last_mut()) {
            (true, Some(piece)) => piece.push(point),
            _ => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn path<'a>(points: impl Iterator<Item = (f64, f64)> + 'a, across: &'a Axis, up: &'a Axis) -> String {
    let places = points.map(|(t, v)| format!("{:.1} {:.1}", across.at(t), up.at(v)));
    places.collect::<Vec<_>>().join("L")
}

fn band(line: &Line, across: &Axis, up: &Axis) -> String {
    let mut out = String::new();
    for piece in pieces(line, across, up) {
        let edges: Vec<(f64, (f64, f64))> = piece.iter().filter_map(|p| Some((p.t, p.band?))).collect();
        if edges.len() > 1 {
            let over = path(edges.iter().map(|(t, b)| (*t, b.1)), across, up);
            let under = path(edges.iter().rev().map(|(t, b)| (*t, b.0)), across, up);
            let class = if line.ink == Ink::Floor { "shade floor" } else { "shade" };
            out.push_str(&format!(
                "<g class=\"{class}\" style=\"--c:{}\"><path class=\"band\" d=\"M{over}L{under}Z\"/></g>",
                colour(line.ink)
            ));
        }
    }
    out
}

fn line(figure: &Figure, line: &Line, across: &Axis, up: &Axis) -> String {
    let mut out = String::new();
    for piece in pieces(line, across, up) {
        let d = path(piece.iter().map(|p| (p.t, p.value)), across, up);
        let d = if piece.len() == 1 { format!("M{d}h.1") } else { format!("M{d}") };
        out.push_str(&format!("<path class=\"line\" d=\"{d}\"{}/>", dash(figure, line)));
    }
    let class = if line.ink == Ink::Floor { "run floor" } else { "run" };
    format!(
        "<g class=\"{class}\" style=\"--c:{}\"><title>{}</title>{out}</g>",
        colour(line.ink),
        escape(&line.name)
    )
}

fn colour(ink: Ink) -> String {
    match ink {
        Ink::Hue(k) => format!("var(--c{})", k % 8),
        Ink::Ramp(share) => {
            format!("color-mix(in oklch, var(--seq-a), var(--seq-b) {:.0}%)", 100.0 * share.clamp(0.0, 1.0))
        }
        Ink::Floor => "var(--floor)".into(),
    }
}

/// Colour alone is not for everybody: each hue has its dash, and each step of a ramp.
fn dash(figure: &Figure, line: &Line) -> String {
    let number = match line.ink {
        _ if line.dashed => 1,
        Ink::Hue(k) => usize::from(k),
        Ink::Floor => 0,
        Ink::Ramp(here) => {
            let mut below: Vec<f64> = Vec::new();
            for line in figure.panels.iter().flat_map(|p| &p.lines) {
                match line.ink {
                    Ink::Ramp(share) if share < here && !below.contains(&share) => below.push(share),
                    _ => {}
                }
            }
            below.len()
        }
    };
    match look::dash(number) {
        "" => String::new(),
        dashes => format!(" stroke-dasharray=\"{dashes}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(points: &[(f64, f64)], ink: Ink) -> Figure {
        let points =
            points.iter().map(|(t, v)| Point { t: *t, value: *v, band: Some((v - 1.0, v + 1.0)) }).collect();
        let line = Line { name: "a < b".into(), ink, dashed: false, points };
        Figure {
            up: Scale { label: "cost".into(), log: true },
            panels: vec![Panel { title: "p".into(), lines: vec![line], marks: vec![] }],
            ..Figure::default()
        }
    }

    #[test]
    fn a_line_is_cut_where_a_log_axis_has_no_place_for_it() {
        let html = figure(&one(&[(1.0, 2.0), (2.0, 1.0), (3.0, -1.0), (4.0, 2.0), (5.0, 3.0)], Ink::Hue(0)));
        assert_eq!(html.matches("class=\"line\" d=\"M").count(), 2);
        assert!(!html.contains("NaN") && !html.contains("inf") && !html.contains("a < b"));
    }

    #[test]
    fn a_figure_without_a_point_says_so() {
        assert!(figure(&one(&[], Ink::Floor)).contains("Nothing was recorded"));
        assert!(figure(&one(&[(1.0, f64::NAN)], Ink::Floor)).contains("Nothing was recorded"));
    }

    #[test]
    fn no_two_lines_of_a_panel_differ_in_colour_alone() {
        for inks in [[0, 1, 2, 6].map(Ink::Hue), [0.0, 0.3, 0.7, 1.0].map(Ink::Ramp)] {
            let mut all = one(&[(1.0, 2.0), (2.0, 3.0)], inks[0]);
            for (k, ink) in inks.iter().enumerate().skip(1) {
                let mut line = all.panels[0].lines[0].clone();
                (line.name, line.ink) = (format!("line {k}"), *ink);
                all.panels[0].lines.push(line);
            }
            let mut dashes: Vec<String> = all.panels[0].lines.iter().map(|line| dash(&all, line)).collect();
            dashes.sort_unstable();
            dashes.dedup();
            assert_eq!(dashes.len(), 4, "{dashes:?}");
            let html = figure(&all);
            for dash in dashes.iter().filter(|dash| !dash.is_empty()) {
                assert_eq!(html.matches(dash).count(), 2, "in the panel and in the legend: {dash}");
            }
        }
    }

    #[test]
    fn axes_say_what_they_measure_and_whether_ratios_are_equally_long() {
        let html = figure(&one(&[(1.0, 2.0), (2.0, 3.0)], Ink::Hue(0)));
        assert!(html.contains(">cost (log)</text>"));
    }
}
