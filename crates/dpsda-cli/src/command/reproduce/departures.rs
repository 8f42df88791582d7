//! What was done otherwise than the paper says, and why: read off each cell's settings and compared with the paper's.

use dpsda::learner::Rule;
use dpsda::privacy::plan::{Adjacency, Decide, Noise};
use dpsda_config::Cell;

use super::parts::{Part, Subject};
use super::printed::{self, SETTING};

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Departure {
    /// In a word or two, for a table's cell.
    pub(super) short: String,
    /// What it is called where many cells are spoken of at once: without its number.
    pub(super) term: String,
    /// What the paper does, what is done here, and why.
    pub(super) why: String,
}

fn departure(short: impl Into<String>, why: impl Into<String>) -> Departure {
    let short = short.into();
    Departure { term: short.clone(), short, why: why.into() }
}

/// Whether the paper runs it in section 6.
pub(super) fn of_the_paper(algorithm: &str) -> bool {
    ["dpsda-c", "dpsda-ps", "dpdola", "dpps", "dpsr"].contains(&algorithm)
}

/// The steps of a cell in a table, in the paper's units.
pub(super) fn step(part: &Part, cell: &Cell) -> String {
    match cell.spec.step().rule {
        Rule::Decaying => format!("{}", cell.spec.step().c / unit(part, cell)),
        Rule::Coordinate => format!("{} a coordinate", cell.spec.step().c),
    }
}

/// Which steps a cell has, in words.
pub(super) fn rule(cell: &Cell) -> &'static str {
    match cell.spec.step().rule {
        Rule::Decaying => "steps c/sqrt(t)",
        Rule::Coordinate => "steps by coordinate",
    }
}

/// A sum over `b` samples with step c is the mean with step `b c`. Steps by coordinate have no unit: gradients that are
/// `b` times as long shorten them by as much.
fn unit(part: &Part, cell: &Cell) -> f64 {
    if part.arm.sums() { cell.problem.batch as f64 } else { 1.0 }
}

/// Where a cell departs from section 6. What holds for every cell is in `everywhere.rs`.
pub(super) fn departures(part: &Part, cell: &Cell) -> Vec<Departure> {
    let mut found = Vec::new();
    let name = cell.spec.algorithm().name();
    if !of_the_paper(name) {
        found.push(match name {
            "dpsda-r" => departure(
                "not in the paper",
                "DPSDA-R relays the newest released sum of every block in place of averaging; its noise has scale 1/(n level) on \
                 the gradient, the same signal-to-noise ratio as the paper's on n times the gradient.",
            ),
            _ => departure(
                "the floor",
                "DPCDA is one learner that sees every gradient at once: the floor to compare with.",
            ),
        });
    }
    let weights = cell.spec.network().and_then(|net| net.weights_name);
    let printed = if name == "dpsda-c" { SETTING.weights_of_c } else { SETTING.weights_of_ps };
    if let Some(weights) = weights.filter(|w| matches!(name, "dpsda-c" | "dpsda-ps") && *w != printed) {
        found.push(departure(
            format!("{weights} weights"),
            format!(
                "The paper takes {printed} weights 1/deg_i, whose columns do not sum to one on the graphs of Fig. 2, although \
                 Lemma 2(a) needs that; {weights} weights do."
            ),
        ));
    }
    if weights.is_some()
        && cell.spec.plan().noise() != SETTING.noise
        && cell.spec.plan().noise() == Noise::Own
    {
        found.push(departure(
            "noise on the own block",
            "The paper noises every coordinate of the dual; those of other nodes are functions of messages already sent, so \
             noise on them protects nobody and costs accuracy.",
        ));
    }
    if weights.is_some()
        && cell.spec.plan().decide() != SETTING.decide
        && cell.spec.plan().decide() == Decide::Published
    {
        found.push(departure(
            "decides from what is published",
            "In the paper's order decisions come from the dual before it is noised, and whoever sees them solves for the \
             gradient; from published values nothing un-noised is ever used again.",
        ));
    }
    found.extend(steps(part, cell));
    found.extend(edge(part, cell));
    let printed = scaled(part, cell, SETTING.gradient_error);
    if (cell.problem.gradient_error - printed).abs() > 1e-9 * printed {
        let short = match cell.problem.gradient_error {
            0.0 => "exact gradients".to_owned(),
            variance => format!("gradient error {variance}"),
        };
        let why = format!(
            "The paper adds an error of variance {} to every coordinate of every gradient. Beside costs that are means this is louder than \
             the noise of level 1, whose variance beside one gradient is 2/49, and hides most of what there is to learn.",
            SETTING.gradient_error
        );
        found.push(departure(short, why));
    }
    if part.arm.sums() {
        found.push(departure(
            "costs are sums",
            format!(
                "Section 6.2 writes a round's cost as the sum over its {} samples, section 6's figures and all else here use \
                 the mean. The sum makes gradients {0} times as large and the error and the noise that much smaller beside them.",
                cell.problem.batch
            ),
        ));
    }
    if let Some(kind) =
        part.key("set", "kind").filter(|kind| part.subject != Subject::Regression && kind != SETTING.set)
    {
        found.push(departure(
            format!("a {kind} for the set"),
            "\"Each entry of x is restricted to a ball\" is a box, {|x| <= 5} a ball. The paper's formula is the ball; this is its sentence.",
        ));
    }
    found.extend(noise(part, cell));
    found.extend(data(part, cell));
    found
}

