//! Running sums: mixing that survives messages that are late, lost, repeated or out of order.
//!
//! A sender splits its dual and its weight as (20) and (21) say, and keeps the books of every link: a message carries not
//! the share of the round but the sum of **all shares ever put on that link**. The receiver takes in the difference to the
//! last sum it has seen there. The newest message makes up for every one that was lost or is still on its way, an old or
//! repeated one changes nothing, and `sum_i z_i` and `sum_i w_i`, with what is under way, stay what they were. What is late
//! is missing in both sums, so the ratio `z_i/w_i` stays an average.
//!
//! DPSDA-C runs on the same books: by (12) node j gives `W_ij h_j` to each neighbour i and keeps the rest, and since columns of
//! W sum to one that conserves the sum. It then has a weight too, which stays exactly 1 as long as nothing is lost or late:
//! both ends of a link give away the same share of the same number.
//!
//! A sum is computed from released values, so it reveals nothing more.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::grid::WEIGHT_UNIT;
use crate::learner::{Body, Message, SavedBooks, Sum};
use crate::network::Degree;
use crate::network::weights::Weights;
use crate::privacy::Released;

/// One node's books.
pub(super) struct Books {
    /// `w_i`, in units of 2^-40. Whole units in either arithmetic, so that their sum is exact.
    weight: i64,
    /// What it kept of its dual when it last spoke.
    kept: Released,
    /// By receiver: all that was ever put on the link.
    sent: BTreeMap<usize, Sum>,
    /// By sender: the newest sum taken in, and the round it was sent in.
    heard: BTreeMap<usize, (u64, Arc<Released>, i64)>,
}

impl Books {
    /// `w_i = 1`, and nothing on any link.
    pub(super) fn new(zero: Released) -> Self {
        let weight = (1.0 / WEIGHT_UNIT) as i64;
        Self { weight, kept: zero, sent: BTreeMap::new(), heard: BTreeMap::new() }
    }

    /// For a restart.
    pub(super) fn save(&self) -> SavedBooks {
        let heard =
            self.heard.iter().map(|(from, (round, dual, weight))| (*from, *round, (**dual).clone(), *weight));
        SavedBooks {
            weight: self.weight,
            kept: self.kept.clone(),
            sent: self.sent.values().cloned().collect(),
            heard: heard.collect(),
        }
    }

    /// What [`Self::save`] gave, if all of it has the shape that `same` asks for.
    pub(super) fn restore(saved: SavedBooks, same: &dyn Fn(&Released) -> bool) -> Option<Self> {
        let fits = same(&saved.kept)
            && saved.sent.iter().all(|sum| same(&sum.dual))
            && saved.heard.iter().all(|(_, _, dual, _)| same(dual));
        fits.then(|| Self {
            weight: saved.weight,
            kept: saved.kept,
            sent: saved.sent.into_iter().map(|sum| (sum.to, sum)).collect(),
            heard: saved
                .heard
                .into_iter()
                .map(|(from, round, dual, w)| (from, (round, Arc::new(dual), w)))
                .collect(),
        })
    }

    /// `w_i`
    pub(super) fn weight(&self) -> f64 {
        self.weight as f64 * WEIGHT_UNIT
    }

    /// Splits `dual` and the weight over the receivers, and says how much was ever put on each of these links.
    pub(super) fn put(
        &mut self,
        round: u64,
        me: Degree,
        receivers: &[Degree],
        weights: &dyn Weights,
        dual: &Released,
    ) -> Body {
        self.kept = dual.clone();
        let whole = self.weight;
        let mut sums = Vec::with_capacity(receivers.len());
        for receiver in receivers {
            let part = weights.share(*receiver, me);
            if part <= 0.0 {
                continue;
            }
            let share = Arc::new(share(dual, part)); // (12) (20)
            let weight = (whole as f64 * part).floor() as i64; // (21), a node always keeps at least one unit
            self.kept = minus(&self.kept, &share);
            self.weight -= weight;
            let sum = match self.sent.get(&receiver.node) {
                Some(sum) => Sum {
                    to: receiver.node,
                    dual: Arc::new(plus(&sum.dual, &share)),
                    weight: sum.weight.wrapping_add(weight),
                },
                None => Sum { to: receiver.node, dual: share, weight },
            };
            self.sent.insert(receiver.node, sum.clone());
            sums.push(sum);
        }
        Body::Sums { round, sums }
    }

