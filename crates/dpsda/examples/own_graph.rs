//! A network of your own: a closure that gives the links of every round, and a trait where a closure is not enough.

#![allow(clippy::print_stdout, reason = "a program that shows something")]

use dpsda::prelude::*;

/// Two rings that meet in node 0 every tenth round.
struct Islands {
    nodes: usize,
}

impl Topology for Islands {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn graph(&self, t: u64) -> Graph {
        let half = self.nodes / 2;
        let ring =
            |from: usize, to: usize| (from..to).map(move |i| (i, if i + 1 == to { from } else { i + 1 }));
        let bridge = t.is_multiple_of(10).then_some([(0, half), (half, 0)]);
        Graph::of(self.nodes, ring(0, half).chain(ring(half, self.nodes)).chain(bridge.into_iter().flatten()))
    }

    fn period(&self) -> Option<u64> {
        Some(10)
    }
}

fn main() -> Result<(), Error> {
    let gossip = Varying::new(8, |t| {
        let step = 1 + t as usize % 7;
        Graph::of(8, (0..8).map(|i| (i, (i + step) % 8))) // one message per node and round
    })?;
    let spec = Spec::new(Blocks::even(16, 8)?).set(Ball::new(3.0)?).algorithm(Relay).rounds(300);
    for (name, spec) in
        [("gossip", spec.clone().graph(gossip)), ("islands", spec.graph(Islands { nodes: 8 }))]
    {
        let mut fleet = spec.fleet(Seed::new(1))?;
        let mut oldest = 0;
        for t in 0..300 {
            oldest = oldest.max((0..8).filter_map(|i| fleet.staleness(i, t)).max().unwrap_or(0));
            fleet.round(t, &OwnCost::new(16, |x| x.iter().sum(), |_, g| g.fill(1.0)))?;
        }
        println!("{name}: knowledge is at most {oldest} rounds old");
        let bound = spec.check()?.network().and_then(|network| network.certificate(300).staleness_bound());
        println!("{name}: it cannot get older than {bound:?} rounds");
    }
    Ok(())
}
