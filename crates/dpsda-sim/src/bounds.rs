//! The theory's bounds for the runs of an experiment, and the values measured beside them.

use dpsda::bounds::printed::Printed;
use dpsda::bounds::spread::{Certified, NoLag, Products, Relayed, Spread};
use dpsda::bounds::{BoundPoint, Constants, Missing, Perturbation, Promise, SignalMoments};
use dpsda::cost::CostSequence;
use dpsda::fleet::Fleet;
use dpsda::learner::{Links, Rule};
use dpsda::metric::{Observers, consensus_error, regret_bound, theorem1};
use dpsda::network::certificate::Certificate;
use dpsda::objective::two_point::Feedback;
use dpsda::spec::Network;
use dpsda_config::RunConfig;
use serde_json::{Value, json};

use crate::Experiment;
use crate::check::json_number;

mod measured;

/// The bounds of one run at its last round; regret is per round.
pub struct RunBounds {
    /// The index of the run.
    pub run: usize,
    /// L, G, C, D over the data of the first trial.
    pub constants: Constants,
    /// The paper's formulas, for the algorithms of the paper.
    pub printed: Option<AsPrinted>,
    /// Proved, from the certificate's constants and the largest possible gradients.
    pub certified: Result<BoundPoint, Missing>,
    /// Proved, with the actual contraction or staleness of the graphs.
    pub real: Result<BoundPoint, Missing>,
    /// `L D'`: holds for any decisions that are assembled from blocks of the set; infinite for an algorithm that leaves the set.
    pub trivial: f64,
}

/// The paper's printed values for a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AsPrinted {
    /// (15)
    pub sensitivity: f64,
    /// `M/sqrt(T)` of Theorem 3 or 5, if it is finite.
    pub regret: Option<f64>,
    /// An assumption of the theorem that does not hold for this run. The general gaps of its proof are not meant.
    pub broken: Option<Missing>,
}

/// The bounds of every run, from the data of the first trial.
pub fn rows(experiment: &Experiment) -> Vec<RunBounds> {
    let (problems, of_run) = experiment.problems();
    let constants: Vec<Constants> =
        problems.iter().map(|&c| constants(&experiment.runs[c], &*experiment.costs(c, 0))).collect();
    let mut certificates: Vec<(String, u64, Certificate)> = Vec::new();
    let row = |(c, run): (usize, &RunConfig)| {
        let (constants, rounds) = (constants[of_run[c]].clone(), experiment.rounds(c));
        let certificate = run.network().map(|(label, network)| {
            let known = certificates.iter().find(|(id, t, _)| *id == label.identity && *t == rounds);
            known.map(|(_, _, certificate)| certificate.clone()).unwrap_or_else(|| {
                let found = network.certificate(rounds);
                certificates.push((label.identity.clone(), rounds, found.clone()));
                found
            })
        });
        one(c, run, constants, certificate.as_ref(), rounds)
    };
    experiment.runs.iter().enumerate().map(row).collect()
}

fn one(
    c: usize,
    run: &RunConfig,
    constants: Constants,
    certificate: Option<&Certificate>,
    rounds: u64,
) -> RunBounds {
    let promise = promise(run, constants.clone());
    let last = |spread: Result<Box<dyn Spread + Send + '_>, Missing>| {
        let points = promise.as_ref().map_err(|m| *m)?.curve(spread?, &[rounds])?;
        points.last().copied().ok_or(Missing::Algorithm)
    };
    let signal = promise.as_ref().ok().map(|p| &p.signal);
    let certified = last(certified(run, certificate, signal, rounds));
    let real = last(real(run, signal));
    let printed = promise.as_ref().ok().filter(|p| p.averages).and_then(|promise| {
        let largest = run.spec.blocks().sizes().into_iter().max().unwrap_or(1);
        let Perturbation::Fresh { variance, .. } = promise.signal.noise else { return None };
        let printed = Printed {
            nodes: run.spec.blocks().nodes(),
            dim: run.spec.blocks().dim(),
            square: constants.gradient.powi(2) + run.problem.gradient_error * largest as f64,
            variance,
            psi: constants.psi,
            gradient: constants.gradient,
            smoothness: constants.smoothness,
            diameter: constants.diameter,
            step: promise.step.c,
        };
        let m = certificate.and_then(|certificate| printed.m(certificate, true)).filter(|m| m.is_finite());
        let regret = m.map(|m| m / (rounds as f64).sqrt());
        let broken = certificate.and_then(|certificate| broken(run, certificate));
        Some(AsPrinted { sensitivity: printed.sensitivity(largest), regret, broken })
    });
    let inside = run.spec.algorithm().facts().keeps_to_set;
    let trivial = if inside { constants.gradient * constants.reach } else { f64::INFINITY };
    RunBounds { run: c, constants, printed, certified, real, trivial }
}

/// The first assumption of Theorems 3 and 5 that this network breaks: mixing keeps the mean dual (Lemma 2), messages arrive in
/// their round, and every node is reached (section 2.1; the paper does not state it for DPSDA-C, which needs it too).
fn broken(run: &RunConfig, certificate: &Certificate) -> Option<Missing> {
    let kept = certificate.mixing.as_ref().is_none_or(|mixing| mixing.columns.is_one());
    let connected = certificate.connectivity.window().is_some();
    [(kept, Missing::Columns), (prompt(run), Missing::Transit), (connected, Missing::Disconnected)]
        .into_iter()
        .find_map(|(holds, missing)| (!holds).then_some(missing))
}

