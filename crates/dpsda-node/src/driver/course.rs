//! The driver's conclusions about its run: whether it takes a cost, whether all work is done, and the health of the node. This
//! part has no clock, socket or board, so that tests can check it alone.

use crate::board::Health;
use crate::machine::Machine;

/// How far a run has come.
pub(super) struct Course {
    /// T.
    horizon: u64,
    /// Whether a decision was committed.
    decided: bool,
    /// Whether the stream of costs has ended.
    ended: bool,
    /// Whether all work is done.
    done: bool,
    /// Whether the node is stopping.
    stopping: bool,
    /// The epoch when `news` was last called.
    epoch: u64,
    /// Whether `news` has reported a halt.
    halted: bool,
}

/// A change in a machine since the last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// It has begun this epoch.
    Renewed(u64),
    /// It releases nothing more, because other processes or lost stores have released under its key.
    Halted,
}

/// Reasons of the driver, not of its machine, to take no cost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hindrance {
    /// Releases have not begun: a peer may still tell that the store is an old copy, or lock-step rounds wait for all to connect.
    pub(super) held: bool,
    /// Decisions are not in their file yet.
    pub(super) unwritten: bool,
}

impl Course {
    pub(super) fn new(machine: &dyn Machine, horizon: u64) -> Self {
        let epoch = machine.epoch();
        Self { horizon, decided: false, ended: false, done: false, stopping: false, epoch, halted: false }
    }

    /// A decision was committed.
    pub(super) fn decide(&mut self) {
        self.decided = true;
    }

    /// Notes that no more costs will come. Returns whether this is new.
    pub(super) fn end(&mut self) -> bool {
        !std::mem::replace(&mut self.ended, true)
    }

    /// Notes that the node stops.
    pub(super) fn stop(&mut self) {
        self.stopping = true;
    }

    /// Whether the machine will never take another cost.
    pub(super) fn is_over(&self, machine: &dyn Machine) -> bool {
        machine.round() >= self.horizon || machine.stopped()
    }

    /// Whether costs that still arrive are answered without being taken.
    pub(super) fn turns_away(&self, machine: &dyn Machine) -> bool {
        self.is_over(machine) && !self.ended
    }

    /// Whether a cost would be taken now. `waiting`: a cost has arrived before it was due.
    pub(super) fn is_hungry(&self, machine: &dyn Machine, waiting: bool, hindrance: Hindrance) -> bool {
        let may = machine.ready() && !hindrance.held && !hindrance.unwritten;
        may && machine.round() < self.horizon && (waiting || !self.ended)
    }

    /// Whether the work has just been completed. Either the last round is over, or the stream has ended and all its costs are
    /// taken. A record that is being stored must be durable first.
    pub(super) fn finishes(&mut self, machine: &dyn Machine, waiting: bool, storing: bool) -> bool {
        let ended = self.ended && !waiting && machine.ready();
        let done = (ended || machine.round() >= self.horizon) && !storing;
        done && !std::mem::replace(&mut self.done, true)
    }

    /// The health of the node. A halted node stays halted, so that comes before the states below it.
    pub(super) fn health(&self, machine: &dyn Machine) -> Health {
        match () {
            () if self.stopping => Health::Stopping,
            () if machine.stopped() => Health::Halted,
            () if machine.exhausted() => Health::Exhausted,
            () if self.done => Health::Finished,
            () if self.decided => Health::Running,
            () => Health::Starting,
        }
    }

