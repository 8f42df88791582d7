//! What was measured and how it was set: for every cell of an experiment its values trial by trial, and its facts.

use dpsda::learner::Rule;
use dpsda::metric::METRICS;
use dpsda_config::RunConfig;
use dpsda_sim::{Experiment, Outcome, Run};
use dpsda_web::reproduction::{Facts, Part, Row};

/// The cells of an experiment that was run. One that an interrupt left with fewer trials decides nothing and is left out.
pub(super) fn rows(part: &Part, text: &str, experiment: &Experiment, outcome: &Outcome) -> Vec<Row> {
    let row = |run: &Run| {
        let (cell, rounds) = (&experiment.cells[run.cell], experiment.rounds(run.cell));
        // Where an epsilon is promised, it is the label. A sum with noise of scale 1/level is the mean over b samples with
        // noise of scale 1/(b level).
        let promised = cell.settings.iter().find(|(key, _)| key == "privacy.epsilon");
        let promised = promised.and_then(|(_, value)| value.to_string().parse().ok());
        let level = promised.or(cell.level).unwrap_or(f64::INFINITY);
        let least = run.trials.keys().filter_map(|trial| outcome.least_cost(run, *trial, rounds)).collect();
        let values = METRICS.iter().map(|m| (m.name.to_owned(), outcome.values(experiment, run, m)));
        Row {
            run: run.cell as i64,
            algorithm: cell.spec.algorithm().name().to_owned(),
            level: if part.sums { level / cell.problem.batch as f64 } else { level },
            facts: facts(part, text, cell),
            values: values.chain([("least_cost".to_owned(), least)]).collect(),
            ..Row::default()
        }
    };
    let whole = |run: &&Run| run.trials.len() == experiment.cells[run.cell].trials as usize;
    outcome.runs.iter().filter(whole).map(row).collect()
}

/// The facts of a cell. Steps and gradient errors are in the paper's units: a sum over `b` samples with step c is the mean
/// with step `b c`. Steps by coordinate have no unit, because gradients that are `b` times as long shorten them by as much.
pub(super) fn facts(part: &Part, text: &str, cell: &RunConfig) -> Facts {
    let (spec, plan, step) = (&cell.spec, cell.spec.plan(), cell.spec.step());
    let unit = if part.sums { cell.problem.batch as f64 } else { 1.0 };
    let by_coordinate = step.rule == Rule::Coordinate;
    let shown = |c: f64| if by_coordinate { c } else { c / unit }.to_string();
    let grid = part.tune.as_ref().map_or(&[][..], |tune| &tune.steps);
    let ends = grid.first().zip(grid.last());
    let edge = ends.and_then(|(least, most)| match step.c {
        c if c == *least => Some("shortest"),
        c if c == *most => Some("longest"),
        _ => None,
    });
    let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    let key = |name| key(text, name);
    let weights =
        spec.network().and_then(|net| net.weights.as_ref()).map(|weights| weights.name().to_owned());
    let (epsilon, delta) = (plan.epsilon(), plan.claimed_delta());
    let all = [
        ("file", Some(part.file.clone())),
        ("algorithm", Some(spec.algorithm().name().to_owned())),
        ("noise", weights.as_ref().map(|_| word(&plan.coverage()))),
        ("decide", weights.as_ref().map(|_| word(&plan.decide()))),
        ("weights", weights),
        ("step", (!by_coordinate).then(|| shown(step.c))),
        ("coordinate", by_coordinate.then(|| shown(step.c))),
        ("steps", Some(shown(step.c) + if by_coordinate { " per coordinate" } else { "" })),
        ("edge", edge.map(str::to_owned)),
        ("chosen", Some(shown(step.c))),
        ("least", ends.map(|(least, _)| shown(*least))),
        ("most", ends.map(|(_, most)| shown(*most))),
        ("gradient_error", Some((cell.problem.gradient_error * unit * unit).to_string())),
        ("sums", part.sums.then(|| "sums".into())),
        ("set", key("set.kind")),
        ("radius", key("set.radius")),
        ("lower", key("set.lower")),
        ("upper", key("set.upper")),
        ("graph", key("network.graph")),
        ("mechanism", Some(plan.mechanism().name().to_owned()).filter(|name| name != "none")),
        ("clip", epsilon.and_then(|_| key("privacy.clip"))),
        ("adjacency", epsilon.map(|_| word(&plan.adjacency()))),
        ("epsilon", epsilon.map(|epsilon| format!("{epsilon:.3}"))),
        ("at_delta", epsilon.map(|_| delta.map_or_else(String::new, |delta| format!(" at delta {delta:e}")))),
        ("rounds", Some(cell.split.rounds.to_string())),
        ("batch", Some(cell.problem.batch.to_string())),
        ("train", Some(cell.split.train.to_string())),
        ("test", Some(cell.split.test.to_string())),
        ("nodes", Some(spec.blocks().nodes().to_string())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// What a dotted key of a file holds; a number without an empty fraction.
pub(super) fn key(text: &str, key: &str) -> Option<String> {
    let file: toml::Table = text.parse().ok()?;
    let (table, key) = key.split_once('.').unwrap_or(("", key));
    let table = if table.is_empty() { &file } else { file.get(table)?.as_table()? };
    match table.get(key)? {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Float(number) => Some(number.to_string()),
        other => Some(other.to_string()),
    }
}
