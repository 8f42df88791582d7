//! Portfolios: minus the logarithm of growth, on a simplex.
//!
//! ```text
//!     f_t(x) = -ln <r_t, x> + (sum x_k - 1)        x_k >= 0, sum x_k = 1
//! ```
//!
//! `x_k` is the share of wealth in asset `k`, and `r_t` has the price relatives of round `t`: the price at its end divided by the
//! price at its start. If the wealth is 1 at the start, the sum of costs is minus the logarithm of the wealth at the end. The best
//! decision in hindsight is the best constantly rebalanced portfolio.
//!
//! The term in brackets is zero on the simplex. With it, the gradient `1 - r_k/<r_t, x>` is small if all assets grow alike. Without it,
//! the gradient would be about -1 for every asset. Nodes know the newest gradients of their own assets, but not yet those of others. So
//! each would give its own assets too much, and the shares of all would sum to far more than one.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rand_distr::{Distribution, StandardNormal};

use super::by_round::ByRound;
use super::round_numbers::{Asked, COLUMNS, FileOrDrawn, RoundNumbers, check_count};
use super::{Build, CostModel, CostSequence, TableReader, UsedColumns};
use crate::catalog::{Key, Listing};
use crate::objective::Objective;
use crate::privacy::plan::Adjacency;
use crate::rng::{Purpose, Seed};
use crate::set::{ConvexSet, Simplex, simplex};
use crate::{Error, Keys};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "portfolio",
    about: "minus the logarithm of a portfolio's growth, on a simplex",
    keys: &[
        Key {
            name: "path",
            about: "a CSV file of price relatives, one row per round and one column per asset; default drawn",
        },
        COLUMNS,
        Key { name: "assets", about: "drawn prices: the number of assets; required without `path`" },
        Key {
            name: "volatility",
            about: "drawn prices: standard deviation of a round's log return; default 0.1",
        },
        Key {
            name: "drift",
            about: "drawn prices: mean log return per round of the best asset, the first; the last loses as much; default 0",
        },
    ],
    build: Build::Model(build),
};

/// Where price relatives come from.
///
/// ```
/// use dpsda::cost::{CostModel, portfolio::Portfolio};
/// use dpsda::rng::Seed;
/// // One asset doubles and halves in turn, the other is cash. Neither ever grows, but an even portfolio does.
/// let market = Portfolio::new(&[vec![2.0, 1.0], vec![0.5, 1.0]])?;
/// let both = market.draw(Seed::new(1), 2);
/// let growth = |x: &[f64]| (-2.0 * both.mean(0..2).value(x)).exp();
/// assert!((growth(&[1.0, 0.0]) - 1.0).abs() < 1e-12 && (growth(&[0.0, 1.0]) - 1.0).abs() < 1e-12);
/// assert!((growth(&[0.5, 0.5]) - 1.125).abs() < 1e-12); // 1.5 times 0.75
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Portfolio {
    relatives: RoundNumbers<Market>,
}

/// How price relatives are drawn.
#[derive(Debug, Clone, PartialEq)]
struct Market {
    volatility: f64,
    drift: f64,
}

const KEYS: FileOrDrawn = FileOrDrawn {
    role: "price relatives",
    count: "assets",
    drawn: &["volatility", "drift"],
    what: "a finite price relative above 0 (for a net return, add 1)",
    fits: relative,
};

