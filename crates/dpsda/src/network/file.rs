//! A trace: who heard whom, written down by somebody else.

use std::collections::BTreeMap;

use super::view::Undirected;
use super::{Build, Context, Graph, Topology};
use crate::catalog::{Key, Listing};
use crate::{Error, Keys};

/// Lines `round,from,to` under that header, in any order; rounds without a line have no link.
pub const LISTING: Listing<Build> = Listing {
    name: "file",
    about: "a trace: lines round,from,to, nodes from 0, repeated",
    keys: &[
        Key { name: "path", about: "the file: header round,from,to, then one link a line" },
        Key {
            name: "period",
            about: "rounds until the trace repeats; default (and least) its last round + 1",
        },
    ],
    build,
};

const HEADER: [&str; 3] = ["round", "from", "to"];

struct Trace {
    nodes: usize,
    period: u64,
    rounds: BTreeMap<u64, Graph>,
}

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let path = keys.str("path")?;
    let period = keys.count("period", 1)?;
    let path =
        path.ok_or_else(|| keys.bad("path", "graph = \"file\" needs the file with the lines round,from,to"))?;
    let links = parse(path, &(context.read)(path)?, context.nodes)?;
    let length = links.last_key_value().map_or(1, |(last, _)| last + 1);
    if period.is_some_and(|p| p < length) {
        let remedy = format!(
            "the last round of {path} is {}, so the period is at least {length} (leave it out for {length})",
            length - 1
        );
        return Err(keys.bad("period", remedy));
    }
    let rounds = links.into_iter().map(|(t, links)| (t, Graph::of(context.nodes, links))).collect();
    let trace = Trace { nodes: context.nodes, period: period.unwrap_or(length), rounds };
    Ok(if context.directed { Box::new(trace) } else { Box::new(Undirected::new(Box::new(trace))) })
}

type Links = BTreeMap<u64, Vec<(usize, usize)>>;

fn parse(path: &str, text: &str, nodes: usize) -> Result<Links, Error> {
    let mut lines =
        text.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (number, header) = lines.next().ok_or_else(|| {
        Error::data(path, "the file is empty: expected the header round,from,to and one link a line")
    })?;
    if !header.split(',').map(str::trim).eq(HEADER) {
        let problem = format!("expected the header round,from,to, found {:?}", header.trim());
        return Err(Error::data(format!("{path}, line {}, column 1", number + 1), problem));
    }
    let mut links = Links::new();
    for (number, line) in lines {
        let [t, from, to] =
            fields(line).and_then(|fields| numbers(fields, nodes)).map_err(|(column, problem)| {
                let name = HEADER.get(column).map(|h| format!(" ({h})")).unwrap_or_default();
                Error::data(format!("{path}, line {}, column {}{name}", number + 1, column + 1), problem)
            })?;
        links.entry(t).or_default().push((from as usize, to as usize));
    }
    // One node has no link to list; for more, a trace without links is a mistake.
    if links.is_empty() && nodes > 1 {
        return Err(Error::data(path, "no link after the header: expected at least one line round,from,to"));
    }
    Ok(links)
}

/// The three fields of a line, or the column at which it goes wrong.
fn fields(line: &str) -> Result<[&str; 3], (usize, String)> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let count = fields.len();
    <[&str; 3]>::try_from(fields)
        .map_err(|_| (count.min(3), format!("expected three values round,from,to, found {count}")))
}

fn numbers(fields: [&str; 3], nodes: usize) -> Result<[u64; 3], (usize, String)> {
    let mut values = [0; 3];
    for (column, (field, value)) in fields.into_iter().zip(&mut values).enumerate() {
        let number = field.parse::<u64>().ok().filter(|v| *v < u64::MAX); // the period is one more
        *value =
            number.ok_or_else(|| (column, format!("expected a whole number from 0, found {field:?}")))?;
        if column > 0 && *value >= nodes as u64 {
            let problem =
                format!("there is no node {value}: the {nodes} nodes are 0 to {}", nodes.saturating_sub(1));
            return Err((column, format!("{problem} (nodes count from 0; or raise network.nodes)")));
        }
    }
    Ok(values)
}

impl Topology for Trace {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn graph(&self, t: u64) -> Graph {
        self.rounds.get(&(t % self.period)).cloned().unwrap_or_else(|| Graph::empty(self.nodes))
    }

    fn period(&self) -> Option<u64> {
        Some(self.period)
    }
}
