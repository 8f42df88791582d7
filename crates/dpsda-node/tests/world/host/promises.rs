//! What must hold for every decision and every byte sent; and that all nodes finish.

use dpsda_node::frame::Frame;
use dpsda_node::machine::{Happened, Machine};

use super::{Host, World};

impl World<'_> {
    /// Each decision has one value, whatever crashes. (When the budget is spent, no record shows what was heard before a crash.)
    pub(super) fn decide(&mut self, i: usize, round: u64, block: &[f64]) {
        assert!(block.iter().all(|x| x.is_finite()));
        let Some(machine) = &self.hosts[i].machine else { return };
        if let Some(capture) = &mut self.capture {
            capture.decides(i, round, machine.learner().estimate());
        }
        let old = self.hosts[i].set_back && machine.epoch() == 0;
        let stored = match (self.setting.in_step, self.setting.averages()) {
            (false, _) => round <= self.hosts[i].durable.map_or(0, |(round, ..)| round + 1),
            (true, averages) => averages, // a node that relays in step listens after its record
        };
        if !old && stored {
            let bits = block.iter().map(|x| x.to_bits()).collect();
            let first = self.decided.entry((i, machine.epoch(), round)).or_insert_with(|| Vec::clone(&bits));
            assert_eq!(*first, bits, "{i} decides round {round} twice");
        }
    }

    /// An eavesdropper sees only durable releases, one per version.
    pub(super) fn tap(&mut self, from: usize, to: usize, bytes: &[u8]) {
        let entries = match self.setting.grammar().read(bytes) {
            Ok(Frame::Know { entries, .. }) => entries,
            Ok(Frame::Sum { round, .. }) => {
                let (durable, _, releases) = self.hosts[from].durable.expect("durable");
                assert!(durable >= round, "said before it was durable");
                assert!(releases > round, "the ledger is behind the wire");
                let all = self.said.entry((from, to, round)).or_default();
                all.insert(bytes.to_vec());
                let old = self.hosts[from].set_back; // until it hears of itself
                assert!(all.len() == 1 || old, "{from} says two things to {to} in round {round}");
                if let Some(capture) = &mut self.capture {
                    capture.shares(from, round);
                }
                return;
            }
            Ok(Frame::Yours(_)) => return,
            _ => panic!("a frame"),
        };
        for entry in entries {
            let (content, owner) = (&entry.content, entry.content.owner as usize);
            let all = self.seen.entry((content.owner, content.epoch, content.version)).or_default();
            all.insert(entry.digest());
            if let Some(capture) = &mut self.capture {
                capture.sees(&entry);
            }
            let old = self.hosts[owner].set_back && content.epoch == 0; // until it hears of itself
            assert!(all.len() == 1 || old, "two releases of one version");
            if owner == from {
                let (_, version, releases) = self.hosts[from].durable.expect("durable");
                assert!(content.version <= version, "sent before it was durable");
                assert!(releases >= content.version, "the ledger is behind the wire");
            }
        }
    }

    /// Goes on without faults until nothing is left to do.
    pub(crate) fn settle(&mut self) {
        for _ in 0..100_000 {
            let rounds = self.setting.run.split.rounds;
            let over = |m: &dyn Machine| m.round() == rounds || self.setting.in_step && m.stopped();
            let done =
                |host: &Host| host.machine.as_deref().is_some_and(|m| over(m) && host.writing.is_none());
            let all_done = self.hosts.iter().all(done);
            let halted = self.hosts.iter().any(|host| host.machine.as_ref().is_some_and(|m| m.stopped()));
            if self.setting.in_step && all_done {
                return;
            }
            if self.setting.in_step && self.flying.is_empty() && self.chance(0.2) {
                (0..self.hosts.len()).for_each(|i| self.tell(i, Happened::Tick, 0.0));
                if halted {
                    (0..self.hosts.len()).for_each(|i| self.tell(i, Happened::Late, 0.0)); // it is connected and says nothing
                }
            }
            if all_done && self.flying.is_empty() {
                let all: Vec<_> = (0..self.hosts.len()).map(|i| self.machine(i).known()).collect();
                if all.iter().all(|known| *known == all[0]) {
                    return;
                }
                (0..self.hosts.len()).for_each(|i| self.tell(i, Happened::Tick, 0.0));
            }
            self.step(0.0);
        }
        panic!("seed {}: it stalls", self.seed);
    }
}
