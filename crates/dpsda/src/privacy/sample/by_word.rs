//! Draws word by word, each decision as soon as its bits are there: the samplers of the first generator, and those for
//! scales that are too large for blocks.

mod bernoulli;
mod gaussian;
mod laplace;

pub(super) use gaussian::WordGaussian;
pub(super) use laplace::WordLaplace;
