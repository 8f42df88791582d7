//! A cost of your own: five plants share a load. Each sets its own output, and all pay for what is missing or too much.

#![allow(clippy::print_stdout, reason = "a program that shows something")]

use std::ops::Range;

use dpsda::prelude::*;

/// `(sum x - load)^2 + sum of price_i x_i`
struct Load {
    load: f64,
    prices: [f64; 5],
}

impl Objective for Load {
    fn dim(&self) -> usize {
        5
    }

    fn value(&self, x: &[f64]) -> f64 {
        let missing = x.iter().sum::<f64>() - self.load;
        missing * missing + x.iter().zip(self.prices).map(|(x, price)| x * price).sum::<f64>()
    }

    /// The coordinates `block` of the gradient: a node is only ever asked for its own.
    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let missing = x.iter().sum::<f64>() - self.load;
        block.zip(g).for_each(|(k, g)| *g = 2.0 * missing + self.prices[k]);
    }
}

fn main() -> Result<(), Error> {
    let promise = Privacy::epsilon(2.0).delta(1e-6).clip(2.0).mechanism(Toeplitz);
    let spec = Spec::new(Blocks::even(5, 5)?).set(Cuboid::new(0.0, 2.0)?).graph(Ring::new(5)?);
    let mut fleet =
        spec.algorithm(Relay).step(Step::decaying(0.3)).privacy(promise).rounds(1000).fleet(Seed::new(7))?;
    let day = |t: u64| Load { load: 5.0 + (t as f64 / 100.0).sin(), prices: [0.1, 0.2, 0.3, 0.4, 0.5] };
    let mut total = 0.0;
    for t in 0..1000 {
        total += day(t).value(&fleet.decision());
        fleet.round(t, &day(t))?;
    }
    println!("average cost {:.3}, last outputs {:.2?}", total / 1000.0, fleet.decision());
    println!("spent: {}", fleet.spent());
    Ok(())
}
