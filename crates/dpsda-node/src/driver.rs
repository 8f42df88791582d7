//! Runs one machine: a loop that waits for costs, messages, the disk and the clock. No other part of a node has a clock.

mod costs;
mod course;
mod follow;
mod keeper;
mod notes;
mod outlet;
mod parts;
mod start;

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use self::costs::arrival;
use self::course::{Course, Hindrance};
use self::keeper::{Commit, Keeper};
use self::notes::Notes;
use self::outlet::Outlet;
use self::start::start;
use crate::board::Health;
use crate::machine::{Happened, Machine};
use crate::stream::{Arrival, CostReply, CostSource, CostTerms};
use crate::transport::{Event, Events, Transport};

pub use self::parts::{DriverError, Parts, Tempo};

/// How often the machine is told that time has passed, so that it repeats messages that may have been lost.
const TICK: Duration = Duration::from_millis(100);
/// How often the board is updated.
const REFRESH: Duration = Duration::from_millis(250);
/// How long lock-step rounds wait after all peers are connected. If two nodes dialled each other, one link now replaces the
/// other.
const SETTLE: Duration = Duration::from_millis(100);
/// How long a stopping node waits for its disk and its peers.
const FAREWELL: Duration = Duration::from_secs(5);

/// A running node.
struct Driver {
    machine: Box<dyn Machine>,
    keeper: Keeper,
    /// Whether a record is being written to the disk.
    storing: bool,
    transport: Arc<dyn Transport>,
    events: Events,
    source: CostSource,
    costs: CostTerms,
    /// Whether programs may ask for estimates.
    asked: bool,
    horizon: u64,
    course: Course,
    outlet: Option<Outlet>,
    tempo: Tempo,
    notes: Notes,
    /// A cost that arrived before it was due.
    pending: Option<Arrival>,
    /// The cost whose sender waits for an answer: its round, the number of rounds skipped before it, and the channel for the
    /// answer.
    answering: Option<(u64, u64, tokio::sync::oneshot::Sender<CostReply>)>,
    skipped: u64,
    /// When the next cost may be taken.
    due: Instant,
    /// Nothing is released before this time.
    held: Option<Instant>,
    /// The peers that are not connected.
    away: BTreeSet<usize>,
    /// The round that waits for peers, and its deadline.
    late: (u64, Instant),
    /// When all work was done.
    done: Option<Instant>,
}

/// Runs until `stop`, or until all work is done and the linger time is over.
pub async fn drive(parts: Parts, stop: impl Future<Output = ()>) -> Result<(), DriverError> {
    let board = parts.board.clone();
    let ended = run(parts, stop).await;
    if let Err(trouble) = &ended {
        tracing::error!(%trouble, "the node has failed and stops");
        board.change(|now| {
            now.health = Health::Failed;
            now.trouble = Some(trouble.to_string());
        });
    }
    ended
}

async fn run(parts: Parts, stop: impl Future<Output = ()>) -> Result<(), DriverError> {
    let driver = start(parts).await?;
    driver.run(stop).await
}

/// What woke the driver.
enum Woken {
    Stop,
    Commit(Commit),
    Event(Option<Event>),
    Due,
    Arrived(Option<Arrival>),
    Late,
    Tick,
    Refresh,
    Released,
    Written,
}

