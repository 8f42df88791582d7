//! `dpsda ledger`: what a node has spent, when and on what, what is left, and whether the ledger was altered.

mod date;

use std::fmt::Write as _;
use std::path::Path;

use dpsda::privacy::Price;
use dpsda_config::Rules;
use dpsda_node::identity::hex;
use dpsda_node::store::StoreError;
use dpsda_node::store::disk;
use dpsda_node::store::ledger::chain::Book;
use dpsda_node::store::ledger::{About, LedgerLine, left};
use serde_json::{Value, json};

use crate::command::check::folded;
use crate::failure::Failure;
use crate::{say, table};

/// The number of lines to show; the JSON has all of them.
const SHOWN: usize = 10;

pub(crate) fn ledger(folder: &Path, as_json: bool) -> Result<(), Failure> {
    let book = disk::ledger(folder).map_err(|error| match error {
        StoreError::Missing(_) => Failure::Input(error.to_string()),
        other => Failure::Io(other.to_string()),
    })?;
    let broken = book.verify().err();
    if as_json {
        say::out(&format!("{:#}", whole(&book, broken.as_ref().map(ToString::to_string))))?;
    } else {
        say::out(words(&book).trim_end())?;
    }
    match broken {
        None if as_json => Ok(()),
        None => Ok(say::out(&format!(
            "\nThe chain of {} is intact and ends with the signature of {}.",
            lines(book.end.lines),
            book.about.key
        ))?),
        Some(broken) => Err(Failure::Io(format!(
            "{}: {broken}; the ledger above is not what the node wrote (restore an intact copy)",
            folder.display()
        ))),
    }
}

/// The totals per event, per person and over the lifetime: name, spent, limit.
fn totals(about: &About, last: &LedgerLine) -> Vec<(&'static str, Price, Option<f64>)> {
    let (spent, budget) = (last.totals, about.budget);
    let person = spent.person.map(|person| ("person", person, budget.person));
    let mut all = vec![("event", spent.event, budget.event)];
    all.extend(person);
    all.push(("lifetime", spent.lifetime, budget.lifetime));
    all
}

fn words(book: &Book) -> String {
    let (about, mut text) = (&book.about, String::new());
    let _ = writeln!(text, "{} of {}, key {}", about.node, about.run, about.key);
    let _ = writeln!(text, "Manifest: {}", hex(&about.manifest));
    if about.rules != Rules::First {
        let _ = writeln!(text, "Rules: {}", about.rules.name());
    }
    let _ = writeln!(text, "Promise of all nodes together:\n{}", folded(&about.promise.claim));
    let Some(last) = book.last() else {
        text += "\nNothing was released yet.\n";
        return text;
    };
    let releases = match last.releases {
        _ if last.epoch > 0 => "releases charged, including those that were lost in crashes",
        1 => "release",
        _ => "releases",
    };
    let (when, epoch, round) = (date::utc(last.when), last.epoch, last.round);
    let _ =
        writeln!(text, "\n{} {releases}, the last at {when} (epoch {epoch}, round {round})", last.releases);
    if let Some(caveat) = dpsda_node::board::caveat(epoch) {
        let _ = writeln!(text, "{}", folded(&caveat));
    }
    let delta = about.promise.delta;
    let row = |(name, spent, limit): (&str, Price, Option<f64>)| {
        let epsilon = spent.shown(delta).map_or_else(|| "none".into(), |epsilon| format!("{epsilon:.4}"));
        let rest = limit.map(|limit| price(left(limit, spent, delta)));
        let limit = limit.map(|limit| format!("{limit:.4}"));
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "no budget".into());
        let unit = match name {
            "event" => format!("one {}", about.promise.event()),
            "person" => "one person".into(),
            _ => "all releases".into(),
        };
        vec![unit, price(spent), rule(spent).into(), epsilon, or_none(limit), or_none(rest)]
    };
    let header =
        ["spent for", "charged", "rule", &format!("epsilon (delta {delta:e})"), "its budget", "left"];
    let rows = totals(about, last).into_iter().map(row).collect();
    let _ = writeln!(text, "\n{}", table::grid(header.map(String::from).to_vec(), rows));
    let short = |(_, spent, limit): (&str, Price, Option<f64>)| {
        let rest = limit.map(|limit| left(limit, spent, delta));
        rest.is_some_and(|rest| rest != last.price && rest.max(last.price) == last.price)
    };
    if totals(about, last).pop().is_some_and(short) {
        text += "\nLess is left than the last release cost. A node releases nothing more when its budget does not allow it.\n";
    }
    if let Some(folded) = &book.folded {
        let (number, when) = (folded.line.number, date::utc(folded.line.when));
        let lifetime = price(folded.line.totals.lifetime);
        let _ =
            writeln!(text, "\nLines 1 to {number}, until {when}, are summed up: {lifetime} for all releases");
    }
    let kept: Vec<&LedgerLine> =
        book.links.iter().filter_map(|(_, link)| link.as_ref()).map(|link| &link.line).collect();
    let shown = &kept[kept.len().saturating_sub(SHOWN)..];
    let header = ["line", "when", "epoch", &about.promise.adjacency, "price", "all releases", "entry"];
    let row = |line: &&LedgerLine| {
        let event = match (about.promise.adjacency.as_str(), line.event) {
            (_, None) => "none".into(),
            ("round", Some(event)) => event.to_string(),
            (_, Some(event)) => format!("in round {event}"),
        };
        let (number, epoch) = (line.number.to_string(), line.epoch.to_string());
        let all = price(line.totals.lifetime);
        vec![number, date::utc(line.when), epoch, event, price(line.price), all, hex(&line.entry[..4])]
    };
    let rows = shown.iter().map(row).collect();
    let _ = writeln!(text, "\n{}", table::grid(header.map(String::from).to_vec(), rows));
    let begins = |pair: &[&LedgerLine]| pair[1].epoch > pair[0].epoch;
    if kept.windows(2).any(begins) || kept.first().is_some_and(|first| first.epoch > 0 && first.number == 1) {
        text += "\nThe first line of an epoch also charges lost releases: they are in \"all releases\", not in the price.\n";
    }
    if shown.len() < kept.len() {
        let _ = writeln!(
            text,
            "\nThese are the last {} of {} kept; --json has all",
            shown.len(),
            lines(kept.len() as u64)
        );
    }
    text
}

