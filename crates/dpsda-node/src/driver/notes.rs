//! The driver's reports to its operator, on the board and in the log. The only decision made here is how often to log a repeated
//! event.

mod peers;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use dpsda::learner::Style;
use tokio::time::Instant;

use super::course::News;
use crate::board::{Board, Decision, Health, Refused, caveat};
use crate::entry::Entry;
use crate::frame::Refusal;
use crate::machine::Machine;
use crate::manifest::Manifest;
use crate::store::ledger::{NodeBudget, Totals};
use crate::stream::Estimate;
use crate::transport::{Transport, Unreached};

/// Rounds per second are measured over this time.
const WINDOW: Duration = Duration::from_secs(5);

/// A peer is logged as not reached only after this time, because members start and stop one after the other.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why a node releases nothing more, and what its operator can do.
fn halted(style: Style) -> &'static str {
    match style {
        Style::Relay => {
            "This node releases nothing more: peers have shown it several times releases under its key that it did not make. \
             Another process runs with this key (stop all but one and restart that one; it then charges the rest)."
        }
        Style::Average | Style::Model | Style::Central => {
            "This node releases nothing more: peers hold releases under its key that are not in its store. Their cost is \
             charged, but what the node had sent on its links since then cannot be rebuilt (agree on a new manifest)."
        }
    }
}

/// A reservation about the promise: why the node releases nothing more, or that it may have released some rounds twice.
fn reservation(machine: &dyn Machine) -> Option<String> {
    if machine.stopped() { Some(halted(machine.style()).into()) } else { caveat(machine.epoch()) }
}

/// Repeated events are logged less and less often.
fn is_told(times: u64) -> bool {
    times <= 4 || times.is_power_of_two()
}

/// The board, and the counts behind the log.
pub(super) struct Notes {
    board: Board,
    manifest: Manifest,
    started: Instant,
    /// Recent rounds, and when they were seen.
    rounds: VecDeque<(Instant, u64)>,
    /// Messages that the machine refused, by peer and reason.
    refused: BTreeMap<(usize, Refusal), u64>,
    /// Costs for rounds after the last one.
    over: u64,
    /// Connections refused because the peer runs another manifest, per peer.
    quarrels: BTreeMap<usize, u64>,
    /// How often each peer connected, and how often it disconnected.
    came: BTreeMap<usize, (u64, u64)>,
    /// When each peer was first not reached, and the reason we logged.
    unreached: BTreeMap<usize, (Instant, Option<Unreached>)>,
    /// The number of gaps in the stream of costs.
    gaps: u64,
}

impl Notes {
    pub(super) fn new(board: Board, manifest: Manifest, machine: &dyn Machine) -> Self {
        if let Some(caveat) = caveat(machine.epoch()) {
            tracing::warn!("{caveat}");
        }
        Self {
            board,
            manifest,
            started: Instant::now(),
            rounds: VecDeque::new(),
            refused: BTreeMap::new(),
            over: 0,
            quarrels: BTreeMap::new(),
            came: BTreeMap::new(),
            unreached: BTreeMap::new(),
            gaps: 0,
        }
    }

    fn name(&self, peer: usize) -> &str {
        self.manifest.member.get(peer).map_or("nobody", |member| &member.name)
    }

