//! The arithmetic of privacy: what one release costs, and what many cost together. Pure functions, no state.
//!
//! | question | answer | from |
//! |---|---|---|
//! | (eps, delta) of rho-zCDP | [`zcdp`] | Canonne, Kamath, Steinke 2020 |
//! | (eps, delta) of one Gaussian release, exactly | [`gaussian`] | Balle, Wang 2018 |
//! | `k` releases, each eps-DP, exactly | [`pure_composition`] | Kairouz, Oh, Viswanath 2015 |
//! | any mixture of the above, numerically | [`pld`] | Koskela et al. 2020; Doroshenko et al. 2022 |
//!
//! Every answer is a bound on the safe side. An epsilon or a delta is an upper bound. A rho or a mu that is granted for one is a
//! lower bound. Rounding of `f64` is included: each module states the margin it adds. Where a question makes no
//! sense (NaN, a negative scale) the answer is the safe one, an infinite epsilon, a delta of 1, a rho of 0. Nothing panics.

pub mod gaussian;
pub mod pld;
mod pure;
mod quadrature;
mod search;
pub mod zcdp;

pub use pld::Pld;
pub use pure::pure_composition;
