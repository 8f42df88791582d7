//! Where a cell departs from the paper: the facts of each cell, read off its settings and compared with `[paper]` of the book.

use std::collections::BTreeMap;

use dpsda::experiment::Cell;
use dpsda::learner::Rule;
use dpsda_web::text::fill;

use super::book::{Book, Part};

/// How a cell is set, by the names that the book compares. What does not apply to a cell is not there.
pub(super) type Facts = BTreeMap<&'static str, String>;

/// One departure.
#[derive(Debug)]
pub(super) struct Departed {
    /// In a word or two, for a table's cell.
    pub(super) short: String,
    /// What it is called where many cells are spoken of at once: without its number.
    pub(super) term: String,
    /// What the paper does, what is done here, and why.
    pub(super) why: String,
}

/// The facts of a cell. Steps and gradient errors are in the paper's units: a sum over `b` samples with step c is the mean
/// with step `b c`. Steps by coordinate have no unit, because gradients that are `b` times as long shorten them by as much.
pub(super) fn facts(part: &Part, cell: &Cell) -> Facts {
    let unit = if part.sums { cell.problem.batch as f64 } else { 1.0 };
    let by_coordinate = cell.step.rule == Rule::Coordinate;
    let step = |c: f64| Some((if by_coordinate { c } else { c / unit }).to_string());
    let weights = cell.network.as_ref().and_then(|net| net.weights_name);
    let word = |value: &dyn std::fmt::Debug| Some(format!("{value:?}").to_lowercase());
    let (epsilon, delta) = (cell.plan.epsilon(), cell.plan.claimed_delta());
    let steps = part.tune.as_ref().map_or(&[][..], |tune| &tune.steps);
    let edge = match (steps.first() == Some(&cell.step.c), steps.last() == Some(&cell.step.c)) {
        (true, _) => Some("shortest".to_owned()),
        (_, true) => Some("longest".to_owned()),
        _ => None,
    };
    let all = [
        ("file", Some(part.file.clone())),
        ("algorithm", Some(cell.algorithm.name.to_string())),
        ("weights", weights.map(str::to_string)),
        ("noise", weights.and_then(|_| word(&cell.plan.noise()))),
        ("decide", weights.and_then(|_| word(&cell.plan.decide()))),
        (if by_coordinate { "coordinate" } else { "step" }, step(cell.step.c)),
        ("rule", Some(if by_coordinate { "steps by coordinate" } else { "steps c/sqrt(t)" }.into())),
        ("edge", edge),
        ("chosen", step(cell.step.c)),
        ("least", steps.first().and_then(|c| step(*c))),
        ("most", steps.last().and_then(|c| step(*c))),
        ("gradient_error", Some((cell.problem.gradient_error * unit * unit).to_string())),
        ("sums", part.sums.then(|| "sums".into())),
        ("set", part.key("set.kind")),
        ("radius", part.key("set.radius")),
        ("lower", part.key("set.lower")),
        ("upper", part.key("set.upper")),
        ("graph", part.key("network.graph")),
        ("mechanism", Some(cell.mechanism.to_string()).filter(|name| name != "none")),
        ("clip", epsilon.and_then(|_| part.key("privacy.clip"))),
        ("adjacency", epsilon.and_then(|_| word(&cell.plan.adjacency()))),
        ("epsilon", epsilon.map(|epsilon| format!("{epsilon:.3}"))),
        ("at_delta", epsilon.map(|_| delta.map_or_else(String::new, |delta| format!(" at delta {delta:e}")))),
        ("rounds", Some(cell.split.rounds.to_string())),
        ("batch", Some(cell.problem.batch.to_string())),
        ("train", Some(cell.split.train.to_string())),
        ("test", Some(cell.split.test.to_string())),
        ("nodes", Some(cell.blocks.nodes().to_string())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Where facts are not those of the paper, in the order of the book.
pub(super) fn departures(book: &Book, part: &Part, facts: &Facts) -> Vec<Departed> {
    let algorithm = facts.get("algorithm").map_or("", String::as_str);
    let one = |row: &super::book::Departure| {
        let ours = facts.get(&*row.of)?;
        let paper = book.printed(part, &row.of, algorithm)?;
        let fits = |(fact, words): (&String, &Vec<String>)| facts.get(&**fact).is_some_and(|f| words.contains(f));
        if paper.contains(ours) || !row.only.iter().all(fits) {
            return None;
        }
        let word = |name: &str| match name {
            "paper" => paper.join(" or "),
            _ => facts.get(name).map_or_else(|| format!("{{{{{name}}}}}"), String::clone),
        };
        let term = row.term.as_ref().unwrap_or(&row.short);
        Some(Departed { short: fill(&row.short, word), term: fill(term, word), why: fill(&row.why, word) })
    };
    book.departure.iter().filter_map(one).collect()
}
