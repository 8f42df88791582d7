//! Runs one machine: tells it what happened, and does what it says. The one place with a clock.

mod keeper;
mod notes;
mod outlet;

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use dpsda::loss::Loss;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use self::keeper::{Keeper, Kept};
use self::notes::Notes;
use self::outlet::Outlet;
use crate::board::{Board, Decision, Health};
use crate::config::Output;
use crate::machine::{Happened, Machine, Todo};
use crate::manifest::Manifest;
use crate::store::{Store, StoreError};
use crate::stream::{Answer, Arrival, Source, Zero};
use crate::transport::{Event, Events, Transport};

/// How often what may have been lost is told again.
const TICK: Duration = Duration::from_millis(100);
/// How often the board is written.
const REFRESH: Duration = Duration::from_millis(250);
/// How long rounds in step wait when everybody is connected: where both have dialled, one connection takes over from the other.
const SETTLE: Duration = Duration::from_millis(100);
/// How long a node that stops waits for its disk and its peers.
const FAREWELL: Duration = Duration::from_secs(5);

/// Everything that runs together.
pub struct Parts {
    /// Which node it is.
    pub me: usize,
    /// What decides.
    pub machine: Box<dyn Machine>,
    /// What it said first.
    pub first: Vec<Todo>,
    /// Where records go.
    pub store: Box<dyn Store>,
    /// Whether that waits for a disk.
    pub on_disk: bool,
    /// How bytes go out.
    pub transport: Arc<dyn Transport>,
    /// What comes in.
    pub events: Events,
    /// Where costs come from.
    pub source: Source,
    /// The loss of the experiment.
    pub loss: Arc<dyn Loss>,
    /// How many coordinates a decision has.
    pub dim: usize,
    /// T.
    pub horizon: u64,
    /// What its operator sees.
    pub board: Board,
    /// What it runs.
    pub manifest: Manifest,
    /// Where decisions go.
    pub output: Option<Output>,
    /// How fast, and how patient.
    pub tempo: Tempo,
}

/// How fast, and how patient.
#[derive(Debug, Clone, Copy)]
pub struct Tempo {
    /// Most rounds a second while not behind.
    pub pace: Option<f64>,
    /// How long a round in step waits for who was not heard.
    pub wait: Duration,
    /// How long the first release waits for a peer's word: a peer may know that the store is an old one.
    pub ask: Duration,
    /// Whether rounds are in step. They begin when everybody is there, or was waited for as long as a round waits: what is said
    /// of a round to one who is not there yet is lost, and a message of a later round would have to stand for it.
    pub in_step: bool,
    /// How long it stays when all is done; for ever, if nothing is said.
    pub linger: Option<Duration>,
}

/// Why a node ended that was not asked to.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Decisions could not be written.
    #[error("node.decisions = {path:?}: {error} (give a file that can be written)")]
    Decisions {
        /// Where.
        path: String,
        /// Why not.
        error: std::io::Error,
    },
    /// No thread for the store.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
}

/// A node that runs.
struct Driver {
    machine: Box<dyn Machine>,
    keeper: Keeper,
    /// Whether a record is on its way to the disk.
    storing: bool,
    transport: Arc<dyn Transport>,
    events: Events,
    source: Source,
    loss: Arc<dyn Loss>,
    dim: usize,
    horizon: u64,
    outlet: Option<Outlet>,
    tempo: Tempo,
    notes: Notes,
    /// A cost that came and whose turn it is not yet.
    pending: Option<Arrival>,
    /// Whose cost was taken in which round.
    answering: Option<(u64, tokio::sync::oneshot::Sender<Answer>)>,
    /// When the next cost may be taken.
    due: Instant,
    /// Nothing is released before this.
    held: Option<Instant>,
    /// Who is not connected.
    away: BTreeSet<usize>,
    /// The round that is waited in, and until when.
    late: (u64, Instant),
    /// Since when all is done.
    done: Option<Instant>,
}

