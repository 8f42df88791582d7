//! What a driver tells its operator: on the board, and in the log.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use crate::board::{Board, Decision, Health, Refused, caveat};
use crate::entry::Entry;
use crate::frame::Refusal;
use crate::machine::Machine;
use crate::manifest::{Manifest, Signed, differences};
use crate::store::ledger::{Budget, Totals};
use crate::transport::{Traffic, Transport, Unreached};

/// The rate is that of so long.
const WINDOW: Duration = Duration::from_secs(5);

/// So long nobody speaks of those who are dialled in vain: members start and stop one after the other.
const VAIN: Duration = Duration::from_secs(3);

/// Of a node that must not go on: one that relays, and one that averages.
const STOPPED: [&str; 2] = [
    "This node releases nothing any more: others hold releases under its key that it did not make, again and again. Another process \
     runs with this key (stop all but one, and restart it: what is not charged yet is charged then).",
    "This node releases nothing any more: others hold releases under its key that its store knows nothing of. What they cost is \
     charged, and what was put on links since cannot be rebuilt (agree on a new manifest).",
];

fn stopped(machine: &dyn Machine) -> &'static str {
    STOPPED[usize::from(!relays(machine))]
}

/// Whether blocks are relayed.
fn relays(machine: &dyn Machine) -> bool {
    machine.learner().staleness(machine.round()).is_some()
}

/// What comes again and again is told ever more seldom.
fn is_told(times: u64) -> bool {
    times <= 4 || times.is_power_of_two()
}

/// Everything there is to tell.
pub(super) struct Notes {
    board: Board,
    manifest: Manifest,
    started: Instant,
    /// When which round was seen.
    rounds: VecDeque<(Instant, u64)>,
    refused: BTreeMap<(usize, Refusal), u64>,
    ended: bool,
    over: u64,
    /// How often who came with another manifest.
    quarrels: BTreeMap<usize, u64>,
    /// How often who was connected, and gone.
    came: BTreeMap<usize, (u64, u64)>,
    /// Since when who is dialled in vain, and why the log says that is.
    unreached: BTreeMap<usize, (Instant, Option<Unreached>)>,
    /// Times that costs were missing.
    gaps: u64,
    stopped: bool,
    epoch: u64,
}

impl Notes {
    pub(super) fn new(board: Board, manifest: Manifest) -> Self {
        Self {
            board,
            manifest,
            started: Instant::now(),
            rounds: VecDeque::new(),
            refused: BTreeMap::new(),
            ended: false,
            over: 0,
            quarrels: BTreeMap::new(),
            came: BTreeMap::new(),
            unreached: BTreeMap::new(),
            gaps: 0,
            stopped: false,
            epoch: 0,
        }
    }

    fn name(&self, peer: usize) -> &str {
        self.manifest.member.get(peer).map_or("nobody", |member| &member.name)
    }

    pub(super) fn is_ended(&self) -> bool {
        self.ended
    }

