//! One agent's own part of a round: what is clipped and noised, and what is public.
//!
//! With `adjacency = "agent"` an event is one node's own data in one round. The cost says which part of a gradient depends on
//! them ([`Objective::agent`]). The rest depends on public data and on the point at which the gradient is taken. Node `i`
//! releases
//!
//! ```text
//! v_i(t) = clip(quantise(own_i)) + noise_i(t) + quantise(public_i)
//! ```
//!
//! **Proposition.** Replace node `i`'s own data of round `t0`. The likelihood ratio of all releases of all nodes over the whole
//! run is that of node `i`'s noise around a value that moves by at most `2C`, where `C` is the whole clip. So the price of an
//! event is the price of its own node. Over all nodes it is the maximum, not the sum.
//!
//! **Proof.** The law of the releases is a product of kernels `K_t(V_t | V_{<t}, f_t)`, and for `t != t0` they are the same
//! functions of `V_{<t}` in both worlds (`docs/privacy.md`). Given `V_{<t0}`, nodes release independently in round `t0`. The
//! release of a node `j != i` is a function of `y_j(t0)`, which is a function of `V_{<t0}`, of public data, of node `j`'s own
//! data and of its noise. None of these differs, so its factor cancels. At node `i` the public part is the same vector of
//! integers in both worlds, a function of `V_{<t0}` and public data; the bound on its coordinates is too. An observer who knows
//! `V_{<t0}` and the public data can subtract it, so the ratio is that of `clip(quantise(own_i)) + noise_i`. Both clipped values
//! have norm at most `C` (`clip.rs`), so they are at most `2C` apart. For noise that is correlated over time, subtract the public
//! parts round by round: what is left is the sequence that the proofs of `tree` and `toeplitz` are about. ∎
//!
//! The proof trusts the cost. A cost that writes private data to the public part publishes them. If the own part of node `j` depends
//! on data of node `i` too, one event moves several releases, and the price is the sum over these.

use std::ops::Range;

use crate::objective::Objective;

/// The own part of the gradient, with its error, and the public part. Both are zero if the cost has no such parts. (Fleets refuse
/// such a cost before any node learns.)
pub(super) fn parts(
    f: &dyn Objective,
    y: &[f64],
    block: Range<usize>,
    error: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let (mut own, mut public) = (vec![0.0; block.len()], vec![0.0; block.len()]);
    if !f.agent(y, block, &mut own, &mut public) {
        return (vec![0.0; own.len()], vec![0.0; own.len()]);
    }
    own.iter_mut().zip(error).for_each(|(g, e)| *g += e);
    (own, public)
}
