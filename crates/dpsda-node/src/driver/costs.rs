//! When a cost is taken, and the answer to its sender.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Driver, Hindrance};
use crate::machine::{Happened, Todo};
use crate::stream::{Arrival, CostReply, CostSource, Zero};

/// When the next cost is due, if one is taken `now` that was due at `due`. After a delay a node does not rush to make up for lost
/// rounds. And rounds that it took at once, because it was behind, do not count against the pace later.
fn next_due(due: Instant, now: Instant, period: Duration) -> Instant {
    (due + period).max(now.checked_sub(period).unwrap_or(now)).min(now + period)
}

impl Driver {
    /// Whether a cost would be taken now.
    pub(super) fn hungry(&self) -> bool {
        let hindrance = Hindrance { held: self.held.is_some(), unwritten: !self.written() };
        self.course.is_hungry(&*self.machine, self.pending.is_some(), hindrance)
    }

    /// When to take the next cost. A node behind most of its peers takes it at once.
    pub(super) fn due(&self) -> Instant {
        let behind = self.machine.round() < self.machine.reached();
        if behind || self.tempo.pace.is_none() { Instant::now() } else { self.due }
    }

    /// Takes the cost that is due.
    pub(super) fn feed(&mut self) {
        let t = self.machine.round();
        if let Some(pace) = self.tempo.pace {
            self.due = next_due(self.due, Instant::now(), Duration::from_secs_f64(1.0 / pace));
        }
        if let Some(arrival) = self.pending.take() {
            return self.arrived(arrival);
        }
        let CostSource::Known(known) = &self.source else { return };
        let known = Arc::clone(known);
        let Some(cost) = known.cost(t) else { return self.ended() };
        let todo = self.machine.on(Happened::Cost(&*cost));
        self.learned(todo);
    }

    /// Handles a cost from outside. It may be for this round, for a past round, or for a round after a gap.
    pub(super) fn arrived(&mut self, arrival: Arrival) {
        let t = self.machine.round();
        if self.machine.stopped() && !self.machine.ready() {
            self.notes.came(false);
            return answer(arrival.answer, CostReply::Halted);
        }
        match arrival.round {
            Some(round) if round < t => {
                self.notes.duplicate();
                answer(arrival.answer, CostReply::Duplicate(t));
            }
            Some(round) if round >= self.horizon => self.over(round, arrival.answer),
            None if t >= self.horizon => self.over(t, arrival.answer),
            // A gradient is taken at an estimate, and this round has none yet. Nothing is skipped for it.
            Some(round) if round > t && arrival.cost.is_at_an_estimate() => {
                self.notes.early();
                answer(arrival.answer, CostReply::Early(t));
            }
            Some(round) if round > t => {
                self.happened(Happened::Skip(round));
                let now = self.machine.round();
                self.notes.gap(now - t);
                self.skipped += now - t;
                if now == t {
                    // Lock-step cannot skip a round: the round runs with a cost of zero.
                    self.notes.gap(1);
                    self.skipped += 1;
                    let todo = self.machine.on(Happened::Cost(&Zero(self.costs.dim())));
                    self.follow(todo);
                }
                self.pending = Some(arrival);
            }
            _ if arrival.cost.is_stale(t, self.machine.learner().estimate()) => {
                self.notes.stale();
                answer(arrival.answer, CostReply::Stale);
            }
            _ => {
                let skipped = std::mem::take(&mut self.skipped);
                if let Some(sender) = arrival.answer {
                    self.answering = Some((t, skipped, sender));
                }
                let (costs, machine) = (&self.costs, &mut self.machine);
                let y = machine.learner().estimate().to_vec();
                let todo = costs.reveal(&arrival.cost, t, &y, |f| machine.on(Happened::Cost(f)));
                self.learned(todo);
            }
        }
    }

    /// Counts a cost, and carries out what follows from it.
    fn learned(&mut self, todo: Vec<Todo>) {
        self.notes.came(!self.machine.exhausted() && !self.machine.stopped());
        self.follow(todo);
    }

    /// Answers the sender of a cost once its round is over (before `round`), or will never end.
    pub(super) fn answer(&mut self, round: u64) {
        let halted = self.machine.stopped() && !self.machine.ready();
        if self.answering.as_ref().is_some_and(|(taken, ..)| *taken < round || halted)
            && let Some((taken, skipped, sender)) = self.answering.take()
        {
            let became = match &*self.machine {
                machine if machine.stopped() => CostReply::Halted,
                machine if machine.exhausted() => CostReply::Spent,
                _ => CostReply::Taken { round: taken, skipped },
            };
            answer(Some(sender), became);
        }
    }

    fn over(&mut self, round: u64, to: Option<oneshot::Sender<CostReply>>) {
        self.notes.over(round);
        answer(to, CostReply::Over);
    }
}

/// The next cost from outside. A data set gives none by itself.
pub(super) async fn arrival(source: &mut CostSource) -> Option<Arrival> {
    match source {
        CostSource::Arriving(costs) => costs.recv().await,
        CostSource::Known(_) => std::future::pending().await,
    }
}

/// Answers the sender of a cost, if it still waits.
fn answer(to: Option<oneshot::Sender<CostReply>>, what: CostReply) {
    if let Some(to) = to {
        let _ = to.send(what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_neither_rushes_after_a_delay_nor_waits_for_rounds_that_it_made_up_for() {
        let (now, period) = (Instant::now() + Duration::from_secs(1000), Duration::from_secs(1));
        assert_eq!(next_due(now, now, period), now + period); // in time
        assert_eq!(next_due(now - period / 2, now, period), now + period / 2); // a little late: the pace is kept
        assert_eq!(next_due(now - 90 * period, now, period), now - period); // at most one round is made up for
        let mut due = now;
        for _ in 0..90 {
            due = next_due(due, now, period); // behind: ninety rounds at once
        }
        assert_eq!(due, now + period);
    }
}
