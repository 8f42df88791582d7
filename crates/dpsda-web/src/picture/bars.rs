//! A still picture of ratios: horizontal bars on a log axis, side by side in panels.

use super::{LEFT, RIGHT, WIDTH, axis, plot::COLOURS, svg, text};
use crate::{
    frame::{LETTER, PanelFrame},
    text::{escape, number},
};

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The title of its panel.
    pub panel: String,
    /// The row: bars with the same row stand together, and rows of all panels are in line.
    pub group: String,
    /// What it is, by colour.
    pub name: String,
    /// Its length, above zero.
    pub value: f64,
    /// Its spread, low and high.
    pub ends: (f64, f64),
}

/// Height of a bar, and of the gap between rows.
const BAR: f64 = 11.0;
const APART: f64 = 10.0;
/// Height of title, note and names.
const HEAD: f64 = 96.0;
const FOOT: f64 = 34.0;
/// Room for a value after its bar.
const ROOM: f64 = 44.0;

/// All bars. A line stands at 1.
pub(crate) fn draw(title: &str, note: &str, bars: &[Bar]) -> String {
    let shown: Vec<&Bar> = bars.iter().filter(|bar| bar.value > 0.0 && bar.value.is_finite()).collect();
    let (panels, groups) = (distinct(&shown, |bar| &bar.panel), distinct(&shown, |bar| &bar.group));
    let names = distinct(&shown, |bar| &bar.name);
    let most = groups.iter().map(|group| count(&shown, &panels, group)).collect::<Vec<_>>();
    let height = HEAD + FOOT + most.iter().map(|bars| row(*bars)).sum::<f64>();
    let mut body = text(18.0, 28.0, "start", "title", title) + &text(18.0, 47.0, "start", "", note);
    let mut x = 18.0;
    for (at, name) in names.iter().enumerate() {
        body += &format!("<rect x=\"{x:.1}\" y=\"56\" width=\"14\" height=\"10\" fill=\"{}\"/>", colour(at));
        body += &text(x + 20.0, 65.0, "start", "", name);
        x += 44.0 + LETTER * name.chars().count() as f64;
    }
    let words = groups.iter().map(|group| group.chars().count()).max().unwrap_or(0) as f64;
    let left = LEFT.max(26.0 + LETTER * words);
    let width = (WIDTH - left - RIGHT) / panels.len().max(1) as f64;
    let ends =
        shown.iter().fold((1.0_f64, 2.0_f64), |(low, high), bar| (low.min(bar.value), high.max(bar.value)));
    for (at, panel) in panels.iter().enumerate() {
        let from = left + at as f64 * width;
        let to = from + width - ROOM;
        let Some(across) = axis(ends, (from, to)) else { continue };
        let frame = PanelFrame {
            left: from,
            right: to,
            top: HEAD,
            bottom: height - FOOT,
            title: panel,
            ..PanelFrame::default()
        };
        body += &frame.draw(&across.ticks(5), &[]);
        let mut y = HEAD;
        for (group, most) in groups.iter().zip(&most) {
            if at == 0 {
                body += &text(left - 8.0, y + row(*most) / 2.0 + 4.0, "end", "", group);
            }
            let here = shown.iter().filter(|bar| &bar.panel == panel && &bar.group == group);
            for (k, bar) in here.enumerate() {
                let (top, end) = (y + APART / 2.0 + k as f64 * BAR, across.at(bar.value));
                let (start, length) = (across.at(1.0).min(end), (end - across.at(1.0)).abs().max(1.0));
                let which = names.iter().position(|name| *name == bar.name).unwrap_or(0);
                body += &format!(
                    "<rect x=\"{start:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"{}\"><title>{}</title></rect>",
                    top + 1.0,
                    BAR - 2.0,
                    colour(which),
                    escape(&format!("{} {}: {}", bar.group, bar.name, number(bar.value, 3))),
                );
                let (low, high) = (across.at(bar.ends.0), across.at(bar.ends.1));
                body += &format!(
                    "<path stroke=\"#1b1d21\" opacity=\".55\" d=\"M{low:.1} {:.1}H{high:.1}\"/>",
                    top + BAR / 2.0
                );
                let beyond = end.max(high).max(across.at(1.0));
                body += &text(beyond + 5.0, top + BAR - 1.5, "start", "", &number(bar.value, 2));
            }
            y += row(*most);
        }
        body += &format!("<path class=\"guide\" d=\"M{:.1} {HEAD}V{:.1}\"/>", across.at(1.0), height - FOOT);
    }
    svg(title, height, &body)
}

fn row(bars: usize) -> f64 {
    bars as f64 * BAR + APART
}

fn colour(at: usize) -> &'static str {
    COLOURS.get(at % COLOURS.len()).copied().unwrap_or_default()
}

/// The most bars that a row has in any panel.
fn count(bars: &[&Bar], panels: &[&str], group: &str) -> usize {
    let of = |panel: &&str| bars.iter().filter(|bar| bar.panel == **panel && bar.group == group).count();
    panels.iter().map(of).max().unwrap_or(0)
}

/// What bars are called, in order, once.
fn distinct<'a>(bars: &[&'a Bar], of: impl Fn(&'a Bar) -> &'a String) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    for name in bars.iter().map(|bar| of(bar).as_str()) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(panel: &str, group: &str, name: &str, value: f64) -> Bar {
        let words = [panel, group, name].map(str::to_owned);
        let [panel, group, name] = words;
        Bar { panel, group, name, value, ends: (0.9 * value, 1.1 * value) }
    }

    #[test]
    fn every_bar_has_a_length_and_a_value_and_words_are_safe() {
        let bars = [
            bar("rounds", "7 · 112", "a<b", 6.0),
            bar("rounds", "7 · 112", "c", 0.5),
            bar("runs", "100", "c", 40.0),
        ];
        let svg = draw("Times", "each", &bars);
        assert_eq!(svg.matches("<title>").count(), 3);
        for word in [">rounds<", ">runs<", ">7 · 112<", ">6<", ">40<", "a&lt;b"] {
            assert!(svg.contains(word), "{word}: {svg}");
        }
    }

    #[test]
    fn what_has_no_length_is_left_out_and_nothing_at_all_is_a_picture_too() {
        for value in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
            let svg = draw("Times", "", &[bar("a", "b", "c", value)]);
            assert!(svg.starts_with("<svg") && !svg.contains("<title>b"), "{value}");
        }
    }
}
