//! `dpsda check`

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::Path;

use dpsda_data::Prepared;
use dpsda_sim::Experiment;
use dpsda_sim::check::Check;
use dpsda_web::text::plural;
use serde_json::{Value, json};

use crate::command::run::read;
use crate::failure::Failure;
use crate::say;

mod bounds;

/// The name in `problem.data` of samples that arrive while nodes run.
const STREAM: &str = "stream";

pub(crate) fn check(path: &Path, overrides: &[String], as_json: bool) -> Result<(), Failure> {
    let experiment = load(path, overrides).map_err(|e| e.in_file(path))?;
    let check = Check::new(&experiment);
    if as_json {
        let rows = if streams(&experiment) { Vec::new() } else { dpsda_sim::bounds::rows(&experiment) };
        let all = json!({
            "rules": experiment.runs.first().map(|run| run.rules.number()),
            "data": data(&experiment, &check), "networks": check.networks_json(),
            "runs": check.runs_json(&experiment), "warnings": check.warnings(),
            "bounds": dpsda_sim::bounds::rows_json(&rows),
        });
        return Ok(say::out(&format!("{all:#}"))?);
    }
    Ok(say::out(words(&experiment, &check).trim_end())?)
}

/// A stream is read as nodes read it: without data, and with a budget that may end before the run. A file that nodes cannot run may
/// still be simulated.
fn load(path: &Path, overrides: &[String]) -> Result<Experiment, Failure> {
    let (text, base) = (read(path)?, path.parent().unwrap_or(Path::new("")));
    match Prepared::hosted(&text, overrides, base) {
        Ok(hosted) if (0..hosted.runs.len()).any(|run| hosted.arrives(run)) => Ok(hosted.into()),
        Ok(_) => Ok(Experiment::load(&text, overrides, base)?),
        Err(error) => Ok(Experiment::load(&text, overrides, base).map_err(|_| error)?),
    }
}

fn streams(experiment: &Experiment) -> bool {
    (0..experiment.runs.len()).any(|run| experiment.arrives(run))
}

/// The data. The number of samples of a stream is not known.
fn data(experiment: &Experiment, check: &Check) -> Value {
    let mut all = check.data_json(experiment);
    for data in all.as_array_mut().into_iter().flatten().filter(|data| data["name"] == STREAM) {
        data["samples"] = Value::Null;
    }
    all
}

