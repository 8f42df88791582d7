//! What has been spent, on what.

/// The price of one release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Pure epsilon, in millionths, rounded up.
    Pure {
        /// Millionths of epsilon.
        micro_epsilon: u64,
    },
    /// No bound is known: there is no noise, or nothing limits how far one event can move the value.
    Unbounded,
}

impl Cost {
    /// Pure epsilon, rounded up to the next millionth.
    pub fn epsilon(epsilon: f64) -> Self {
        let micro = (epsilon * 1e6).ceil();
        // Also false for NaN.
        if (0.0..1.8e19).contains(&micro) {
            Self::Pure { micro_epsilon: micro as u64 }
        } else {
            Self::Unbounded
        }
    }

    /// Both, one after the other (basic composition).
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Pure { micro_epsilon: a }, Self::Pure { micro_epsilon: b }) => {
                a.checked_add(b).map_or(Self::Unbounded, |micro_epsilon| Self::Pure { micro_epsilon })
            }
            _ => Self::Unbounded,
        }
    }

    /// The larger one.
    fn max(self, other: Self) -> Self {
        match (self, other) {
            (Self::Pure { micro_epsilon: a }, Self::Pure { micro_epsilon: b }) => {
                Self::Pure { micro_epsilon: a.max(b) }
            }
            _ => Self::Unbounded,
        }
    }

    /// As a number; `None` when unbounded.
    pub fn as_epsilon(self) -> Option<f64> {
        match self {
            Self::Pure { micro_epsilon } => Some(micro_epsilon as f64 * 1e-6),
            Self::Unbounded => None,
        }
    }
}

/// Free.
impl Default for Cost {
    fn default() -> Self {
        Self::Pure { micro_epsilon: 0 }
    }
}

/// The charges of one node. Its size does not grow with the run.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    releases: u64,
    current: Option<(u64, Cost)>,
    largest: Cost,
    lifetime: Cost,
    unprotected: bool,
}

impl Ledger {
    /// Charges one release to the event it used. Events come in order, so one running sum is enough.
    pub(crate) fn charge(&mut self, event: Option<u64>, cost: Cost) {
        self.releases += 1;
        let Some(event) = event else { return };
        let sum = match self.current {
            Some((e, sum)) if e == event => sum.and(cost),
            _ => cost,
        };
        self.current = Some((event, sum));
        self.largest = self.largest.max(sum);
        self.lifetime = self.lifetime.and(cost);
    }

    /// Something was decided from un-noised values.
    pub(crate) fn note_unprotected(&mut self) {
        self.unprotected = true;
    }

    /// How many values were released.
    pub fn releases(&self) -> u64 {
        self.releases
    }

    /// The largest sum of charges that touch one event: what the node's promise bounds. After a decision from un-noised
    /// values an event reaches every later release too, and all releases count (messages only).
    pub fn per_event(&self) -> Cost {
        if self.unprotected { self.lifetime } else { self.largest }
    }

    /// All releases composed, for whoever appears in every event.
    pub fn lifetime(&self) -> Cost {
        self.lifetime
    }

    /// Whether decisions were taken from un-noised values: then they are not protected at all.
    pub fn unprotected(&self) -> bool {
        self.unprotected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epsilon_is_rounded_up_and_never_invented() {
        assert_eq!(Cost::epsilon(0.1234561), Cost::Pure { micro_epsilon: 123_457 });
        assert_eq!(Cost::epsilon(f64::NAN), Cost::Unbounded);
        assert_eq!(Cost::epsilon(f64::INFINITY), Cost::Unbounded);
        assert_eq!(Cost::epsilon(-1.0), Cost::Unbounded);
    }

    #[test]
    fn one_event_pays_the_sum_of_its_own_releases_only() {
        let mut ledger = Ledger::default();
        let cost = |micro_epsilon| Cost::Pure { micro_epsilon };
        ledger.charge(None, Cost::Unbounded);
        for (event, price) in [(0, 5), (1, 3), (1, 4), (2, 1)] {
            ledger.charge(Some(event), cost(price));
        }
        assert_eq!((ledger.releases(), ledger.per_event(), ledger.lifetime()), (5, cost(7), cost(13)));
        ledger.note_unprotected();
        assert_eq!(ledger.per_event(), cost(13));
        ledger.charge(Some(3), Cost::Unbounded);
        assert_eq!(ledger.per_event(), Cost::Unbounded);
    }
}
