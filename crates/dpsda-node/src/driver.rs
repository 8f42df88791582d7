//! Runs one machine: tells it what happened, and does what it says. The one place with a clock.

mod costs;
mod course;
mod keeper;
mod notes;
mod outlet;
mod parts;
mod start;

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use dpsda::loss::Loss;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use self::costs::arrival;
use self::course::{Course, Hindrance};
use self::keeper::{Commit, Keeper};
use self::notes::Notes;
use self::outlet::Outlet;
use self::start::start;
use crate::board::{Decision, Health};
use crate::machine::{Happened, Machine, Todo};
use crate::stream::{Arrival, CostReply, CostSource};
use crate::transport::{Event, Events, Transport};

pub use self::parts::{DriverError, Parts, Tempo};

/// How often the machine is told that time has passed, so that it says again what may have been lost.
const TICK: Duration = Duration::from_millis(100);
/// How often the board is written.
const REFRESH: Duration = Duration::from_millis(250);
/// How long rounds in step wait when all peers are connected: where both have dialled, one link takes over from the other.
const SETTLE: Duration = Duration::from_millis(100);
/// How long a node that stops waits for its disk and its peers.
const FAREWELL: Duration = Duration::from_secs(5);

/// A node that runs.
struct Driver {
    machine: Box<dyn Machine>,
    keeper: Keeper,
    /// Whether a record is on its way to the disk.
    storing: bool,
    transport: Arc<dyn Transport>,
    events: Events,
    source: CostSource,
    loss: Arc<dyn Loss>,
    dim: usize,
    horizon: u64,
    course: Course,
    outlet: Option<Outlet>,
    tempo: Tempo,
    notes: Notes,
    /// A cost that came before it was due.
    pending: Option<Arrival>,
    /// The round that a cost was taken in, how many rounds were skipped before it, and where its sender waits.
    answering: Option<(u64, u64, tokio::sync::oneshot::Sender<CostReply>)>,
    skipped: u64,
    /// When the next cost may be taken.
    due: Instant,
    /// Nothing is released before this.
    held: Option<Instant>,
    /// The peers that are not connected.
    away: BTreeSet<usize>,
    /// The round whose end is waited for, and until when.
    late: (u64, Instant),
    /// Since when all is done.
    done: Option<Instant>,
}

