//! Panels of curves with bands as still pictures: no script draws them, and the page's colours apply.

use crate::{
    axis::Axis,
    frame::{LETTER, PanelFrame, text},
    html::paragraph,
    plot::{BandPoint, Pen, Plot},
    text::escape,
};

/// About as many pixels as four panels side by side have on a desktop, so that letters keep their size.
const WIDTH: f64 = 288.0;
const HEIGHT: f64 = 218.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 276.0;
// Three digits at the end of the base have room.
const _: () = assert!(RIGHT + 1.5 * LETTER <= WIDTH);
const TOP: f64 = 26.0;
const BOTTOM: f64 = 176.0;

/// A curve. Curves of one name look alike in all panels.
pub(crate) type StillLine = (Pen, Vec<BandPoint>);

/// A title, lines, and a place on the x-axis where something happens.
pub(crate) type StillPanel = (String, Vec<StillLine>, Option<(f64, String)>);

/// Panels that share their axes: each axis has a label, and may be logarithmic.
pub(crate) struct StillFigure {
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) across: (String, bool),
    pub(crate) up: (String, bool),
    pub(crate) panels: Vec<StillPanel>,
}

/// A figure: heading, names of the lines, panels, caption.
pub(crate) fn figure(figure: &StillFigure) -> String {
    let lines = || figure.panels.iter().flat_map(|panel| &panel.1);
    let points = || lines().flat_map(|line| &line.1);
    let across = Axis::new(points().map(|p| p.0), figure.across.1, (LEFT, RIGHT));
    // On a log axis a band may reach towards zero. It must not squeeze the lines to the top.
    let least = points().map(|p| p.1).filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
    let lower = |v: f64| if figure.up.1 { v.max(least / 2.0) } else { v };
    let ends = points().flat_map(|p| {
        let (low, high) = p.2.unwrap_or((p.1, p.1));
        [p.1, lower(low), high]
    });
    let body = match across.zip(Axis::new(ends, figure.up.1, (BOTTOM, TOP))) {
        Some((across, up)) => {
            let plot = Plot { across, up };
            let mut names: Vec<&Pen> = Vec::new();
            for (pen, _) in lines() {
                if names.iter().all(|other| other.name != pen.name) {
                    names.push(pen);
                }
            }
            let keys: String =
                names.iter().map(|pen| format!("<span class=\"key\">{}</span>", pen.sample())).collect();
            let panels: String = figure.panels.iter().map(|one| panel(figure, &plot, one)).collect();
            format!("<div class=\"keys\">{keys}</div><div class=\"panels still\">{panels}</div>")
        }
        None => paragraph("empty", "Nothing was recorded that could be drawn."),
    };
    format!(
        "<figure><div class=\"top\"><h3>{}</h3></div>{body}<figcaption>{}</figcaption></figure>\n",
        escape(&figure.title),
        escape(&figure.caption)
    )
}

fn panel(figure: &StillFigure, plot: &Plot, (title, lines, mark): &StillPanel) -> String {
    let end = |(pen, points): &StillLine| Some(format!("{} {:.4}", pen.name, points.last()?.1));
    let ends = lines.iter().filter_map(end).collect::<Vec<_>>().join(", ");
    let name = format!("{}, {title}: {}. At the right end: {ends}.", figure.title, figure.up.0);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\" style=\"--band:{:.3}\">",
        escape(&name),
        0.3 / lines.len().max(2) as f64
    );
    let measured = |(label, log): &(String, bool)| format!("{label}{}", if *log { " (log)" } else { "" });
    let (across, up) = (&measured(&figure.across), &measured(&figure.up));
    let frame = PanelFrame { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM, title, across, up };
    out += &frame.draw(&plot.across.ticks(6), &plot.up.ticks(5));
    let mark = mark.as_ref().filter(|m| plot.across.shows(m.0)).map(|m| (plot.across.at(m.0), &m.1));
    out.extend(mark.map(|(x, _)| format!("<path class=\"guide\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/>")));
    // The floor lies under the other lines, and all bands lie under all lines.
    let (floor, others): (Vec<_>, Vec<_>) = lines.iter().partition(|(pen, _)| pen.floor);
    let mut drawn = String::new();
    for (pen, points) in floor.into_iter().chain(others) {
        let (bands, line) = plot.draw(pen, points);
        out += &bands;
        drawn += &pen.group("run", &format!("<title>{}</title>{line}", escape(&pen.name)));
    }
    out += &drawn;
    // Words lie over the lines, on the side that has room.
    if let Some((x, what)) = mark {
        let fits = x + 4.0 + LETTER * what.chars().count() as f64 <= WIDTH;
        let (x, anchor) = if fits { (x + 4.0, "start") } else { (x - 4.0, "end") };
        out += &text(x, TOP + 9.0, anchor, "guide-name halo", what);
    }
    out + "</svg>"
}
