//! Turns how often a guess was right into a bound on epsilon.

mod beta;

pub use beta::at_least;

/// How often an event happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frequency {
    /// How many times it happened.
    pub hits: u64,
    /// How many times it could have happened.
    pub of: u64,
}

impl Frequency {
    /// The share of hits.
    pub fn share(self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64
    }

    /// Clopper and Pearson 1934: the least probability under which this many hits or more have chance `alpha`.
    pub fn low(self, alpha: f64) -> f64 {
        if self.hits == 0 { 0.0 } else { solve(|p| at_least(self.hits, self.of, p) < alpha) }
    }

    /// The largest probability under which this few hits or fewer have chance `alpha`.
    pub fn high(self, alpha: f64) -> f64 {
        if self.hits >= self.of { 1.0 } else { solve(|p| 1.0 - at_least(self.hits + 1, self.of, p) > alpha) }
    }
}

/// Where `below` turns from true to false in `[0, 1]`.
fn solve(below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// A lower bound on epsilon with this confidence. `P(S) <= exp(eps) Q(S) + delta` holds for every set `S` of transcripts,
/// so `eps >= ln((P(S) - delta) / Q(S))`. Each of the two probabilities is bounded with half of the allowed error probability.
pub fn epsilon(more: Frequency, less: Frequency, delta: f64, confidence: f64) -> f64 {
    let doubt = (1.0 - confidence) / 2.0;
    ratio(more.low(doubt) - delta, less.high(doubt))
}

/// `ln(p/q)`, or 0 if that is negative.
pub(crate) fn ratio(p: f64, q: f64) -> f64 {
    if p > q { (p / q).ln() } else { 0.0 }
}

/// Epsilon from one run (Steinke, Nasr and Jagielski 2023, Theorem 5.2). There were `canaries` fair coins. The adversary
/// guessed `guessed` of them from the transcript, and `right` guesses were right. Under (epsilon, delta) this many right
/// guesses have a chance of at most `f(v) + 2 m delta max_i (f(v - i) - f(v)) / i`, where `f(v) = P[Bin(r, e^eps/(1 + e^eps))
/// >= v]`. The result is the least epsilon for which that chance is not below `1 - confidence`.
pub fn epsilon_of_guesses(canaries: u64, guessed: u64, right: u64, delta: f64, confidence: f64) -> f64 {
    let doubt = 1.0 - confidence;
    let chance = |epsilon: f64| {
        let p = 1.0 / (1.0 + (-epsilon).exp());
        let f = |v: u64| at_least(v, guessed, p);
        let here = f(right);
        if delta == 0.0 {
            return here;
        }
        let mut most: f64 = 0.0;
        for i in 1..=right.min(canaries) {
            let all = f(right - i);
            most = most.max((all - here) / i as f64);
            if all > 1.0 - 1e-12 {
                break; // from here on only `i` grows
            }
        }
        here + 2.0 * canaries as f64 * delta * most
    };
    const MOST: f64 = 64.0;
    MOST * solve(|share| chance(MOST * share) < doubt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_the_one_of_the_tables() {
        // Clopper-Pearson, two-sided 95 %: 3 of 10 is (0.0667, 0.6525), 0 of 20 has the upper end 1 - 0.025^(1/20).
        let three = Frequency { hits: 3, of: 10 };
        assert!((three.low(0.025) - 0.06674).abs() < 1e-5 && (three.high(0.025) - 0.65245).abs() < 1e-5);
        let none = Frequency { hits: 0, of: 20 };
        assert_eq!(none.low(0.025), 0.0);
        assert!((none.high(0.025) - (1.0 - 0.025_f64.powf(0.05))).abs() < 1e-12);
        assert_eq!(Frequency { hits: 20, of: 20 }.high(0.025), 1.0);
    }

    #[test]
    fn equal_worlds_give_no_epsilon_and_disjoint_ones_as_much_as_the_runs_allow() {
        let half = Frequency { hits: 500, of: 1000 };
        assert_eq!(epsilon(half, half, 0.0, 0.99), 0.0);
        let found = epsilon(Frequency { hits: 1000, of: 1000 }, Frequency { hits: 0, of: 1000 }, 0.0, 0.99);
        assert!((5.0..7.0).contains(&found), "{found}");
    }

    #[test]
    fn random_guesses_show_nothing_and_perfect_ones_show_much() {
        assert_eq!(epsilon_of_guesses(1000, 1000, 500, 0.0, 0.99).round(), 0.0);
        // 7,311 of 10,000 right is what epsilon = 1 allows on average.
        let one = epsilon_of_guesses(10_000, 10_000, 7311, 0.0, 0.99);
        assert!((0.93..1.0).contains(&one), "{one}");
        let less = epsilon_of_guesses(10_000, 10_000, 7311, 1e-5, 0.99);
        assert!(less <= one && less > 0.8, "{less}");
        assert!(epsilon_of_guesses(1000, 1000, 1000, 0.0, 0.99) > 5.0);
    }
}
