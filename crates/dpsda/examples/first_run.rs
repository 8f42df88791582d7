//! Seven nodes, one decision, a promise: DPSDA-R with noise that cancels over time.

#![allow(clippy::print_stdout, reason = "a program that shows something")]

use dpsda::prelude::*;

fn main() -> Result<(), Error> {
    let promise = Privacy::epsilon(1.0).delta(1e-5).clip(1.0).mechanism(Toeplitz);
    let spec = Spec::new(Blocks::even(21, 7)?).set(Ball::new(5.0)?).graph(PaperFig2).algorithm(Relay);
    let mut fleet = spec.privacy(promise).rounds(2000).fleet(Seed::new(1))?;
    let mut total = 0.0;
    for t in 0..2000 {
        let drift = if t % 2 == 0 { 0.5 } else { 1.5 };
        let cost = OwnCost::new(21, move |x| distance(x, drift), move |x, g| slope(x, drift, g));
        total += cost.value(&fleet.decision()); // committed before it was revealed
        fleet.round(t, &cost)?;
    }
    println!("average cost {:.3}; the best fixed decision costs {:.3}", total / 2000.0, 21_f64.sqrt() / 2.0);
    println!("spent: {}", fleet.spent());
    Ok(())
}

/// `|x - (a, ..., a)|`
fn distance(x: &[f64], a: f64) -> f64 {
    x.iter().map(|x| (x - a) * (x - a)).sum::<f64>().sqrt()
}

fn slope(x: &[f64], a: f64, g: &mut [f64]) {
    let length = distance(x, a).max(1e-12);
    g.iter_mut().zip(x).for_each(|(g, x)| *g = (x - a) / length);
}
