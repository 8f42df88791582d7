//! The price of a release, in integers.

use serde::{Deserialize, Serialize};

use super::accounting::zcdp;

/// The price of one release, or of several. Always rounded up.
///
/// ```
/// use dpsda::privacy::Price;
/// let (one, two) = (Price::epsilon(0.5), Price::epsilon(0.25));
/// assert_eq!(one.and(two), Price::epsilon(0.75)); // basic composition
/// assert_eq!(one.times(3).as_pure(), Some(1.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Price {
    /// Pure epsilon, in millionths.
    Pure {
        /// Millionths of epsilon.
        micro_epsilon: u64,
    },
    /// Zero-concentrated differential privacy (Bun and Steinke 2016), in thousand-millionths of rho.
    Zcdp {
        /// Thousand-millionths of rho.
        nano_rho: u64,
    },
    /// No bound is known: there is no noise, or nothing limits how far one event can move the value.
    Unbounded,
}

impl Price {
    /// Pure epsilon, rounded up to the next millionth.
    pub fn epsilon(epsilon: f64) -> Self {
        up(epsilon * 1e6).map_or(Self::Unbounded, |micro_epsilon| Self::Pure { micro_epsilon })
    }

    /// zCDP, rounded up to the next thousand-millionth.
    pub fn rho(rho: f64) -> Self {
        up(rho * 1e9).map_or(Self::Unbounded, |nano_rho| Self::Zcdp { nano_rho })
    }

    /// Pure epsilon of `moved / scale`, rounded up in integers.
    pub fn pure_ratio(moved: u64, scale: u64) -> Self {
        let micro = (scale > 0).then(|| (u128::from(moved) * 1_000_000).div_ceil(u128::from(scale)));
        micro
            .and_then(|m| u64::try_from(m).ok())
            .map_or(Self::Unbounded, |micro_epsilon| Self::Pure { micro_epsilon })
    }

    /// zCDP of Gaussian noise of deviation `sigma` on a value that moves by at most the root of `moved_squared`:
    /// `moved^2 / (2 sigma^2)`, rounded up in integers.
    pub fn gaussian(moved_squared: u128, sigma: u64) -> Self {
        let down = u128::from(sigma).checked_mul(2 * u128::from(sigma)).filter(|down| *down > 0);
        let nano = moved_squared.checked_mul(1_000_000_000).zip(down);
        nano.and_then(|(nano, down)| u64::try_from(nano.div_ceil(down)).ok())
            .map_or(Self::Unbounded, |nano_rho| Self::Zcdp { nano_rho })
    }

