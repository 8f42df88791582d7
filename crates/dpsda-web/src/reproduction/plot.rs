//! Panels of curves with bands as still pictures: no script draws them, and the page's colours apply.

use super::{Figure, Ink, Line, Panel, Point};
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
    let across = Axis::new(points().map(|p| p.t), figure.across.1, (LEFT, RIGHT));
    // On a log axis a band may reach towards zero; it may not squeeze the lines to the top.
    let least = points().map(|p| p.value).filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
    let lower = |v: f64| if figure.up.1 { v.max(least / 2.0) } else { v };
    let ends = points().flat_map(|p| {
        let (low, high) = p.band.unwrap_or((p.value, p.value));
        [p.value, lower(low), high]
    });
    let up = Axis::new(ends, figure.up.1, (BOTTOM, TOP));
    let body = match (across, up) {
        (Some(across), Some(up)) => {
            let plot = Plot { figure, across, up };
            let panels: String = figure.panels.iter().map(|p| plot.panel(p)).collect();
            format!("{}<div class=\"panels still\">{panels}</div>", legend(figure))
        }
        _ => "<p class=\"empty\">Nothing was recorded that could be drawn.</p>".into(),
    };
    format!(
        "<figure><div class=\"top\"><h3>{}</h3></div>{body}<figcaption>{}</figcaption></figure>\n",
        escape(&figure.title),
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
            dash(line.ink),
            escape(&line.name)
        )
    };
    format!("<div class=\"keys\">{}</div>", seen.iter().map(entry).collect::<String>())
}

struct Plot<'a> {
    figure: &'a Figure,
    across: Axis,
    up: Axis,
}

impl Plot<'_> {
    fn panel(&self, panel: &Panel) -> String {
        let Self { figure, across, up } = self;
        let end = |l: &Line| Some(format!("{} {:.4}", l.name, l.points.last()?.value));
        let ends: Vec<String> = panel.lines.iter().filter_map(end).collect();
        let measured =
            |(label, log): &(String, bool)| format!("{label}{}", if *log { " (log)" } else { "" });
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}, {}: {}. At the right end: {}.\" style=\"--band:{:.3}\">",
            escape(&figure.title),
            escape(&panel.title),
            escape(&figure.up.0),
            escape(&ends.join(", ")),
            0.3 / panel.lines.len().max(2) as f64
        );
        let (title, base, side) = (&panel.title, &measured(&figure.across), &measured(&figure.up));
        let frame =
            Frame { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM, title, across: base, up: side };
        out += &frame.draw(&across.ticks(6), &up.ticks(5));
        let marks = || panel.marks.iter().filter(|m| across.shows(m.0)).map(|m| (across.at(m.0), &m.1));
        out.extend(marks().map(|(x, _)| format!("<path class=\"guide\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/>")));
        let (floor, others): (Vec<&Line>, Vec<&Line>) =
            panel.lines.iter().partition(|l| l.ink == Ink::Floor);
        let lines = || floor.iter().chain(&others);
        out.extend(lines().map(|l| self.band(l)));
        out.extend(lines().map(|l| self.line(l)));
        // Words lie over the lines, on the side that has room.
        for (x, what) in marks() {
            let fits = x + 4.0 + LETTER * what.chars().count() as f64 <= WIDTH;
            let (x, anchor) = if fits { (x + 4.0, "start") } else { (x - 4.0, "end") };
            out += &text(x, TOP + 9.0, anchor, "guide-name halo", what);
        }
        out + "</svg>"
    }

    /// The part of a line that both axes can show, piece by piece.
    fn pieces<'p>(&self, line: &'p Line) -> impl Iterator<Item = &'p [Point]> {
        let shows = |p: &Point| self.across.shows(p.t) && self.up.shows(p.value);
        line.points.split(move |p| !shows(p)).filter(|piece| !piece.is_empty())
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let place = |(t, v)| format!("{:.1} {:.1}", self.across.at(t), self.up.at(v));
        points.map(place).collect::<Vec<_>>().join("L")
    }

    fn band(&self, line: &Line) -> String {
        let edges = |piece: &[Point]| piece.iter().filter_map(|p| Some((p.t, p.band?))).collect::<Vec<_>>();
        let class = if line.ink == Ink::Floor { "shade floor" } else { "shade" };
        let draw = |edges: Vec<(f64, (f64, f64))>| {
            let over = self.path(edges.iter().map(|(t, b)| (*t, b.1)));
            let under = self.path(edges.iter().rev().map(|(t, b)| (*t, b.0)));
            let path = format!("<path class=\"band\" d=\"M{over}L{under}Z\"/>");
            format!("<g class=\"{class}\" style=\"--c:{}\">{path}</g>", colour(line.ink))
        };
        self.pieces(line).map(edges).filter(|edges| edges.len() > 1).map(draw).collect()
    }

    fn line(&self, line: &Line) -> String {
        let draw = |piece: &[Point]| {
            let dot = if piece.len() == 1 { "h.1" } else { "" };
            let d = self.path(piece.iter().map(|p| (p.t, p.value)));
            format!("<path class=\"line\" d=\"M{d}{dot}\"{}/>", dash(line.ink))
        };
        format!(
            "<g class=\"{}\" style=\"--c:{}\"><title>{}</title>{}</g>",
            if line.ink == Ink::Floor { "run floor" } else { "run" },
            colour(line.ink),
            escape(&line.name),
            self.pieces(line).map(draw).collect::<String>()
        )
    }
}

fn colour(ink: Ink) -> String {
    match ink {
        Ink::Hue(k) => format!("var(--c{})", k % 8),
        Ink::Ramp(step, last) => {
            let share = 100.0 * f64::from(step.min(last)) / f64::from(last.max(1));
            format!("color-mix(in oklch, var(--seq-a), var(--seq-b) {share:.0}%)")
        }
        Ink::Floor => "var(--floor)".into(),
    }
}

/// Colour alone is not for everybody: each hue has its dash, and each step of a ramp.
fn dash(ink: Ink) -> String {
    let number = if let Ink::Hue(k) | Ink::Ramp(k, _) = ink { usize::from(k) } else { 0 };
    match look::dash(number) {
        "" => String::new(),
        dashes => format!(" stroke-dasharray=\"{dashes}\""),
    }
}
