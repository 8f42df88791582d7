//! How the nodes of a cluster are, as they say themselves.

use std::time::Duration;

use serde_json::{Value, json};

use super::lay::{Layout, Place};
use crate::table;

/// How long an answer may take.
const ANSWER: Duration = Duration::from_millis(500);

/// A node, as it was seen.
pub(super) struct Seen {
    name: String,
    /// What it answered; none if it did not.
    answer: Option<Value>,
}

impl Seen {
    fn now(&self, key: &str) -> &Value {
        self.answer.as_ref().map_or(&Value::Null, |answer| &answer["now"][key])
    }

    fn who(&self, key: &str) -> &Value {
        self.answer.as_ref().map_or(&Value::Null, |answer| &answer["who"][key])
    }

    /// Whether it has no rounds left.
    pub(super) fn done(&self) -> bool {
        let over =
            self.now("round").as_u64().zip(self.who("horizon").as_u64()).is_some_and(|(t, all)| t >= all);
        over || self.now("stream")["ended"] == true
    }

    pub(super) fn json(&self) -> Value {
        json!({ "name": self.name, "answers": self.answer.is_some(), "status": self.answer })
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

/// What a cost is as an epsilon, in words.
fn spent(seen: &Seen) -> String {
    let total = &seen.now("spent")["event"];
    let delta = seen.who("delta").as_f64().unwrap_or(0.0);
    match serde_json::from_value::<dpsda::privacy::Cost>(total.clone()).ok().and_then(|c| c.as_epsilon(delta))
    {
        Some(epsilon) => format!("{epsilon:.3}"),
        None => "no bound".into(),
    }
}

pub(super) fn table(layout: &Layout, seen: &[Seen]) -> String {
    let header = ["node", "is", "round", "rounds/s", "behind", "peers", "sent", "refused", "epsilon", "page"];
    let whole = |value: &Value| value.as_u64().map_or_else(String::new, |n| n.to_string());
    let row = |(place, seen): (&Place, &Seen)| {
        let peers = seen.now("peers").as_array().map_or(&[][..], Vec::as_slice);
        let sent: u64 = peers.iter().filter_map(|peer| peer["sent_bytes"].as_u64()).sum();
        let linked = peers.iter().filter(|peer| peer["connected"] == true).count();
        let refused = seen.now("refused").as_array().into_iter().flatten();
        let refused: u64 = refused.filter_map(|refused| refused["times"].as_u64()).sum();
        if seen.answer.is_none() {
            return vec![seen.name.clone(), "does not answer".into()];
        }
        vec![
            seen.name.clone(),
            seen.now("health").as_str().unwrap_or("").to_owned(),
            format!("{}/{}", whole(seen.now("round")), whole(seen.who("horizon"))),
            format!("{:.1}", seen.now("rate").as_f64().unwrap_or(0.0)),
            whole(seen.now("staleness")),
            format!("{linked}/{}", peers.len().saturating_sub(1)),
            bytes(sent),
            refused.to_string(),
            spent(seen),
            format!("http://{}", place.http),
        ]
    };
    let rows = layout.nodes.iter().zip(seen).map(row).collect();
    table::grid(header.map(str::to_owned).to_vec(), rows)
}

/// One line for logs.
pub(super) fn line(seen: &[Seen]) -> String {
    let rounds = seen.iter().filter_map(|seen| seen.now("round").as_u64());
    let (least, most) = (rounds.clone().min().unwrap_or(0), rounds.max().unwrap_or(0));
    let up = seen.iter().filter(|seen| seen.answer.is_some()).count();
    format!("{up} of {} nodes answer, in rounds {least} to {most}", seen.len())
}

fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{:.0} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}