    /// Both releases together (basic composition). A pure price beside a concentrated one counts as `epsilon^2/2`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Pure { micro_epsilon: a }, Self::Pure { micro_epsilon: b }) => {
                a.checked_add(b).map_or(Self::Unbounded, |micro_epsilon| Self::Pure { micro_epsilon })
            }
            (Self::Unbounded, _) | (_, Self::Unbounded) => Self::Unbounded,
            (a, b) if a == Self::default() => b,
            (a, b) if b == Self::default() => a,
            (a, b) => match (a.nano_rho(), b.nano_rho()) {
                (Some(a), Some(b)) => {
                    a.checked_add(b).map_or(Self::Unbounded, |nano_rho| Self::Zcdp { nano_rho })
                }
                _ => Self::Unbounded,
            },
        }
    }

    /// What remains after `part`, of the same kind, is taken away.
    #[must_use]
    pub fn less(self, part: Self) -> Self {
        match (self, part) {
            (Self::Pure { micro_epsilon: a }, Self::Pure { micro_epsilon: b }) => {
                Self::Pure { micro_epsilon: a.saturating_sub(b) }
            }
            (Self::Zcdp { nano_rho: a }, Self::Zcdp { nano_rho: b }) => {
                Self::Zcdp { nano_rho: a.saturating_sub(b) }
            }
            (whole, _) => whole,
        }
    }

    /// The larger one.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        match (self, other) {
            (Self::Pure { micro_epsilon: a }, Self::Pure { micro_epsilon: b }) => {
                Self::Pure { micro_epsilon: a.max(b) }
            }
            (Self::Unbounded, _) | (_, Self::Unbounded) => Self::Unbounded,
            (a, b) => match (a.nano_rho(), b.nano_rho()) {
                (Some(x), Some(y)) => {
                    if x >= y {
                        a
                    } else {
                        b
                    }
                }
                _ => Self::Unbounded,
            },
        }
    }

    /// `k` times as much.
    #[must_use]
    pub fn times(self, k: u64) -> Self {
        match self {
            Self::Pure { micro_epsilon } => micro_epsilon
                .checked_mul(k)
                .map_or(Self::Unbounded, |micro_epsilon| Self::Pure { micro_epsilon }),
            Self::Zcdp { nano_rho } => {
                nano_rho.checked_mul(k).map_or(Self::Unbounded, |nano_rho| Self::Zcdp { nano_rho })
            }
            Self::Unbounded => Self::Unbounded,
        }
    }

    /// The price for moving a value `k` times as far: `k epsilon`, or `k^2 rho`.
    #[must_use]
    pub fn moved_further(self, k: u64) -> Self {
        match self {
            Self::Zcdp { .. } => k.checked_mul(k).map_or(Self::Unbounded, |square| self.times(square)),
            _ => self.times(k),
        }
    }

    /// Pure epsilon; `None` if the price is not pure.
    pub fn as_pure(self) -> Option<f64> {
        match self {
            Self::Pure { micro_epsilon } => Some(micro_epsilon as f64 * 1e-6),
            _ => None,
        }
    }

    /// rho; a pure epsilon counts as `epsilon^2/2`. `None` without a bound.
    pub fn as_rho(self) -> Option<f64> {
        self.nano_rho().map(|nano| nano as f64 * 1e-9)
    }

    /// Its epsilon at this delta; `None` if it has none.
    pub fn as_epsilon(self, delta: f64) -> Option<f64> {
        match self {
            Self::Pure { .. } => self.as_pure(),
            Self::Zcdp { .. } => {
                self.as_rho().map(|rho| zcdp::epsilon(rho, delta)).filter(|epsilon| epsilon.is_finite())
            }
            Self::Unbounded => None,
        }
    }

    /// [`Price::as_epsilon`] as it is shown in tables: six digits, rounded up.
    pub fn shown(self, delta: f64) -> Option<f64> {
        self.as_epsilon(delta).map(|epsilon| {
            let unit = 10_f64.powi(epsilon.max(1e-300).log10().floor() as i32 - 5);
            // A number that misses a multiple by the last bit only is shown as that multiple.
            let shown = (epsilon / unit * (1.0 - 1e-13)).ceil() * unit;
            format!("{shown:.5e}").parse().unwrap_or(shown)
        })
    }

    fn nano_rho(self) -> Option<u64> {
        match self {
            // (m 1e-6)^2 / 2 in units of 1e-9 is m^2 / 2000.
            Self::Pure { micro_epsilon } => {
                u64::try_from((u128::from(micro_epsilon) * u128::from(micro_epsilon)).div_ceil(2000)).ok()
            }
            Self::Zcdp { nano_rho } => Some(nano_rho),
            Self::Unbounded => None,
        }
    }
}

/// Rounded up to an integer; `None` for NaN and for numbers below 0 or too large.
fn up(x: f64) -> Option<u64> {
    let up = x.ceil();
    (0.0..1.8e19).contains(&up).then_some(up as u64)
}

/// Free.
impl Default for Price {
    fn default() -> Self {
        Self::Pure { micro_epsilon: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_rounded_up_and_never_invented() {
        assert_eq!(Price::epsilon(0.1234561), Price::Pure { micro_epsilon: 123_457 });
        assert_eq!(Price::rho(1e-10), Price::Zcdp { nano_rho: 1 });
        assert_eq!(Price::pure_ratio(1, 3), Price::Pure { micro_epsilon: 333_334 });
        for none in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!((Price::epsilon(none), Price::rho(none)), (Price::Unbounded, Price::Unbounded));
        }
        assert_eq!(Price::pure_ratio(1, 0), Price::Unbounded);
    }

    #[test]
    fn a_shown_epsilon_is_rounded_up() {
        let shown = |micro_epsilon| Price::Pure { micro_epsilon }.shown(0.0).unwrap();
        assert_eq!([1_000_000, 200_000, 999_999, 0].map(shown), [1.0, 0.2, 0.999999, 0.0]);
        assert_eq!([84_000_123, 1].map(shown), [84.0002, 1e-6]);
        let rho = Price::rho(super::zcdp::rho(1.0, 1e-5) * (1.0 - 1e-7));
        assert_eq!(rho.shown(1e-5), Some(1.0), "{:?}", rho.as_epsilon(1e-5));
        assert_eq!(Price::Unbounded.shown(1e-5), None);
    }

    #[test]
    fn pure_and_concentrated_prices_compose() {
        let pure = Price::epsilon(2.0);
        let rho = Price::rho(0.5);
        assert_eq!(pure.and(rho), Price::Zcdp { nano_rho: 2_500_000_000 });
        assert_eq!(Price::default().and(rho), rho);
        assert_eq!(rho.and(Price::Unbounded), Price::Unbounded);
        assert_eq!((pure.moved_further(3), rho.moved_further(3)), (Price::epsilon(6.0), Price::rho(4.5)));
        assert_eq!(rho.as_pure(), None);
    }
}
