//! Noise that knows its price.

use crate::family;
use crate::privacy::Cost;
use crate::rng::Stream;

/// The mechanism of one node. It may keep state from release to release, as correlated noise must.
pub trait Mechanism: Send {
    /// Turns the value of one release into what may be published, drawing from `stream` and nothing else.
    fn perturb(&mut self, value: &mut [f64], stream: &mut Stream);

    /// What one release costs when one event can move its value by at most `sensitivity` (L1); `None`: by any amount.
    fn cost(&self, sensitivity: Option<f64>) -> Cost;

    /// Whether it adds nothing, so that there is no privacy to speak of.
    fn is_silent(&self) -> bool {
        false
    }

    /// What stands between its price and the truth, in a few words; every claim repeats it.
    fn caveat(&self) -> Option<&'static str> {
        None
    }
}

/// What a mechanism is made for.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// The node whose releases it noises.
    pub node: usize,
    /// The scale of the noise.
    pub scale: f64,
}

/// Builds the mechanism of one node.
pub type Build = fn(Spec) -> Box<dyn Mechanism>;

family! {
    /// Every mechanism, by the name it has in `privacy.mechanism`. One that lists `level` among its keys needs it.
    MECHANISMS: Build = none, laplace
}
