//! The privacy promise of a manifest.

use dpsda::privacy::plan::Adjacency;
use dpsda_config::RunConfig;
use serde::{Deserialize, Serialize};

/// The claim of a run whose noise is not secret.
const SEEDED: &str =
    "Nothing is private: node.noise = \"seed\" draws noise that anyone with the manifest can repeat.";
/// The same claim in older stores. Those stores kept the numbers of secret noise beside it.
pub(super) const OLD_SEEDED: &str =
    "Nothing is private: node.noise = \"seed\" draws noise that whoever has the manifest can repeat.";

/// The privacy promise: clip, noise and claim, as they follow from the experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pledge {
    /// What is protected: a "round", an "example", or an "agent", which is one node's own part of a round.
    pub adjacency: String,
    /// The noise mechanism.
    pub mechanism: String,
    /// The scale of the noise, in units of the gradient.
    pub scale: f64,
    /// The gradient value that one unit on the wire stands for.
    pub unit: f64,
    /// The total epsilon of one event, if it is bounded.
    pub epsilon: Option<f64>,
    /// The delta that goes with this epsilon.
    pub delta: f64,
    /// The claim in words.
    pub claim: String,
}

impl Pledge {
    /// The promise that follows from an experiment.
    pub fn of(run: &RunConfig) -> Self {
        Self {
            adjacency: match run.spec.plan().adjacency() {
                Adjacency::Round => "round".into(),
                Adjacency::Example => "example".into(),
                Adjacency::Agent => "agent".into(),
            },
            mechanism: run.spec.plan().mechanism().name().into(),
            scale: run.spec.plan().scale(),
            unit: run.spec.plan().unit().unwrap_or(0.0),
            epsilon: run.spec.plan().epsilon(),
            delta: run.spec.plan().delta(),
            claim: run.spec.plan().claim(),
        }
    }

    /// One event, in words.
    pub fn event(&self) -> &str {
        if self.adjacency == "agent" { "agent's round" } else { &self.adjacency }
    }

    /// The same promise for noise from the public seed. Anyone with the manifest can repeat this noise, so it counts as no
    /// noise and nothing is bounded.
    #[must_use]
    pub fn seeded(self) -> Self {
        Self { scale: 0.0, epsilon: None, claim: SEEDED.into(), ..self }
    }

    /// The numbers, key by key. Older stores mark seeded noise by the claim alone and keep the numbers of secret noise.
    fn numbers(&self) -> [(&'static str, f64); 4] {
        let seeded = self.claim == OLD_SEEDED;
        [
            ("promise.scale", if seeded { 0.0 } else { self.scale }),
            ("promise.unit", self.unit),
            ("promise.epsilon", self.epsilon.filter(|_| !seeded).unwrap_or(f64::INFINITY)),
            ("promise.delta", self.delta),
        ]
    }

    /// The first key in which two promises differ, with both values. Compared are the numbers and the kind of event. The claim
    /// and the name of the mechanism are not: another version may word them differently.
    pub fn differs(&self, other: &Self) -> Option<(&'static str, String, String)> {
        if self.adjacency != other.adjacency {
            let quoted = |promise: &Self| format!("{:?}", promise.adjacency);
            return Some(("promise.adjacency", quoted(self), quoted(other)));
        }
        let shown = |x: f64| if x == f64::INFINITY { "no bound".into() } else { x.to_string() };
        let mut pairs = self.numbers().into_iter().zip(other.numbers());
        let ((key, ours), (_, theirs)) = pairs.find(|((_, a), (_, b))| !alike(*a, *b))?;
        Some((key, shown(ours), shown(theirs)))
    }
}

/// Equal up to the last digits: logarithms differ there between machines.
pub(crate) fn alike(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) && (a - b).is_finite()
}
