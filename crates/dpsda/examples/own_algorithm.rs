//! An algorithm of your own: every node hears nobody and descends on its own block alone. The guard clips, noises and charges; a
//! learner never sees a gradient.

#![allow(clippy::print_stdout, reason = "a program that shows something")]

use dpsda::learner::Body;
use dpsda::prelude::*;

struct Alone {
    setup: Setup,
    guard: Guard,
    ledger: Ledger,
    sum: Released,
    y: Vec<f64>,
}

impl Alone {
    fn new(setup: Setup) -> Self {
        let own = setup.blocks.range(setup.node()).len();
        let (guard, ledger) = (setup.guard(), setup.plan().ledger());
        Self { guard, ledger, sum: setup.plan().zeros(own), y: setup.start(), setup }
    }
}

impl Probe for Alone {}

impl Learner for Alone {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        let secret = self.setup.observe(&self.guard, self.setup.node(), t, cost, &self.y); // clipped, and not to be read
        let noised = self.guard.release(secret, t, &mut self.ledger); // the one door
        self.sum.add_block(0..noised.len(), &noised);
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        Message { from: me, body: Body::Blocks(Vec::new()) }
    }

    fn listen(&mut self, t: u64, _inbox: &[&Message]) {
        let mut dual = vec![0.0; self.y.len()];
        dual[self.setup.blocks.range(self.setup.node())].copy_from_slice(&self.sum.to_reals());
        self.setup.decide(t, &dual, None, &mut self.y);
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

fn main() -> Result<(), Error> {
    let cost = OwnCost::new(
        4,
        |x| (x.iter().sum::<f64>() - 1.0).powi(2),
        |x, g| {
            g.fill(2.0 * (x.iter().sum::<f64>() - 1.0));
        },
    );
    let spec =
        Spec::new(Blocks::even(4, 4)?).set(Cuboid::new(-2.0, 2.0)?).graph(Complete::new(4)?).rounds(400);
    let spec = spec.privacy(Privacy::epsilon(5.0).clip(4.0).mechanism(DiscreteLaplace));
    for algorithm in [Algorithm::new("alone", Facts::relay(), Alone::new), Relay.into()] {
        let name = algorithm.name().to_owned();
        let mut fleet = spec.clone().algorithm(algorithm).fleet(Seed::new(3))?;
        (0..400).try_for_each(|t| fleet.round(t, &cost))?;
        println!("{name}: cost {:.3}; spent {}", cost.value(&fleet.decision()), fleet.spent());
    }
    Ok(())
}
