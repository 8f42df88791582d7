//! The node's metrics for Prometheus (text format 0.0.4).
//!
//! Written by hand. All values are copied from the board when they are requested, so nothing is counted here. The official client
//! writes OpenMetrics and keeps its own counters. Only the spelling below is left to do, and the tests read it back.

mod spelling;

use std::collections::BTreeMap;

use crate::board::{Board, Health, Now, PeerView, Who};
use crate::store::ledger::{NodeBudget, Totals, left};
use spelling::Exposition;

/// All metrics.
pub fn text(board: &Board) -> String {
    let (who, now) = (board.who(), board.now());
    let mut page = Exposition::default();
    about(&mut page, who, &now);
    budget(&mut page, who, &now);
    peers(&mut page, who, &now);
    stream(&mut page, &now);
    host(&mut page, &now);
    page.text
}

/// One of the three totals, as an epsilon for the run's delta.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SpentTotal {
    /// event, person or lifetime.
    pub(crate) of: &'static str,
    /// Infinite if it is unbounded.
    pub(crate) epsilon: f64,
    /// Its limit, if there is one.
    pub(crate) limit: Option<f64>,
    /// The limit minus the epsilon spent.
    pub(crate) left: Option<f64>,
    /// The share of the limit that is left, in the unit in which charges add up (epsilon or rho): it falls in a straight line.
    pub(crate) share: Option<f64>,
}

/// All totals. The total of a person exists only if events per person are bounded.
pub(crate) fn spent(totals: &Totals, limits: &NodeBudget, delta: f64) -> Vec<SpentTotal> {
    let one = |of, cost: dpsda::privacy::Price, limit: Option<f64>| {
        let epsilon = cost.shown(delta).unwrap_or(f64::INFINITY);
        let share = limit.map(|limit| {
            let (whole, rest) = (left(limit, cost.less(cost), delta), left(limit, cost, delta));
            let worth = |cost: dpsda::privacy::Price| cost.as_pure().or(cost.as_rho()).unwrap_or(0.0);
            // An unbounded total has spent its whole limit, and so has a total with a limit of zero.
            if epsilon.is_finite() && worth(whole) > 0.0 { worth(rest) / worth(whole) } else { 0.0 }
        });
        SpentTotal { of, epsilon, limit, left: limit.map(|limit| (limit - epsilon).max(0.0)), share }
    };
    let mut all = vec![one("event", totals.event, limits.event)];
    all.extend(totals.person.map(|cost| one("person", cost, limits.person)));
    all.push(one("lifetime", totals.lifetime, limits.lifetime));
    all
}

impl Health {
    /// All states, to show which one it is.
    pub(crate) const ALL: [Self; 7] = [
        Self::Starting,
        Self::Running,
        Self::Exhausted,
        Self::Halted,
        Self::Finished,
        Self::Stopping,
        Self::Failed,
    ];

    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Exhausted => "exhausted",
            Self::Halted => "halted",
            Self::Finished => "finished",
            Self::Stopping => "stopping",
            Self::Failed => "failed",
        }
    }
}

fn about(page: &mut Exposition, who: &Who, now: &Now) {
    let words = [
        ("run", who.run.as_str()),
        ("node", &who.node),
        ("algorithm", &who.algorithm),
        ("rounds", &who.rounds),
        ("manifest", &who.manifest),
        ("version", &who.version),
    ];
    page.gauge("dpsda_info", "The labels describe the node.").with(&words, 1.0);
    let mut health = page.gauge("dpsda_health", "Health of the node: 1 for the state it is in.");
    for state in Health::ALL {
        health.with(&[("state", state.word())], f64::from(u8::from(state == now.health)));
    }
    page.gauge("dpsda_round", "The round whose cost comes next.").is(now.round as f64);
    page.gauge("dpsda_horizon", "Rounds of the whole run.").is(who.horizon as f64);
    page.gauge("dpsda_epoch", "Epoch of the node: above 0 if a store was lost or an old copy restored.")
        .is(now.epoch as f64);
    page.gauge("dpsda_rounds_per_second", "Rounds per second, over the last 5 seconds.").is(now.rate);
    page.counter("dpsda_releases_total", "Releases, in all epochs.").is(now.releases as f64);
    let rounds = now.staleness.map(|rounds| rounds as f64);
    page.gauge("dpsda_staleness_rounds", "Rounds that the oldest known block is behind.").maybe(rounds);
    page.counter("dpsda_late_total", "Lock-step rounds that ended without an expected peer.")
        .is(now.late as f64);
}