/// A price can fall to almost nothing in one round, but not to nothing.
fn relative(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

impl Portfolio {
    /// These price relatives, by round and then by asset, all above 0.
    pub fn new(relatives: &[Vec<f64>]) -> Result<Self, Error> {
        let relatives = ByRound::new("relatives", relatives, "finite price relatives above 0", relative)?;
        Ok(Self { relatives: RoundNumbers::given(relatives) })
    }

    /// Log-normal price relatives, independent over rounds and assets. `volatility` is the standard deviation of a log return. The
    /// mean of a log return falls evenly from `drift` for the first asset to `-drift` for the last. Rebalancing pays if there is
    /// little drift and much volatility.
    pub fn drawn(assets: usize, volatility: f64, drift: f64) -> Result<Self, Error> {
        check_count("assets", assets)?;
        // Normal draws stay below 40, so that no price relative leaves the range of f64.
        if !(0.0..=10.0).contains(&volatility) {
            return Err(Error::value("volatility", volatility, "expected a number from 0 to 10"));
        }
        if drift.is_nan() || drift.abs() > 100.0 {
            return Err(Error::value("drift", drift, "expected a number from -100 to 100"));
        }
        Ok(Self { relatives: RoundNumbers::Drawn(assets, Market { volatility, drift }) })
    }
}

fn build(keys: &Keys<'_>, read: &TableReader<'_>) -> Result<Box<dyn CostModel>, Error> {
    let (volatility, drift) = (keys.f64("volatility")?.unwrap_or(0.1), keys.f64("drift")?.unwrap_or(0.0));
    Ok(Box::new(match KEYS.read(keys, read)? {
        Asked::File(relatives) => Portfolio { relatives: RoundNumbers::given(relatives) },
        Asked::Drawn(assets) => {
            Portfolio::drawn(assets, volatility, drift).map_err(|error| keys.locate(error))?
        }
    }))
}

impl CostModel for Portfolio {
    fn dim(&self) -> usize {
        self.relatives.width()
    }

    fn rounds(&self) -> Option<u64> {
        self.relatives.rounds()
    }

    fn draw(&self, seed: Seed, rounds: u64) -> Arc<dyn CostSequence> {
        let assets = self.relatives.width();
        let last = assets.saturating_sub(1).max(1) as f64;
        let relatives = self.relatives.of_trial(rounds, |Market { volatility, drift }, t, relatives| {
            let mut stream = seed.stream(Purpose::Data, 0, t);
            relatives.extend((0..assets).map(|k| {
                let normal: f64 = StandardNormal.sample(&mut stream);
                (drift * (1.0 - 2.0 * k as f64 / last) + volatility * normal).exp()
            }));
        });
        Arc::new(PriceRelatives { relatives })
    }

    fn columns(&self) -> Vec<UsedColumns> {
        self.relatives.columns()
    }

    fn drawn(&self) -> usize {
        self.relatives.drawn()
    }

    fn warnings(&self, _: Adjacency) -> Vec<String> {
        let RoundNumbers::Given(relatives) = &self.relatives else { return Vec::new() };
        let (what, remedy) = match relatives.average() {
            mean if mean < 0.5 => ("near 0, so they look like net returns", "add 1 to each number"),
            mean if mean > 2.0 => (
                "far above 1, so they look like prices",
                "divide each price by the price of the round before",
            ),
            _ => return Vec::new(),
        };
        vec![format!("path: the mean of all numbers is {what} ({remedy})")]
    }

    fn set(&self) -> Option<Arc<dyn ConvexSet>> {
        Some(Arc::new(Simplex::default()))
    }

    fn set_kind(&self) -> Option<&'static str> {
        Some("simplex")
    }
}

/// The price relatives of one trial.
struct PriceRelatives {
    relatives: Arc<ByRound>,
}

impl CostSequence for PriceRelatives {
    fn dim(&self) -> usize {
        self.relatives.width()
    }

    fn rounds(&self) -> u64 {
        self.relatives.rounds()
    }

    fn cost(&self, t: u64) -> Option<Box<dyn Objective + '_>> {
        self.relatives.at(t)?;
        Some(self.mean(t..t + 1))
    }

    fn mean(&self, rounds: Range<u64>) -> Box<dyn Objective + '_> {
        Box::new(LogGrowth { relatives: &self.relatives, rounds })
    }
}

/// The mean of `-ln <r_t, x> + (sum x - 1)` over some rounds.
struct LogGrowth<'a> {
    relatives: &'a ByRound,
    rounds: Range<u64>,
}

impl<'a> LogGrowth<'a> {
    fn rows(&self) -> std::slice::ChunksExact<'a, f64> {
        self.relatives.rows(self.rounds.clone())
    }
}

