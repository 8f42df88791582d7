//! Between driver and machine: the driver tells the machine what happened, and carries out its instructions.

use tokio::time::Instant;

use super::{Driver, SETTLE};
use crate::board::Decision;
use crate::machine::{Happened, Todo};
use crate::transport::Event;

impl Driver {
    /// Passes an event of the transport on to the machine.
    pub(super) fn event(&mut self, event: Event) {
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

    /// Tells the machine what happened, and carries out its instructions.
    pub(super) fn happened(&mut self, happened: Happened<'_>) {
        let todo = self.machine.on(happened);
        self.follow(todo);
    }

    /// Carries out the machine's instructions, in their order.
    pub(super) fn follow(&mut self, todo: Vec<Todo>) {
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

    /// Reports changes and the node's health to the operator.
    pub(super) fn tell(&mut self) {
        for news in self.course.news(&*self.machine) {
            self.notes.news(news, &*self.machine);
        }
        self.notes.health(self.course.health(&*self.machine));
    }

    /// Notes that no more costs will come.
    pub(super) fn ended(&mut self) {
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
        if self.asked {
            let y = self.machine.learner().estimate();
            self.notes.estimate(self.costs.estimate(round, decision.epoch, y));
        }
        self.notes.decided(decision, &*self.machine);
    }
}
