//! The wall from outside: only the one guard of a node reads its costs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

use std::sync::{Arc, Mutex};

use dpsda::learner::{Body, Style};
use dpsda::prelude::*;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::Ideal;
use dpsda::privacy::plan::Extent;
use dpsda::privacy::{Mechanism, Price};
use dpsda::rng::Stream;

/// Everything that a mechanism was given to noise.
type Seen = Arc<Mutex<Vec<f64>>>;

/// Noise of a learner's own that looks at what it should hide.
struct Spy(Seen);

impl Ideal for Spy {
    fn perturb(&mut self, value: &mut [f64], _stream: &mut Stream) {
        self.0.lock().unwrap().extend_from_slice(value);
    }

    fn cost(&self, _moved: f64, _times: u64) -> Price {
        Price::Unbounded
    }
}

fn spying(seen: &Seen) -> Privacy {
    let seen = Arc::clone(seen);
    Privacy::level(1.0).mechanism(Mechanism::ideal("spy", Norm::L1, move |_| Spy(Arc::clone(&seen))))
}

/// A learner with a plan and a guard of its own beside those that it was given. It says and keeps what its own guard released.
struct Thief {
    guard: Guard,
    ledger: Ledger,
    stolen: Released,
    y: Vec<f64>,
}

impl Probe for Thief {}

impl Learner for Thief {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        let all = 0..self.y.len();
        let secret = self.guard.observe(t, cost, &self.y, all, &[]);
        self.stolen = self.guard.release(secret, t, &mut self.ledger);
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        Message { from: me, body: Body::Dual { dual: self.stolen.clone(), weight: 1.0 } }
    }

    fn listen(&mut self, _t: u64, _inbox: &[&Message]) {}

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Thieves whose guards `own` makes from what they were given.
fn thieves(own: impl Fn(&Setup) -> Guard + Send + Sync + 'static) -> Algorithm {
    Algorithm::new("thief", Facts::relay(), move |setup: Setup| {
        let (ledger, y) = (setup.plan().ledger(), setup.start());
        Thief { guard: own(&setup), ledger, stolen: Released::zeros(y.len()), y }
    })
}

/// What two thieves say about a cost of slopes 3 and 4 in a round.
fn said(algorithm: Algorithm, asked: Privacy) -> Vec<Vec<f64>> {
    let spec = Spec::new(Blocks::even(2, 2).unwrap()).set(Free).graph(Complete::new(2).unwrap()).rounds(1);
    let mut fleet = Each::new(&spec.algorithm(algorithm).privacy(asked).check().unwrap(), Seed::new(2));
    let cost = OwnCost::new(2, |x| 3.0 * x[0] + 4.0 * x[1], |_, g| g.copy_from_slice(&[3.0, 4.0]));
    fleet.learn(0, &cost).unwrap();
    let numbers = |message: &Arc<Message>| match &message.body {
        Body::Dual { dual, .. } => dual.to_reals(),
        other => panic!("{other:?}"),
    };
    fleet.speak(0).messages.iter().map(numbers).collect()
}

#[test]
fn a_guard_that_a_learner_makes_for_itself_reads_zero_from_a_sealed_cost() {
    let (seen, seed) = (Seen::default(), Seed::new(1));
    let of = move |asked: Privacy, setup: &Setup| {
        let extent = Extent { style: Style::Relay, blocks: &setup.blocks, rounds: 1, batch: 1 };
        Plan::new(asked, &extent).unwrap().guard(setup.node(), seed)
    };
    // Without noise, with a mechanism that looks, with a clip, one example at a time.
    let looks = spying(&seen);
    for asked in [Privacy::none(), looks.clone(), looks.clone().clip(10.0), looks.examples().clip(10.0)] {
        let thief = thieves(move |setup| of(asked.clone(), setup));
        assert_eq!(said(thief, Privacy::none()), [[0.0; 2]; 2]);
    }
    // The same privacy asked for again; the plan that it was given, with a seed that it knows; a setup from its own parts.
    for thief in [
        thieves(move |setup| of(setup.plan().asked().clone(), setup)),
        thieves(move |setup| setup.plan().guard(setup.node(), seed)),
        thieves(move |setup| setup.plan().as_ref().clone().guard(setup.node(), seed)),
        thieves(move |setup| {
            let (blocks, set, plan) =
                (Arc::clone(&setup.blocks), Arc::clone(&setup.set), Arc::clone(setup.plan()));
            Setup::new(setup.node(), blocks, set, plan, seed).unwrap().guard()
        }),
    ] {
        assert_eq!(said(thief.clone(), Privacy::none()), [[0.0; 2]; 2]);
        assert_eq!(said(thief, spying(&seen)), [[0.0; 2]; 2]);
    }
    assert!(seen.lock().unwrap().iter().all(|v| *v == 0.0), "what it looked at was nothing");
    // With its own guard it sees what the plan lets out: here, all.
    assert_eq!(said(thieves(Setup::guard), Privacy::none()), [[3.0, 4.0]; 2]);
    assert_eq!(said(thieves(|setup| setup.clone().guard()), spying(&seen)), [[3.0, 4.0]; 2]);
    assert!(
        seen.lock().unwrap().contains(&4.0),
        "the mechanism that a user chose is given what it is to hide"
    );
}

/// A learner around another that is made from its own setup: what it says is what the inner one would decide.
struct Wrapper {
    inner: Box<dyn Learner>,
    ledger: Ledger,
}

impl Probe for Wrapper {}

