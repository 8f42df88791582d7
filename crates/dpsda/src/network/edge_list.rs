//! A recorded trace: a list of which node heard which, round by round.

use std::collections::BTreeMap;

use super::graph::{count, missing};
use super::{Build, Context, Graph, Topology};
use crate::catalog::{Key, Listing};
use crate::{Error, Keys};

/// Lines `round,from,to` under that header, in any order. A round without a line has no links.
///
/// ```
/// use dpsda::network::{EdgeList, Topology};
/// let text = "round,from,to\n0,0,1\n2,1,2\n";
/// let trace = EdgeList::parse(text, 3, None)?;
/// assert_eq!(trace.period(), Some(3));
/// assert_eq!(trace.graph(5).out(1), [2]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeList {
    nodes: usize,
    period: u64,
    rounds: BTreeMap<u64, Graph>,
}

const HEADER: [&str; 3] = ["round", "from", "to"];

impl EdgeList {
    /// The links that `text` lists between `nodes` nodes. They repeat after `period` rounds, or else after the last round
    /// listed.
    ///
    /// ```
    /// use dpsda::network::EdgeList;
    /// let error = EdgeList::parse("round,from,to\n0,0,7\n", 7, None).unwrap_err().to_string();
    /// assert!(error.starts_with("edge list, line 2, column 3 (to): there is no node 7"));
    /// ```
    pub fn parse(text: &str, nodes: usize, period: Option<u64>) -> Result<Self, Error> {
        Self::named("edge list", text, nodes, period)
    }

    /// The same; errors call the text `name`.
    fn named(name: &str, text: &str, nodes: usize, period: Option<u64>) -> Result<Self, Error> {
        let links = parse(name, text, count(nodes)?)?;
        let length = links.last_key_value().map_or(1, |(last, _)| last + 1);
        if let Some(period) = period.filter(|p| *p < length) {
            let last = length - 1;
            let remedy = format!(
                "the last round of {name} is {last}, so the period is at least {length} (leave it out for {length})"
            );
            return Err(Error::value("period", period, remedy));
        }
        let rounds = links.into_iter().map(|(t, links)| (t, Graph::of(nodes, links))).collect();
        Ok(Self { nodes, period: period.unwrap_or(length), rounds })
    }
}

impl Topology for EdgeList {
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

type LinksByRound = BTreeMap<u64, Vec<(usize, usize)>>;

fn parse(path: &str, text: &str, nodes: usize) -> Result<LinksByRound, Error> {
    let mut lines =
        text.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (number, header) = lines.next().ok_or_else(|| {
        Error::data(path, "the file is empty: expected the header round,from,to and one link per line")
    })?;
    if !header.split(',').map(str::trim).eq(HEADER) {
        let problem = format!("expected the header round,from,to, found {:?}", header.trim());
        return Err(Error::data(format!("{path}, line {}, column 1", number + 1), problem));
    }
    let mut links = LinksByRound::new();
    for (number, line) in lines {
        let [t, from, to] =
            fields(line).and_then(|fields| numbers(fields, nodes)).map_err(|(column, problem)| {
                let name = HEADER.get(column).map(|h| format!(" ({h})")).unwrap_or_default();
                Error::data(format!("{path}, line {}, column {}{name}", number + 1, column + 1), problem)
            })?;
        links.entry(t).or_default().push((from as usize, to as usize));
    }
    // A single node has no link to list. For more nodes, a trace without links is a mistake.
    if links.is_empty() && nodes > 1 {
        return Err(Error::data(path, "no link after the header: expected at least one line round,from,to"));
    }
    Ok(links)
}

/// The three fields of a line, or the column of the first mistake and what it is.
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
            let problem = missing(*value, nodes);
            return Err((
                column,
                format!("{problem} (nodes count from 0; correct the line, or raise the number of nodes)"),
            ));
        }
    }
    Ok(values)
}

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let path = keys.path("path")?;
    let period = keys.count("period", 1)?;
    let path =
        path.ok_or_else(|| keys.bad("path", "graph = \"file\" needs the file with the lines round,from,to"))?;
    let trace = EdgeList::named(path, &(context.read)(path)?, context.nodes, period);
    Ok(Box::new(trace.map_err(|error| keys.locate(error))?))
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "file",
    about: "a trace that repeats: lines round,from,to, nodes counted from 0",
    keys: &[
        Key { name: "path", about: "the file: header round,from,to, then one link per line" },
        Key {
            name: "period",
            about: "rounds until the trace repeats; default (and least) its last round + 1",
        },
    ],
    build,
};