/// The constants of a trial. They are only known for losses of samples.
fn constants(run: &RunConfig, costs: &dyn CostSequence) -> Constants {
    let all = costs.mean(0..run.split.rounds);
    // Data, set and blocks were checked against each other when the experiment was loaded. If they did not fit, there would be
    // no bound.
    let known = all
        .linear()
        .and_then(|all| Constants::of(all, run.problem.batch(), run.spec.set(), run.spec.blocks()).ok());
    known.unwrap_or_else(|| Constants::unbounded(run.spec.blocks()))
}

fn promise(run: &RunConfig, constants: Constants) -> Result<Promise, Missing> {
    if run.spec.step().rule == Rule::Auto {
        return Err(Missing::Steps);
    }
    // Theorem A is about one decision, and about steps that all coordinates share.
    if run.spec.step().rule == Rule::Coordinate || run.spec.style().splits_costs() {
        return Err(Missing::Algorithm);
    }
    if run.problem.model().is_some() {
        return Err(Missing::Cost);
    }
    if run.problem.feedback != Feedback::Gradient {
        return Err(Missing::Feedback);
    }
    let signal = SignalMoments::of(&constants, run.spec.plan(), run.problem.gradient_error)?;
    Ok(Promise { constants, signal, step: run.spec.step(), averages: run.spec.style().averages() })
}

/// The spread from the certificate, by the analysis that covers the algorithm.
fn certified<'a>(
    run: &'a RunConfig,
    certificate: Option<&Certificate>,
    signal: Option<&SignalMoments>,
    rounds: u64,
) -> Result<Box<dyn Spread + Send + 'a>, Missing> {
    let sizes = run.spec.blocks().sizes();
    match (certificate, signal) {
        _ if run.spec.style().is_central() => Ok(Box::new(NoLag)),
        (Some(certificate), _) if certificate.rounds < rounds => Err(Missing::Work),
        _ if run.spec.style().averages() && !prompt(run) => Err(Missing::Transit),
        (Some(certificate), Some(signal)) if run.spec.style().averages() => {
            Ok(Box::new(Certified::mixing(certificate, signal, &sizes)?))
        }
        (Some(certificate), _) if run.spec.style().relays() => {
            Ok(Box::new(Certified::relay(certificate, run.spec.blocks().dim())?))
        }
        _ => Err(Missing::Algorithm),
    }
}

/// The spread from the graphs of the run themselves.
fn real<'a>(
    run: &'a RunConfig,
    signal: Option<&SignalMoments>,
) -> Result<Box<dyn Spread + Send + 'a>, Missing> {
    let sizes = run.spec.blocks().sizes();
    match (run.spec.network(), signal) {
        _ if run.spec.style().is_central() => Ok(Box::new(NoLag)),
        _ if run.spec.style().averages() && !prompt(run) => Err(Missing::Transit),
        (Some(Network { topology, weights: Some(weights), .. }), Some(signal))
            if run.spec.style().averages() =>
        {
            Ok(Box::new(Products::new(&**topology, &**weights, signal, &sizes)))
        }
        (Some(Network { topology, transit, .. }), _) if run.spec.style().relays() => {
            Ok(Box::new(Relayed::new(&**topology, transit, &sizes)))
        }
        _ => Err(Missing::Algorithm),
    }
}

/// Whether every message arrives in its round, and nodes rely on that.
fn prompt(run: &RunConfig) -> bool {
    run.spec.network().is_none_or(|net| net.transit.is_prompt() && net.links == Links::Naive)
}

/// Adds the observers of `record = ["bounds"]` to a trial.
pub(crate) fn observe<'a>(
    run: &'a RunConfig,
    costs: &dyn CostSequence,
    fleet: &dyn Fleet,
    observers: &mut Observers<'a>,
) {
    let constants = constants(run, costs);
    let along = promise(run, constants.clone()).and_then(|promise| {
        let spread = real(run, Some(&promise.signal))?;
        let longest = promise.signal.square.sqrt();
        Ok((promise.tally(spread)?, longest))
    });
    if let Ok((tally, longest)) = along {
        let bound = measured::Promised::new(run, tally, constants.gradient, longest);
        observers.add(&regret_bound::LISTING, Box::new(bound));
    }
    if (0..fleet.learners()).all(|i| fleet.dual(i).is_some()) {
        observers.add(&theorem1::LISTING, Box::new(measured::Theorem::new(run, constants)));
        if fleet.learners() > 1 {
            observers.add(&consensus_error::LISTING, Box::new(measured::Consensus::new(run)));
        }
    }
}

/// For `check --json`.
pub fn rows_json(rows: &[RunBounds]) -> Value {
    let point = |point: &Result<BoundPoint, Missing>, rounds: f64| match point {
        Ok(p) => {
            json!({ "regret_per_round": json_number(p.regret / rounds), "consensus": json_number(p.consensus) })
        }
        Err(missing) => json!({ "missing": missing.to_string() }),
    };
    let row = |row: &RunBounds| {
        let c = &row.constants;
        let rounds =
            [&row.certified, &row.real].into_iter().find_map(|p| p.as_ref().ok()).map_or(1, |p| p.rounds)
                as f64;
        json!({
            "run": row.run,
            "constants": {
                "L": json_number(c.gradient), "G": json_number(c.smoothness), "C": json_number(c.psi),
                "D": json_number(c.diameter),
            },
            "trivial": json_number(row.trivial),
            "printed": row.printed.map(|p| json!({
                "sensitivity": json_number(p.sensitivity), "regret_per_round": p.regret.map(json_number), "proved": false,
                "broken": p.broken.map(|missing| missing.to_string()),
            })),
            "certified": point(&row.certified, rounds),
            "real": point(&row.real, rounds),
        })
    };
    rows.iter().map(row).collect()
}
