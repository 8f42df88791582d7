//! The adversary's statistics of one transcript: numbers that are large in one world and small in the other.
//!
//! Any function of the transcript is allowed, and none can exceed a claim that holds: differential privacy is closed under
//! post-processing. So there are clever functions and simple ones, and a guess uses one of them.

use dpsda::learner::Body;

use crate::Transcript;
use crate::adversary::{Adversary, Law, Release};
use crate::canary::CostStream;
use crate::host::shows;
use crate::transcript::{same, size};

/// The names of the statistics.
pub const STATISTICS: [&str; 11] = [
    "likelihood ratio",
    "likelihood ratio, with every copy",
    "likelihood ratio, as if the own share were not noised",
    "noise of exactly zero",
    "noise that was seen before",
    "gradient solved from the decision",
    "gradient solved from all decisions so far",
    "low bits of the canary's coordinate",
    "low bits of the message",
    "bits that no noise could have set",
    "message sizes",
];

/// The factor by which another statistic must beat the likelihood ratio (the first one) to be chosen instead. On a correct
/// program several statistics come near it, and chance decides which is ahead.
pub(crate) fn handicap(statistic: usize) -> f64 {
    if statistic == 0 { 1.0 } else { 1.05 }
}

/// One number per statistic.
pub(crate) type Evidence = [f64; STATISTICS.len()];

/// The two worlds to tell apart, and the round of the event.
pub(crate) struct Question<'a> {
    /// The costs in each world.
    pub(crate) worlds: [&'a dyn CostStream; 2],
    /// Costs without an event.
    pub(crate) bland: &'a dyn CostStream,
    /// The event's round.
    pub(crate) event: u64,
}

impl Adversary<'_> {
    /// The statistics of node `i`'s part of the transcript. The canary is on coordinate `at` of its block.
    pub(crate) fn evidence(&self, seen: &Transcript, ask: &Question<'_>, i: usize, at: usize) -> Evidence {
        let mut found = Evidence::default();
        let law = &self.laws[i];
        let t0 = ask.event;
        let Some(released) = self.release(seen, i, t0, None) else { return found };
        let secrets = ask.worlds.map(|costs| self.secret_at(seen, costs, i, t0));
        let noise = secrets.each_ref().map(|secret| less(&released.value, secret));

        // All rounds except the event's. In these both worlds are the same.
        let others: Vec<(u64, Release, Vec<f64>)> = (0..self.arena.played())
            .filter(|t| *t != t0)
            .filter_map(|t| {
                let release = self.release(seen, i, t, None)?;
                let noise = less(&release.value, &self.secret_at(seen, ask.bland, i, t));
                Some((t, release, noise))
            })
            .collect();
        found[0] = self.ratio(law, &noise, t0, &others);
        found[1] = found[0];
        let mut known: Vec<f64> = others.iter().map(|(.., noise)| noise[at]).collect();
        let bland = self.secret_at(seen, ask.bland, i, t0);
        for (t, copy) in &seen.again {
            let first = seen.message(*t, i);
            let new =
                copy.from.node == i && *t == shows(self.arena, t0) && !first.is_some_and(|m| same(m, copy));
            let Some(copy) = self.release(seen, i, t0, Some(copy)).filter(|_| new) else { continue };
            let noise = secrets.each_ref().map(|secret| less(&copy.value, secret));
            found[1] += self.ratio(law, &noise, t0, &others);
            known.push(copy.value[at] - bland[at]);
        }
        if let Some(earlier) = &seen.earlier {
            for t in 0..self.arena.played() {
                let Some(release) = self.release(earlier, i, t, None) else { continue };
                known.push(release.value[at] - self.secret_at(earlier, ask.bland, i, t)[at]);
            }
        }
        let carried = self.carried(seen, i, t0, &others);
        found[2] = own_share(law, &noise, &carried, released.kept, t0, &others);
        let is = |world: usize, x: f64| f64::from(u8::from(law.same(noise[world][at], x)));
        found[3] = is(1, 0.0) - is(0, 0.0);
        found[4] = known.iter().map(|x| is(1, *x) - is(0, *x)).sum();
        let nothing = vec![0.0; carried.len()];
        found[5] = self.decision(seen, &secrets, i, t0, &nothing);
        found[6] = self.decision(
            seen,
            &secrets,
            i,
            t0,
            &carried.iter().map(|r| released.kept * r).collect::<Vec<_>>(),
        );
        found[7] = (released.value[at].round() as i64 & 3) as f64;
        found[8] = released.after.iter().map(|x| (x.to_bits() & 1) as f64).sum();
        found[9] = self.impossible(&released, &secrets, at);
        found[10] =
            (0..seen.said.len() as u64).filter_map(|t| seen.message(t, i)).map(size).sum::<usize>() as f64;
        found
    }

    /// The value to which the noise of round `t` is added under these costs, at the estimate that the decision used.
    fn secret_at(&self, seen: &Transcript, costs: &dyn CostStream, i: usize, t: u64) -> Vec<f64> {
        let mut secret = vec![0.0; self.arena.own(i).len()];
        if let Some(y) = seen.estimate(t, self.arena.learner_of(i)) {
            costs.reveal(t, &mut |f| secret = self.secret(i, f, y));
        }
        secret
    }

    /// The log-likelihood ratio of the whole run. If noise is independent, rounds in which the worlds agree cancel out.
    fn ratio(&self, law: &Law, noise: &[Vec<f64>; 2], t0: u64, others: &[(u64, Release, Vec<f64>)]) -> f64 {
        if !self.arena.correlated() {
            return law.log_likelihood(&[&noise[1]]) - law.log_likelihood(&[&noise[0]]);
        }
        let run = |world: usize| -> Vec<&[f64]> {
            let before = others.iter().filter(|(t, ..)| *t < t0).map(|(.., n)| &n[..]);
            let after = others.iter().filter(|(t, ..)| *t > t0).map(|(.., n)| &n[..]);
            before.chain([&noise[world][..]]).chain(after).collect()
        };
        law.log_likelihood(&run(1)) - law.log_likelihood(&run(0))
    }

    /// Suppose that the node mixed its own share without noise, and noised only what it sends. Then this is the noise `r` in
    /// its last message before the event, which its own dual lacks. The apparent noise `n(t)` of a round lacks the kept share
    /// of the noise before it, so `r(t+1) = n(t) + W_ii r(t)`. The recursion starts from the message sent before anything was
    /// learned.
    fn carried(&self, seen: &Transcript, i: usize, t0: u64, others: &[(u64, Release, Vec<f64>)]) -> Vec<f64> {
        let own = self.arena.own(i);
        let first = seen.message(0, i).and_then(|m| match &m.body {
            Body::Dual { dual, .. } => Some(dual.to_reals()),
            _ => None,
        });
        let mut r = first.map_or_else(
            || vec![0.0; own.len()],
            |dual| dual[own.clone()].iter().map(|h| h / self.unit).collect(),
        );
        for (_, release, noise) in others.iter().filter(|(t, ..)| *t < t0) {
            r.iter_mut().zip(noise).for_each(|(r, n)| *r = n + release.kept * *r);
        }
        r
    }

    /// Whether the decision is nearer to the decision from un-noised values in world 1 (1) or in world 0 (-1). `carried` is noise
    /// of earlier rounds that the decision might lack too.
    fn decision(
        &self,
        seen: &Transcript,
        secrets: &[Vec<f64>; 2],
        i: usize,
        t0: u64,
        carried: &[f64],
    ) -> f64 {
        let Some((dual, weight)) = self.dual_without(seen, i, t0) else { return 0.0 };
        let Some(y) = seen.estimate(t0 + 1, self.arena.learner_of(i)) else { return 0.0 };
        let own = self.arena.own(i);
        let decide = |secret: &[f64]| {
            let mut dual = dual.clone();
            let change = secret.iter().zip(carried).map(|(a, r)| (a - r) * self.unit);
            dual[own.clone()].iter_mut().zip(change).for_each(|(z, change)| *z += change);
            dual.iter_mut().for_each(|z| *z /= weight);
            let mut y = vec![0.0; dual.len()];
            self.arena.spec.set().prox(&dual, self.arena.spec.step().after(t0), &mut y);
            y[own.clone()].to_vec()
        };
        let expected = secrets.each_ref().map(|secret| decide(secret));
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
        let y = &y[own.clone()];
        let whole = apart(&expected[0], &expected[1]);
        let nearer = (apart(y, &expected[0]) - apart(y, &expected[1])) / whole;
        // Equal values must stay equal in spite of rounding errors.
        if whole > 0.0 && nearer.is_finite() { (nearer * 1e6).round() / 1e6 } else { 0.0 }
    }

    /// Mironov 2012: noise in floating point has gaps. `a + x` is a multiple of the last place of `x` (or of `a`), so a sum
    /// with a lower bit set rules that `a` out. Plus one if world 0 is ruled out, minus one if world 1 is.
    fn impossible(&self, released: &Release, secrets: &[Vec<f64>; 2], at: usize) -> f64 {
        let before = released.before.get(at).copied().unwrap_or(0.0);
        let sum = released.after[at] - before;
        let out = |world: usize| {
            let a = secrets[world][at] * self.unit;
            let grain = last_place(sum - a).min(lowest_bit(a)).min(lowest_bit(before));
            f64::from(u8::from(lowest_bit(sum) < grain))
        };
        out(0) - out(1)
    }
}

