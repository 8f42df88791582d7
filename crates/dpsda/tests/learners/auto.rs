//! Automatic steps: against a literal transcription from what crosses the links, and what they promise.

use std::sync::Arc;

use dpsda::learner::{Body, Message};
use dpsda::network::Exponential;
use dpsda::prelude::*;
use dpsda::privacy::plan::Adjacency;
use dpsda::set::Simplices;
use dpsda::spec::Checked;

const N: usize = 5;
const D: usize = 15;
const ROUNDS: usize = 40;

/// Where decisions lie, in the words of the rule.
#[derive(Clone, Copy, Debug)]
enum Place {
    Ball(f64),
    Box(f64, f64),
    /// One simplex of three per node.
    Simplices,
}

impl Place {
    fn set(self) -> Arc<dyn ConvexSet> {
        match self {
            Self::Ball(radius) => Arc::new(Ball::new(radius).unwrap()),
            Self::Box(lower, upper) => Arc::new(Cuboid::new(lower, upper).unwrap()),
            Self::Simplices => Arc::new(Simplices::new(&[3; N]).unwrap()),
        }
    }

    /// The radius, the start, and how many coordinates of a block can be felt.
    fn facts(self) -> (f64, f64, f64) {
        match self {
            Self::Ball(radius) => (radius, 0.0, 3.0),
            Self::Box(lower, upper) => {
                let start = 0_f64.clamp(lower, upper);
                ((D as f64).sqrt() * (upper - start).max(start - lower), start, 3.0)
            }
            Self::Simplices => ((N as f64 * 2.0 / 3.0).sqrt(), 1.0 / 3.0, 2.0),
        }
    }

    fn tangent(self, v: &[f64]) -> f64 {
        let mean = if matches!(self, Self::Simplices) { v.iter().sum::<f64>() / 3.0 } else { 0.0 };
        v.iter().map(|v| (v - mean).powi(2)).sum()
    }
}

fn cost(t: usize) -> impl Objective {
    let at = move |k: usize| ((k * 7 + t * 3) as f64 * 0.61).sin() + 0.4;
    OwnCost::new(
        D,
        move |x| x.iter().enumerate().map(|(k, x)| (x - at(k)).powi(2)).sum(),
        move |x, g| (0..D).for_each(|k| g[k] = 2.0 * (x[k] - at(k))),
    )
}

fn spec(place: Place, privacy: Privacy) -> Spec {
    Spec::new(Blocks::even(D, N).unwrap())
        .set(place.set())
        .graph(Exponential::new(N).unwrap())
        .privacy(privacy)
        .step(Step::auto())
        .rounds(ROUNDS as u64)
}

/// The numbers of one node.
#[derive(Clone)]
struct Numbers {
    lag: f64,
    m: f64,
    lam_e: f64,
    lam_n: f64,
    ev: f64,
    g: f64,
}

/// The law: the variance in a sum of s releases, and of release s. And the clip and the batch, where they count.
struct Law {
    p: Box<dyn Fn(usize) -> f64>,
    q: Box<dyn Fn(usize) -> f64>,
    noisy: bool,
    cap: Option<(f64, f64)>,
}

