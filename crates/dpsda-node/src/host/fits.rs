//! Which experiments hosts can run.

use dpsda::Error;
use dpsda::learner::Links;
use dpsda::privacy::plan::{Arithmetic, Decide};
use dpsda_config::RunConfig;

/// An algorithm whose learners no host can save.
pub(super) fn unhosted(cell: &RunConfig) -> Error {
    let remedy = "nodes run dpsda-r, dpsda-c or dpsda-ps (use one of those)";
    Error::value("algorithm.name", format!("{:?}", cell.spec.algorithm().name()), remedy)
}

/// Whether hosts can run this: DPSDA-R, -C or -PS, with noise that is exact and on a grid, and decisions from what is released.
pub fn fits(cell: &RunConfig) -> Result<(), Error> {
    let name = cell.spec.algorithm().name();
    let averages = cell.spec.style().averages();
    if !cell.spec.algorithm().is_durable() {
        return Err(unhosted(cell));
    }
    if ["laplace", "gaussian"].contains(&cell.spec.plan().mechanism().name()) {
        let remedy = format!(
            "idealised noise, for the simulator only: its low bits tell the value (use \"discrete-{}\")",
            cell.spec.plan().mechanism().name()
        );
        return Err(Error::value(
            "privacy.mechanism",
            format!("{:?}", cell.spec.plan().mechanism().name()),
            remedy,
        ));
    }
    if cell.spec.plan().mechanism().name() == "none" {
        let remedy =
            "nothing would be protected (use e.g. \"discrete-gaussian\" with an epsilon, a delta and a clip)";
        return Err(Error::value("privacy.mechanism", "\"none\"", remedy));
    }
    if cell.spec.plan().unit().is_none() {
        let remedy = "whole units go over the wire, and without a clip there is no unit (e.g. clip = 1.0)";
        return Err(Error::missing("privacy.clip", remedy));
    }
    if cell.spec.plan().decide() == Decide::Private {
        let remedy = "decisions would tell the gradients (use decide = \"published\")";
        return Err(Error::value("privacy.decide", "\"private\"", remedy));
    }
    let net = cell.spec.network();
    if averages && net.is_none_or(|net| net.links != Links::RunningSums) {
        let remedy = "a real network loses messages, and mass with them (use links = \"running-sums\")";
        return Err(Error::value(format!("algorithm.{name}.links"), "\"naive\"", remedy));
    }
    if averages && cell.spec.plan().arithmetic() != Arithmetic::Grid {
        let remedy = "sums over a link are whole units (use arithmetic = \"grid\")";
        return Err(Error::value("privacy.arithmetic", "\"real\"", remedy));
    }
    Ok(())
}
