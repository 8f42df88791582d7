//! The frame around curves: a box, round values on both axes, and what the axes measure.

use crate::text::escape;

/// A place on an axis, and the text there.
pub(crate) type Tick = (f64, String);

/// Width of a letter, at most.
pub(crate) const LETTER: f64 = 6.9;
/// How far to the left of the box the name of its values reaches.
const UP: f64 = 52.0;

/// A box, and the words around it.
#[derive(Default)]
pub(crate) struct PanelFrame<'a> {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    /// Above.
    pub(crate) title: &'a str,
    /// What the horizontal axis measures. Written below.
    pub(crate) across: &'a str,
    /// What the vertical axis measures. Written sideways, to the left of the values.
    pub(crate) up: &'a str,
}

impl PanelFrame<'_> {
    /// Grid, axes, values and words. Values that would overlap along the base are left out.
    pub(crate) fn draw(&self, across: &[Tick], up: &[Tick]) -> String {
        let Self { left, right, top, bottom, .. } = *self;
        let edge = if self.up.is_empty() { left } else { left - UP };
        let mut out = text(edge, top - 10.0, "start", "name", &cut(self.title, right - edge));
        for (y, name) in up {
            out += &format!("<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>");
            out += &text(left - 7.0, y + 4.0, "end", "", name);
        }
        out += &format!("<path class=\"axis\" d=\"M{left:.1} {bottom}H{right:.1}\"/>");
        let mut free = f64::NEG_INFINITY;
        for (x, name) in across {
            let half = LETTER / 2.0 * name.chars().count() as f64;
            out += &format!("<path class=\"axis\" d=\"M{x:.1} {bottom}v5\"/>");
            if x - half >= free {
                free = x + half + 3.0;
                out += &text(*x, bottom + 18.0, "middle", "", name);
            }
        }
        out += &text((left + right) / 2.0, bottom + 35.0, "middle", "", &cut(self.across, right - left));
        if !self.up.is_empty() {
            let (x, y) = (left - UP + 5.0, (top + bottom) / 2.0);
            out += &format!(
                "<text transform=\"translate({x:.1} {y:.1})rotate(-90)\" text-anchor=\"middle\">{}</text>",
                escape(&cut(self.up, bottom - top + 30.0)) // may reach a little beyond the box
            );
        }
        out
    }
}

/// Words at a place; no element for no words.
pub(crate) fn text(x: f64, y: f64, anchor: &str, class: &str, words: &str) -> String {
    if words.is_empty() {
        return String::new();
    }
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<text{class} x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escape(words))
}

/// A text cut to the room it has, with an ellipsis.
pub(crate) fn cut(text: &str, room: f64) -> String {
    let letters = (room / LETTER).max(1.0) as usize;
    if text.chars().count() <= letters {
        return text.into();
    }
    text.chars().take(letters - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_crowd_are_marked_and_not_all_written() {
        let ticks: Vec<Tick> = (0..10).map(|k| (10.0 * f64::from(k), "1000".into())).collect();
        let frame = PanelFrame { right: 100.0, bottom: 50.0, ..PanelFrame::default() };
        let out = frame.draw(&ticks, &[]);
        assert_eq!(out.matches("v5\"").count(), 10);
        assert_eq!(out.matches(">1000<").count(), 3);
    }

    #[test]
    fn a_frame_says_what_it_measures_in_both_directions() {
        let frame = PanelFrame {
            right: 200.0,
            bottom: 100.0,
            across: "round t",
            up: "cost <",
            ..PanelFrame::default()
        };
        let out = frame.draw(&[], &[(10.0, "a & b".into())]);
        assert!(
            out.contains(">round t</text>")
                && out.contains("rotate(-90)\" text-anchor=\"middle\">cost &lt;<")
        );
        assert!(
            out.contains(">a &amp; b<") && !out.contains("class=\"name\""),
            "no title, no element for one"
        );
    }

    #[test]
    fn what_has_no_room_is_cut_with_a_sign() {
        assert_eq!(cut("short", 100.0), "short");
        assert_eq!(cut("ünïcödé words", 5.0 * LETTER), "ünïc…");
        assert_eq!(cut("words", -3.0), "…");
    }
}
