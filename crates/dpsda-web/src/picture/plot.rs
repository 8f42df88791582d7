//! The inside of a panel of the picture: bands, lines, and the guide.

use crate::{
    bands::MeanCurve,
    cells::ListedRun,
    look::{HUES, Looks, dash},
    plot::Plot,
};

/// The colours of the page on light paper. The picture has its own background.
pub(super) const COLOURS: [&str; HUES] =
    ["#0072b2", "#d55e00", "#00875f", "#b4558b", "#b17a00", "#3d97cc", "#6b5bb5", "#8a8f00"];
const FLOOR: &str = "#3a3d43";

/// The stroke of an algorithm's line: colour, dash, and width. The floor is wide and pale.
pub(super) fn stroke(looks: &Looks<'_>, algorithm: &str) -> String {
    let colour = colour(looks, algorithm);
    let wide = if looks.floor == Some(algorithm) { "4.5\" opacity=\".4" } else { "2.2" };
    let dashes = match dash(looks.layer(algorithm)) {
        "" => String::new(),
        dashes => format!(" stroke-dasharray=\"{dashes}\""),
    };
    format!("stroke=\"{colour}\" stroke-width=\"{wide}\"{dashes}")
}

fn colour(looks: &Looks<'_>, algorithm: &str) -> &'static str {
    looks.hue(algorithm).and_then(|hue| COLOURS.get(hue)).copied().unwrap_or(FLOOR)
}

/// A line and its band.
pub(super) fn line(plot: &Plot, curve: &MeanCurve, looks: &Looks<'_>, algorithm: &str) -> String {
    let (points, mut out) = (curve.points(), String::new());
    let wide = curve.sd.iter().flatten().any(|sd| *sd > 0.0);
    if let Some(band) = plot.band(&points).filter(|_| wide) {
        out += &format!("<path d=\"{band}\" fill=\"{}\" opacity=\".15\"/>", colour(looks, algorithm));
    }
    let mean = plot.path(points.iter().map(|p| (p.0, p.1)));
    out + &format!("<path class=\"line\" d=\"M{mean}\" {}/>", stroke(looks, algorithm))
}

/// The slope of 1/√t, through the median of the first points. Compare slopes, not heights.
pub(super) fn guide(plot: &Plot, curves: &[(&ListedRun, MeanCurve)]) -> String {
    let first = |(_, c): &(&ListedRun, MeanCurve)| Some(c.mean.first()? * (*c.t.first()? as f64).sqrt());
    let mut starts: Vec<f64> = curves.iter().filter_map(first).collect();
    starts.sort_by(f64::total_cmp);
    let Some(height) = starts.get(starts.len() / 2) else { return String::new() };
    let (t, y) = (plot.across.ends(), plot.up.ends());
    // It may leave the panel at the bottom before the last round.
    let (from, to) = (t.0.max((height / y.1).powi(2)), t.1.min((height / y.0).powi(2)));
    let path = plot.path([from, to].into_iter().map(|t| (t, height / t.sqrt())));
    if from < to { format!("<path class=\"guide\" d=\"M{path}\"/>") } else { String::new() }
}
