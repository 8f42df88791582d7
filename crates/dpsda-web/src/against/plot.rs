//! Drawing a figure in a given space: frame, bands, lines, marks, names.

use serde_json::Value;

use super::{SweepAxis, SweepLine};
use crate::{
    axis::Axis,
    frame::{LETTER, PanelFrame, Tick},
    plot::{BandPoint, Plot},
    text::{escape, spread},
};

const LEFT: f64 = 58.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 46.0;
/// Height of a line of text.
const APART: f64 = 13.0;
/// Letters of a name in one line of text.
const LETTERS: usize = 38;

/// The space and the axes.
pub(super) struct SweepPlot<'a> {
    x: &'a SweepAxis,
    /// Parts of the x-axis, and values.
    plot: Plot,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Room for the names of lines.
    right: f64,
}

/// The ends of the y-axis, and whether it is logarithmic.
type Heights = ((f64, f64), bool);

impl<'a> SweepPlot<'a> {
    /// Wide and high enough for the names of its lines.
    pub(super) fn broad(x: &'a SweepAxis, y: Heights, lines: &[SweepLine<'_>]) -> Self {
        let names: Vec<Vec<String>> = lines.iter().map(|line| broken(&line.pen.name)).collect();
        let longest = names.iter().flatten().map(|text| text.chars().count()).max().unwrap_or(0);
        let texts = names.iter().flatten().count() as f64;
        let right = 24.0 + LETTER * longest as f64;
        Self::new(x, y, (820.0, (TOP + BOTTOM + APART * texts).max(330.0)), right.clamp(90.0, 300.0))
    }

    /// Without names, for a phone.
    pub(super) fn narrow(x: &'a SweepAxis, y: Heights) -> Self {
        Self::new(x, y, (360.0, 280.0), 8.0)
    }

    fn new(x: &'a SweepAxis, (ends, log): Heights, (width, height): (f64, f64), right: f64) -> Self {
        let across = Axis::between((0.0, 1.0), false, (LEFT, width - right));
        let plot = Plot { across, up: Axis::between(ends, log, (height - BOTTOM, TOP)) };
        Self { x, plot, width, height, right }
    }

    /// Everything inside the frame of the picture.
    pub(super) fn draw(&self, lines: &[SweepLine<'_>], key: &str, named: bool) -> String {
        let (mut bands, mut marks, mut ends) = (String::new(), String::new(), Vec::new());
        for line in lines {
            let place = |value: Option<&Value>| value.and_then(|v| self.x.part(v));
            let mut points: Vec<(f64, f64, f64)> = match line.points[..] {
                [(None, mean, sd)] => [0.0, 1.0].map(|part| (part, mean, sd)).to_vec(),
                _ => line.points.iter().filter_map(|p| Some((place(p.0)?, p.1, p.2))).collect(),
            };
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let Some(last) = points.last() else { continue };
            ends.push((self.plot.up.at(last.1), line));
            let joined = self.x.is_ordered() || line.points.len() == 1;
            let mut drawn = String::new();
            if joined {
                let band = |sd: f64, mean: f64| (sd > 0.0).then_some((mean - sd, mean + sd));
                let around: Vec<BandPoint> = points.iter().map(|p| (p.0, p.1, band(p.2, p.1))).collect();
                let (shade, path) = self.plot.draw(&line.pen, &around);
                bands += &shade;
                drawn += &path;
            }
            drawn += &self.marks(line, &points, joined);
            marks += &line.pen.group("run", &drawn);
        }
        self.frame(key) + &bands + &marks + &if named { self.names(ends) } else { String::new() }
    }

    fn marks(&self, line: &SweepLine<'_>, points: &[(f64, f64, f64)], joined: bool) -> String {
        let (mut out, Plot { across, up }) = (String::new(), &self.plot);
        for (part, mean, sd) in points.iter().filter(|_| line.points.len() > 1) {
            let at = across.at(*part);
            if !joined {
                let (over, under) = (up.at(mean + sd), up.at(mean - sd));
                out += &format!("<path class=\"whisker\" d=\"M{at:.1} {over:.1}V{under:.1}\"/>");
            }
            let said = escape(&format!("{}: {}", line.pen.name, spread(*mean, Some(*sd))));
            out += &format!(
                "<circle class=\"dot\" r=\"3.4\" cx=\"{at:.1}\" cy=\"{:.1}\"><title>{said}</title></circle>",
                up.at(*mean)
            );
        }
        out
    }

    fn frame(&self, key: &str) -> String {
        let across: Vec<Tick> =
            self.x.marks().into_iter().map(|(part, text)| (self.plot.across.at(part), text)).collect();
        let (right, bottom) = (self.width - self.right, self.height - BOTTOM);
        let frame = PanelFrame { left: LEFT, right, top: TOP, bottom, across: key, ..PanelFrame::default() };
        frame.draw(&across, &self.plot.up.ticks(5))
    }

    /// The names of lines at their ends, moved apart where they would cover each other.
    fn names(&self, mut ends: Vec<(f64, &SweepLine<'_>)>) -> String {
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut names: Vec<(f64, &SweepLine<'_>, Vec<String>)> =
            ends.into_iter().map(|(at, line)| (at, line, broken(&line.pen.name))).collect();
        // First downwards from the top, then upwards from the bottom for names that were pushed out below.
        let mut limit = f64::NEG_INFINITY;
        for (at, _, texts) in &mut names {
            *at = at.max(limit);
            limit = *at + APART * texts.len() as f64;
        }
        let mut limit = self.height - BOTTOM + APART;
        for (at, _, texts) in names.iter_mut().rev() {
            *at = at.min(limit - APART * texts.len() as f64);
            limit = *at;
        }
        let x = self.width - self.right + 9.0;
        let span = |(k, text): (usize, &String)| {
            format!(
                "<tspan x=\"{x:.1}\" dy=\"{}\">{}</tspan>",
                if k == 0 { 0.0 } else { APART },
                escape(text)
            )
        };
        let name = |(at, line, texts): &(f64, &SweepLine<'_>, Vec<String>)| {
            let spans: String = texts.iter().enumerate().map(span).collect();
            format!(
                "<text class=\"direct\" style=\"--c:{}\" x=\"{x:.1}\" y=\"{:.1}\">{spans}</text>",
                line.pen.colour,
                at + 4.0
            )
        };
        names.iter().map(name).collect()
    }
}

/// A name in as many lines of text as it needs. Only a single word that is too long is cut.
fn broken(name: &str) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for word in name.split(' ') {
        let length = word.chars().count();
        let word = if length > LETTERS {
            word.chars().take(LETTERS - 1).chain(['…']).collect()
        } else {
            word.to_owned()
        };
        match texts.last_mut() {
            // A dot between two settings stays with the word before it.
            Some(text) if word == "·" || text.chars().count() + 1 + length <= LETTERS - 2 => {
                *text += &format!(" {word}")
            }
            _ => texts.push(word),
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_broken_between_words_and_loses_none() {
        let name = "dpsda-ps · running-sums · known false · network.loss.burst 12 · another 7";
        let texts = broken(name);
        assert!(texts.len() == 2 || texts.len() == 3);
        assert!(texts.iter().all(|text| text.chars().count() <= LETTERS), "{texts:?}");
        assert_eq!(texts.join(" "), name);
        assert_eq!(broken("dpsda-r"), ["dpsda-r"]);
        assert!(broken(&"x".repeat(99))[0].ends_with('…'));
    }
}