impl Numbers {
    /// The rule, line by line. `what[k]` is the version, the sum and the energy of block k.
    fn decide(&mut self, t: usize, what: &[(usize, Vec<f64>, f64)], place: Place, law: &Law) -> Vec<f64> {
        let (radius, start, size) = place.facts();
        let d = size * what.len() as f64;
        let time = t as f64;
        let all = |of: &dyn Fn(usize) -> f64, upto: usize| (0..upto).map(of).sum::<f64>();
        self.lag = what.iter().map(|(version, ..)| (t - version) as f64).fold(self.lag, f64::max);
        let n: f64 = what.iter().map(|(version, ..)| size * (law.p)(*version)).sum();
        let s2 = (what.iter().map(|(_, s, _)| place.tangent(s)).sum::<f64>() - n).max(0.0);
        let eh: f64 =
            what.iter().map(|(version, _, q)| q - size * all(&law.q, *version)).sum::<f64>().max(0.0);
        let squares = |s: usize| (law.q)(s).powi(2);
        let sd = (2.0 * what.iter().map(|(version, ..)| size * all(&squares, *version)).sum::<f64>()).sqrt();
        let (e, ev) = match law.cap.filter(|_| law.noisy) {
            Some((c, m)) => {
                self.m = self.m.max(s2 / time);
                let e = (time * c * c).min(self.m + time * c * c / m).min(self.m.max(eh + 2.0 * sd));
                (e, e)
            }
            None => (eh, eh + sd),
        };
        let a = all(&|s| (d * (law.p)(s)).sqrt(), t);
        self.lam_e = self.lam_e.max((1.0 + self.lag / 2.0) * (1.0 + 4.0 / time) * e);
        self.lam_n = self.lam_n.max(n + 0.25 * (e / time).sqrt() * a);
        self.ev = self.ev.max((1.0 + 4.0 / time) * ev + n * (2.0 / d).sqrt());
        let g = if self.ev == 0.0 { 0.5 } else { ((1.0 + (s2 / self.ev) / 5.0) / 2.0).min(1.0) };
        self.g = self.g.max(g);
        let lambda = self.lam_e / self.g.powi(8) + self.lam_n / self.g.powi(6);
        let alpha = if lambda > 0.0 { radius / lambda.sqrt() } else { 0.0 };
        let mut y: Vec<f64> = what.iter().flat_map(|(_, s, _)| s.iter().map(|s| start - alpha * s)).collect();
        place.set().project(&mut y);
        y
    }
}

fn blocks(message: &Message) -> Vec<(usize, Vec<f64>)> {
    let Body::Blocks(copies) = &message.body else { panic!("a relay says blocks") };
    copies.iter().map(|copy| (copy.version as usize, copy.sum.to_reals())).collect()
}

/// Plays a run and recomputes every decision from what crossed the links. The largest trust that a node reached.
fn follow(place: Place, checked: &Checked, law: &Law) -> f64 {
    let mut fleet = Each::new(checked, Seed::new(7));
    let zero = Numbers { lag: 0.0, m: 0.0, lam_e: 0.0, lam_n: 0.0, ev: 0.0, g: 0.5 };
    let mut numbers = vec![zero; N];
    // energies[k][s], sums[k][s] after s releases; versions[i][k]
    let mut energies = vec![vec![0.0]; N];
    let mut sums = vec![vec![vec![0.0; D / N]]; N];
    let mut versions = vec![vec![0; N]; N];
    for t in 0..ROUNDS {
        fleet.learn(t as u64, &cost(t)).unwrap();
        let said = fleet.speak(t as u64);
        for k in 0..N {
            let (version, sum) = blocks(&said.messages[k]).swap_remove(k);
            assert_eq!(version, t + 1);
            let release: Vec<f64> = sum.iter().zip(&sums[k][t]).map(|(now, before)| now - before).collect();
            let energy = energies[k][t] + place.tangent(&release);
            energies[k].push(energy);
            sums[k].push(sum);
            versions[k][k] = version;
        }
        let before = versions.clone();
        for from in 0..N {
            for &to in said.graph.out(from) {
                (0..N).for_each(|k| versions[to][k] = versions[to][k].max(before[from][k]));
            }
        }
        fleet.deliver(&said);
        for i in 0..N {
            let known = |k: usize| {
                let version: usize = versions[i][k];
                (version, sums[k][version].clone(), energies[k][version])
            };
            let what: Vec<_> = (0..N).map(known).collect();
            let expected = numbers[i].decide(t + 1, &what, place, law);
            for (found, expected) in fleet.estimate(i).iter().zip(&expected) {
                assert!(
                    (found - expected).abs() < 1e-8,
                    "{place:?}, round {t}, node {i}: {found} {expected}"
                );
            }
        }
    }
    numbers.iter().map(|numbers| numbers.g).fold(0.0, f64::max)
}

const PLACES: [Place; 4] = [Place::Ball(2.0), Place::Box(-1.0, 3.0), Place::Box(1.0, 2.5), Place::Simplices];