fn words(experiment: &Experiment, check: &Check) -> String {
    let mut text = String::new();
    let title = experiment.runs.first().map_or("", |c| c.title.as_str());
    let _ = writeln!(
        text,
        "{title}: {} to do, nothing has been run\n",
        plural(experiment.runs.len() as u64, "run")
    );
    text += &events(experiment, check);
    for data in data(experiment, check).as_array().into_iter().flatten() {
        let name = data["name"].as_str().unwrap_or("");
        let Some(features) = data["features"].as_u64() else {
            let _ = writeln!(text, "Table: {name}");
            for used in data["columns"].as_array().into_iter().flatten() {
                let names = used["names"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let names: Vec<&str> = names.collect();
                let role = used["role"].as_str().unwrap_or("");
                let line = format!("{role}: {} ({})", names.join(", "), plural(names.len() as u64, "column"));
                let _ = writeln!(text, "{}", folded(&line));
            }
            continue;
        };
        let none = if data["name"] == STREAM { "samples come while nodes run" } else { "drawn as needed" };
        let samples = data["samples"].as_u64().map_or_else(|| none.into(), |n| plural(n, "sample"));
        let _ = writeln!(text, "Data: {name}, {samples}, {}", plural(features, "feature"));
    }
    for (k, network) in check.networks.iter().enumerate() {
        let users = named(experiment, |c| check.of_run[c] == Some(k));
        let gap = if text.ends_with("\n\n") { "" } else { "\n" };
        let _ = writeln!(text, "{gap}Network: {} ({} nodes), for {users}", network.name, network.nodes);
        let lines = network.certificate.lines();
        let width = lines.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        for (label, value) in lines {
            let _ = writeln!(text, "  {label:width$}  {value}");
        }
    }
    text += &steps(experiment, check);
    text += &privacy(experiment, check);
    text += &if streams(experiment) {
        "\nBounds on expected regret: unknown, because they depend on data that arrive while nodes run\n"
            .into()
    } else {
        bounds::words(experiment)
    };
    for warning in check.warnings() {
        let _ = writeln!(text, "\nwarning: {warning}");
    }
    text
}

/// What automatic steps rest on, once for all runs that share it.
fn steps(experiment: &Experiment, check: &Check) -> String {
    let mut distinct: Vec<&String> = Vec::new();
    for says in check.steps.iter().flatten() {
        if !distinct.contains(&says) {
            distinct.push(says);
        }
    }
    let one = |says: &String| {
        let users = named(experiment, |c| check.steps[c].as_ref() == Some(says));
        format!("\nSteps, for {users}\n{}\n", folded(says))
    };
    distinct.into_iter().map(one).collect()
}

/// Every distinct statement once, after the lines that all runs with noise share.
fn privacy(experiment: &Experiment, check: &Check) -> String {
    let mut distinct: Vec<&Vec<String>> = Vec::new();
    check.privacy.iter().for_each(|s| {
        if !distinct.contains(&s) {
            distinct.push(s)
        }
    });
    let noised: Vec<_> = distinct.iter().filter(|s| s.len() > 1).collect();
    let shared = |line: &&String| noised.len() > 1 && noised.iter().all(|s| s.contains(line));
    let common: Vec<_> = noised.first().map_or_else(Vec::new, |s| s.iter().filter(shared).collect());
    let mut text = String::new();
    let mut section = |users: &str, lines: Vec<&String>| {
        let _ = writeln!(text, "\nPrivacy, for {users}");
        lines.iter().for_each(|line| _ = writeln!(text, "{}", folded(line)));
    };
    if !common.is_empty() {
        section("every run with noise", common);
    }
    for statement in &distinct {
        let own = statement.iter().filter(|line| !shared(line)).collect();
        section(&named(experiment, |c| check.privacy[c] == **statement), own);
    }
    text
}

/// What an event is, once for all runs that share it.
fn events(experiment: &Experiment, check: &Check) -> String {
    let mut distinct: Vec<&Vec<String>> = Vec::new();
    for says in check.events.iter().filter(|says| !says.is_empty()) {
        if !distinct.contains(&says) {
            distinct.push(says);
        }
    }
    let one = |says: &&Vec<String>| {
        let users = match distinct.len() {
            1 => String::new(),
            _ => format!(", for {}", named(experiment, |c| check.events[c] == **says)),
        };
        let lines: String = says.iter().map(|line| folded(line) + "\n").collect();
        format!("What is protected{users}\n{lines}\n")
    };
    distinct.iter().map(one).collect()
}

/// A point of a list, folded.
pub(crate) fn folded(line: &str) -> String {
    filled(line, "  - ", "    ")
}

/// A line folded to the width of the terminal, with `first` before it and `rest` before the lines that follow. Without a terminal
/// it stays one line.
pub(crate) fn filled(line: &str, first: &str, rest: &str) -> String {
    let width = if std::io::stdout().is_terminal() { textwrap::termwidth() } else { usize::MAX };
    let options = textwrap::Options::new(width).initial_indent(first).subsequent_indent(rest);
    textwrap::fill(line, options.word_splitter(textwrap::WordSplitter::NoHyphenation)) // 1e-7 is one word
}

/// The runs for which `is` holds: algorithms, grouped by their other settings.
fn named(experiment: &Experiment, is: impl Fn(usize) -> bool) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for run in (0..experiment.runs.len()).filter(|c| is(*c)).map(|c| &experiment.runs[c]) {
        let swept = run.settings.iter().filter(|(key, _)| key != "algorithm.name");
        let set: Vec<_> =
            swept.map(|(key, value)| format!("{} {value}", key.rsplit('.').next().unwrap_or(key))).collect();
        let set = set.join(", ");
        match groups.iter_mut().find(|(known, _)| *known == set) {
            Some((_, names)) => names.push(run.spec.algorithm().name()),
            None => groups.push((set, vec![run.spec.algorithm().name()])),
        }
    }
    let group = |(set, names): &(String, Vec<&str>)| {
        if set.is_empty() { names.join(", ") } else { format!("{} ({set})", names.join(", ")) }
    };
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}