impl Driver {
    async fn run(mut self, stop: impl Future<Output = ()>) -> Result<(), DriverError> {
        let mut stop = std::pin::pin!(stop);
        let (mut tick, mut refresh) = (interval(TICK), interval(REFRESH));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        refresh.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut hurried = false; // whether the last turn of this loop looked at nothing but the next cost
        loop {
            if self.lingered() {
                break;
            }
            let hungry = self.hungry();
            let known = matches!(self.source, CostSource::Known(_));
            let filling = self.pending.is_some();
            let over = self.course.turns_away(&*self.machine);
            let (due, late, held) = (self.due(), self.late.1, self.held);
            let written = self.written();
            let ready = hungry && (known || filling);
            let hurry = ready && self.tempo.in_step && due <= Instant::now();
            let woken = match self.keeper.kept_now() {
                // First of all, because peers wait for what it releases.
                Some(kept) => Woken::Commit(kept),
                // For the same reason a round in lock-step begins before messages of peers are read. Every other time only, so
                // that a node without peers hears of new ones.
                None if hurry && !hurried => {
                    hurried = true;
                    tokio::select! {
                        biased;
                        () = &mut stop => Woken::Stop,
                        () = until(due) => Woken::Due,
                    }
                }
                None => {
                    hurried = false;
                    tokio::select! {
                        () = &mut stop => Woken::Stop,
                        kept = self.keeper.kept(), if self.storing => Woken::Commit(kept),
                        event = self.events.next() => Woken::Event(event),
                        () = until(due), if ready => Woken::Due,
                        arrived = arrival(&mut self.source), if (hungry && !filling || over) && !known => Woken::Arrived(arrived),
                        () = sleep_until(late), if self.machine.waits() => Woken::Late,
                        () = sleep_until(held.unwrap_or(late)), if held.is_some() => Woken::Released,
                        () = settle(&mut self.outlet), if !written => Woken::Written,
                        _ = tick.tick() => Woken::Tick,
                        _ = refresh.tick() => Woken::Refresh,
                    }
                }
            };
            match woken {
                Woken::Stop | Woken::Event(None) => break,
                Woken::Commit(Commit { result, took }) => {
                    self.storing = false;
                    if let Err(error) = result {
                        let _ = self.farewell().await; // tells the peers
                        return Err(error.into());
                    }
                    self.notes.stored(took);
                    self.happened(Happened::Durable);
                }
                Woken::Event(Some(event)) => self.event(event),
                Woken::Due => self.feed(),
                Woken::Arrived(Some(arrival)) if hungry && self.tempo.pace.is_some() => {
                    self.pending = Some(arrival); // until it is due
                }
                Woken::Arrived(Some(arrival)) => self.arrived(arrival),
                Woken::Arrived(None) => self.ended(),
                Woken::Late => {
                    self.notes.late();
                    self.happened(Happened::Late);
                }
                Woken::Released => {
                    self.held = None;
                    // Rounds do not wait for a peer that never connected.
                    for peer in self.away.clone() {
                        self.happened(Happened::Gone(peer));
                    }
                }
                Woken::Written => {}
                Woken::Tick => self.happened(Happened::Tick),
                Woken::Refresh => self.notes.refresh(&*self.machine, &*self.transport),
            }
        }
        self.farewell().await
    }

    /// Finishes the work under way and tells the peers that this node leaves.
    async fn farewell(&mut self) -> Result<(), DriverError> {
        self.notes.stopping();
        self.course.stop();
        self.tell();
        let mut result = Ok(());
        while self.storing {
            match timeout(FAREWELL, self.keeper.kept()).await {
                Ok(Commit { result: Ok(()), took }) => {
                    self.storing = false;
                    self.notes.stored(took);
                    self.happened(Happened::Durable); // may store again
                }
                Ok(Commit { result: Err(error), .. }) => {
                    result = Err(error.into());
                    break;
                }
                Err(_) => break, // the next start will see whether the record is durable
            }
        }
        let _ = timeout(FAREWELL, self.transport.close()).await;
        if let Some(mut outlet) = self.outlet.take() {
            // A reader of standard output that does not read must not delay the end.
            let _ = timeout(FAREWELL, tokio::task::spawn_blocking(move || outlet.end())).await;
        }
        self.notes.refresh(&*self.machine, &*self.transport);
        result
    }

    /// Whether all decisions are in their file. So a crash of the process loses one decision at most, and the node makes it again
    /// after the restart. Lines are not synced one by one: a power cut may lose the last lines.
    fn written(&self) -> bool {
        self.outlet.as_ref().is_none_or(Outlet::settled)
    }

    /// Whether all work is done and the linger time is over.
    fn lingered(&mut self) -> bool {
        if self.course.finishes(&*self.machine, self.pending.is_some(), self.storing) {
            self.done = Some(Instant::now());
            self.notes.finished(self.machine.round());
            self.tell();
            self.notes.refresh(&*self.machine, &*self.transport);
        }
        self.done.zip(self.tempo.linger).is_some_and(|(since, linger)| since.elapsed() >= linger)
    }
}

/// Sleeps until `due`. Timers have a resolution of one millisecond, so a cost that is already due does not use one.
async fn until(due: Instant) {
    if due > Instant::now() {
        sleep_until(due).await;
    } else {
        tokio::task::yield_now().await; // lets other tasks run
    }
}

/// Waits until all decisions are in their file.
async fn settle(outlet: &mut Option<Outlet>) {
    match outlet {
        Some(outlet) => outlet.settle().await,
        None => std::future::pending().await,
    }
}