/// Runs until `stop`, or until all is done and nobody lingers.
pub async fn drive(parts: Parts, stop: impl Future<Output = ()>) -> Result<(), Trouble> {
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

async fn run(parts: Parts, stop: impl Future<Output = ()>) -> Result<(), Trouble> {
    let now = Instant::now();
    let outlet = match open(parts.output.as_ref()) {
        Ok(outlet) => outlet,
        Err(trouble) => {
            let _ = timeout(FAREWELL, parts.transport.close()).await;
            return Err(trouble);
        }
    };
    let keeper = match parts.on_disk {
        true => Keeper::thread(parts.store).map_err(Trouble::Thread)?,
        false => Keeper::here(parts.store),
    };
    let members = parts.manifest.member.len();
    let Tempo { wait, ask, in_step, .. } = parts.tempo;
    let hold = if in_step { wait.max(ask) } else { ask };
    let mut driver = Driver {
        machine: parts.machine,
        keeper,
        storing: false,
        transport: parts.transport,
        events: parts.events,
        source: parts.source,
        loss: parts.loss,
        dim: parts.dim,
        horizon: parts.horizon,
        outlet,
        held: (members > 1 && !hold.is_zero()).then_some(now + hold),
        away: (0..members).filter(|member| *member != parts.me).collect(),
        tempo: parts.tempo,
        notes: Notes::new(parts.board, parts.manifest),
        pending: None,
        answering: None,
        due: now,
        late: (u64::MAX, now),
        done: None,
    };
    driver.follow(parts.first);
    driver.run(stop).await
}

fn open(output: Option<&Output>) -> Result<Option<Outlet>, Trouble> {
    match output {
        None => Ok(None),
        Some(Output::Stdout) => Outlet::stdout().map(Some).map_err(Trouble::Thread),
        Some(Output::File(path)) => {
            let unfit = |error| Trouble::Decisions { path: path.display().to_string(), error };
            Outlet::file(path).map(Some).map_err(unfit)
        }
    }
}

/// What woke the driver.
enum Woken {
    Stop,
    Kept(Kept),
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
    async fn run(mut self, stop: impl Future<Output = ()>) -> Result<(), Trouble> {
        let mut stop = std::pin::pin!(stop);
        let (mut tick, mut refresh) = (interval(TICK), interval(REFRESH));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        refresh.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if self.lingered() {
                break;
            }
            let hungry = self.hungry();
            let known = matches!(self.source, Source::Known(_));
            let filling = self.pending.is_some();
            let over = self.machine.round() >= self.horizon && !self.notes.is_ended();
            let (due, late, held) = (self.due(), self.late.1, self.held);
            let written = self.written();
            let woken = tokio::select! {
                () = &mut stop => Woken::Stop,
                kept = self.keeper.kept(), if self.storing => Woken::Kept(kept),
                event = self.events.next() => Woken::Event(event),
                () = sleep_until(due), if hungry && (known || filling) => Woken::Due,
                arrived = arrival(&mut self.source), if (hungry && !filling || over) && !known => Woken::Arrived(arrived),
                () = sleep_until(late), if self.machine.waits() => Woken::Late,
                () = sleep_until(held.unwrap_or(late)), if held.is_some() => Woken::Released,
                () = settle(&mut self.outlet), if !written => Woken::Written,
                _ = tick.tick() => Woken::Tick,
                _ = refresh.tick() => Woken::Refresh,
            };
            match woken {
                Woken::Stop | Woken::Event(None) => break,
                Woken::Kept((result, took)) => {
                    result?;
                    self.storing = false;
                    self.notes.stored(took);
                    self.happened(Happened::Durable);
                }
                Woken::Event(Some(event)) => self.event(event),
                Woken::Due => self.feed(),
                Woken::Arrived(Some(arrival)) if hungry && self.tempo.pace.is_some() => {
                    self.pending = Some(arrival); // until it is due
                }
                Woken::Arrived(Some(arrival)) => self.arrived(arrival),
                Woken::Arrived(None) => self.notes.ended(),
                Woken::Late => {
                    self.notes.late();
                    self.happened(Happened::Late);
                }
                Woken::Released => self.held = None,
                Woken::Written => {}
                Woken::Tick => self.happened(Happened::Tick),
                Woken::Refresh => self.notes.refresh(&*self.machine, &*self.transport),
            }
        }
        self.farewell().await
    }

    /// What is under way is finished, and peers are told.
    async fn farewell(&mut self) -> Result<(), Trouble> {
        self.notes.stopping();
        let mut result = Ok(());
        while self.storing {
            match timeout(FAREWELL, self.keeper.kept()).await {
                Ok((Ok(()), took)) => {
                    self.storing = false;
                    self.notes.stored(took);
                    self.happened(Happened::Durable); // may store again
                }
                Ok((Err(error), _)) => {
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

    /// Whether a cost would be taken now.
    fn hungry(&self) -> bool {
        let more = self.pending.is_some() || !self.notes.is_ended();
        let may = self.machine.ready() && self.held.is_none() && self.written();
        may && self.machine.round() < self.horizon && more
    }

    /// Whether all decisions are in their file: what a crash takes from it is one at most, which is decided again after it.
    fn written(&self) -> bool {
        self.outlet.as_ref().is_none_or(Outlet::settled)
    }

    /// Whether all is done, and has been for as long as it was to stay.
    fn lingered(&mut self) -> bool {
        let ended = self.notes.is_ended() && self.pending.is_none() && self.machine.ready();
        let over = ended || self.machine.round() >= self.horizon;
        if over && !self.storing && self.done.is_none() {
            self.done = Some(Instant::now());
            self.notes.finished(self.machine.round());
        }
        self.done.zip(self.tempo.linger).is_some_and(|(since, linger)| since.elapsed() >= linger)
    }

    /// When the next cost is to be taken: at once by whoever is behind most of its peers.
    fn due(&self) -> Instant {
        let behind = self.machine.round() < self.machine.reached();
        if behind || self.tempo.pace.is_none() { Instant::now() } else { self.due }
    }

    /// It is time for a cost.
    fn feed(&mut self) {
        let t = self.machine.round();
        if let Some(pace) = self.tempo.pace {
            let period = Duration::from_secs_f64(1.0 / pace);
            let now = Instant::now();
            // What a busy machine was late for is not made up for by a rush.
            self.due = (self.due + period).max(now.checked_sub(period).unwrap_or(now));
        }
        if let Some(arrival) = self.pending.take() {
            return self.arrived(arrival);
        }
        let Source::Known(known) = &mut self.source else { return };
        let Some(cost) = known(t) else { return self.notes.ended() };
        let todo = cost.reveal(&*self.loss, |f| self.machine.on(Happened::Cost(f)));
        self.notes.taken();
        self.follow(todo);
    }

    /// A cost came from outside: of this round, of one that is over, or of one after a gap.
    fn arrived(&mut self, arrival: Arrival) {
        let t = self.machine.round();
        match arrival.round {
            Some(round) if round < t => {
                self.notes.duplicate();
                answer(arrival.answer, Answer::Duplicate(t));
            }
            Some(round) if round >= self.horizon => answer(arrival.answer, Answer::Over),
            None if t >= self.horizon => answer(arrival.answer, Answer::Over),
            Some(round) if round > t => {
                self.happened(Happened::Skip(round));
                let now = self.machine.round();
                self.notes.gap(now - t);
                if now == t {
                    // In step with others no round can be left out: it passes without data.
                    self.notes.gap(1);
                    let todo = self.machine.on(Happened::Cost(&Zero(self.dim)));
                    self.follow(todo);
                }
                self.pending = Some(arrival);
            }
            _ => {
                if let Some(sender) = arrival.answer {
                    self.answering = Some((t, sender));
                }
                let todo = arrival.cost.reveal(&*self.loss, |f| self.machine.on(Happened::Cost(f)));
                self.notes.taken();
                self.follow(todo);
            }
        }
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
        if self.answering.as_ref().is_some_and(|(taken, _)| *taken < round)
            && let Some((taken, sender)) = self.answering.take()
        {
            let exhausted = self.machine.exhausted();
            answer(Some(sender), if exhausted { Answer::Spent } else { Answer::Taken(taken) });
        }
        if self.machine.waits() && self.late.0 != round {
            self.late = (round, Instant::now() + self.tempo.wait);
        }
    }

    fn decided(&mut self, round: u64, block: Vec<f64>) {
        let decision = Decision { round, epoch: self.machine.epoch(), block };
        if let Some(outlet) = &mut self.outlet
            && !outlet.write(&decision)
        {
            self.notes.unwritten(round);
        }
        self.notes.decided(decision, &*self.machine);
    }
}

/// The next cost from outside. A data set gives none by itself.
async fn arrival(source: &mut Source) -> Option<Arrival> {
    match source {
        Source::Arriving(costs) => costs.recv().await,
        Source::Known(_) => std::future::pending().await,
    }
}

/// Until all decisions are in their file.
async fn settle(outlet: &mut Option<Outlet>) {
    match outlet {
        Some(outlet) => outlet.settle().await,
        None => std::future::pending().await,
    }
}

/// Whoever sent a cost may be gone.
fn answer(to: Option<tokio::sync::oneshot::Sender<Answer>>, what: Answer) {
    if let Some(to) = to {
        let _ = to.send(what);
    }
}
