//! What baselines make of a file that was written for others too.

use crate::catalog::{Listing, find};
use crate::learner::{ALGORITHMS, Algorithm, Costs, Network, Noises};
use crate::network::cycle::Cycle;
use crate::network::transit::Transit;
use crate::network::{Graph, Topology};
use crate::objective::two_point::Feedback;
use crate::privacy::mechanism::MECHANISMS;
use crate::privacy::plan::{Arithmetic, Budget, Decide, Noise, Wish};
use crate::{Error, Keys};

/// A period longer than this is not looked through.
const MAX_PERIOD: u64 = 100_000;

/// The wish and the label as they hold for this algorithm. One that never noises is the noise-free reference of any file: it
/// passes over everything but a budget, and its claim says that nothing is protected. One that noises its messages takes a
/// level and refuses what would promise more.
pub(super) fn adapt(
    keys: &Keys<'_>,
    algorithm: &Listing<Algorithm>,
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
pub(super) fn prompt(
    keys: &Keys<'_>,
    algorithm: &Listing<Algorithm>,
    transit: &Transit,
) -> Result<(), Error> {
    if algorithm.build.costs == Costs::Shared || transit.is_prompt() {
        return Ok(());
    }
    let able = able(|kind| kind.network != Network::None);
    let name = algorithm.name;
    Err(if transit.delay.is_some() {
        keys.bad(
            "delay",
            format!("{name} has no answer to late messages (remove network.delay, or use {able})"),
        )
    } else {
        let remedy = format!(
            "{name} has no answer to messages that vanish unnoticed (remove network.loss or its `known = false`, or use {able})"
        );
        keys.bad("loss", remedy)
    })
}

/// Those with one decision and shared costs for which `is` holds.
fn able(is: fn(&Algorithm) -> bool) -> String {
    let able = ALGORITHMS.iter().filter(|a| a.build.costs == Costs::Shared && is(&a.build));
    able.map(|a| a.name).collect::<Vec<_>>().join(" or ")
}

/// Baselines are told gradients.
pub(super) fn told(keys: &Keys<'_>, algorithm: &Listing<Algorithm>, feedback: Feedback) -> Result<(), Error> {
    if algorithm.build.costs == Costs::Shared || feedback == Feedback::Gradient {
        return Ok(());
    }
    let (name, able) = (algorithm.name, able(|_| true));
    Err(keys
        .bad("feedback", format!("{name} learns from gradients (remove problem.feedback, or use {able})")))
}

/// What stands in the file, does not stop a baseline, and is not for it.
pub(super) fn warnings(
    set: &Keys<'_>,
    privacy: &Keys<'_>,
    algorithm: &Listing<Algorithm>,
    record: &[&str],
) -> Vec<String> {
    let (name, kind) = (algorithm.name, &algorithm.build);
    let mut warnings = Vec::new();
    if !kind.keeps_to_set && !matches!(set.str("kind"), Ok(Some("free"))) {
        warnings.push(format!(
            "algorithm.name = {name:?}: it knows no set and runs unconstrained, beside a best decision that lies in the set; \
             violation_max says how far outside it was (use set.kind = \"free\" to compare it on its own ground)"
        ));
    }
    if kind.noises == Noises::Nothing && privacy.holds("epsilon") {
        warnings.push(format!(
            "privacy.epsilon: {name} never noises; it runs once, as the noise-free reference, and nothing is protected"
        ));
    }
    if kind.costs == Costs::Split && record.contains(&"bounds") {
        warnings
            .push(format!("record = [\"bounds\"]: no bound is known for {name}, and its series have none"));
    }
    warnings
}

/// The links of all rounds of a period, in every round.
pub(super) fn union(
    keys: &Keys<'_>,
    name: &str,
    topology: &dyn Topology,
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
    Ok(Box::new(Cycle::fixed(Graph::of(topology.nodes(), links))))
}