/// The likelihood ratio if the program noises its own share only in what it sends: every later message then carries new noise.
fn own_share(
    law: &Law,
    noise: &[Vec<f64>; 2],
    carried: &[f64],
    kept: f64,
    t0: u64,
    others: &[(u64, Release, Vec<f64>)],
) -> f64 {
    let total = |world: usize| {
        let mut r: Vec<f64> = noise[world].iter().zip(carried).map(|(n, r)| n + kept * r).collect();
        let mut sum = law.log_likelihood(&[&r]);
        for (_, release, noise) in others.iter().filter(|(t, ..)| *t > t0) {
            r.iter_mut().zip(noise).for_each(|(r, n)| *r = n + release.kept * *r);
            sum += law.log_likelihood(&[&r]);
        }
        sum
    };
    total(1) - total(0)
}

fn less(value: &[f64], secret: &[f64]) -> Vec<f64> {
    value.iter().zip(secret).map(|(v, a)| v - a).collect()
}

/// The exponent of the last place of `x`.
fn last_place(x: f64) -> i32 {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32;
    exponent.max(1) - 1075
}

/// The exponent of the lowest bit that is set in `x`. Very large for 0.
fn lowest_bit(x: f64) -> i32 {
    if x == 0.0 {
        return i32::MAX;
    }
    let fraction = x.to_bits() & ((1 << 52) - 1) | u64::from(x.is_normal()) << 52;
    last_place(x) + fraction.trailing_zeros() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_places_and_lowest_bits_are_right() {
        assert_eq!((last_place(1.0), lowest_bit(1.0)), (-52, 0));
        assert_eq!((last_place(-6.5), lowest_bit(-6.5)), (-50, -1));
        assert_eq!(lowest_bit(1.0 + f64::EPSILON), -52);
        assert_eq!(lowest_bit(0.0), i32::MAX);
        assert_eq!(lowest_bit(f64::from_bits(2)), -1073);
    }
}
