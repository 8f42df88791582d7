//! When a cost is taken, and what is answered to whoever sent it.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Driver;
use crate::machine::Happened;
use crate::stream::{Answer, Arrival, Cost, Source, Zero};

impl Driver {
    /// Whether a cost would be taken now.
    pub(super) fn hungry(&self) -> bool {
        let more = self.pending.is_some() || !self.notes.is_ended();
        let may = self.machine.ready() && self.held.is_none() && self.written();
        may && self.machine.round() < self.horizon && more
    }

    /// When the next cost is to be taken: at once by whoever is behind most of its peers.
    pub(super) fn due(&self) -> Instant {
        let behind = self.machine.round() < self.machine.reached();
        if behind || self.tempo.pace.is_none() { Instant::now() } else { self.due }
    }

    /// It is time for a cost.
    pub(super) fn feed(&mut self) {
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
        self.learn(&cost);
    }

    /// A cost came from outside: of this round, of one that is over, or of one after a gap.
    pub(super) fn arrived(&mut self, arrival: Arrival) {
        let t = self.machine.round();
        if self.machine.stopped() && !self.machine.ready() {
            self.notes.came(false);
            return answer(arrival.answer, Answer::Halted);
        }
        match arrival.round {
            Some(round) if round < t => {
                self.notes.duplicate();
                answer(arrival.answer, Answer::Duplicate(t));
            }
            Some(round) if round >= self.horizon => self.over(round, arrival.answer),
            None if t >= self.horizon => self.over(t, arrival.answer),
            Some(round) if round > t => {
                self.happened(Happened::Skip(round));
                let now = self.machine.round();
                self.notes.gap(now - t);
                self.skipped += now - t;
                if now == t {
                    // In step with others no round can be left out: it passes without data.
                    self.notes.gap(1);
                    self.skipped += 1;
                    let todo = self.machine.on(Happened::Cost(&Zero(self.dim)));
                    self.follow(todo);
                }
                self.pending = Some(arrival);
            }
            _ => {
                let skipped = std::mem::take(&mut self.skipped);
                if let Some(sender) = arrival.answer {
                    self.answering = Some((t, skipped, sender));
                }
                self.learn(&arrival.cost);
            }
        }
    }

    fn learn(&mut self, cost: &Cost) {
        let todo = cost.reveal(&*self.loss, |f| self.machine.on(Happened::Cost(f)));
        self.notes.came(!self.machine.exhausted() && !self.machine.stopped());
        self.follow(todo);
    }

    /// Tells whoever sent the cost of a round before `round`, or of one that will never end, what became of it.
    pub(super) fn answer(&mut self, round: u64) {
        let halted = self.machine.stopped() && !self.machine.ready();
        if self.answering.as_ref().is_some_and(|(taken, ..)| *taken < round || halted)
            && let Some((taken, skipped, sender)) = self.answering.take()
        {
            let became = match &*self.machine {
                machine if machine.stopped() => Answer::Halted,
                machine if machine.exhausted() => Answer::Spent,
                _ => Answer::Taken { round: taken, skipped },
            };
            answer(Some(sender), became);
        }
    }

    fn over(&mut self, round: u64, to: Option<oneshot::Sender<Answer>>) {
        self.notes.over(round);
        answer(to, Answer::Over);
    }
}

/// The next cost from outside. A data set gives none by itself.
pub(super) async fn arrival(source: &mut Source) -> Option<Arrival> {
    match source {
        Source::Arriving(costs) => costs.recv().await,
        Source::Known(_) => std::future::pending().await,
    }
}

/// Whoever sent a cost may be gone.
fn answer(to: Option<oneshot::Sender<Answer>>, what: Answer) {
    if let Some(to) = to {
        let _ = to.send(what);
    }
}
