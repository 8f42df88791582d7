//! Which experiments nodes can run.

use dpsda::Error;
use dpsda::learner::Links;
use dpsda::privacy::Mechanism;
use dpsda::privacy::plan::{Arithmetic, Decide};
use dpsda_config::RunConfig;

/// The error for an algorithm whose learners cannot be saved.
pub(super) fn unhosted(run: &RunConfig) -> Error {
    let remedy = "nodes run dpsda-r, dpsda-c or dpsda-ps (use one of those)";
    Error::value("algorithm.name", format!("{:?}", run.spec.algorithm().name()), remedy)
}

/// Checks that nodes can run this: DPSDA-R, -C or -PS, with exact noise on a grid, and decisions from released values.
pub fn fits(run: &RunConfig) -> Result<(), Error> {
    let name = run.spec.algorithm().name();
    let averages = run.spec.style().averages();
    if !run.spec.algorithm().is_durable() {
        return Err(unhosted(run));
    }
    let mechanism = run.spec.plan().mechanism();
    let refused = |remedy: &str| Error::value("privacy.mechanism", format!("{:?}", mechanism.name()), remedy);
    if mechanism.is_ideal() {
        let exact = format!("discrete-{}", mechanism.name());
        let exact = if Mechanism::named(&exact).is_ok() { exact } else { "discrete-gaussian".into() };
        let remedy = format!(
            "idealised noise is for the simulator only: its low bits reveal the value (use {exact:?})"
        );
        return Err(refused(&remedy));
    }
    if mechanism.is_silent() {
        let remedy =
            "nothing would be protected (use e.g. \"discrete-gaussian\" with an epsilon, a delta and a clip)";
        return Err(refused(remedy));
    }
    if run.spec.plan().unit().is_none() {
        let remedy = "messages carry whole units, and the unit follows from the clip (e.g. clip = 1.0)";
        return Err(Error::missing("privacy.clip", remedy));
    }
    if run.spec.plan().decide() == Decide::Private {
        let remedy = "decisions would reveal the gradients (use decide = \"published\")";
        return Err(Error::value("privacy.decide", "\"private\"", remedy));
    }
    let net = run.spec.network();
    if averages && net.is_none_or(|net| net.links != Links::RunningSums) {
        let remedy =
            "a real network loses messages, and their mass would be lost too (use links = \"running-sums\")";
        return Err(Error::value(format!("algorithm.{name}.links"), "\"naive\"", remedy));
    }
    if averages && run.spec.plan().arithmetic() != Arithmetic::Grid {
        let remedy = "running sums on links are in whole units (use arithmetic = \"grid\")";
        return Err(Error::value("privacy.arithmetic", "\"real\"", remedy));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use dpsda::privacy::mechanism::MECHANISMS;
    use dpsda_sim::Experiment;

    use super::*;

    const SMALL: &str = r#"
rounds = 4
problem = { loss = "squared", data = "synthetic-regression", features = 4 }
set = { kind = "ball", radius = 1.0 }
network = { nodes = 2, graph = "ring" }
algorithm = { name = "dpsda-r" }
"#;

    #[test]
    fn every_mechanism_that_is_not_exact_is_refused_by_its_name() {
        for name in MECHANISMS.iter().map(|entry| entry.name) {
            let mechanism = Mechanism::named(name).unwrap();
            let noise = if mechanism.is_silent() { "" } else { ", epsilon = 1.0, delta = 1e-5, clip = 1.0" };
            let privacy = format!("privacy = {{ mechanism = {name:?}{noise} }}\n");
            let experiment = Experiment::load(&(SMALL.to_owned() + &privacy), &[], Path::new("")).unwrap();
            let said = fits(&experiment.runs[0]).map_err(|error| error.to_string());
            assert_eq!(said.is_ok(), mechanism.is_exact(), "{name}: {said:?}");
            let Err(said) = said else { continue };
            let remedy = match name {
                "laplace" => "(use \"discrete-laplace\")",
                "gaussian" => "(use \"discrete-gaussian\")",
                _ => "(use e.g. \"discrete-gaussian\"",
            };
            assert!(
                said.contains(&format!("privacy.mechanism = {name:?}")) && said.contains(remedy),
                "{said}"
            );
        }
    }
}