/// Another noise than Laplace's in real numbers, and what it is worth.
fn noise(part: &Part, cell: &Cell) -> Vec<Departure> {
    let mut found = Vec::new();
    let why = match cell.spec.plan().mechanism().name() {
        "none" => None,
        name if name == SETTING.mechanism => None,
        "toeplitz" | "tree" => Some(
            "Noise of one round takes back part of the noise of earlier ones, so that the sums which dual averaging works with hold less \
             of it at the same price for one event. For whoever is in every round it is dearer than independent noise (spent_lifetime in \
             summary.csv). It needs a learner that keeps the exact sum of its own releases, as DPSDA-R and the floor do and DPSDA-C and \
             DPSDA-PS do not.",
        ),
        "discrete-gaussian" | "gaussian" => Some(
            "Gaussian noise is priced by the Euclidean norm of a gradient, which is far shorter than the L1 norm that prices the paper's \
             Laplace noise in so many coordinates.",
        ),
        _ => Some(
            "Laplace noise in whole units of a grid: in floating point the low bits of a sum tell what was noised.",
        ),
    };
    found.extend(why.map(|why| departure(format!("{} noise", cell.spec.plan().mechanism().name()), why)));
    if let Some(clip) = part.number("privacy", "clip").filter(|_| cell.spec.plan().epsilon().is_some()) {
        let event = match cell.spec.plan().adjacency() {
            Adjacency::Example => "one example's gradient",
            Adjacency::Round => "a round's gradient",
        };
        found.push(departure(
            format!("{event} clipped to norm {clip}"),
            "The paper bounds a gradient in the mean, and no epsilon follows from that: it takes a bound that is enforced.",
        ));
    }
    if let Some(epsilon) = cell.spec.plan().epsilon() {
        let delta =
            cell.spec.plan().claimed_delta().map_or_else(String::new, |delta| format!(" at delta {delta:e}"));
        found.push(Departure {
            short: format!("epsilon {epsilon:.3}{delta} in place of a level"),
            term: format!("an epsilon{delta} in place of a level"),
            why: "A level is a label. With a clip that is enforced and noise of the right size, the epsilon printed is a promise about one \
                  event over the whole run, all links and all decisions."
                .into(),
        });
        if cell.spec.plan().adjacency() == Adjacency::Example {
            found.push(departure(
                "one example is protected, not a round",
                format!(
                    "The paper's event is a whole cost f_t; here it is one of its {} samples: what belongs to one person. For a whole round \
                     the same noise promises far less.",
                    cell.problem.batch
                ),
            ));
        }
    }
    found
}

