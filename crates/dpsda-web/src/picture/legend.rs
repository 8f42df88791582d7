//! The head of the picture: the title, the names of the lines, and notes on how to read them.

use super::{PANELS, RIGHT, WIDTH, plot::stroke, text};
use crate::{
    frame::{LETTER, cut},
    look::Looks,
};

const LEFT: f64 = 18.0;
/// From line to line of text.
const APART: f64 = 22.0;
/// Widths: of a sample of a line, and of the gap after a name.
const SAMPLE: f64 = 26.0;
const SPACE: f64 = 24.0;
/// Width of a bold letter, at most.
const BOLD: f64 = 8.1;

/// What the bands are, how many panels were left out, and which algorithms are the same in every panel.
pub(super) fn note(trials: (u32, u32), ends: bool, panels: usize, everywhere: &[&str]) -> Vec<String> {
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
    parts
}

/// The head, and how much room it takes.
pub(super) struct Head {
    pub(super) drawn: String,
    pub(super) height: f64,
}

impl Head {
    /// The title, one line per algorithm, and the notes: beside the title if they fit, else below it.
    pub(super) fn new(title: &str, algorithms: &[&str], looks: &Looks<'_>, notes: &[String]) -> Self {
        let mut drawn = text(LEFT, 28.0, "start", "title", title);
        let mut y = 28.0;
        let beside = (WIDTH - RIGHT - LEFT - 190.0) / LETTER;
        match &lines(notes, beside)[..] {
            [one] if one.chars().count() as f64 <= beside => {
                drawn += &text(WIDTH - RIGHT, y, "end", "", one);
            }
            _ => {
                for line in lines(notes, (WIDTH - RIGHT - LEFT) / LETTER) {
                    y += APART - 3.0;
                    drawn += &text(LEFT, y, "start", "", &cut(&line, WIDTH - RIGHT - LEFT));
                }
            }
        }
        let (names, height) = legend(algorithms, looks, y + 24.0);
        Self { drawn: drawn + &names, height }
    }
}

/// Names one after the other, or in columns if they do not fit in one line; and the height where they end.
fn legend(algorithms: &[&str], looks: &Looks<'_>, top: f64) -> (String, f64) {
    let room = WIDTH - RIGHT - LEFT;
    let names: Vec<String> = algorithms.iter().map(|name| cut(name, room * LETTER / BOLD - SPACE)).collect();
    let wide = |name: &str| SAMPLE + SPACE + BOLD * name.chars().count() as f64;
    let guide = "slope of 1/√t";
    let widths: Vec<f64> = names.iter().map(|name| wide(name)).chain([wide(guide)]).collect();
    let widest = widths.iter().copied().fold(0.0, f64::max);
    let one = widths.iter().sum::<f64>() - SPACE <= room;
    let columns = ((room + SPACE) / widest).floor().max(1.0);
    let (mut out, mut x, mut y) = (String::new(), LEFT, top);
    for (k, width) in widths.iter().enumerate() {
        if !one && k > 0 && (k as f64 % columns) < 0.5 {
            (x, y) = (LEFT, y + APART);
        }
        let middle = y - 4.0;
        match names.get(k).zip(algorithms.get(k)) {
            Some((name, algorithm)) => {
                out += &format!("<path d=\"M{x:.1} {middle:.1}h20\" {}/>", stroke(looks, algorithm));
                out += &text(x + SAMPLE, y, "start", "name", name);
            }
            None => {
                out += &format!("<path d=\"M{x:.1} {middle:.1}h20\" class=\"guide\"/>");
                out += &text(x + SAMPLE, y, "start", "", guide);
            }
        }
        x += if one { *width } else { (room + SPACE) / columns };
    }
    (out, y + 14.0)
}

/// Notes joined into lines of at most so many letters.
fn lines(notes: &[String], letters: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for note in notes {
        match lines.last_mut() {
            Some(line) if (line.chars().count() + 3 + note.chars().count()) as f64 <= letters => {
                *line += &format!(" · {note}");
            }
            _ => lines.push(note.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of all names, line by line.
    fn rows(count: usize, letters: usize) -> (Vec<(f64, Vec<f64>)>, f64) {
        let names: Vec<String> = (0..count).map(|k| format!("{k:0letters$}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let looks = Looks { hues: names.clone(), floor: None };
        let (drawn, height) = legend(&names, &looks, 52.0);
        let mut rows: Vec<(f64, Vec<f64>)> = Vec::new();
        for part in drawn.split("<text").skip(1) {
            let number = |key: &str| -> f64 {
                part.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
            };
            match rows.last_mut() {
                Some((y, xs)) if *y == number("y") => xs.push(number("x")),
                _ => rows.push((number("y"), vec![number("x")])),
            }
        }
        (rows, height)
    }

    #[test]
    fn four_names_stand_in_one_line() {
        let (rows, height) = rows(4, 8);
        assert_eq!((rows.len(), height), (1, 66.0));
    }

    #[test]
    fn thirteen_names_stand_in_columns_inside_the_picture_and_none_covers_another() {
        for letters in [6, 8, 14, 40, 300] {
            let (rows, height) = rows(13, letters);
            assert!(rows.len() > 1, "{letters}");
            assert_eq!(rows.iter().map(|(_, xs)| xs.len()).sum::<usize>(), 14, "and the guide");
            let shown = (letters as f64).min(WIDTH / BOLD - 8.0);
            for (y, xs) in &rows {
                assert!(*y < height && xs.iter().zip(&rows[0].1).all(|(a, b)| a == b), "in columns");
                assert!(
                    xs.windows(2).all(|pair| pair[1] - SAMPLE > pair[0] + BOLD * shown),
                    "{letters}: {xs:?}"
                );
                assert!(xs.last().unwrap() + BOLD * shown <= WIDTH, "{letters}: {xs:?}");
            }
            assert!(rows.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 16.0));
        }
    }

    #[test]
    fn notes_that_do_not_fit_beside_the_title_go_below_it_and_the_rest_moves_down() {
        let looks = Looks { hues: vec!["a"], floor: None };
        let notes = note((10, 10), true, 16, &["dpsda-r"]);
        let (few, many) =
            (Head::new("Regret", &["a"], &looks, &notes[..1]), Head::new("Regret", &["a"], &looks, &notes));
        assert!(few.height < many.height);
        assert!(
            few.drawn.contains("text-anchor=\"end\">mean") && !many.drawn.contains("text-anchor=\"end\"")
        );
        assert!(many.drawn.contains("4 of 16 panels"));
    }
}
