//! The picture: some days of target and fleet on the left, tracking error by epsilon on the right.

use std::fmt::Write as _;

/// A line: name, stroke, and its points.
pub(crate) struct DrawnLine {
    pub(crate) name: String,
    pub(crate) stroke: &'static str,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A place on the page for lines. Axes start at zero.
struct Place {
    left: f64,
    width: f64,
    across: f64,
    up: f64,
}

const TOP: f64 = 92.0;
const BOTTOM: f64 = 330.0;
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 372.0;

impl Place {
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.left + self.width * x / self.across, BOTTOM - (BOTTOM - TOP) * (y / self.up).min(1.0))
    }

    fn line(&self, line: &DrawnLine) -> String {
        let mut path = String::new();
        for (k, point) in line.points.iter().enumerate() {
            let (x, y) = self.at(*point);
            let _ = write!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
        }
        format!(
            "<path d=\"{path}\" fill=\"none\" stroke-linejoin=\"round\" {}><title>{}</title></path>\n",
            line.stroke, line.name
        )
    }

    /// Horizontal lines at multiples of `step`, with their values.
    fn grid(&self, step: f64) -> String {
        let (count, right) = ((self.up / step).floor() as usize, self.left + self.width);
        let mark = |k: usize| {
            let value = k as f64 * step;
            let (x, y) = self.at((0.0, value));
            let line = format!("<path d=\"M{x:.1} {y:.1}H{right:.1}\" stroke=\"#e9e8e3\"/>");
            line + &text((x - 6.0, y + 4.0), "end", "", &format!("{}", (value * 10.0).round() / 10.0))
        };
        (0..=count).map(mark).collect()
    }
}

impl Place {
    /// Names below the axis, each in the middle of its part.
    fn names(&self, names: &[&str]) -> String {
        let middle = |k: usize| self.at((k as f64 + 0.5, 0.0)).0;
        names
            .iter()
            .enumerate()
            .map(|(k, name)| text((middle(k), BOTTOM + 18.0), "middle", "", name))
            .collect()
    }
}

fn text((x, y): (f64, f64), anchor: &str, class: &str, words: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{words}</text>\n")
}

/// Names of lines in a row, from `x` on.
fn legend(mut x: f64, y: f64, lines: &[DrawnLine]) -> String {
    let mut out = String::new();
    for line in lines {
        let _ = write!(out, "<path d=\"M{x:.1} {:.1}h18\" fill=\"none\" {}/>", y - 4.0, line.stroke);
        out += &text((x + 23.0, y), "start", "", &line.name);
        x += 38.0 + 6.3 * line.name.chars().count() as f64;
    }
    out
}

/// Values by epsilon. `mark` is a level to compare with.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) lines: Vec<DrawnLine>,
    /// Between two lines of the grid.
    pub(crate) step: f64,
    pub(crate) mark: Option<(&'static str, f64)>,
}

/// The fleet on some days, and charts whose points stand at 0.5, 1.5, ... for the names in `levels`.
pub(crate) fn picture(
    days: &[&str],
    fleet: &[DrawnLine],
    charts: &[Chart],
    levels: &[&str],
    note: &str,
) -> String {
    let mut body = text((18.0, 28.0), "start", "title", "19 homes follow the wind");
    body += &text((886.0, 28.0), "end", "", "power 1 = the largest of one device");
    let place = Place { left: 44.0, width: 420.0, across: days.len() as f64, up: highest(fleet) * 1.05 };
    body += &text((44.0, 54.0), "start", "name", "Power of the fleet with DPSDA-R");
    body += &legend(44.0, 74.0, fleet);
    body += &place.grid(2.0);
    body += &place.names(days);
    body.extend(fleet.iter().map(|line| place.line(line)));
    for (k, chart) in charts.iter().enumerate() {
        let left = 522.0 + 196.0 * k as f64;
        let place =
            Place { left, width: 160.0, across: levels.len() as f64, up: highest(&chart.lines) * 1.08 };
        body += &text((left, 54.0), "start", "name", &chart.title);
        body += &place.grid(chart.step);
        body += &place.names(levels);
        body += &text((left + 80.0, BOTTOM + 34.0), "middle", "", "epsilon");
        if let Some((name, level)) = chart.mark {
            let (x, y) = place.at((0.0, level));
            let _ =
                write!(body, "<path d=\"M{x:.1} {y:.1}h160\" stroke=\"#5b6069\" stroke-dasharray=\"5 4\"/>");
            body += &text((x + 160.0, y - 5.0), "end", "", name);
        }
        for line in &chart.lines {
            body += &place.line(line);
            let dots = line.points.iter().map(|point| place.at(*point));
            body.extend(dots.map(|(x, y)| {
                format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" {} fill=\"#fdfcfa\"/>\n", line.stroke)
            }));
        }
    }
    body += &charts.first().map_or_else(String::new, |chart| legend(522.0, 74.0, &chart.lines));
    body += &text((44.0, HEIGHT - 6.0), "start", "", note);
    let style = "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif;fill:#5b6069}\
                 .name{font-size:13px;font-weight:600;fill:#1b1d21}.title{font-size:17px;font-weight:600;fill:#1b1d21}";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         role=\"img\" aria-labelledby=\"t\">\n<title id=\"t\">Power of 19 homes that follow the wind; tracking error and cost by \
         epsilon</title>\n<style>{style}</style>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"#fdfcfa\"/>\n{body}</svg>\n"
    )
}

fn highest(lines: &[DrawnLine]) -> f64 {
    lines.iter().flat_map(|line| &line.points).map(|point| point.1).fold(0.0, f64::max)
}
