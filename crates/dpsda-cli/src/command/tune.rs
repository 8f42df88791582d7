//! `dpsda tune`: steps chosen on training data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use dpsda_sim::tune::{self, By, Tuned};
use dpsda_sim::{Experiment, Options, Progress};
use serde_json::{Value, json};

use super::run::{read, stop_at_ctrl_c};
use crate::args::TuneArgs;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::{say, table};

pub(crate) fn tune(path: &Path, args: &TuneArgs) -> Result<(), Failure> {
    let base = path.parent().unwrap_or(Path::new(""));
    let mut overrides = args.keys.set.clone();
    overrides.extend(args.work.trials.map(|n| format!("trials={n}")));
    let experiment =
        Experiment::load(&read(path)?, &overrides, base).map_err(|e| Failure::from(e).in_file(path))?;
    let grid = grid(&args.steps)?;
    if !(args.hold_out > 0.0 && args.hold_out < 1.0) {
        let remedy = "a share of the training rounds, above 0 and below 1 (use e.g. 0.2)";
        return Err(Failure::Input(format!("--hold-out {}: {remedy}", args.hold_out)));
    }
    let by = By::from(args.by);
    let classifies = experiment.runs.iter().all(|run| run.problem.classifies());
    if by.is_accuracy() && !classifies {
        let remedy = "this loss does not classify (use --by last, averaged or online)";
        let by = clap::ValueEnum::to_possible_value(&args.by)
            .map_or_else(String::new, |v| v.get_name().to_owned());
        return Err(Failure::Input(format!("--by {by}: {remedy}")));
    }
    let progress = Arc::new(Progress::default());
    stop_at_ctrl_c(
        &progress,
        &Arc::default(),
        "nothing is kept, because steps are compared when all are done",
    );
    let watched = Arc::clone(&progress);
    let watch = Watch::start(move || watched.now(), "rounds", args.quiet || args.json);
    let options = Options { threads: args.work.threads.map_or(0, usize::from) };
    let tuned = tune::tune(&experiment, &grid, args.hold_out, options, &progress);
    drop(watch);
    let tuned = tuned.ok_or(Failure::Dropped("no step was chosen, and nothing is kept"))?;
    if tuned.is_empty() {
        let remedy = "there are too few rounds to hold any out (use more rounds, or a smaller --hold-out)";
        return Err(Failure::Input(format!("rounds: {remedy}")));
    }
    if args.json {
        let rows: Vec<Value> = tuned.iter().map(|t| as_json(&experiment, t, by)).collect();
        return Ok(say::out(&format!("{:#}", json!({ "held_out": args.hold_out, "tuned": rows })))?);
    }
    say::out(&words(&experiment, &tuned, &grid, by, args))?;
    for t in &tuned {
        if t.best(by).is_some_and(|k| grid.len() > 1 && (k == 0 || k + 1 == grid.len())) {
            let name = name(&experiment, t);
            say::aside(&format!(
                "warning: {name}: the best step is at the end of the grid (widen it with --steps)"
            ));
        }
    }
    Ok(())
}

/// The steps to try, in order, each once.
fn grid(steps: &[f64]) -> Result<Vec<f64>, Failure> {
    if let Some(bad) = steps.iter().find(|c| !(**c > 0.0 && c.is_finite())) {
        return Err(Failure::Input(format!(
            "--steps {bad}: expected finite numbers above 0, e.g. 0.1,0.3,1,3"
        )));
    }
    let mut steps = steps.to_vec();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    Ok(steps)
}

/// The score that steps are chosen by, in words.
fn measure(by: By) -> &'static str {
    match by {
        By::Online => "mean cost while learning: each decision is scored before its round is learned from",
        By::AccuracyOnline => {
            "accuracy while learning: each decision is scored before its round is learned from"
        }
        By::Last => "mean cost of the held-out rounds under the last decision",
        By::Averaged => "mean cost of the held-out rounds under the averaged decision",
        By::AccuracyLast => "accuracy of the last decision on the held-out rounds",
        By::AccuracyAveraged => "accuracy of the averaged decision on the held-out rounds",
        By::AucAveraged => "area under the ROC curve of the averaged decision on the held-out rounds",
    }
}

