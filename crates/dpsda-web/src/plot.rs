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

    /// The line itself.
    fn line(&self, path: &str) -> String {
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

/// Place on the x-axis, on the y-axis, and the ends of the band around it.
pub(crate) type BandPoint = (f64, f64, Option<(f64, f64)>);

/// The inside of a panel.
pub(crate) struct Plot {
    pub(crate) across: Axis,
    pub(crate) up: Axis,
}

impl Plot {
    /// A path through points, without its first letter.
    pub(crate) fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let place = |(t, v)| format!("{:.1} {:.1}", self.across.at(t), self.up.at(v));
        points.map(place).collect::<Vec<_>>().join("L")
    }

    /// The outline of the band around some points: along its upper ends, and back along its lower ends. None around a single
    /// point, or where there is no band.
    pub(crate) fn band(&self, points: &[BandPoint]) -> Option<String> {
        let ends = || points.iter().filter_map(|p| Some((p.0, p.2?)));
        let over = self.path(ends().map(|(t, band)| (t, band.1)));
        let under = self.path(ends().rev().map(|(t, band)| (t, band.0)));
        (ends().count() > 1).then(|| format!("M{over}L{under}Z"))
    }

    /// The bands of a line, and the line: piece by piece, where both axes can show it.
    pub(crate) fn draw(&self, pen: &Pen, points: &[BandPoint]) -> (String, String) {
        let (mut bands, mut line) = (String::new(), String::new());
        let hidden = |p: &BandPoint| !self.across.shows(p.0) || !self.up.shows(p.1);
        for piece in points.split(hidden).filter(|piece| !piece.is_empty()) {
            let band = self.band(piece).map(|outline| format!("<path class=\"band\" d=\"{outline}\"/>"));
            bands.extend(band.map(|band| pen.group("shade", &band)));
            let dot = if piece.len() == 1 { "h.1" } else { "" };
            line += &pen.line(&(self.path(piece.iter().map(|p| (p.0, p.1))) + dot));
        }
        (bands, line)
    }
}