/// `<r, x>`
fn growth(r: &[f64], x: &[f64]) -> f64 {
    r.iter().zip(x).map(|(r, x)| r * x).sum()
}

impl Objective for LogGrowth<'_> {
    fn dim(&self) -> usize {
        self.relatives.width()
    }

    /// Infinite if the growth is 0 or less, which can happen outside of the simplex only.
    fn value(&self, x: &[f64]) -> f64 {
        let (count, beyond) = (self.rows().len().max(1) as f64, x.iter().sum::<f64>() - 1.0);
        let cost = |r: &[f64]| match growth(r, x) {
            growth if growth <= 0.0 => f64::INFINITY,
            growth => beyond - growth.ln(),
        };
        self.rows().map(cost).sum::<f64>() / count
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let count = self.rows().len().max(1) as f64;
        g.fill(0.0);
        for r in self.rows() {
            // At a growth of 0 or less, use the gradient for a tiny growth: it is finite and points back to the simplex.
            let growth = growth(r, x).max(f64::MIN_POSITIVE.sqrt());
            g.iter_mut().zip(&r[block.clone()]).for_each(|(g, r)| *g += (1.0 - r / growth) / count);
        }
    }

    fn enacted<'x>(&self, x: &'x [f64]) -> Cow<'x, [f64]> {
        simplex::shares(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `E ln(mean of n) > mean of E ln`: with volatility 0.5 and no drift an even portfolio grows, and single assets do not.
    #[test]
    fn rebalancing_pays_in_the_drawn_market() {
        let market = Portfolio::drawn(4, 0.5, 0.0).unwrap().draw(Seed::new(1), 20_000);
        let mean = market.mean(0..20_000);
        assert!(mean.value(&[0.25; 4]) < -0.07, "{}", mean.value(&[0.25; 4]));
        assert!(mean.value(&[1.0, 0.0, 0.0, 0.0]).abs() < 0.02);
    }

    #[test]
    fn a_lost_fortune_costs_infinitely_much_and_its_gradient_points_back() {
        let market = Portfolio::new(&[vec![1.0, 0.5]]).unwrap().draw(Seed::new(1), 1);
        let (cost, mut g) = (market.cost(0).unwrap(), [0.0; 2]);
        assert_eq!(cost.value(&[-1.0, 0.0]), f64::INFINITY);
        cost.partial(&[0.0, 0.0], 0..2, &mut g);
        assert!(g.iter().all(|g| *g < 0.0 && g.is_finite()), "{g:?}");
        assert_eq!(*cost.enacted(&[-1.0, 0.0]), [0.5, 0.5]);
    }

    #[test]
    fn numbers_that_are_no_price_relatives_are_named_for_what_they_look_like() {
        let warned = |row: [f64; 2]| {
            let rows =
                RoundNumbers::given(ByRound::new("path", &[row.to_vec()], "numbers", relative).unwrap());
            Portfolio { relatives: rows }.warnings(Adjacency::Round)
        };
        assert!(warned([0.97, 1.02]).is_empty());
        assert!(warned([0.02, 0.01])[0].contains("net returns (add 1 to each number)"));
        assert!(
            warned([102.0, 35.5])[0].contains("prices (divide each price by the price of the round before)")
        );
    }

    #[test]
    fn wrong_markets_are_refused_by_name() {
        for (error, words) in [
            (
                Portfolio::new(&[vec![1.0, 0.0]]).unwrap_err(),
                "relatives[0][1] = 0: expected finite price relatives",
            ),
            (Portfolio::drawn(0, 0.1, 0.0).unwrap_err(), "assets = 0: expected at least 1 and at most"),
            (
                Portfolio::drawn(2, -0.1, 0.0).unwrap_err(),
                "volatility = -0.1: expected a number from 0 to 10",
            ),
            (
                Portfolio::drawn(2, 0.1, f64::NAN).unwrap_err(),
                "drift = NaN: expected a number from -100 to 100",
            ),
        ] {
            assert!(error.to_string().starts_with(words), "{error}");
        }
    }
}