/// An algorithm and the other settings of its run, except steps.
fn name(experiment: &Experiment, tuned: &Tuned) -> String {
    let run = &experiment.runs[tuned.run];
    let rest = run.settings.iter().filter(|(key, _)| key != "algorithm.name" && !key.ends_with(".step"));
    rest.fold(run.spec.algorithm().name().to_owned(), |name, (key, value)| format!("{name}, {key} = {value}"))
}

/// About the samples that an experiment holds out.
const TEST: &str = " Samples of problem.test are not used.\n\
    Each trial draws its own test samples, so another trial may learn from them (trials = 1 or shuffle = false\n\
    prevents that).";

fn words(experiment: &Experiment, tuned: &[Tuned], grid: &[f64], by: By, args: &TuneArgs) -> String {
    let samples = experiment.runs.iter().any(|run| run.problem.samples().is_some());
    let (rounds, test) = match samples {
        true => ("training rounds", TEST),
        false => ("rounds", ""),
    };
    let mut text = format!(
        "{}\nIn every trial, the last {:.0} % of the {rounds} are held out.{test}\n\n",
        measure(by),
        100.0 * args.hold_out
    );
    let head = grid.iter().map(|c| format!("step {c}"));
    let rows = tuned.iter().map(|t| {
        let best = t.best(by);
        let score = |(k, tried): (usize, &tune::Tried)| {
            let mark = if best == Some(k) { "*" } else { " " };
            format!("{}{mark}", tried.score(by).map_or_else(|| "-".into(), |s| format!("{s:.4}")))
        };
        std::iter::once(name(experiment, t)).chain(t.tried.iter().enumerate().map(score)).collect()
    });
    text += &table::grid(std::iter::once("algorithm".to_owned()).chain(head).collect(), rows.collect());
    let _ = write!(text, "\n\nfor the file:\n{}", snippet(experiment, tuned, by));
    text
}

/// The chosen steps as TOML: one per algorithm, or one per level or epsilon. If runs differ in other keys too, a file has no
/// place for their steps; they are only in the table.
fn snippet(experiment: &Experiment, tuned: &[Tuned], by: By) -> String {
    let mut chosen: BTreeMap<&str, Vec<(String, f64)>> = BTreeMap::new();
    for t in tuned {
        let run = &experiment.runs[t.run];
        let Some(best) = t.best(by) else { continue };
        let label = run.settings.iter().find(|(key, _)| key == "privacy.level" || key == "privacy.epsilon");
        // In a sweep over levels, a run without a level has no noise.
        let label = label.map_or_else(|| "inf".to_owned(), |(_, value)| value.to_string());
        chosen.entry(run.spec.algorithm().name()).or_default().push((label, t.tried[best].step));
    }
    let mut text = String::new();
    for (algorithm, steps) in chosen {
        let labels: BTreeSet<&str> = steps.iter().map(|(label, _)| label.as_str()).collect();
        let step = match &steps[..] {
            [(_, c)] => format!("{c:?}"),
            several if labels.len() == several.len() => {
                let each = several.iter().map(|(label, c)| format!("{label:?} = {c:?}"));
                format!("{{ {} }}", each.collect::<Vec<_>>().join(", "))
            }
            _ => {
                let _ =
                    writeln!(text, "# {algorithm}: a file holds one step, or one per level: see the table");
                continue;
            }
        };
        let _ = writeln!(text, "[algorithm.{algorithm}]\nstep = {step}");
    }
    text.trim_end().to_owned()
}

fn as_json(experiment: &Experiment, tuned: &Tuned, by: By) -> Value {
    let all = [
        ("online", By::Online),
        ("accuracy_online", By::AccuracyOnline),
        ("last", By::Last),
        ("averaged", By::Averaged),
        ("accuracy_last", By::AccuracyLast),
        ("accuracy_averaged", By::AccuracyAveraged),
        ("auc_averaged", By::AucAveraged),
    ];
    let tried = tuned.tried.iter().map(|t| {
        let mut row = serde_json::Map::from_iter([("step".to_owned(), json!(t.step))]);
        row.extend(all.iter().map(|(name, by)| ((*name).to_owned(), json!(t.score(*by)))));
        Value::Object(row)
    });
    json!({
        "name": name(experiment, tuned),
        "algorithm": experiment.runs[tuned.run].spec.algorithm().name(),
        "rounds_learned": tuned.learned,
        "best": tuned.best(by).map(|k| tuned.tried[k].step),
        "tried": tried.collect::<Vec<_>>(),
    })
}
