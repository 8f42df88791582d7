//! DPPS, private dual averaging with push-sum (Han, Liu, Lin and Xia 2021): DODA over directed links, duals noised.
//!
//! | in round t | |
//! |---|---|
//! | commit | `x_i(t)`; `x_i(0) = Pi(0, 1)` |
//! | learn | `g_i` of `f_{i,t}` at `x_i(t)` |
//! | send | `z_i(t) + eta_i(t)` and `w_i(t)`; `z_i(0) = 0`, `w_i(0) = 1` |
//! | mix | `z_i(t+1) = sum_j A_ij (z_j + eta_j) + g_i`, `w_i(t+1) = sum_j A_ij w_j`, `x_i(t+1) = Pi(z_i/w_i, alpha(t))` |

use super::doda::DualAverager;
use super::{Algorithm, Build, Facts, Mixes};
use crate::catalog::Listing;

/// DPPS: DODA over directed links, duals noised.
///
/// ```
/// use dpsda::learner::{Algorithm, dpps::Dpps};
/// assert_eq!(Algorithm::from(Dpps).name(), "dpps");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dpps;

const FACTS: Facts = Facts::model(Some(Mixes::Columns("push-sum")));

impl From<Dpps> for Algorithm {
    fn from(Dpps: Dpps) -> Self {
        Self::bare(LISTING.name, FACTS, DualAverager::new)
    }
}

/// `dpps`
pub const LISTING: Listing<Build> = Listing {
    name: "dpps",
    about: "baseline, own samples per node: DPPS, noised duals pushed along directed links (Han 2021)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(Dpps.into()) },
};
