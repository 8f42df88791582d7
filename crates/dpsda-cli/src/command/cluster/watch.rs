//! The state of a cluster's nodes, as they report it.

use std::time::Duration;

use serde_json::{Value, json};

use super::lay::{Layout, NodeFiles};
use crate::table;

/// How long an answer may take.
const ANSWER: Duration = Duration::from_millis(500);

/// The state of a node when it was last asked.
pub(super) struct Seen {
    name: String,
    /// Its answer, if it gave one.
    answer: Option<Value>,
}

impl Seen {
    fn now(&self, key: &str) -> &Value {
        self.answer.as_ref().map_or(&Value::Null, |answer| &answer["now"][key])
    }

    fn who(&self, key: &str) -> &Value {
        self.answer.as_ref().map_or(&Value::Null, |answer| &answer["who"][key])
    }

    pub(super) fn answers(&self) -> bool {
        self.answer.is_some()
    }

    /// Whether it has no rounds left.
    pub(super) fn done(&self) -> bool {
        let over =
            self.now("round").as_u64().zip(self.who("horizon").as_u64()).is_some_and(|(t, all)| t >= all);
        over || self.now("stream")["ended"] == true
    }

    pub(super) fn json(&self) -> Value {
        json!({ "name": self.name, "answers": self.answers(), "status": self.answer })
    }
}

/// Asks all nodes, at once.
pub(super) fn look(layout: &Layout) -> Vec<Seen> {
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(ANSWER)).build().into();
    let ask = |http: &str| -> Option<Value> {
        let mut answer = agent.get(format!("http://{http}/status")).call().ok()?;
        serde_json::from_str(&answer.body_mut().read_to_string().ok()?).ok()
    };
    let ask = &ask;
    std::thread::scope(|scope| {
        let asked: Vec<_> =
            layout.nodes.iter().map(|place| (place, scope.spawn(move || ask(&place.http)))).collect();
        asked
            .into_iter()
            .map(|(place, answer)| Seen { name: place.name.clone(), answer: answer.join().ok().flatten() })
            .collect()
    })
}

/// What one event has cost so far, as an epsilon, in words.
fn spent(seen: &Seen) -> String {
    let total = &seen.now("spent")["event"];
    let delta = seen.who("delta").as_f64().unwrap_or(0.0);
    match serde_json::from_value::<dpsda::privacy::Price>(total.clone())
        .ok()
        .and_then(|c| c.as_epsilon(delta))
    {
        Some(epsilon) => format!("{epsilon:.3}"),
        None => "no bound".into(),
    }
}

/// The columns, and their worth: on a narrow terminal, those of least worth are left out first.
const COLUMNS: [(&str, u8); 10] = [
    ("node", 10),
    ("is", 9),
    ("round", 8),
    ("rounds/s", 3),
    ("behind", 5),
    ("peers", 6),
    ("sent", 2),
    ("refused", 4),
    ("epsilon", 7),
    ("page", 1),
];

/// The state of the nodes. No line is longer than `width`, if it is given.
pub(super) fn table(places: &[NodeFiles], seen: &[Seen], width: Option<usize>) -> String {
    let rows: Vec<Vec<String>> = places.iter().zip(seen).map(|(place, seen)| row(place, seen)).collect();
    let mut kept: Vec<usize> = (0..COLUMNS.len()).collect();
    loop {
        let header = kept.iter().map(|k| COLUMNS[*k].0.to_owned()).collect();
        let cells = |row: &Vec<String>| kept.iter().map_while(|k| row.get(*k).cloned()).collect();
        let table = table::grid(header, rows.iter().map(cells).collect());
        let Some(width) = width else { return table };
        if table.lines().all(|line| line.chars().count() <= width) {
            return table;
        }
        if kept.len() == 1 {
            let cut = table.lines().map(|line| line.chars().take(width).collect::<String>());
            return cut.collect::<Vec<_>>().join("\n");
        }
        let least = kept.iter().copied().min_by_key(|k| COLUMNS[*k].1);
        kept.retain(|k| Some(*k) != least);
    }
}

fn row(place: &NodeFiles, seen: &Seen) -> Vec<String> {
    if seen.answer.is_none() {
        return vec![seen.name.clone(), "does not answer".into()];
    }
    let whole = |value: &Value| value.as_u64().map_or_else(String::new, |n| n.to_string());
    let peers = seen.now("peers").as_array().map_or(&[][..], Vec::as_slice);
    let sent: u64 = peers.iter().filter_map(|peer| peer["sent_bytes"].as_u64()).sum();
    let linked = peers.iter().filter(|peer| peer["connected"] == true).count();
    let refused = seen.now("refused").as_array().into_iter().flatten();
    let refused: u64 = refused.filter_map(|refused| refused["times"].as_u64()).sum();
    vec![
        seen.name.clone(),
        seen.now("health").as_str().unwrap_or("").to_owned(),
        format!("{}/{}", whole(seen.now("round")), whole(seen.who("horizon"))),
        format!("{:.1}", seen.now("rate").as_f64().unwrap_or(0.0)),
        whole(seen.now("staleness")),
        format!("{linked}/{}", peers.len()),
        bytes(sent),
        refused.to_string(),
        spent(seen),
        format!("http://{}", place.http),
    ]
}

/// One line for logs.
pub(super) fn line(seen: &[Seen]) -> String {
    let rounds = seen.iter().filter_map(|seen| seen.now("round").as_u64());
    let (least, most) = (rounds.clone().min().unwrap_or(0), rounds.max().unwrap_or(0));
    let up = seen.iter().filter(|seen| seen.answers()).count();
    format!("{up} of {} nodes answer, in rounds {least} to {most}", seen.len())
}

fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{:.0} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three nodes, the last of which does not answer.
    fn nodes() -> (Vec<NodeFiles>, Vec<Seen>) {
        let answer = json!({
            "who": { "horizon": 100_000, "delta": 1e-5 },
            "now": { "health": "exhausted", "round": 99_999, "rate": 12345.6, "staleness": 1234, "peers": [] },
        });
        let place = |k: usize| NodeFiles {
            name: format!("node-{k}"),
            http: "127.0.0.1:65535".into(),
            ..NodeFiles::default()
        };
        let seen = |k: usize| Seen { name: format!("node-{k}"), answer: (k < 2).then(|| answer.clone()) };
        ((0..3).map(place).collect(), (0..3).map(seen).collect())
    }

    #[test]
    fn no_painted_line_is_longer_than_the_terminal_is_wide() {
        let (places, seen) = nodes();
        let whole = table(&places, &seen, None);
        assert!(COLUMNS.iter().all(|(name, _)| whole.contains(name)), "{whole}");
        for width in 1..130 {
            let painted = table(&places, &seen, Some(width));
            assert_eq!(painted.lines().count(), 5, "{width}\n{painted}");
            assert!(painted.lines().all(|line| line.chars().count() <= width), "{width}\n{painted}");
        }
        assert_eq!(table(&places, &seen, Some(130)), whole, "what fits is shown");
    }

    #[test]
    fn where_it_is_narrow_the_page_goes_first_and_the_name_last() {
        let (places, seen) = nodes();
        let narrow = table(&places, &seen, Some(80));
        assert!(!narrow.contains("http://") && narrow.contains("epsilon"), "{narrow}");
        assert!(narrow.contains("does not answer") && narrow.contains("99999/100000"), "{narrow}");
        assert!(table(&places, &seen, Some(10)).contains("node-2"));
    }
}
