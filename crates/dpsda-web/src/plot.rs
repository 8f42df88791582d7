//! Lines with bands: how they look on a page, and the paths that draw them.

use crate::{axis::Axis, text::escape};

/// How a line looks. Not everybody can tell colours apart, so a line may have a dash too.
pub(crate) struct Pen {
    pub(crate) name: String,
    /// As CSS.
    pub(crate) colour: String,
    pub(crate) dash: &'static str,
    /// The centralised floor is wide and pale.
    pub(crate) floor: bool,
}

impl Pen {
    /// Things of the line's colour.
    pub(crate) fn group(&self, class: &str, html: &str) -> String {
        let floor = if self.floor { " floor" } else { "" };
        format!("<g class=\"{class}{floor}\" style=\"--c:{}\">{html}</g>", self.colour)
    }

    /// The band around the line. Each edge is a place on the x-axis, and the upper and lower end there.
    pub(crate) fn band(&self, edges: &[(f64, f64, f64)]) -> String {
        self.group("shade", &format!("<path class=\"band\" d=\"{}\"/>", outline(edges)))
    }

    /// The line itself.
    pub(crate) fn line(&self, path: &str) -> String {
        let dash = match self.dash {
            "" => String::new(),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        };
        format!("<path class=\"line\" d=\"M{path}\"{dash}/>")
    }

    /// A short piece of the line and its name, for a list of lines.
    pub(crate) fn sample(&self) -> String {
        let line = self.group("sample", &self.line("1 4H25"));
        format!("<svg width=\"26\" height=\"8\" aria-hidden=\"true\">{line}</svg>{}", escape(&self.name))
    }
}

/// The inside of a panel.
pub(crate) struct Plot {
    pub(crate) across: Axis,
    pub(crate) up: Axis,
}

impl Plot {
    /// A path through points of the two axes.
    pub(crate) fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        path(points.map(|(t, v)| (self.across.at(t), self.up.at(v))))
    }

    /// The edges of a band around a line: from place, upper end and lower end on the axes to pixels.
    pub(crate) fn edges(&self, band: impl Iterator<Item = (f64, f64, f64)>) -> Vec<(f64, f64, f64)> {
        band.map(|(t, over, under)| (self.across.at(t), self.up.at(over), self.up.at(under))).collect()
    }
}

/// A path through places in pixels, without its first letter.
pub(crate) fn path(places: impl Iterator<Item = (f64, f64)>) -> String {
    places.map(|(x, y)| format!("{x:.1} {y:.1}")).collect::<Vec<_>>().join("L")
}

/// Along the upper ends of a band, and back along its lower ends.
pub(crate) fn outline(edges: &[(f64, f64, f64)]) -> String {
    let over = path(edges.iter().map(|edge| (edge.0, edge.1)));
    format!("M{over}L{}Z", path(edges.iter().rev().map(|edge| (edge.0, edge.2))))
}