    pub(super) fn stored(&self, took: Duration) {
        self.board.change(|now| now.store_micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// The cost of a round has come, and was learned from or not.
    pub(super) fn came(&self, learned: bool) {
        self.board.change(|now| {
            let count = if learned { &mut now.stream.taken } else { &mut now.stream.unused };
            *count += 1;
        });
    }

    pub(super) fn duplicate(&self) {
        self.board.change(|now| now.stream.duplicates += 1);
    }

    pub(super) fn gap(&mut self, rounds: u64) {
        self.gaps += u64::from(rounds > 0);
        if rounds > 0 && self.gaps.is_power_of_two() {
            tracing::warn!(rounds, times = self.gaps, "costs are missing in the stream");
        }
        self.board.change(|now| now.stream.gaps += rounds);
    }

    pub(super) fn over(&mut self, round: u64) {
        self.over += 1;
        if self.over.is_power_of_two() {
            tracing::warn!(round, times = self.over, "a cost of a round after the last");
        }
        self.board.change(|now| now.stream.over += 1);
    }

    pub(super) fn late(&self) {
        self.board.change(|now| now.late += 1);
    }

    pub(super) fn ended(&mut self) {
        if !self.ended {
            tracing::info!("the stream has ended");
        }
        self.ended = true;
        self.board.change(|now| now.stream.ended = true);
    }

    pub(super) fn connected(&mut self, peer: usize) {
        let (times, _) = self.came.entry(peer).or_default();
        *times += 1;
        if is_told(*times) {
            let times = *times;
            tracing::info!(peer = self.name(peer), times, "connected");
        }
    }

    pub(super) fn gone(&mut self, peer: usize) {
        let (_, times) = self.came.entry(peer).or_default();
        *times += 1;
        if is_told(*times) {
            let times = *times;
            tracing::warn!(peer = self.name(peer), times, "gone");
        }
    }

    /// Says once of everybody who is dialled in vain why that is, and again when it is for another reason.
    fn vain(&mut self, at: Instant, peers: &[Traffic]) {
        for (peer, traffic) in peers.iter().enumerate() {
            let Some(why) = traffic.unreached else {
                self.unreached.remove(&peer);
                continue;
            };
            let (since, told) = self.unreached.entry(peer).or_insert((at, None));
            if at - *since >= VAIN && told.replace(why) != Some(why) {
                tracing::warn!(
                    peer = self.name(peer),
                    %why,
                    times = traffic.tried,
                    "not reached (is its address in [node.peers] right, and does it run?)"
                );
            }
        }
    }

    pub(super) fn differs(&mut self, peer: usize, theirs: &str) {
        let lines = match Signed::read(theirs) {
            Ok(theirs) => differences(&self.manifest, &theirs.manifest),
            Err(_) => vec!["its manifest cannot be read".into()],
        };
        // It may come again and again with the same.
        let times = self.quarrels.entry(peer).or_default();
        *times += 1;
        if times.is_power_of_two() {
            for line in &lines {
                tracing::error!(peer = self.name(peer), differs = line, "a member runs another manifest");
            }
        }
        self.board.change(|now| {
            if let Some(peer) = now.peers.get_mut(peer) {
                peer.differs = lines;
            }
        });
    }

    /// A flood of refusals is no flood of lines.
    pub(super) fn refused(&mut self, from: usize, why: Refusal) {
        let times = self.refused.entry((from, why)).or_default();
        *times += 1;
        if times.is_power_of_two() {
            let times = *times;
            tracing::warn!(peer = self.name(from), %why, times, "refused");
        }
    }

    pub(super) fn exhausted(&self, round: u64) {
        let Budget { event, person, lifetime } = self.board.who().budget;
        tracing::warn!(
            round,
            event,
            person,
            lifetime,
            "this node's share of the budget is spent: nothing more is released; relaying and deciding go on"
        );
        self.board.change(|now| now.health = Health::Exhausted);
    }

    pub(super) fn overtaken(&self, entry: &Entry) {
        let (epoch, version) = (entry.claim.epoch, entry.claim.version);
        tracing::error!(
            epoch,
            version,
            "a peer holds a release of this node that its store knows nothing of: the store was an old one, or another process runs \
             with this key; what was lost is charged"
        );
    }

    pub(super) fn finished(&self, round: u64) {
        tracing::info!(round, "all is done; relaying goes on");
        self.health(Health::Finished);
    }

    pub(super) fn stopping(&self) {
        tracing::info!("stopping");
        self.board.change(|now| now.health = Health::Stopping);
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

    /// One that releases nothing more never will, whatever else is.
    fn health(&self, health: Health) {
        self.board.change(|now| {
            if !matches!(now.health, Health::Exhausted | Health::Halted) {
                now.health = health;
            }
        });
    }

    pub(super) fn decided(&self, decision: Decision, machine: &dyn Machine) {
        self.board.change(|now| {
            if now.health == Health::Starting {
                now.health = Health::Running;
            }
            now.round = decision.round;
            now.epoch = decision.epoch;
            let ledger = machine.learner().ledger();
            now.releases = ledger.releases();
            now.spent = Totals::of(ledger);
        });
        self.board.decide(decision);
    }

    pub(super) fn refresh(&mut self, machine: &dyn Machine, transport: &dyn Transport) {
        if let Some(caveat) = caveat(machine.epoch()).filter(|_| self.rounds.is_empty()) {
            tracing::warn!("{caveat}"); // once, when it starts
        }
        if machine.stopped() && !std::mem::replace(&mut self.stopped, true) {
            tracing::error!("{}", stopped(machine));
            self.board.change(|now| now.health = Health::Halted);
        }
        let before = std::mem::replace(&mut self.epoch, machine.epoch());
        if before < self.epoch && !self.rounds.is_empty() && relays(machine) {
            tracing::warn!(epoch = self.epoch, round = machine.round(), "a new epoch has begun");
        }
        let (at, round) = (Instant::now(), machine.round());
        self.rounds.push_back((at, round));
        while self.rounds.len() > 2 && self.rounds.front().is_some_and(|(then, _)| at - *then > WINDOW) {
            self.rounds.pop_front();
        }
        let rate = self.rounds.front().map_or(0.0, |(then, first)| {
            let seconds = (at - *then).as_secs_f64();
            if seconds > 0.0 { (round - first) as f64 / seconds } else { 0.0 }
        });
        let counts = transport.counts();
        self.vain(at, &counts.peers);
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
            now.caveat = if machine.stopped() { Some(stopped(machine).into()) } else { caveat(now.epoch) };
            now.rate = rate;
            now.versions = machine.versions();
            // Of what it has heard, not of what it last decided from: that waits for the next cost.
            let behind = now.versions.iter().map(|(_, version)| round.saturating_sub(*version)).max();
            now.staleness = behind.filter(|_| relays(machine));
            now.releases = ledger.releases();
            now.spent = Totals::of(ledger);
            now.refused = refused;
            now.memory = memory();
            now.uptime = uptime;
            for (peer, traffic) in now.peers.iter_mut().zip(&counts.peers) {
                peer.traffic = *traffic;
                if traffic.connected {
                    peer.differs.clear();
                }
            }
        });
    }
}

/// Resident bytes of this process, where the system tells.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