    /// What it kept, plus everything new on the links into it.
    pub(super) fn take(&mut self, me: usize, inbox: &[&Message]) -> Released {
        let mut mixed = self.kept.clone();
        for message in inbox {
            let Body::Sums { round, sums } = &message.body else { continue };
            let Some(sum) = sums.iter().find(|sum| sum.to == me) else { continue };
            let old = self.heard.get(&message.from.node);
            let newer = old.is_none_or(|(last, ..)| last < round); // of a later round too: it is a sum of all before
            if !newer || sum.dual.len() != mixed.len() {
                continue;
            }
            let (gained, weight) = match old {
                Some((_, dual, weight)) => (minus(&sum.dual, dual), sum.weight.wrapping_sub(*weight)),
                None => ((*sum.dual).clone(), sum.weight),
            };
            mixed = plus(&mixed, &gained);
            self.weight = self.weight.wrapping_add(weight); // no panic, whatever number a peer sends
            self.heard.insert(message.from.node, (*round, Arc::clone(&sum.dual), sum.weight));
        }
        mixed
    }
}

/// A part of `dual`: on a grid `floor(h/k)` for the part `1/k`, whose remainder stays with the sender.
fn share(dual: &Released, part: f64) -> Released {
    match dual.units() {
        Some((units, unit)) => {
            let parts = (1.0 / part).round().max(1.0) as i64;
            Released::on_grid(units.iter().map(|h| h.div_euclid(parts)).collect(), unit)
        }
        None => {
            let mut share = Released::zeros(dual.len());
            share.add(part, dual);
            share
        }
    }
}

fn plus(a: &Released, b: &Released) -> Released {
    combined(a, b, 1.0, i64::wrapping_add)
}

fn minus(a: &Released, b: &Released) -> Released {
    combined(a, b, -1.0, i64::wrapping_sub)
}

