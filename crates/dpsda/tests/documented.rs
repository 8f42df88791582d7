//! Every public type has an example that runs.

#![allow(clippy::unwrap_used, reason = "a test that cannot read the source has failed")]

use std::path::{Path, PathBuf};

/// The struct, enum or trait that a line makes public at module level.
fn public_type(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ")?;
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let rest = ["struct ", "enum ", "trait "].iter().find_map(|kind| rest.strip_prefix(kind))?;
    word(rest)
}

/// The type that an `impl` block at module level is for.
fn implemented(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let rest = if rest.starts_with('<') { after_generics(rest)? } else { rest };
    let rest = rest.split_once(" for ").map_or(rest, |(_, of)| of);
    word(rest.trim_start())
}

/// What follows the generics that a text begins with.
fn after_generics(text: &str) -> Option<&str> {
    let mut depth = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1, // `->` closes nothing
            _ => {}
        }
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
        before = c;
    }
    None
}

/// The name that a text begins with.
fn word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    Some(&text[..end]).filter(|name| !name.is_empty())
}

/// Whether these doc comments hold a fenced block that rustdoc runs.
fn runs<'a>(docs: impl IntoIterator<Item = &'a str>) -> bool {
    let mut open = false;
    for line in docs {
        let Some(doc) = line.trim_start().strip_prefix("///") else {
            open = false; // a fence does not outlive its comment
            continue;
        };
        let Some(tags) = doc.trim_start().strip_prefix("```") else { continue };
        let run = |tag: &str| {
            matches!(tag.trim(), "" | "rust" | "should_panic") || tag.trim().starts_with("edition")
        };
        if !open && tags.split(',').all(run) {
            return true;
        }
        open = !open;
    }
    false
}

/// The lines from `start` to the end of the item that begins there: the next `}` without indentation, or this line alone.
fn item<'a, 'b>(lines: &'b [&'a str], start: usize) -> &'b [&'a str] {
    if lines[start].trim_end().ends_with([';', '}']) {
        return &lines[start..=start];
    }
    let end = lines[start..].iter().position(|line| line.starts_with('}')).unwrap_or(lines.len() - start - 1);
    &lines[start..=start + end]
}

/// The comment and the attributes that stand before line `at`.
fn head<'a, 'b>(lines: &'b [&'a str], at: usize) -> &'b [&'a str] {
    let ends = |line: &&str| line.is_empty() || *line == "}" || line.starts_with("//!");
    let start = lines[..at].iter().rposition(ends).map_or(0, |end| end + 1);
    &lines[start..at]
}

/// The public types of a file that have no example: neither in their own comments nor in those of their methods.
fn without_example(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let shown = |name: &str, at: usize| {
        let own = runs(head(&lines, at).iter().copied()) || runs(item(&lines, at).iter().copied());
        let blocks = (0..lines.len()).filter(|at| implemented(lines[*at]) == Some(name));
        own || blocks.into_iter().any(|at| runs(item(&lines, at).iter().copied()))
    };
    let types = lines.iter().enumerate().filter_map(|(at, line)| Some((at, public_type(line)?)));
    types.filter(|(at, name)| !shown(name, *at)).map(|(_, name)| name).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_public_type_has_an_example_that_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let (mut types, mut missing) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        types += text.lines().filter_map(public_type).count();
        let name = file.strip_prefix(&root).unwrap().display();
        missing.extend(without_example(&text).into_iter().map(|missing| format!("src/{name}: {missing}")));
    }
    assert!(types > 100, "only {types} public types were found");
    assert!(missing.is_empty(), "public types without an example that runs:\n{}", missing.join("\n"));
}

#[test]
fn the_scanner_finds_types_without_an_example() {
    let text = r#"
/// Shown by itself.
///
/// ```
/// assert!(true);
/// ```
#[derive(
    Debug,
)]
pub struct Itself {
    x: u8,
}

/// Shown by a method.
pub enum Method<T> {
    Only(T),
}

impl<T: Into<Vec<u8>>> Method<T> {
    /// ```rust
    /// assert!(true);
    /// ```
    pub fn call(&self) {}
}

/// Shown by a trait that it has.
pub struct Converted;

impl From<u8> for Converted {
    /// ```should_panic
    /// panic!();
    /// ```
    fn from(_: u8) -> Self {
        Self
    }
}

/// Shown by a method that it asks for.
pub trait Asks {
    /// ```
    /// assert!(true);
    /// ```
    fn asked(&self);
}

/// Shows what does not compile, and a table.
///
/// ```compile_fail
/// let x: u8 = "x";
/// ```
///
/// ```text
/// 1 2 3
/// ```
///
/// ```no_run
/// loop {}
/// ```
pub struct Refused(u8);

/// Nothing is shown; the example below is for another type.
pub struct Bare;

/// ```
/// assert!(true);
/// ```
fn private() {}

impl Other for Private<Bare> {
    /// ```
    /// assert!(true);
    /// ```
    fn other() {}
}

/// Nothing is shown.
pub trait Mute: Send {
    fn mute(&self);
}

pub(crate) struct Internal;
pub type Build = fn();
    pub struct Nested;
"#;
    assert_eq!(without_example(text), ["Refused", "Bare", "Mute"]);
}