fn whole(book: &Book, broken: Option<String>) -> Value {
    let about = &book.about;
    let spent = |line: &LedgerLine| {
        let one = |(name, spent, limit): (&str, Price, Option<f64>)| {
            let delta = about.promise.delta;
            let rest = limit.map(|limit| cost(left(limit, spent, delta)));
            let one = json!({
                "charged": cost(spent), "rule": rule(spent), "epsilon": spent.shown(delta), "delta": delta,
                "budget": limit, "left": rest,
            });
            (name.to_owned(), one)
        };
        Value::Object(totals(about, line).into_iter().map(one).collect())
    };
    let line = |line: &LedgerLine| {
        json!({
            "line": line.number, "epoch": line.epoch, "round": line.round, "when": line.when, "event": line.event,
            "price": cost(line.price), "releases": line.releases, "per_event": cost(line.totals.event),
            "per_person": line.totals.person.map(cost), "lifetime": cost(line.totals.lifetime),
            "entry": hex(&line.entry), "record": hex(&line.record),
        })
    };
    let kept = book.links.iter().filter_map(|(_, link)| link.as_ref());
    let mut all = json!({
        "run": about.run, "node": about.node, "key": about.key.to_string(), "manifest": hex(&about.manifest),
        "promise": about.promise.claim, "adjacency": about.promise.adjacency, "mechanism": about.promise.mechanism,
        "releases": book.last().map_or(0, |last| last.releases), "spent": book.last().map(spent),
        "folded": book.folded.as_ref().map(|link| line(&link.line)),
        "lines": kept.map(|link| line(&link.line)).collect::<Vec<_>>(),
        "chain": {"lines": book.end.lines, "digest": hex(&book.end.digest), "whole": broken.is_none(), "broken": broken},
    });
    if about.rules != Rules::First {
        all["rules"] = about.rules.number().into(); // as the store states it
    }
    all
}

/// The rule by which these prices add up.
fn rule(cost: Price) -> &'static str {
    match cost {
        Price::Pure { .. } => "basic composition",
        Price::Zcdp { .. } => "zCDP",
        Price::Unbounded => "no bound",
    }
}

fn price(cost: Price) -> String {
    let digits = |text: String| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    match cost {
        Price::Pure { micro_epsilon } => {
            format!("eps {}", digits(format!("{:.6}", micro_epsilon as f64 * 1e-6)))
        }
        Price::Zcdp { nano_rho } => format!("rho {}", digits(format!("{:.9}", nano_rho as f64 * 1e-9))),
        Price::Unbounded => "unbounded".into(),
    }
}

/// In integers, as in the store.
fn cost(cost: Price) -> Value {
    match cost {
        Price::Pure { micro_epsilon } => json!({"micro_epsilon": micro_epsilon}),
        Price::Zcdp { nano_rho } => json!({"nano_rho": nano_rho}),
        Price::Unbounded => json!("unbounded"),
    }
}

fn lines(n: u64) -> String {
    format!("{n} line{}", if n == 1 { "" } else { "s" })
}
