//! The head of the picture: title, names of the lines, and what a reader must know to read them.

use super::{LEFT, PANELS, RIGHT, WIDTH, stroke, text};
use crate::look::Looks;

/// What the bands are, how many panels were left out, and who is the same in all of them.
pub(super) fn note(trials: (u32, u32), ends: bool, panels: usize, everywhere: &[&str]) -> String {
    let mut parts = Vec::new();
    match trials {
        (_, ..=1) => {}
        (least, most) if least == most => parts.push(format!("mean ± 1 sd over {most} trials")),
        (least, most) => parts.push(format!("mean ± 1 sd over {least} to {most} trials")),
    }
    if ends {
        parts.push("a line ends where a trial diverges".into());
    }
    match everywhere {
        [] => {}
        [name] => parts.push(format!("{name}: same in every panel")),
        many => parts.push(format!("{} algorithms: same in every panel", many.len())),
    }
    if panels > PANELS {
        parts.push(format!("{PANELS} of {panels} panels"));
    }
    parts.join(" · ")
}

/// The title, a line per algorithm, and the note.
pub(super) fn legend(algorithms: &[&str], looks: &Looks<'_>, note: &str) -> String {
    let mut out = text(LEFT - 34.0, 28.0, "start", "title", "Regret per round");
    out.push_str(&text(WIDTH - RIGHT, 28.0, "end", "soft", note));
    let mut x = LEFT - 34.0;
    for name in algorithms {
        out.push_str(&format!("<path d=\"M{x} 48h20\" {}/>", stroke(looks, name)));
        out.push_str(&text(x + 26.0, 52.0, "start", "ink", name));
        x += 50.0 + 7.2 * name.chars().count() as f64;
    }
    out.push_str(&format!("<path d=\"M{x} 48h20\" class=\"guide\"/>"));
    out + &text(x + 26.0, 52.0, "start", "soft", "slope of 1/√t")
}
