//! From those who speak to those who listen: at once, late, or never.

use std::collections::VecDeque;
use std::sync::Arc;

use dpsda::learner::{Learner, Links, Message};
use dpsda::network::transit::Transit;
use dpsda::network::{Degree, Graph};
use dpsda_config::Network;

/// Messages on their way. There are never more than those of as many rounds as the longest delay, and one.
pub struct Delivery {
    transit: Transit,
    /// What arrives in this round and the next ones, with its receiver, in the order in which it was sent.
    flying: VecDeque<Vec<(usize, Arc<Message>)>>,
}

impl Delivery {
    /// Nothing on its way yet.
    pub fn new(transit: Transit) -> Self {
        let slots = transit.longest() as usize + 1;
        Self { transit, flying: (0..slots).map(|_| Vec::new()).collect() }
    }

    /// All speak, then all listen: information moves at most one hop a round. An inbox is in order of senders, and of
    /// rounds for each of them.
    pub fn exchange(&mut self, learners: &mut [Box<dyn Learner>], graph: &Graph, t: u64) {
        let degrees = graph.degrees();
        for (i, (learner, degree)) in learners.iter_mut().zip(&degrees).enumerate() {
            let receivers: Vec<Degree> = graph.out(i).iter().map(|to| degrees[*to]).collect();
            learner.address(t, &receivers);
            let message = Arc::new(learner.speak(*degree));
            for &to in graph.out(i) {
                let late = self.transit.arrival(t, i, to).map(|arrival| (arrival - t) as usize);
                if let Some(slot) = late.and_then(|late| self.flying.get_mut(late)) {
                    slot.push((to, Arc::clone(&message)));
                }
            }
        }
        let mut arrived = self.flying.pop_front().unwrap_or_default();
        arrived.sort_by_key(|(_, message)| message.from.node); // stable
        let mut inboxes: Vec<Vec<&Message>> = vec![Vec::new(); learners.len()];
        for (to, message) in &arrived {
            inboxes[*to].push(message);
        }
        learners.iter_mut().zip(inboxes).for_each(|(l, inbox)| l.listen(t, &inbox));
        self.flying.push_back(Vec::new());
    }

    /// How many messages are on their way.
    pub fn under_way(&self) -> usize {
        self.flying.iter().map(Vec::len).sum()
    }
}

/// About how much memory messages under way and the books of links take, in decisions of `dim` coordinates.
pub(crate) fn bytes(net: &Network, dim: usize) -> u128 {
    if net.transit.is_prompt() && net.links == Links::Naive {
        return 0;
    }
    let (nodes, links) = (net.topology.nodes() as u128, net.topology.graph(0).links().count() as u128);
    let vector = 8 * dim as u128;
    let rounds = u128::from(net.transit.longest()) + 1;
    match (net.weights.is_some(), net.links) {
        (false, _) => rounds * (16 * nodes * nodes + vector), // copies are shared, who has which is not
        (true, Links::Naive) => rounds * nodes * vector,
        (true, Links::RunningSums) => (rounds + 2) * links * vector, // and what each end has written down
    }
}