impl Learner for Wrapper {
    fn estimate(&self) -> &[f64] {
        self.inner.estimate()
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        self.inner.learn(t, cost);
        self.inner.listen(t, &[]);
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        let body = Body::State { state: Released::zeros(0), weights: self.estimate().to_vec() };
        Message { from: me, body }
    }

    fn listen(&mut self, _t: u64, _inbox: &[&Message]) {}

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// What nodes decide that wrap the algorithm called `name`, after a cost of slopes 3 and 4 in a round.
fn wrapped(name: &'static str) -> Vec<Vec<f64>> {
    let algorithm = Algorithm::new("wrapper", Facts::relay(), move |mut setup: Setup| {
        let ledger = setup.plan().ledger();
        (setup.weights, setup.set, setup.step) = (None, Arc::new(Free), Step::decaying(1.0));
        Wrapper { inner: Algorithm::named(name).unwrap().learner(setup), ledger }
    });
    let spec = Spec::new(Blocks::even(2, 2).unwrap()).set(Free).graph(Complete::new(2).unwrap()).rounds(1);
    let mut fleet = Each::new(&spec.algorithm(algorithm).check().unwrap(), Seed::new(2));
    let cost = OwnCost::new(2, |x| 3.0 * x[0] + 4.0 * x[1], |_, g| g.copy_from_slice(&[3.0, 4.0]));
    fleet.learn(0, &cost).unwrap();
    let numbers = |message: &Arc<Message>| match &message.body {
        Body::State { weights, .. } => weights.clone(),
        other => panic!("{other:?}"),
    };
    fleet.speak(0).messages.iter().map(numbers).collect()
}

/// A baseline reads gradients before the noise. Only a run that names the baseline lets it.
#[test]
fn a_learner_that_wraps_a_baseline_reads_zero_through_it() {
    for name in ["doda", "dpps", "dpdola", "dpsr", "osp", "dp-osp", "dp-wb"] {
        let decided = wrapped(name);
        assert!(decided.iter().flatten().all(|x| *x == 0.0 || x.is_nan()), "{name}: {decided:?}");
    }
    // A wrapped relay learns what it releases, and no more: its own block (here without noise, because none is asked for).
    assert_eq!(wrapped("dpsda-r"), [[-3.0, 0.0], [0.0, -4.0]]);
    // All blocks are for a run that is central.
    let central = wrapped("dpcda");
    assert_eq!(central, [[-3.0, 0.0], [0.0, -4.0]], "a node gets the guard of its own block only");
}

/// Noise that is drawn twice can be subtracted. So there is one guard, also for copies of a setup.
#[test]
fn a_second_guard_of_a_node_opens_nothing_and_has_other_noise() {
    let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace);
    let spec = Spec::new(Blocks::even(2, 1).unwrap()).set(Free).graph(Complete::new(1).unwrap()).rounds(1);
    let spec = spec.algorithm(Relay).privacy(asked).check().unwrap();
    let (setup, cost) = (spec.setup(0, Seed::new(3), None), OwnCost::new(2, |x| x[0], |_, g| g.fill(0.25)));
    let sealed = spec.plan().seal(&cost);
    let mut ledger = spec.plan().ledger();
    let [mut first, mut second, mut third] = [setup.guard(), setup.guard(), setup.clone().guard()];
    let mut release = |guard: &mut Guard, empty: bool| {
        let seen =
            if empty { guard.nothing(2) } else { setup.observe(guard, setup.node(), 0, &sealed, &[0.0; 2]) };
        guard.release(seen, 0, &mut ledger).to_reals()
    };
    let said = release(&mut first, false);
    for other in [&mut second, &mut third] {
        let noise = release(other, true);
        let left: Vec<f64> = said.iter().zip(&noise).map(|(said, noise)| said - noise).collect();
        assert!(left.iter().all(|left| (left - 0.25).abs() > 1e-6), "the noise was drawn again: {left:?}");
    }
    // What the others read from a cost is nothing: their noise alone.
    let fresh = || spec.setup(0, Seed::new(3), None);
    let (a, b) = (fresh(), fresh());
    _ = (a.guard(), b.guard());
    assert_eq!(release(&mut a.guard(), false), release(&mut b.guard(), true));
}

/// A plan and its copy are one plan; two plans made from the same privacy are two.
#[test]
fn a_copy_of_a_plan_opens_what_was_sealed_for_it() {
    let blocks = Blocks::even(1, 1).unwrap();
    let extent = Extent { style: Style::Central, blocks: &blocks, rounds: 1, batch: 1 };
    let plan = Plan::new(Privacy::none(), &extent).unwrap();
    let cost = OwnCost::new(1, |x| 7.0 * x[0], |_, g| g.fill(7.0));
    let read = |plan: &Plan, sealed: &Sealed<'_>| {
        let mut guard = plan.guard(0, Seed::new(1));
        let secret = guard.observe(0, sealed, &[0.0], 0..1, &[]);
        guard.release(secret, 0, &mut plan.ledger()).to_reals()
    };
    let (copy, other) = (plan.clone(), Plan::new(Privacy::none(), &extent).unwrap());
    assert_eq!(read(&plan, &copy.seal(&cost)), [7.0]);
    assert_eq!(read(&copy, &plan.seal(&cost).clone()), [7.0]);
    assert_eq!(read(&other, &plan.seal(&cost)), [0.0]);
    assert_eq!(read(&plan, &other.seal(&cost)), [0.0]);
}