fn budget(page: &mut Exposition, who: &Who, now: &Now) {
    page.gauge("dpsda_delta", "The delta for which totals are stated as epsilons.").is(who.delta);
    let all = spent(&now.spent, &who.budget, who.delta);
    let mut show = |name: &str, help: &str, value: fn(&SpentTotal) -> Option<f64>| {
        let mut family = page.gauge(name, help);
        for one in &all {
            if let Some(value) = value(one) {
                family.with(&[("of", one.of)], value);
            }
        }
    };
    show("dpsda_spent_epsilon", "What this node has spent, as an epsilon.", |s| Some(s.epsilon));
    show("dpsda_budget_epsilon", "The limit of what it may spend.", |s| s.limit);
    show("dpsda_budget_left_epsilon", "The limit minus what was spent.", |s| s.left);
    let help = "The share of the limit that is left, in the unit in which charges add up (epsilon or rho).";
    show("dpsda_budget_left_ratio", help, |s| s.share);
}

fn peers(page: &mut Exposition, who: &Who, now: &Now) {
    let others: Vec<&PeerView> = now
        .peers
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != who.number)
        .map(|(_, peer)| peer)
        .collect();
    let connected = |peer: &PeerView| f64::from(u8::from(peer.traffic.connected));
    let mut family = page.gauge("dpsda_peer_connected", "Whether there is a connection.");
    others.iter().for_each(|peer| family.with(&[("peer", &peer.name)], connected(peer)));
    let differs = |peer: &PeerView| f64::from(u8::from(!peer.differs.is_empty()));
    let mut family = page.gauge("dpsda_peer_differs", "Whether the peer runs another manifest.");
    others.iter().for_each(|peer| family.with(&[("peer", &peer.name)], differs(peer)));
    type CountOf = fn(&PeerView) -> u64;
    let counters: [(&str, &str, CountOf); 7] = [
        ("dpsda_peer_connections_total", "Connections made.", |p| p.traffic.connections),
        ("dpsda_peer_sent_total", "Messages given to the network.", |p| p.traffic.sent),
        ("dpsda_peer_sent_bytes_total", "Bytes of these messages.", |p| p.traffic.sent_bytes),
        ("dpsda_peer_dropped_total", "Messages dropped before they were sent.", |p| p.traffic.dropped),
        ("dpsda_peer_heard_total", "Messages that arrived.", |p| p.traffic.heard),
        ("dpsda_peer_heard_bytes_total", "Bytes of these messages.", |p| p.traffic.heard_bytes),
        ("dpsda_peer_unheard_total", "Messages that a newer one from the same peer replaced unread.", |p| {
            p.traffic.unheard
        }),
    ];
    for (name, help, value) in counters {
        let mut family = page.counter(name, help);
        others.iter().for_each(|peer| family.with(&[("peer", &peer.name)], value(peer) as f64));
    }
    // Each series may appear only once.
    let mut refused: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for one in &now.refused {
        *refused.entry((&one.from, &one.why)).or_default() += one.times;
    }
    let mut family =
        page.counter("dpsda_refused_total", "Refused messages and connections, by sender and reason.");
    for ((peer, reason), times) in refused {
        family.with(&[("peer", peer), ("reason", reason)], times as f64);
    }
}

fn stream(page: &mut Exposition, now: &Now) {
    let stream = &now.stream;
    page.counter("dpsda_stream_taken_total", "Costs that were learned from.").is(stream.taken as f64);
    page.counter("dpsda_stream_unused_total", "Costs ignored after learning stopped.")
        .is(stream.unused as f64);
    page.counter("dpsda_stream_gaps_total", "Rounds without a cost.").is(stream.gaps as f64);
    page.counter("dpsda_stream_duplicates_total", "Costs for past rounds.").is(stream.duplicates as f64);
    let help = "Gradients for rounds that had not begun.";
    page.counter("dpsda_stream_early_total", help).is(stream.early as f64);
    let help = "Gradients that were taken at another estimate of their round.";
    page.counter("dpsda_stream_stale_total", help).is(stream.stale as f64);
    page.counter("dpsda_stream_over_total", "Costs for rounds after the last one.").is(stream.over as f64);
    page.counter("dpsda_stream_malformed_total", "Lines that are not a valid cost.")
        .is(stream.malformed as f64);
    page.gauge("dpsda_stream_ended", "Whether the stream has ended.").is(f64::from(u8::from(stream.ended)));
}

fn host(page: &mut Exposition, now: &Now) {
    let help = "Decisions that could not be written to the file or to standard output.";
    page.counter("dpsda_decisions_unwritten_total", help).is(now.unwritten as f64);
    let seconds = now.store_micros as f64 / 1e6;
    page.gauge("dpsda_store_seconds", "Seconds until the last release was durable.").is(seconds);
    page.gauge("dpsda_memory_bytes", "Memory of the process.").maybe(now.memory.map(|bytes| bytes as f64));
    page.gauge("dpsda_uptime_seconds", "Seconds since the start.").is(now.uptime);
}
