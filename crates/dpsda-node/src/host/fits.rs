//! Which experiments nodes can run.

use dpsda::Error;
use dpsda::learner::Links;
use dpsda::privacy::plan::{Arithmetic, Decide};
use dpsda_config::RunConfig;

/// The error for an algorithm whose learners cannot be saved.
pub(super) fn unhosted(cell: &RunConfig) -> Error {
    let remedy = "nodes run dpsda-r, dpsda-c or dpsda-ps (use one of those)";
    Error::value("algorithm.name", format!("{:?}", cell.spec.algorithm().name()), remedy)
}

/// Checks that nodes can run this: DPSDA-R, -C or -PS, with exact noise on a grid, and decisions from released values.
pub fn fits(cell: &RunConfig) -> Result<(), Error> {
    let name = cell.spec.algorithm().name();
    let averages = cell.spec.style().averages();
    if !cell.spec.algorithm().is_durable() {
        return Err(unhosted(cell));
    }
    if ["laplace", "gaussian"].contains(&cell.spec.plan().mechanism().name()) {
        let remedy = format!(
            "idealised noise is for the simulator only: its low bits reveal the value (use \"discrete-{}\")",
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
        let remedy = "messages carry whole units, and the unit follows from the clip (e.g. clip = 1.0)";
        return Err(Error::missing("privacy.clip", remedy));
    }
    if cell.spec.plan().decide() == Decide::Private {
        let remedy = "decisions would reveal the gradients (use decide = \"published\")";
        return Err(Error::value("privacy.decide", "\"private\"", remedy));
    }
    let net = cell.spec.network();
    if averages && net.is_none_or(|net| net.links != Links::RunningSums) {
        let remedy =
            "a real network loses messages, and their mass would be lost too (use links = \"running-sums\")";
        return Err(Error::value(format!("algorithm.{name}.links"), "\"naive\"", remedy));
    }
    if averages && cell.spec.plan().arithmetic() != Arithmetic::Grid {
        let remedy = "running sums on links are in whole units (use arithmetic = \"grid\")";
        return Err(Error::value("privacy.arithmetic", "\"real\"", remedy));
    }
    Ok(())
}