/// `a + sign b`. Sums on a grid may wrap around at the end of the integers: their differences are still right.
fn combined(a: &Released, b: &Released, sign: f64, exactly: fn(i64, i64) -> i64) -> Released {
    match (a.units(), b.units()) {
        (Some((x, unit)), Some((y, same))) if unit == same => {
            Released::on_grid(x.iter().zip(y).map(|(x, y)| exactly(*x, *y)).collect(), unit)
        }
        _ => {
            let mut sum = a.clone();
            sum.add(sign, b);
            sum
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::network::Graph;
    use crate::network::weights;
    use crate::rng::{Purpose, Seed, Stream};

    const N: usize = 6;
    const D: usize = 3;

    /// All that there is of `z` and `w`: with the nodes, and on links.
    fn mass(nodes: &[Books], duals: &[Released]) -> (Vec<f64>, Vec<i64>, i64) {
        let (mut reals, mut units, mut weight) = (vec![0.0; D], vec![0_i64; D], 0);
        let mut count = |dual: &Released, sign: i64| match dual.units() {
            Some((k, _)) => units.iter_mut().zip(k).for_each(|(s, k)| *s = s.wrapping_add(sign * k)),
            None => reals.iter_mut().zip(dual.to_reals()).for_each(|(s, x)| *s += sign as f64 * x),
        };
        for (i, (books, dual)) in nodes.iter().zip(duals).enumerate() {
            count(dual, 1);
            weight += books.weight;
            for (to, sent) in &books.sent {
                count(&sent.dual, 1);
                weight += sent.weight;
                if let Some((_, dual, w)) = nodes[*to].heard.get(&i) {
                    count(dual, -1);
                    weight -= w;
                }
            }
        }
        (reals, units, weight)
    }

    fn start(grid: bool, rng: &mut Stream) -> Vec<Released> {
        let one = |rng: &mut Stream| -> Vec<i64> { (0..D).map(|_| rng.random_range(-1000..1000)).collect() };
        let released = |units: Vec<i64>| {
            let mut dual = Released::on_grid(units, 0.5);
            if !grid {
                dual.add(0.0, &Released::zeros(D)); // over the reals from here on
            }
            dual
        };
        (0..N).map(|_| released(one(rng))).collect()
    }

    /// Messages are lost, late, repeated and overtake each other, over graphs that change; a message in ten is heard twice.
    #[test]
    fn no_mass_is_lost_whatever_the_network_does() {
        for (rule, undirected) in [("push-sum", false), ("metropolis", true)] {
            let weights = weights::named(rule).unwrap();
            for (grid, seed) in (0..20).map(|seed| (seed % 2 == 0, seed)) {
                let mut rng = Seed::new(seed).stream(Purpose::Data, 0, 0);
                let mut duals = start(grid, &mut rng);
                let mut nodes: Vec<Books> = duals.iter().map(|d| Books::new(d.clone())).collect();
                let before = mass(&nodes, &duals);
                let mut flying: Vec<(u64, usize, Message)> = Vec::new();
                for t in 0..200 {
                    let pairs: Vec<_> = (0..N * N).filter(|_| rng.random::<f64>() < 0.3).collect();
                    let graph = Graph::of(N, pairs.into_iter().map(|p| (p / N, p % N)));
                    let graph = if undirected { graph.undirected() } else { graph };
                    let degrees = graph.degrees();
                    for i in 0..N {
                        let receivers: Vec<_> = graph.out(i).iter().map(|j| degrees[*j]).collect();
                        let body = nodes[i].put(t, degrees[i], &receivers, &*weights, &duals[i]);
                        let message = Message { from: degrees[i], body };
                        for to in graph.out(i) {
                            if rng.random::<f64>() < 0.4 {
                                continue; // lost
                            }
                            let late = rng.random_range(0..6);
                            flying.push((t + late, *to, message.clone()));
                            if rng.random::<f64>() < 0.1 {
                                flying.push((t + late + rng.random_range(0..9), *to, message.clone()));
                            }
                        }
                    }
                    for (i, dual) in duals.iter_mut().enumerate() {
                        let inbox: Vec<_> =
                            flying.iter().filter(|f| f.0 == t && f.1 == i).map(|f| &f.2).collect();
                        *dual = nodes[i].take(i, &inbox);
                    }
                    let after = mass(&nodes, &duals);
                    assert_eq!((&after.1, after.2), (&before.1, before.2), "{rule}, seed {seed}, round {t}");
                    let rounding = before.0.iter().zip(&after.0).all(|(a, b)| (a - b).abs() < 1e-6);
                    assert!(rounding, "{rule}, seed {seed}: {before:?} {after:?}");
                }
            }
        }
    }

    #[test]
    fn sums_that_pass_the_end_of_the_integers_still_tell_their_difference() {
        let at = |k| Released::on_grid(vec![k], 1.0);
        let sum = plus(&at(i64::MAX - 3), &at(10));
        assert_eq!(minus(&sum, &at(i64::MAX - 3)), at(10));
    }

    #[test]
    fn an_old_a_repeated_and_a_foreign_message_change_nothing() {
        let degree = |node| Degree { node, heard: 2, told: 2 };
        let weights = weights::named("push-sum").unwrap();
        let zero = || Released::zeros_on_grid(1, 1.0);
        let (mut a, mut b) = (Books::new(zero()), Books::new(zero()));
        let mut say = |t, h| {
            let h = Released::on_grid(vec![h], 1.0);
            Message { from: degree(0), body: a.put(t, degree(0), &[degree(1)], &*weights, &h) }
        };
        let (first, second, third) = (say(0, 8), say(1, 4), say(2, 20));
        b.put(1, degree(1), &[], &*weights, &zero());
        assert_eq!(b.take(1, &[&second]), Released::on_grid(vec![6], 1.0), "both shares");
        let weight = b.weight;
        b.put(2, degree(1), &[], &*weights, &zero());
        assert_eq!(b.take(1, &[&second, &first]), zero());
        assert_eq!(b.take(0, &[&third]), zero(), "meant for another");
        assert_eq!(b.weight, weight);
        assert_eq!(b.take(1, &[&third, &third]), Released::on_grid(vec![10], 1.0));
    }
}
