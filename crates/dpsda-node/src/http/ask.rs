//! Answers to GET requests about the node.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::Desk;
use crate::board::Health;
use crate::metrics::{self, spent};

/// How long a request for a later decision or estimate stays open.
const LATER: Duration = Duration::from_secs(30);

const JSON: &str = "application/json";
/// One JSON value per line.
pub(super) const LINES: &str = "application/x-ndjson";

pub(super) async fn healthz(State(desk): State<Arc<Desk>>) -> (StatusCode, String) {
    let health = desk.board.now().health;
    let (status, word) = match health {
        Health::Running | Health::Exhausted | Health::Halted | Health::Finished => (StatusCode::OK, "ok"),
        Health::Starting | Health::Stopping => (StatusCode::SERVICE_UNAVAILABLE, health.word()),
        Health::Failed => (StatusCode::INTERNAL_SERVER_ERROR, health.word()),
    };
    (status, format!("{word}\n"))
}

pub(super) async fn status(State(desk): State<Arc<Desk>>) -> Response {
    let (who, mut now) = (desk.board.who(), desk.board.now());
    if who.number < now.peers.len() {
        now.peers.remove(who.number); // a node is not its own peer
    }
    let number = |value: f64| if value.is_finite() { json!(value) } else { json!("inf") };
    let one = |s: metrics::SpentTotal| {
        json!({
            "of": s.of, "epsilon": number(s.epsilon), "limit": s.limit.map(number), "left": s.left.map(number),
            "left_share": s.share,
        })
    };
    let budget: Vec<Value> = spent(&now.spent, &who.budget, who.delta).into_iter().map(one).collect();
    typed(JSON, json!({ "who": who, "now": now, "budget": budget }).to_string() + "\n")
}

pub(super) async fn metrics(State(desk): State<Arc<Desk>>) -> Response {
    typed("text/plain; version=0.0.4; charset=utf-8", metrics::text(&desk.board))
}

/// The latest decision, or the next one after a given round.
pub(super) async fn decision(State(desk): State<Arc<Desk>>, RawQuery(query): RawQuery) -> Response {
    newest(&desk, query, desk.board.decisions(), |decision| decision.round, "no decision yet\n").await
}

/// The estimate of the round whose cost comes next, or the first one after a given round.
pub(super) async fn estimate(State(desk): State<Arc<Desk>>, RawQuery(query): RawQuery) -> Response {
    newest(&desk, query, desk.board.estimates(), |estimate| estimate.t, "no estimate yet\n").await
}

/// The newest of some things that have a round, or the first one after a given round.
async fn newest<T: Serialize>(
    desk: &Desk,
    query: Option<String>,
    mut seen: watch::Receiver<Option<Arc<T>>>,
    round: impl Fn(&T) -> u64,
    none: &'static str,
) -> Response {
    let Some(query) = query.filter(|query| !query.is_empty()) else {
        let latest = seen.borrow().clone();
        return latest.map_or_else(
            || (StatusCode::NOT_FOUND, none).into_response(),
            |latest| typed(JSON, line(&*latest)),
        );
    };
    let Some(after) = query.strip_prefix("after=").and_then(|round| round.parse::<u64>().ok()) else {
        let right = "expected ?after=ROUND, for example ?after=12\n";
        return (StatusCode::BAD_REQUEST, right).into_response();
    };
    let Ok(_turn) = desk.watchers.try_acquire() else { return busy() };
    let later = async {
        let found = seen.wait_for(|one| one.as_ref().is_some_and(|one| round(one) > after)).await;
        found.ok().and_then(|found| found.clone())
    };
    let found = tokio::select! {
        found = later => found,
        () = tokio::time::sleep(LATER) => None,
        () = desk.stopped() => None,
    };
    found.map_or_else(|| StatusCode::NO_CONTENT.into_response(), |found| typed(JSON, line(&*found)))
}

/// All decisions from now on. A slow reader misses some, and sees from the rounds which ones.
pub(super) async fn decisions(State(desk): State<Arc<Desk>>) -> Response {
    let Ok(turn) = Arc::clone(&desk.watchers).try_acquire_owned() else { return busy() };
    let seen = desk.board.decisions();
    let lines = stream::unfold((desk, seen, turn), async |(desk, mut seen, turn)| {
        loop {
            tokio::select! {
                changed = seen.changed() => changed.ok()?,
                () = desk.stopped() => return None,
            }
            let latest = seen.borrow_and_update().clone();
            if let Some(decision) = latest {
                return Some((Ok::<_, Infallible>(Bytes::from(line(&*decision))), (desk, seen, turn)));
            }
        }
    });
    typed(LINES, Body::from_stream(lines))
}

/// The answer when too many requests are open.
pub(super) fn busy() -> Response {
    let words = "too many requests of this kind are open: try again later\n";
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")], words).into_response()
}

pub(super) fn typed(kind: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, kind)], body.into()).into_response()
}

fn line(shown: &impl Serialize) -> String {
    json!(shown).to_string() + "\n"
}
