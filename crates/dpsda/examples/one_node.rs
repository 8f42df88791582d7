//! One node as a host runs it: noise from a secret key, a budget that is asked for before every release, and a restart.

#![allow(clippy::print_stdout, reason = "a program that shows something")]

use dpsda::learner::Body;
use dpsda::prelude::*;
use dpsda::privacy::plan::Budget;

fn main() -> Result<(), Error> {
    let budget = Budget { lifetime: Some(6.0), ..Budget::default() };
    let promise = Privacy::epsilon(1.0).delta(1e-5).clip(1.0).mechanism(DiscreteGaussian).budget(budget);
    let spec = Spec::new(Blocks::even(6, 2)?).set(Ball::new(1.0)?).graph(Complete::new(2)?).algorithm(Relay);
    let spec = spec.privacy(promise).rounds(100).metered().check()?;
    let durable = |randomness| spec.durable(0, Seed::new(1), Some(NoiseKey::new(randomness)));
    let Some(mut node) = durable([7; 32]) else { return Ok(()) }; // on a host: 32 bytes of the system's randomness

    let cost = OwnCost::new(6, |x| x.iter().sum(), |_, g| g.fill(1.0));
    let me = Degree { node: 0, heard: 2, told: 2 };
    for t in 0..100 {
        if !spec.plan().affords(0, &node.foresee(t)) {
            println!("round {t}: the budget allows no further release");
            break;
        }
        node.learn(t, &spec.plan().seal(&cost));
        let saved = node.save(); // a host makes this durable before it sends anything
        let said = node.speak(t, me, &[]);
        node.listen(t, &[]); // nobody was heard
        if t == 5 {
            // A crash: another process, a fresh key, the saved state.
            let (Some(mut next), Some(saved)) = (durable([8; 32]), saved) else { return Ok(()) };
            assert!(next.restore(saved));
            let again = next.speak(t, me, &[]);
            assert_eq!(own(&said), own(&again)); // the same bytes are sent again: nothing is released twice
            next.listen(t, &[]);
            node = next;
        }
    }
    let ledger = node.ledger();
    println!("{} releases, {:?} per event", ledger.releases(), ledger.per_event());
    Ok(())
}

fn own(message: &Message) -> Option<&Released> {
    let Body::Blocks(blocks) = &message.body else { return None };
    blocks.first().map(|block| &*block.sum)
}