    /// The changes since the last call.
    pub(super) fn news(&mut self, machine: &dyn Machine) -> Vec<News> {
        let mut news = Vec::new();
        let before = std::mem::replace(&mut self.epoch, machine.epoch());
        if before < self.epoch && machine.style().relays() {
            news.push(News::Renewed(self.epoch));
        }
        if machine.stopped() && !std::mem::replace(&mut self.halted, true) {
            news.push(News::Halted);
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use dpsda::learner::{Durable, Style};

    use super::*;
    use crate::entry::Entry;
    use crate::machine::{Happened, Todo};

    /// A machine whose state the test sets.
    struct Puppet {
        style: Style,
        round: u64,
        ready: bool,
        epoch: u64,
        exhausted: bool,
        stopped: bool,
    }

    const PUPPET: Puppet =
        Puppet { style: Style::Relay, round: 0, ready: true, epoch: 0, exhausted: false, stopped: false };

    impl Machine for Puppet {
        fn on(&mut self, _: Happened<'_>) -> Vec<Todo> {
            Vec::new()
        }

        fn style(&self) -> Style {
            self.style
        }

        fn round(&self) -> u64 {
            self.round
        }

        fn ready(&self) -> bool {
            self.ready
        }

        fn waits(&self) -> bool {
            false
        }

        fn reached(&self) -> u64 {
            0
        }

        fn epoch(&self) -> u64 {
            self.epoch
        }

        fn learner(&self) -> &dyn Durable {
            panic!("not used here")
        }

        fn known(&self) -> &[Option<Entry>] {
            &[]
        }

        fn exhausted(&self) -> bool {
            self.exhausted
        }

        fn stopped(&self) -> bool {
            self.stopped
        }
    }

    const FREE: Hindrance = Hindrance { held: false, unwritten: false };

    #[test]
    fn a_cost_is_taken_when_the_machine_is_ready_and_nothing_hinders() {
        let mut course = Course::new(&PUPPET, 10);
        assert!(course.is_hungry(&PUPPET, false, FREE));
        assert!(!course.is_hungry(&PUPPET, false, Hindrance { held: true, ..FREE }));
        assert!(!course.is_hungry(&PUPPET, false, Hindrance { unwritten: true, ..FREE }));
        assert!(!course.is_hungry(&Puppet { ready: false, ..PUPPET }, false, FREE));
        assert!(!course.is_hungry(&Puppet { round: 10, ..PUPPET }, true, FREE));
        assert!(course.end() && !course.end(), "it ends once");
        assert!(!course.is_hungry(&PUPPET, false, FREE));
        assert!(course.is_hungry(&PUPPET, true, FREE), "a cost that arrived before the end is taken");
    }

    #[test]
    fn costs_are_turned_away_from_the_last_round_on_and_by_a_node_that_has_halted() {
        let mut course = Course::new(&PUPPET, 10);
        let (last, halted) = (Puppet { round: 10, ..PUPPET }, Puppet { stopped: true, ..PUPPET });
        assert!(!course.turns_away(&PUPPET));
        assert!(course.turns_away(&last) && course.turns_away(&halted));
        course.end();
        assert!(!course.turns_away(&last) && !course.turns_away(&halted), "no costs arrive");
    }

    #[test]
    fn a_run_finishes_once_when_rounds_or_stream_end_and_everything_is_stored() {
        let mut course = Course::new(&PUPPET, 10);
        assert!(!course.finishes(&PUPPET, false, false));
        let last = Puppet { round: 10, ready: false, ..PUPPET };
        assert!(!course.finishes(&last, false, true), "a record is being stored");
        assert!(course.finishes(&last, false, false));
        assert!(!course.finishes(&last, false, false), "it is reported once");
        let mut course = Course::new(&PUPPET, 10);
        course.end();
        assert!(!course.finishes(&PUPPET, true, false), "one cost waits");
        assert!(!course.finishes(&Puppet { ready: false, ..PUPPET }, false, false), "a round is not over");
        assert!(course.finishes(&PUPPET, false, false));
    }

    #[test]
    fn health_is_the_worst_that_holds() {
        let mut course = Course::new(&PUPPET, 10);
        let spent = Puppet { exhausted: true, ..PUPPET };
        let halted = Puppet { stopped: true, exhausted: true, ..PUPPET };
        assert_eq!(course.health(&PUPPET), Health::Starting);
        course.decide();
        assert_eq!(course.health(&PUPPET), Health::Running);
        course.end();
        assert!(course.finishes(&PUPPET, false, false));
        assert_eq!(course.health(&PUPPET), Health::Finished);
        assert_eq!(course.health(&spent), Health::Exhausted, "also when all work is done");
        assert_eq!(course.health(&halted), Health::Halted);
        course.stop();
        assert_eq!(course.health(&halted), Health::Stopping);
    }

    #[test]
    fn a_new_epoch_and_a_halt_are_news_once() {
        let mut course = Course::new(&Puppet { epoch: 3, ..PUPPET }, 10);
        assert_eq!(course.news(&Puppet { epoch: 3, ..PUPPET }), []);
        let renewed = Puppet { epoch: 5, ..PUPPET };
        assert_eq!((course.news(&renewed), course.news(&renewed)), (vec![News::Renewed(5)], vec![]));
        let halted = Puppet { epoch: 5, stopped: true, ..PUPPET };
        assert_eq!((course.news(&halted), course.news(&halted)), (vec![News::Halted], vec![]));
        // A node that averages cannot begin a new epoch of learning: its epoch only says that it has paid.
        let mut course = Course::new(&PUPPET, 10);
        let paid = Puppet { style: Style::Average, epoch: 1, stopped: true, ..PUPPET };
        assert_eq!(course.news(&paid), [News::Halted]);
    }
}
