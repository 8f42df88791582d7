//! The axes of a panel of the picture: both logarithmic.

use super::{BOTTOM, HEIGHT, TOP, text};
use crate::text::{number, superscript};

/// Where a panel's values go: both axes are logarithmic.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) width: f64,
    pub(super) t: (f64, f64),
    pub(super) y: (f64, f64),
}

impl Frame {
    pub(super) fn x(&self, t: f64) -> f64 {
        self.left + self.width * part(t, self.t)
    }
    pub(super) fn y(&self, v: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * part(v, self.y).clamp(0.0, 1.0)
    }
}

/// How far along a logarithmic axis.
fn part(v: f64, (low, high): (f64, f64)) -> f64 {
    (v.max(low / 1e3) / low).ln() / (high / low).ln()
}

/// Grid, axes, ticks and title; values are named in the first panel only.
pub(super) fn axes(frame: &Frame, title: &str, first: bool) -> String {
    let base = HEIGHT - BOTTOM;
    let (left, right) = (frame.left, frame.left + frame.width);
    let mut out = text(left, TOP - 8.0, "start", "ink", title);
    for v in ticks(frame.y) {
        let y = frame.y(v);
        out.push_str(&format!("<path d=\"M{left:.1} {y:.1}H{right:.1}\" class=\"grid\"/>"));
        if first {
            out.push_str(&text(left - 7.0, y + 4.0, "end", "soft", &tick(v)));
        }
    }
    out.push_str(&format!("<path d=\"M{left:.1} {base}H{right:.1}\" class=\"axis\"/>"));
    for t in ticks(frame.t) {
        let x = frame.x(t);
        out.push_str(&format!("<path d=\"M{x:.1} {base}v5\" class=\"axis\"/>"));
        out.push_str(&text(x, base + 18.0, "middle", "soft", &tick(t)));
    }
    out + &text((left + right) / 2.0, HEIGHT - 10.0, "middle", "soft", "round t")
}

/// Powers of ten; where there are fewer than three, 2 and 5 as well.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let among = |steps: &[f64]| -> Vec<f64> {
        let all = (first..=last).flat_map(|k| steps.iter().map(move |m| m * 10f64.powi(k)));
        all.filter(|v| *v >= low * 0.999 && *v <= high * 1.001).collect()
    };
    let tens = among(&[1.0]);
    let skip = tens.len().div_ceil(8).max(1);
    if tens.len() < 3 { among(&[1.0, 2.0, 5.0]) } else { tens.into_iter().step_by(skip).collect() }
}

fn tick(v: f64) -> String {
    let power = v.log10().round();
    if (1e-3..1e5).contains(&v) { number(v, 1) } else { format!("10{}", superscript(&format!("{power}"))) }
}