    /// A record is durable.
    pub(super) fn stored(&self, took: Duration) {
        self.board.change(|now| now.store_micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// Counts a cost that arrived, learned from or not.
    pub(super) fn came(&self, learned: bool) {
        self.board.change(|now| {
            let count = if learned { &mut now.stream.taken } else { &mut now.stream.unused };
            *count += 1;
        });
    }

    /// Counts a cost for a past round.
    pub(super) fn duplicate(&self) {
        self.board.change(|now| now.stream.duplicates += 1);
    }

    /// Counts a gradient for a round that has not begun.
    pub(super) fn early(&self) {
        self.board.change(|now| now.stream.early += 1);
    }

    /// Counts a gradient that was taken at another estimate of its round.
    pub(super) fn stale(&self) {
        self.board.change(|now| now.stream.stale += 1);
    }

    /// Shows the point at which the gradient of a round is wanted.
    pub(super) fn estimate(&self, estimate: Estimate) {
        self.board.expect(estimate);
    }

    /// Counts rounds whose costs never arrived.
    pub(super) fn gap(&mut self, rounds: u64) {
        self.gaps += u64::from(rounds > 0);
        if rounds > 0 && self.gaps.is_power_of_two() {
            tracing::warn!(rounds, times = self.gaps, "rounds without a cost: the stream has a gap");
        }
        self.board.change(|now| now.stream.gaps += rounds);
    }

    /// Counts a cost for a round after the last one.
    pub(super) fn over(&mut self, round: u64) {
        self.over += 1;
        if self.over.is_power_of_two() {
            tracing::warn!(round, times = self.over, "ignored a cost for a round after the last one");
        }
        self.board.change(|now| now.stream.over += 1);
    }

    /// Counts a lock-step round that ended without an expected peer.
    pub(super) fn late(&self) {
        self.board.change(|now| now.late += 1);
    }

    /// No more costs come.
    pub(super) fn ended(&self) {
        tracing::info!("the stream of costs has ended");
        self.board.change(|now| now.stream.ended = true);
    }

    pub(super) fn exhausted(&self, round: u64) {
        let NodeBudget { event, person, lifetime } = self.board.who().budget;
        tracing::warn!(
            round,
            event,
            person,
            lifetime,
            "this node's share of the budget is spent: it releases nothing more, and goes on relaying and deciding"
        );
    }

    pub(super) fn overtaken(&self, entry: &Entry) {
        let (epoch, version) = (entry.content.epoch, entry.content.version);
        tracing::error!(
            epoch,
            version,
            "a peer holds a release of this node that is not in its store: the store was an old copy, or another process runs \
             with this key; the lost releases are charged"
        );
    }

    pub(super) fn news(&self, news: News, machine: &dyn Machine) {
        match news {
            News::Renewed(epoch) => tracing::warn!(epoch, round = machine.round(), "a new epoch has begun"),
            News::Halted => tracing::error!("{}", halted(machine.style())),
        }
        // At once, so that the board never shows a state without its reason.
        self.board.change(|now| {
            now.epoch = machine.epoch();
            now.caveat = reservation(machine);
        });
    }

    pub(super) fn finished(&self, round: u64) {
        tracing::info!(round, "all rounds are done, or the stream has ended; the node goes on relaying");
    }

    pub(super) fn stopping(&self) {
        tracing::info!("stopping");
    }

    pub(super) fn health(&self, health: Health) {
        self.board.change(|now| now.health = health);
    }

    pub(super) fn unwritten(&self, round: u64, why: &str) {
        let mut times = 0;
        self.board.change(|now| {
            now.unwritten += 1;
            times = now.unwritten;
        });
        if times.is_power_of_two() {
            tracing::warn!(round, times, why, "a decision could not be written");
        }
    }

    pub(super) fn decided(&self, decision: Decision, machine: &dyn Machine) {
        self.board.change(|now| {
            now.round = decision.round;
            now.epoch = decision.epoch;
            let ledger = machine.learner().ledger();
            now.releases = ledger.releases();
            now.spent = Totals::of(ledger);
        });
        self.board.decide(decision);
    }

    /// Rounds per second over the last seconds.
    fn rate(&mut self, at: Instant, round: u64) -> f64 {
        self.rounds.push_back((at, round));
        while self.rounds.len() > 2 && self.rounds.front().is_some_and(|(then, _)| at - *then > WINDOW) {
            self.rounds.pop_front();
        }
        self.rounds.front().map_or(0.0, |(then, first)| {
            let seconds = (at - *then).as_secs_f64();
            if seconds > 0.0 { (round - first) as f64 / seconds } else { 0.0 }
        })
    }

    /// Copies the state of machine and transport to the board.
    pub(super) fn refresh(&mut self, machine: &dyn Machine, transport: &dyn Transport) {
        let (at, round) = (Instant::now(), machine.round());
        let rate = self.rate(at, round);
        let counts = transport.counts();
        self.unreached(at, &counts.peers);
        let mut refused: BTreeMap<(Option<usize>, Refusal), u64> = counts.refused;
        for ((from, why), times) in &self.refused {
            *refused.entry((Some(*from), *why)).or_default() += times;
        }
        let named = |((from, why), times): (&(Option<usize>, Refusal), &u64)| Refused {
            from: from.map_or("strangers", |from| self.name(from)).to_owned(),
            why: why.to_string(),
            times: *times,
        };
        let refused = refused.iter().map(named).collect();
        let ledger = machine.learner().ledger();
        let uptime = (at - self.started).as_secs_f64();
        self.board.change(|now| {
            now.round = round;
            now.epoch = machine.epoch();
            now.caveat = reservation(machine);
            now.rate = rate;
            now.versions = machine.versions();
            now.staleness = machine.staleness();
            now.releases = ledger.releases();
            now.spent = Totals::of(ledger);
            now.refused = refused;
            now.memory = memory();
            now.uptime = uptime;
            for (peer, traffic) in now.peers.iter_mut().zip(&counts.peers) {
                peer.traffic = *traffic;
            }
        });
    }
}

/// Resident bytes of this process, on systems that tell.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