#[test]
fn decisions_are_those_of_the_rule_line_by_line() {
    for place in PLACES {
        let checked = spec(place, Privacy::none()).algorithm(Relay).check().unwrap();
        let quiet = Law { p: Box::new(|_| 0.0), q: Box::new(|_| 0.0), noisy: false, cap: None };
        let trust = follow(place, &checked, &quiet);
        assert!(trust > 0.5, "{place:?}: {trust}");
        for adjacency in [Adjacency::Round, Adjacency::Example, Adjacency::Agent] {
            let asked = Privacy::epsilon(20.0).delta(1e-5).clip(4.0);
            let asked = match adjacency {
                Adjacency::Round => asked,
                Adjacency::Example => asked.examples(),
                Adjacency::Agent => continue, // this cost has no agents
            };
            let m = if adjacency == Adjacency::Example { 6.0 } else { 1.0 };
            let loud = |asked: Privacy| spec(place, asked).batch(6).algorithm(Relay).check().unwrap();
            let checked = loud(asked.clone().mechanism(DiscreteGaussian));
            let square = checked.plan().scale().powi(2);
            let law = Law {
                p: Box::new(move |s| s as f64 * square),
                q: Box::new(move |_| square),
                noisy: true,
                cap: Some((4.0, m)),
            };
            follow(place, &checked, &law);
            let checked = loud(asked.mechanism(Tree));
            let square = checked.plan().scale().powi(2);
            let law = Law {
                p: Box::new(move |s| f64::from((s as u64).count_ones()) * square),
                q: Box::new(move |s| f64::from((s as u64 + 1).trailing_zeros() + 1) * square),
                noisy: true,
                cap: Some((4.0, m)),
            };
            follow(place, &checked, &law);
        }
        // Noise without a clip: no cap.
        let checked = spec(place, Privacy::level(2.0).mechanism(Laplace)).algorithm(Relay).check().unwrap();
        let square = 2.0 * checked.plan().scale().powi(2);
        let law = Law {
            p: Box::new(move |s| s as f64 * square),
            q: Box::new(move |_| square),
            noisy: true,
            cap: None,
        };
        follow(place, &checked, &law);
    }
}

/// DPCDA is one node that knows one block.
#[test]
fn who_sees_everything_decides_as_a_node_of_one() {
    for place in [Place::Ball(2.0), Place::Box(1.0, 2.5)] {
        let privacy = || Privacy::epsilon(20.0).delta(1e-5).clip(4.0).mechanism(DiscreteGaussian);
        let one = || {
            Spec::new(Blocks::even(D, 1).unwrap()).set(place.set()).step(Step::auto()).rounds(ROUNDS as u64)
        };
        for asked in [Privacy::none(), privacy()] {
            let central = one().privacy(asked.clone()).algorithm(Central).check().unwrap();
            let relay =
                one().graph(Complete::new(1).unwrap()).privacy(asked).algorithm(Relay).check().unwrap();
            let (mut a, mut b) = (Each::new(&central, Seed::new(2)), Each::new(&relay, Seed::new(2)));
            for t in 0..ROUNDS {
                a.round(t as u64, &cost(t)).unwrap();
                b.round(t as u64, &cost(t)).unwrap();
                assert_eq!(a.estimate(0), b.estimate(0), "{place:?}, round {t}");
            }
        }
    }
}

/// Costs and noise of another unit give the same decisions: there is nothing to tune.
#[test]
fn the_unit_of_a_cost_makes_no_difference() {
    for place in PLACES {
        let decisions = |unit: f64| {
            let asked = Privacy::epsilon(20.0).delta(1e-5).clip(4.0 * unit).mechanism(Gaussian);
            let mut fleet = spec(place, asked).algorithm(Relay).fleet(Seed::new(4)).unwrap();
            for t in 0..ROUNDS {
                let one = cost(t);
                let scaled = OwnCost::new(
                    D,
                    |x| unit * one.value(x),
                    |x, g| {
                        one.partial(x, 0..D, g);
                        g.iter_mut().for_each(|g| *g *= unit);
                    },
                );
                fleet.round(t as u64, &scaled).unwrap();
            }
            fleet.decision()
        };
        let (one, other) = (decisions(1.0), decisions(4096.0));
        assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-6), "{place:?}: {one:?} {other:?}");
    }
}
