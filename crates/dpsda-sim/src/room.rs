//! The memory that runs take. A run that does not fit is refused before it starts.

use dpsda::Error;
use dpsda::learner::Links;
use dpsda::spec::Network;
use dpsda_config::RunConfig;

use crate::experiment::POINTS;

/// The most memory that the results of all trials may take; they are kept until the end.
const MAX_BYTES: u128 = 8 << 30;

/// Refuses runs that would not fit.
pub(crate) fn results_fit(runs: &[RunConfig]) -> Result<(), Error> {
    for run in runs {
        let (nodes, dim) = (run.spec.blocks().nodes(), run.spec.blocks().dim());
        let bytes = run.spec.memory() + 128 * dim as u128;
        if bytes > MAX_BYTES {
            let gib = bytes >> 30;
            let remedy = format!(
                "what the nodes know of all {dim} coordinates takes {gib} GiB together (use fewer nodes or coordinates)"
            );
            return Err(Error::value("network.nodes", nodes, remedy));
        }
        let (late, flying) =
            run.spec.network().map_or((0, 0), |net| (net.transit.longest(), under_way(net, dim)));
        if flying > MAX_BYTES {
            let remedy = format!(
                "messages in transit would take {} GiB (use a shorter delay, fewer nodes or fewer links)",
                flying >> 30
            );
            return Err(Error::value("network.delay", format!("up to {late} rounds"), remedy));
        }
    }
    let trial = |run: &RunConfig| {
        let rounds = run.split.rounds;
        let points = (2 * POINTS).min(rounds) * 64;
        let models = if run.spec.style().splits_costs() { run.spec.blocks().nodes() as u64 } else { 1 };
        let decisions = if run.record_decisions { rounds } else { 0 } + 2 * models;
        1024 + u128::from(points) + 8 * u128::from(decisions) * run.spec.blocks().dim() as u128
    };
    let bytes: u128 = runs.iter().map(|c| u128::from(c.trials) * trial(c)).sum();
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let trials = runs.iter().map(|c| c.trials).max().unwrap_or(0);
    let (gib, most) = (bytes >> 30, (u128::from(trials) * MAX_BYTES / bytes).max(1));
    let remedy =
        format!("the results of all trials would take {gib} GiB (use at most {most}, or record less)");
    Err(Error::value("trials", trials, remedy))
}

/// The approximate memory of messages in transit and of the running sums of links, for decisions of `dim` coordinates.
fn under_way(net: &Network, dim: usize) -> u128 {
    if net.transit.is_prompt() && net.links == Links::Naive {
        return 0;
    }
    let (nodes, links) = (net.topology.nodes() as u128, net.topology.graph(0).links().count() as u128);
    let vector = 8 * dim as u128;
    let rounds = u128::from(net.transit.longest()) + 1;
    match (net.weights.is_some(), net.links) {
        (false, _) => rounds * (16 * nodes * nodes + vector), // copies are shared, the tables of who has which are not
        (true, Links::Naive) => rounds * nodes * vector,
        (true, Links::RunningSums) => (rounds + 2) * links * vector, // and the sums at both ends
    }
}