/// Other data, another set or another network than the paper's.
fn data(part: &Part, cell: &Cell) -> Vec<Departure> {
    let printed = printed::size(part.subject);
    let sizes = [
        ("rounds", printed.rounds as usize, cell.split.rounds as usize),
        ("samples a round", printed.batch, cell.problem.batch),
        ("training samples", printed.train, cell.split.train),
        ("testing samples", printed.test.unwrap_or(cell.split.test), cell.split.test),
        ("nodes", SETTING.nodes, cell.spec.blocks().nodes()),
    ];
    let sizes = sizes.into_iter().filter(|(_, theirs, ours)| theirs != ours);
    let mut found: Vec<Departure> = sizes
        .map(|(what, theirs, ours)| {
            departure(format!("{ours} {what}"), format!("The paper has {theirs} {what}."))
        })
        .collect();
    let reach =
        ["radius", "lower", "upper"].into_iter().filter_map(|key| Some((key, part.number("set", key)?)));
    found.extend(reach.filter(|(_, ours)| ours.abs() != SETTING.reach).map(|(key, ours)| {
        departure(format!("{key} {ours}"), format!("The paper's set reaches to {}.", SETTING.reach))
    }));
    if let Some(graph) = part.key("network", "graph").filter(|graph| graph != SETTING.graph) {
        found.push(departure(format!("the graph {graph}"), "The paper's is that of its Fig. 2."));
    }
    found
}

/// What a sum over the batch makes of a variance of the mean's gradient.
fn scaled(part: &Part, cell: &Cell, variance: f64) -> f64 {
    if part.arm.sums() { variance / (cell.problem.batch as f64).powi(2) } else { variance }
}

fn steps(part: &Part, cell: &Cell) -> Option<Departure> {
    let printed = SETTING.step * unit(part, cell);
    let shown = step(part, cell);
    match cell.spec.step().rule {
        Rule::Coordinate => Some(Departure {
            short: format!("steps by coordinate, c = {}", cell.spec.step().c),
            term: "steps by coordinate".into(),
            why: "Each coordinate's step follows the released values of that coordinate: rare features go far, noisy ones do not. \
             Released values are public, so it costs no privacy. c has no unit, \
             and was chosen by `dpsda tune` on training data."
                .into(),
        }),
        Rule::Decaying if cell.spec.step().c != printed => Some(Departure {
            short: format!("step {shown}"),
            term: "a step of its own".into(),
            why: "The paper takes c = 1 in c/sqrt(t); here the best c of a grid, chosen by `dpsda tune` on training data. Where costs are \
                  sums, c is that of the sum, as the paper's is. Where several c give the same digits, the set binds: longer steps end on its edge \
                  all the same, and accuracy asks for the direction alone."
                .into(),
        }),
        Rule::Decaying => None,
    }
}

/// A best step at the end of its grid: a better one may lie beyond.
fn edge(part: &Part, cell: &Cell) -> Option<Departure> {
    let grid = part.grid();
    let (least, most) = (*grid.first()?, *grid.last()?);
    let end = match cell.spec.step().c {
        c if c == least => "shortest",
        c if c == most => "longest",
        _ => return None,
    };
    let unit = if cell.spec.step().rule == Rule::Decaying { unit(part, cell) } else { 1.0 };
    Some(departure(
        format!("the {end} of its grid"),
        format!(
            "In {} the best step is the {end} that was tried ({} of {} to {}): one beyond may be better still.",
            part.name,
            cell.spec.step().c / unit,
            least / unit,
            most / unit
        ),
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use dpsda_sim::Experiment;

    use super::super::parts::PARTS;
    use super::*;

    fn found(name: &str, overrides: &[&str]) -> Vec<String> {
        let part = PARTS.iter().find(|part| part.name == name).unwrap();
        let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
        let experiment = Experiment::load(part.text, &overrides, Path::new("")).unwrap();
        departures(part, &experiment.cells[0]).into_iter().map(|d| d.short).collect()
    }

    #[test]
    fn what_is_as_printed_departs_in_nothing_and_every_other_size_is_told() {
        for name in ["fig3", "mushroom", "mnist", "adjacent"] {
            assert_eq!(found(name, &[]), [""; 0], "{name}");
        }
        for (key, told) in [
            ("rounds=30", "30 rounds"),
            ("problem.batch=50", "50 samples a round"),
            ("problem.train=5000", "5000 training samples"),
            ("problem.test=1000", "1000 testing samples"),
            ("privacy.mechanism='gaussian'", "gaussian noise"),
        ] {
            let found = found("mushroom", &[key, "privacy.level=0.5"]);
            assert!(found.iter().any(|short| short == told), "{key}: {found:?}");
        }
        let three = found("fig3", &["network.nodes=3", "network.graph='ring'", "problem.features=21"]);
        assert!(three.iter().any(|short| short == "3 nodes"), "{three:?}");
    }
}
