//! Panels of curves with bands as still pictures: no script draws them, and the page's colours apply.

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

/// Place on the x-axis, on the y-axis, and the ends of the band around it.
pub(crate) type Point = (f64, f64, Option<(f64, f64)>);

/// A curve. Lines of one name look alike in all panels. Colour alone is not for everybody: each has its dash, too.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) colour: String,
    pub(crate) dash: usize,
    pub(crate) points: Vec<Point>,
}

/// The centralised floor is wide and pale, and lies under the others.
pub(crate) const FLOOR: &str = "var(--floor)";

/// A title, lines, and a place on the x-axis where something happens.
pub(crate) type Panel = (String, Vec<Line>, Option<(f64, String)>);

/// Panels that share their axes: each axis has a label, and may be logarithmic.
pub(crate) struct Figure {
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) across: (String, bool),
    pub(crate) up: (String, bool),
    pub(crate) panels: Vec<Panel>,
}

/// A figure: heading, names of the lines, panels, caption.
pub(crate) fn figure(figure: &Figure) -> String {
    let points = || figure.panels.iter().flat_map(|p| &p.1).flat_map(|l| &l.points);
    let across = Axis::new(points().map(|p| p.0), figure.across.1, (LEFT, RIGHT));
    // On a log axis a band may reach towards zero; it may not squeeze the lines to the top.
    let least = points().map(|p| p.1).filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
    let lower = |v: f64| if figure.up.1 { v.max(least / 2.0) } else { v };
    let ends = points().flat_map(|p| {
        let (low, high) = p.2.unwrap_or((p.1, p.1));
        [p.1, lower(low), high]
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
    for line in figure.panels.iter().flat_map(|p| &p.1) {
        if seen.iter().all(|other| other.name != line.name) {
            seen.push(line);
        }
    }
    let entry = |line: &&Line| {
        format!(
            "<span class=\"key\"><svg width=\"22\" height=\"8\" aria-hidden=\"true\" class=\"{}\" style=\"--c:{}\">\
             <line class=\"line\" x1=\"1\" x2=\"21\" y1=\"4\" y2=\"4\"{}/></svg>{}</span>",
            line.class().trim_start(),
            line.colour,
            line.dash(),
            escape(&line.name)
        )
    };
    format!("<div class=\"keys\">{}</div>", seen.iter().map(entry).collect::<String>())
}

impl Line {
    fn class(&self) -> &'static str {
        if self.colour == FLOOR { " floor" } else { "" }
    }

    fn dash(&self) -> String {
        let dashes = look::dash(self.dash);
        if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") }
    }
}

struct Plot<'a> {
    figure: &'a Figure,
    across: Axis,
    up: Axis,
}

impl Plot<'_> {
    fn panel(&self, (title, lines, mark): &Panel) -> String {
        let Self { figure, across, up } = self;
        let end = |l: &Line| Some(format!("{} {:.4}", l.name, l.points.last()?.1));
        let ends: Vec<String> = lines.iter().filter_map(end).collect();
        let name =
            format!("{}, {title}: {}. At the right end: {}.", figure.title, figure.up.0, ends.join(", "));
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\" style=\"--band:{:.3}\">",
            escape(&name),
            0.3 / lines.len().max(2) as f64
        );
        let measured = |(label, log): &(String, bool)| format!("{label}{}", if *log { " (log)" } else { "" });
        let (base, side) = (&measured(&figure.across), &measured(&figure.up));
        let frame =
            Frame { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM, title, across: base, up: side };
        out += &frame.draw(&across.ticks(6), &up.ticks(5));
        let mark = mark.as_ref().filter(|m| across.shows(m.0)).map(|m| (across.at(m.0), &m.1));
        out.extend(mark.map(|(x, _)| format!("<path class=\"guide\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/>")));
        let (floor, others): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|l| l.colour == FLOOR);
        let lines = || floor.iter().chain(&others);
        out.extend(lines().map(|l| self.band(l)));
        out.extend(lines().map(|l| self.line(l)));
        // Words lie over the lines, on the side that has room.
        if let Some((x, what)) = mark {
            let fits = x + 4.0 + LETTER * what.chars().count() as f64 <= WIDTH;
            let (x, anchor) = if fits { (x + 4.0, "start") } else { (x - 4.0, "end") };
            out += &text(x, TOP + 9.0, anchor, "guide-name halo", what);
        }
        out + "</svg>"
    }

    /// The part of a line that both axes can show, piece by piece.
    fn pieces<'p>(&self, line: &'p Line) -> impl Iterator<Item = &'p [Point]> {
        let shows = |p: &Point| self.across.shows(p.0) && self.up.shows(p.1);
        line.points.split(move |p| !shows(p)).filter(|piece| !piece.is_empty())
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let place = |(t, v)| format!("{:.1} {:.1}", self.across.at(t), self.up.at(v));
        points.map(place).collect::<Vec<_>>().join("L")
    }

    fn band(&self, line: &Line) -> String {
        let (class, colour) = (line.class(), &line.colour);
        let draw = |piece: &[Point]| {
            let edges = || piece.iter().filter_map(|p| Some((p.0, p.2?)));
            let over = self.path(edges().map(|(t, band)| (t, band.1)));
            let under = self.path(edges().rev().map(|(t, band)| (t, band.0)));
            let path = format!("<path class=\"band\" d=\"M{over}L{under}Z\"/>");
            let drawn = format!("<g class=\"shade{class}\" style=\"--c:{colour}\">{path}</g>");
            if edges().count() > 1 { drawn } else { String::new() }
        };
        self.pieces(line).map(draw).collect()
    }

    fn line(&self, line: &Line) -> String {
        let draw = |piece: &[Point]| {
            let dot = if piece.len() == 1 { "h.1" } else { "" };
            let d = self.path(piece.iter().map(|p| (p.0, p.1)));
            format!("<path class=\"line\" d=\"M{d}{dot}\"{}/>", line.dash())
        };
        let (class, colour, name) = (line.class(), &line.colour, escape(&line.name));
        let drawn: String = self.pieces(line).map(draw).collect();
        format!("<g class=\"run{class}\" style=\"--c:{colour}\"><title>{name}</title>{drawn}</g>")
    }
}
