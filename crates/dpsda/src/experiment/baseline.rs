//! What baselines make of a file that was written for others too.

use crate::catalog::{Entry, find};
use crate::learner::{Algorithm, Costs, Noises};
use crate::network::cycle::Cycle;
use crate::network::transit::Transit;
use crate::network::{Graph, Topology};
use crate::objective::two_point::Feedback;
use crate::privacy::mechanism::MECHANISMS;
use crate::privacy::plan::{Arithmetic, Budget, Decide, Noise, Wish};
use crate::{Error, Keys};

/// A period longer than this is not looked through.
const MAX_PERIOD: u64 = 100_000;

/// The wish and the label as they hold for this algorithm. One that never noises is a reference for any file and passes
/// over everything but a budget; one that noises its messages takes a level and refuses what would promise more.
pub(super) fn adapt(
    keys: &Keys<'_>,
    algorithm: &Entry<Algorithm>,
    wish: Wish,
    level: Option<f64>,
) -> Result<(Wish, Option<f64>), Error> {
    let kind = &algorithm.build;
    let sent = kind.costs == Costs::Split;
    match kind.noises {
        Noises::Gradients => Ok((wish, level)),
        Noises::Nothing => {
            if wish.budget != Budget::default() {
                let name = algorithm.name;
                return Err(keys.bad(
                    "budget",
                    format!("{name} never noises, and no budget holds (remove one of the two)"),
                ));
            }
            let silent = Wish::level(find(MECHANISMS, "privacy.mechanism", "none")?, 1.0);
            let noise = if sent { Noise::Sent } else { wish.noise };
            Ok((Wish { noise, decide: wish.decide, ..silent }, None))
        }
        Noises::Messages => {
            let asked =
                if keys.str("arithmetic")? == Some("grid") { Arithmetic::Grid } else { Arithmetic::Real };
            let arithmetic = if wish.is_silent() { Arithmetic::Real } else { asked };
            Ok((Wish { noise: Noise::Sent, decide: Decide::Private, arithmetic, ..wish }, level))
        }
    }
}

/// Baselines hear every message in the round it is sent in.
pub(super) fn prompt(keys: &Keys<'_>, algorithm: &Entry<Algorithm>, transit: &Transit) -> Result<(), Error> {
    if algorithm.build.costs == Costs::Shared || transit.is_prompt() {
        return Ok(());
    }
    let remedy = format!(
        "messages that come late or vanish unnoticed are for dpsda-c, dpsda-ps and dpsda-r; {} has no answer to them (run it from \
         a file of its own)",
        algorithm.name
    );
    Err(keys.bad(if transit.delay.is_some() { "delay" } else { "loss" }, remedy))
}

/// Baselines are told gradients.
pub(super) fn told(keys: &Keys<'_>, algorithm: &Entry<Algorithm>, feedback: Feedback) -> Result<(), Error> {
    if algorithm.build.costs == Costs::Shared || feedback == Feedback::Gradient {
        return Ok(());
    }
    let name = algorithm.name;
    Err(keys.bad(
        "feedback",
        format!("{name} learns from gradients (use \"gradient\", or run it from a file of its own)"),
    ))
}

/// An algorithm that knows no set is told of one.
pub(super) fn warnings(set: &Keys<'_>, algorithm: &Entry<Algorithm>) -> Vec<String> {
    if algorithm.build.keeps_to_set || matches!(set.str("kind"), Ok(Some("free"))) {
        return Vec::new();
    }
    vec![format!(
        "algorithm.name = {:?}: it knows no set and runs unconstrained, beside a best decision that lies in the set; \
         violation_max says how far outside it was (use set.kind = \"free\" to compare it on its own ground)",
        algorithm.name
    )]
}

/// The links of all rounds of a period, in every round.
pub(super) fn union(
    keys: &Keys<'_>,
    name: &str,
    topology: &dyn Topology,
    directed: bool,
) -> Result<Box<dyn Topology>, Error> {
    if keys.holds("loss") {
        return Err(keys.bad(
            "loss",
            format!("{name} needs links that are always there (remove it, or use another algorithm)"),
        ));
    }
    let period = topology.period().filter(|period| *period <= MAX_PERIOD);
    let Some(period) = period else {
        let remedy = format!(
            "{name} runs on one fixed graph, the union of all rounds of a period, and this one has no period of at most {MAX_PERIOD} \
             rounds (use a graph that repeats, or another algorithm)"
        );
        return Err(keys.bad("graph", remedy));
    };
    let links = (0..period).flat_map(|t| topology.graph(t).links().collect::<Vec<_>>());
    Ok(Box::new(Cycle::fixed(Graph::of(topology.nodes(), links), directed)))
}
