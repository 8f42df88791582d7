//! What was measured and how it was set: for every run of an experiment its values trial by trial, and its facts.

use dpsda::learner::Rule;
use dpsda::metric::METRICS;
use dpsda_config::RunConfig;
use dpsda_sim::{Experiment, Outcome, Run};
use dpsda_web::reproduction::{BookExperiment, RunFacts, RunRow, plain};

/// The runs of an experiment. One that an interrupt left with fewer trials decides nothing and is left out.
pub(super) fn rows(part: &BookExperiment, experiment: &Experiment, outcome: &Outcome) -> Vec<RunRow> {
    let row = |run: &Run| {
        let (config, rounds) = (&experiment.runs[run.index], experiment.rounds(run.index));
        // Where an epsilon is promised, it is the label. A sum with noise of scale 1/level is the mean over b samples with
        // noise of scale 1/(b level).
        let promised = config.settings.iter().find(|(key, _)| key == "privacy.epsilon");
        let promised = promised.and_then(|(_, value)| value.to_string().parse().ok());
        let level = promised.or(config.level).unwrap_or(f64::INFINITY);
        let least = run.trials.keys().filter_map(|trial| outcome.least_cost(run, *trial, rounds)).collect();
        let values = METRICS.iter().map(|m| (m.name.to_owned(), outcome.values(experiment, run, m)));
        RunRow {
            run: run.index as i64,
            algorithm: config.spec.algorithm().name().to_owned(),
            level: if part.sums { level / config.problem.batch() as f64 } else { level },
            facts: facts(part, config),
            values: values.chain([("least_cost".to_owned(), least)]).collect(),
            ..RunRow::default()
        }
    };
    let whole = |run: &&Run| run.trials.len() == experiment.runs[run.index].trials as usize;
    outcome.runs.iter().filter(whole).map(row).collect()
}

/// The facts of a run. Steps and gradient errors are in the paper's units: a sum over `b` samples with step c is the mean
/// with step `b c`. Steps by coordinate have no unit, because gradients that are `b` times as long shorten them by as much.
fn facts(part: &BookExperiment, config: &RunConfig) -> RunFacts {
    let (spec, plan, step) = (&config.spec, config.spec.plan(), config.spec.step());
    let unit = if part.sums { config.problem.batch() as f64 } else { 1.0 };
    let (by_coordinate, auto) = (step.rule == Rule::Coordinate, step.rule == Rule::Auto);
    let shown = |c: f64| match step.rule {
        Rule::Auto => "auto".into(),
        Rule::Coordinate => c.to_string(),
        Rule::Decaying => (c / unit).to_string(),
    };
    let ends = part.tune.as_ref().and_then(|tune| tune.steps.first().zip(tune.steps.last()));
    let edge = ends.and_then(|(least, most)| match step.c {
        _ if auto => None,
        c if c == *least => Some("shortest"),
        c if c == *most => Some("longest"),
        _ => None,
    });
    let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    let weights = spec.network().and_then(|net| net.weights.as_ref()).map(|one| one.name().to_owned());
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
        ("gradient_error", Some((config.problem.gradient_error * unit * unit).to_string())),
        ("sums", part.sums.then(|| "sums".into())),
        ("set", key(&part.file, "set.kind")),
        ("radius", key(&part.file, "set.radius")),
        ("lower", key(&part.file, "set.lower")),
        ("upper", key(&part.file, "set.upper")),
        ("graph", key(&part.file, "network.graph")),
        ("mechanism", (!plan.mechanism().is_silent()).then(|| plan.mechanism().name().to_owned())),
        ("clip", epsilon.and_then(|_| key(&part.file, "privacy.clip"))),
        ("adjacency", epsilon.map(|_| word(&plan.adjacency()))),
        ("epsilon", epsilon.map(|epsilon| format!("{epsilon:.3}"))),
        ("at_delta", epsilon.map(|_| delta.map_or_else(String::new, |delta| format!(" at delta {delta:e}")))),
        ("rounds", Some(config.split.rounds.to_string())),
        ("batch", Some(config.problem.batch().to_string())),
        ("train", Some(config.split.train.to_string())),
        ("test", Some(config.split.test.to_string())),
        ("nodes", Some(spec.blocks().nodes().to_string())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// What a dotted key of a file holds.
pub(super) fn key(file: &str, key: &str) -> Option<String> {
    let file = toml::Value::Table(super::text(file).parse().ok()?);
    key.split('.').try_fold(&file, |table, key| table.get(key)).map(plain)
}
