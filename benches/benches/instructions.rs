//! Small pieces of work whose instructions are counted: `instructions NAME TIMES` does one of them that many times.
//!
//! `cargo xtask bench instructions` runs it under valgrind, and compares with `benches/instructions.txt`. Valgrind knows no
//! AVX-512, so that all machines with AVX2 take the same path.
#![allow(clippy::print_stdout, reason = "its result must be used")]

use std::process::ExitCode;
use std::sync::Arc;

use dpsda::cost::CostSequence;
use dpsda::cost::samples::SampleCosts;
use dpsda::features::{Dense, Samples};
use dpsda::loss::{Logistic, Loss, Squared};
use dpsda::prelude::*;
use dpsda::privacy::plan::{Coverage, Decide};
use dpsda::privacy::sample::{GaussianSampler, LaplaceSampler};
use dpsda::rng::Purpose;
use rand::RngExt;

const NODES: usize = 7;
const DIM: usize = 112;
const BATCH: usize = 100;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [name, times] = &words[..] else { return ExitCode::SUCCESS };
    match times.parse().map_err(|_| "no number".to_owned()).and_then(|times| work(name, times)) {
        Ok(result) => {
            println!("{result}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            println!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Something that depends on all of the work.
fn work(name: &str, times: u64) -> Result<f64, String> {
    let problem = |error: Error| error.to_string();
    match name {
        "round-c" => rounds(Circulation.into(), times).map_err(problem),
        "round-ps" => rounds(PushSum.into(), times).map_err(problem),
        "round-r" => rounds(Relay.into(), times).map_err(problem),
        "laplace" => Ok(draws(times, |values, stream| LaplaceSampler::new(1 << 20).add_to(values, stream))),
        "gaussian" => Ok(draws(times, |values, stream| GaussianSampler::new(1 << 20).add_to(values, stream))),
        "squared" => best(Arc::new(Squared), times).map_err(problem),
        "logistic" => best(Arc::new(Logistic), times).map_err(problem),
        _ => Err(format!("no work {name}")),
    }
}

/// A thousand draws at a time.
fn draws(times: u64, add: impl Fn(&mut [i64], &mut dpsda::rng::Stream)) -> f64 {
    let (mut values, mut stream) = (vec![0; 1000], Seed::new(1).stream(Purpose::Noise, 0, 0));
    (0..times).for_each(|_| add(&mut values, &mut stream));
    values.iter().map(|v| *v as f64).sum()
}

fn costs(loss: Arc<dyn Loss>, rounds: usize) -> Result<SampleCosts, Error> {
    let mut stream = Seed::new(2).stream(Purpose::Data, 0, 0);
    let features = (0..rounds * BATCH * DIM).map(|_| stream.random::<f64>() - 0.5).collect();
    let labels = (0..rounds * BATCH).map(|_| if stream.random() { 1.0 } else { -1.0 }).collect();
    let samples = Arc::new(Samples::new(Dense::new(features, DIM)?, labels)?);
    SampleCosts::new(samples, (0..rounds * BATCH).collect(), Vec::new(), loss, BATCH)
}

/// Rounds with noise on all coordinates, in the paper's order.
fn rounds(algorithm: Algorithm, times: u64) -> Result<f64, Error> {
    let averages = algorithm.name() == "dpsda-c";
    let privacy = Privacy::level(1.0).mechanism(Laplace).coverage(Coverage::All).decide(Decide::Private);
    let spec = Spec::new(Blocks::even(DIM, NODES)?)
        .set(Cuboid::new(-5.0, 5.0)?)
        .graph(PaperFig2)
        .algorithm(algorithm);
    let spec = spec.privacy(privacy).rounds(1_000_000).batch(BATCH as u64);
    let spec = if averages { spec.undirected() } else { spec };
    let (mut fleet, costs) = (spec.fleet(Seed::new(1))?, costs(Arc::new(Squared), 4)?);
    for t in 0..times {
        let Some(cost) = costs.cost(t % 4) else { break };
        fleet.round(t, &*cost)?;
    }
    Ok(fleet.decision().iter().sum())
}

/// The best decision in hindsight over more and more rounds, from the start each time.
fn best(loss: Arc<dyn Loss>, times: u64) -> Result<f64, Error> {
    let (costs, set) = (costs(loss, 8)?, Cuboid::new(-5.0, 5.0)?);
    let found = (0..times).map(|time| {
        let mean = costs.mean(0..1 + time % 8);
        dpsda::regret::best(&[&*mean], &set, &[0.0; DIM], dpsda::regret::TOLERANCE).value
    });
    Ok(found.sum())
}
