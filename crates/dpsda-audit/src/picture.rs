//! Pictures of both worlds side by side. The more they differ, the more an adversary learns.

use std::fmt::Write as _;

/// The width of the longest bar on a terminal.
const WIDE: f64 = 24.0;

/// The share of the runs of each world that fell into each bin.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    low: f64,
    step: f64,
    shares: [Vec<f64>; 2],
}

impl Histogram {
    /// The histogram of these values of a statistic in world 0 and in world 1. Values that are not finite are left out.
    pub fn new(worlds: [&[f32]; 2], bins: usize) -> Self {
        let finite = worlds
            .map(|values| values.iter().filter(|x| x.is_finite()).map(|x| f64::from(*x)).collect::<Vec<_>>());
        let all = || finite.iter().flatten().copied();
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let low = if low.is_finite() { low } else { 0.0 };
        let step = if high > low { (high - low) / bins.max(1) as f64 } else { 1.0 };
        let shares = finite.map(|values| {
            let mut counts = vec![0.0; bins.max(1)];
            for x in &values {
                let bin = (((x - low) / step) as usize).min(counts.len() - 1);
                counts[bin] += 1.0 / values.len() as f64;
            }
            counts
        });
        Self { low, step, shares }
    }

    fn bins(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let middle = |k: usize| self.low + (k as f64 + 0.5) * self.step;
        let [zero, one] = &self.shares;
        zero.iter().zip(one).enumerate().map(move |(k, (a, b))| (middle(k), *a, *b))
    }

    fn most(&self) -> f64 {
        self.shares.iter().flatten().fold(1e-9, |most, x| x.max(most))
    }

    /// The histogram for a terminal, one line per bin.
    pub fn lines(&self) -> Vec<String> {
        let most = self.most();
        let line = |(middle, zero, one): (f64, f64, f64)| {
            let (left, right) = (bar(zero / most), bar(one / most));
            let width = WIDE as usize;
            let line = format!(
                "{middle:>9.2}  {left:<width$} {:>5.1} %   {right:<width$} {:>5.1} %",
                100.0 * zero,
                100.0 * one
            );
            line.trim_end().to_owned()
        };
        self.bins().map(line).collect()
    }
}

/// A bar, in eighths of a character.
fn bar(share: f64) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (share.clamp(0.0, 1.0) * WIDE * 8.0).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    match EIGHTHS[eighths % 8] {
        ' ' if eighths == 0 && share > 0.0 => bar.push('▏'),
        ' ' => {}
        part => bar.push(part),
    }
    bar
}

/// An SVG with one panel per histogram, under its title.
pub fn svg(panels: &[(String, Histogram)]) -> String {
    const WIDTH: f64 = 720.0;
    const PANEL: f64 = 220.0;
    const LEFT: f64 = 20.0;
    const PLOT: f64 = 140.0;
    let height = PANEL * panels.len().max(1) as f64 + 20.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\
         <title>The adversary's statistic in both worlds</title><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for (k, (title, histogram)) in panels.iter().enumerate() {
        let top = PANEL * k as f64 + 24.0;
        let bottom = top + 24.0 + PLOT;
        let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"{top}\" fill=\"#222\">{}</text>", escape(title));
        let bins: Vec<_> = histogram.bins().collect();
        let wide = (WIDTH - 2.0 * LEFT) / bins.len().max(1) as f64;
        let most = histogram.most();
        for (b, (middle, zero, one)) in bins.iter().enumerate() {
            let x = LEFT + wide * b as f64;
            for (share, colour, shift) in [(zero, "#0072b2", 0.08), (one, "#d55e00", 0.5)] {
                let high = PLOT * share / most;
                let _ = writeln!(
                    out,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" fill=\"{colour}\"/>",
                    x + wide * shift,
                    bottom - high,
                    wide * 0.42
                );
            }
            if b % 2 == 0 {
                let _ = writeln!(
                    out,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\" fill=\"#555\">{middle:.2}</text>",
                    x + wide / 2.0,
                    bottom + 14.0
                );
            }
        }
        for (x, colour, name) in
            [(WIDTH - 190.0, "#0072b2", "world 0"), (WIDTH - 100.0, "#d55e00", "world 1")]
        {
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text x=\"{:.1}\" \
                 y=\"{top}\" fill=\"#222\">{name}</text>",
                top - 9.0,
                x + 14.0
            );
        }
    }
    out + "</svg>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_each_world_and_every_bin_is_a_line() {
        let histogram = Histogram::new([&[0.0, 0.0, 1.0, f32::NAN], &[1.0]], 2);
        assert_eq!(histogram.shares[1], [0.0, 1.0]);
        assert!((histogram.shares[0][0] - 2.0 / 3.0).abs() < 1e-12);
        let lines = histogram.lines();
        assert_eq!(lines.len(), 2);
        assert!(lines[1].contains("33.3 %") && lines[1].ends_with("100.0 %"), "{lines:?}");
        assert_eq!(Histogram::new([&[], &[]], 3).lines().len(), 3);
    }

    #[test]
    fn a_title_cannot_break_the_picture() {
        let drawn = svg(&[("<script>&".into(), Histogram::new([&[0.0], &[1.0]], 4))]);
        assert!(drawn.contains("&lt;script&gt;&amp;") && drawn.ends_with("</svg>\n"));
    }
}
