//! A machine that is watched, without changing anything.

use dpsda::learner::{Durable, Style};
use dpsda_node::entry::Entry;
use dpsda_node::machine::{Happened, Machine, Todo};

/// `look` sees everything that the machine wants done.
pub(crate) struct Watched<F> {
    pub(crate) machine: Box<dyn Machine>,
    pub(crate) look: F,
}

impl<F: FnMut(&[Todo]) + Send> Machine for Watched<F> {
    fn on(&mut self, happened: Happened<'_>) -> Vec<Todo> {
        let todo = self.machine.on(happened);
        (self.look)(&todo);
        todo
    }

    fn style(&self) -> Style {
        self.machine.style()
    }

    fn round(&self) -> u64 {
        self.machine.round()
    }

    fn ready(&self) -> bool {
        self.machine.ready()
    }

    fn waits(&self) -> bool {
        self.machine.waits()
    }

    fn reached(&self) -> u64 {
        self.machine.reached()
    }

    fn epoch(&self) -> u64 {
        self.machine.epoch()
    }

    fn learner(&self) -> &dyn Durable {
        self.machine.learner()
    }

    fn known(&self) -> &[Option<Entry>] {
        self.machine.known()
    }

    fn exhausted(&self) -> bool {
        self.machine.exhausted()
    }

    fn stopped(&self) -> bool {
        self.machine.stopped()
    }

    fn forgets(&self) -> bool {
        self.machine.forgets()
    }
}