/// Runs until `stop`, or until all is done and the time to stay is over.
pub async fn drive(parts: Parts, stop: impl Future<Output = ()>) -> Result<(), DriverError> {
    let board = parts.board.clone();
    let ended = run(parts, stop).await;
    if let Err(trouble) = &ended {
        tracing::error!(%trouble, "the node stops");
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
            let woken = tokio::select! {
                () = &mut stop => Woken::Stop,
                kept = self.keeper.kept(), if self.storing => Woken::Commit(kept),
                event = self.events.next() => Woken::Event(event),
                () = until(due), if hungry && (known || filling) => Woken::Due,
                arrived = arrival(&mut self.source), if (hungry && !filling || over) && !known => Woken::Arrived(arrived),
                () = sleep_until(late), if self.machine.waits() => Woken::Late,
                () = sleep_until(held.unwrap_or(late)), if held.is_some() => Woken::Released,
                () = settle(&mut self.outlet), if !written => Woken::Written,
                _ = tick.tick() => Woken::Tick,
                _ = refresh.tick() => Woken::Refresh,
            };
            match woken {
                Woken::Stop | Woken::Event(None) => break,
                Woken::Commit(Commit { result, took }) => {
                    self.storing = false;
                    if let Err(error) = result {
                        let _ = self.farewell().await; // peers are told
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
                    // A peer that was never there is not waited for round by round.
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

    /// What is under way is finished, and peers are told.
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
                Err(_) => break, // it is durable or not; the next start will see
            }
        }
        let _ = timeout(FAREWELL, self.transport.close()).await;
        if let Some(mut outlet) = self.outlet.take() {
            // A reader of standard output that does not read must not keep the node.
            let _ = timeout(FAREWELL, tokio::task::spawn_blocking(move || outlet.end())).await;
        }
        self.notes.refresh(&*self.machine, &*self.transport);
        result
    }

    /// Whether all decisions are in their file: what a crash of the process takes from it is one at most, which is decided again
    /// after it. Lines are not synced one by one, so a power cut may take the last.
    fn written(&self) -> bool {
        self.outlet.as_ref().is_none_or(Outlet::settled)
    }

    /// Whether all is done, and has been for as long as it was to stay.
    fn lingered(&mut self) -> bool {
        if self.course.finishes(&*self.machine, self.pending.is_some(), self.storing) {
            self.done = Some(Instant::now());
            self.notes.finished(self.machine.round());
            self.tell();
            self.notes.refresh(&*self.machine, &*self.transport);
        }
        self.done.zip(self.tempo.linger).is_some_and(|(since, linger)| since.elapsed() >= linger)
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Connected(peer) => {
                self.notes.connected(peer);
                self.away.remove(&peer);
                if self.tempo.in_step && self.away.is_empty() && self.held.is_some() {
                    self.held = Some(Instant::now() + SETTLE);
                }
                self.happened(Happened::Connected(peer));
            }
            Event::Heard { from, bytes } => {
                self.happened(Happened::Heard { from, bytes: &bytes });
                if !self.tempo.in_step && !self.machine.forgets() {
                    self.held = None;
                }
            }
            Event::Gone(peer) => {
                self.notes.gone(peer);
                self.away.insert(peer);
                self.happened(Happened::Gone(peer));
            }
            Event::Differs { from, theirs } => self.notes.differs(from, &theirs),
            Event::Refused { .. } => {} // the transport counts them
        }
    }

    fn happened(&mut self, happened: Happened<'_>) {
        let todo = self.machine.on(happened);
        self.follow(todo);
    }

    /// Does what the machine says, in that order.
    fn follow(&mut self, todo: Vec<Todo>) {
        for one in todo {
            match one {
                Todo::Store(record) => {
                    self.storing = true;
                    self.keeper.store(record);
                }
                Todo::Send { to, bytes } => _ = self.transport.send(to, bytes),
                Todo::Decide { round, block } => self.decided(round, block),
                Todo::Refuse { from, why } => self.notes.refused(from, why),
                Todo::Exhausted(round) => self.notes.exhausted(round),
                Todo::Overtaken(entry) => self.notes.overtaken(&entry),
            }
        }
        let round = self.machine.round();
        self.answer(round);
        if self.machine.waits() && self.late.0 != round {
            self.late = (round, Instant::now() + self.tempo.wait);
        }
        self.tell();
    }

    /// Tells the operator how the node is by now.
    fn tell(&mut self) {
        for news in self.course.news(&*self.machine) {
            self.notes.news(news, &*self.machine);
        }
        self.notes.health(self.course.health(&*self.machine));
    }

    /// No more costs come.
    fn ended(&mut self) {
        if self.course.end() {
            self.notes.ended();
        }
    }

    fn decided(&mut self, round: u64, block: Vec<f64>) {
        let decision = Decision { round, epoch: self.machine.epoch(), block };
        if let Some(outlet) = &mut self.outlet
            && !outlet.write(&decision)
        {
            self.notes.unwritten(round, outlet.why());
        }
        self.course.decide();
        self.notes.decided(decision, &*self.machine);
    }
}

/// Until then. Timers are as coarse as a millisecond, and what is due already must not wait for the next one.
async fn until(due: Instant) {
    if due > Instant::now() {
        sleep_until(due).await;
    } else {
        tokio::task::yield_now().await; // others have their turn
    }
}

/// Until all decisions are in their file.
async fn settle(outlet: &mut Option<Outlet>) {
    match outlet {
        Some(outlet) => outlet.settle().await,
        None => std::future::pending().await,
    }
}
